# The file service: included by src/server/CMakeLists.txt, before perch_layer, for the two lists.
set(PERCH_FILE_SOURCES
  files/document_root.cc files/file_body.cc files/file_cache.cc files/file_heads.cc
  files/file_loader.cc files/file_pages.cc files/file_service.cc files/file_table.cc
  files/listing.cc files/partial_content.cc)
set(PERCH_FILE_TESTS
  files/file_body_test.cc files/file_cache_test.cc files/file_change_test.cc
  files/file_condition_test.cc files/file_hostile_test.cc files/file_pages_test.cc
  files/file_precompressed_test.cc files/file_range_test.cc files/file_rules_test.cc
  files/file_service_test.cc files/file_table_test.cc files/listing_test.cc)

# It replaces operator new, as the sanitizers' runtimes do.
if(NOT PERCH_SANITIZE)
  perch_test(file_allocation_test LAYER server SOURCES files/file_allocation_test.cc)
endif()
perch_bench(file_bench LAYER server SOURCES files/file_bench.cc)
