# Tests, fuzzers and the benchmark of the session: included by src/http2/CMakeLists.txt after the layer.
set(PERCH_HTTP2_TESTING testing/scripted_client.cc testing/scripted_owner.cc testing/wire.cc)

perch_test(http2_session_test LAYER http2
  SOURCES ${PERCH_HTTP2_TESTING} testing/rule.cc
    output_queue_test.cc request_builder_test.cc stream_table_test.cc
    rfc9113_connection_test.cc rfc9113_frames_test.cc rfc9113_hpack_test.cc
    rfc9113_messages_test.cc rfc9113_streams_test.cc rfc9113_windows_test.cc
    session_flow_test.cc session_head_test.cc session_limits_test.cc session_park_test.cc
    session_shutdown_test.cc session_stall_test.cc)

perch_bench(session_bench LAYER http2 SOURCES session_bench.cc)

perch_fuzzer(session_fuzz LAYER http2
  SOURCES session_fuzz.cc ${PERCH_HTTP2_TESTING} CORPUS corpus/session)
perch_fuzzer(parked_session_fuzz LAYER http2
  SOURCES parked_session_fuzz.cc ${PERCH_HTTP2_TESTING} CORPUS corpus/parked_session)
