# Frames and field compression: included by src/http2/CMakeLists.txt, before perch_layer for the
# lists. Their tests are a program of their own.
set(PERCH_HTTP2_CODEC_SOURCES
  error_code.cc frame.cc frame_write.cc
  hpack_decoder.cc hpack_encoder.cc hpack_encoder_table.cc hpack_inflater_memory.cc
  hpack_static_table.cc hpack_write.cc huffman.cc)
set(PERCH_HTTP2_CODEC_TESTS
  codec_test_vectors.cc
  frame_cases_test.cc frame_test.cc
  hpack_decoder_test.cc hpack_encoder_test.cc hpack_examples_test.cc hpack_parking_test.cc
  hpack_static_table_test.cc hpack_stories_test.cc huffman_test.cc)

perch_test(http2_codec_test LAYER http2
  SOURCES ${PERCH_HTTP2_CODEC_TESTS}
  LIBS nghttp2::nghttp2 nlohmann_json::nlohmann_json)
if(TARGET http2_codec_test)
  target_compile_definitions(http2_codec_test PRIVATE
    PERCH_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
endif()

perch_bench(hpack_bench LAYER http2 SOURCES hpack_bench.cc)

perch_fuzzer(hpack_decode_fuzz LAYER http2 SOURCES hpack_decode_fuzz.cc CORPUS corpus/hpack_decode)
perch_fuzzer(parked_blob_fuzz LAYER http2 SOURCES parked_blob_fuzz.cc CORPUS corpus/parked_blob)
perch_fuzzer(frame_fuzz LAYER http2 SOURCES frame_fuzz.cc CORPUS corpus/frame)
