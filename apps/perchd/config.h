// What perchd can be told, by perchd.toml and by flags.
//
// Three layers: the defaults below, then the file of --config, then the other flags. Whatever is
// wrong in them is collected, so that one run shows every mistake.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "perch/base/clock.h"
#include "perchd/sites.h"

namespace perch::perchd {

enum class LogLevel : std::uint8_t { kTrace, kDebug, kInfo, kWarning, kError, kOff };

std::string_view to_string(LogLevel level);  // "warning", as in perchd.toml

enum class TlsVersion : std::uint8_t { k12, k13 };
enum class ClientCertificates : std::uint8_t { kOff, kRequest, kRequire };

// Files, as CertificateFiles of perch/tls/server_context.h.
struct Certificate {
  std::string certificate;
  std::string key;
  std::string ocsp_response;  // empty: none
  std::string where;          // "perchd.toml:12:9", for mistakes; not compared

  friend bool operator==(const Certificate& a, const Certificate& b) {
    return a.certificate == b.certificate && a.key == b.key && a.ocsp_response == b.ocsp_response;
  }
};

// Of every https listener.
struct Tls {
  std::vector<Certificate> certificates;  // empty: a self-signed one is made
  TlsVersion min_version = TlsVersion::k12;
  ClientCertificates client_certificates = ClientCertificates::kOff;
  std::string client_ca;  // a PEM file
  bool session_tickets = true;
  std::string ticket_keys;                            // a file; empty: random keys
  Duration ticket_rotation = std::chrono::hours(12);  // of random keys

  friend bool operator==(const Tls&, const Tls&) = default;
};

enum class AccessFormat : std::uint8_t { kCommon, kCombined, kJson };

struct AccessLog {
  std::string file;  // "stderr" or a file's name; empty: off
  AccessFormat format = AccessFormat::kCombined;
  std::uint32_t queue = 8192;  // lines

  friend bool operator==(const AccessLog&, const AccessLog&) = default;
};

// What the process is, once its sockets are bound.
struct Process {
  std::string user;             // empty: as started
  std::string group;            // empty: the user's
  std::string state_directory;  // empty: see perchd/state_directory.h

  friend bool operator==(const Process&, const Process&) = default;
};

struct Timeouts {
  Duration drain = std::chrono::seconds(30);        // from SIGTERM to closing what is still open
  Duration upgrade = std::chrono::seconds(60);      // until the new process must be ready
  Duration http2_idle = std::chrono::seconds(180);  // without a stream
  Duration http1_idle = std::chrono::seconds(75);   // between requests
  Duration tls_handshake = std::chrono::seconds(10);
  Duration parking_grace = std::chrono::milliseconds(50);  // without a stream, before parking
  Duration parking_grace_max = std::chrono::seconds(10);   // after wakes without a request
  Duration headers = std::chrono::seconds(10);             // one header block, first to last frame
  Duration settings_ack = std::chrono::seconds(10);
  Duration partial_frame = std::chrono::seconds(10);
  Duration write_stall = std::chrono::seconds(30);  // output waiting and the peer takes nothing

  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

// Per connection, but for the last.
struct Limits {
  std::uint64_t header_bytes = 64 * 1024;  // decoded, each field charged 32 bytes on top
  std::uint32_t header_fields = 256;       // cookie crumbs are counted apart
  std::uint32_t concurrent_streams = 128;
  std::uint32_t continuation_frames = 8;  // of one header block
  std::uint32_t resets_per_10s = 100;     // by both sides together
  std::uint32_t useless_frames_per_10s = 100;
  std::uint32_t queued_control_frames = 1000;
  std::uint64_t minimum_rate = 1024;  // bytes a second; 0: no minimum
  std::uint64_t http1_target_bytes = 16 * 1024;
  std::uint64_t http1_chunk_extension_bytes = 4 * 1024;  // of one body, together
  std::uint64_t http1_body_bytes = 0;                    // of one request; 0: no limit
  std::uint32_t tls_handshakes = 256;                    // under way at a time, of one worker

  friend bool operator==(const Limits&, const Limits&) = default;
};

// Per worker, and per host of `hosts`.
struct FileCache {
  std::uint32_t files = 1024;               // known at a time
  std::uint32_t open_files = 128;           // of them, large ones that are kept open
  std::uint64_t memory = 16 * 1024 * 1024;  // of bodies
  std::uint64_t largest_body = 64 * 1024;   // kept in memory
  Duration revalidate = std::chrono::seconds(1);

  friend bool operator==(const FileCache&, const FileCache&) = default;
};

struct Config {
  std::string root = ".";
  // See net::parse_listen_url.
  std::vector<std::string> listen = {"http://localhost:8080", "https://localhost:8443"};
  std::uint32_t workers = 0;  // 0: one per CPU
  bool parking = true;
  LogLevel log_level = LogLevel::kInfo;
  std::string log_file = "stderr";
  AccessLog access_log;
  Process process;
  Tls tls;
  Timeouts timeouts;
  Limits limits;
  FileCache file_cache;
  Files files;              // of hosts that are not listed
  std::vector<Host> hosts;  // each with its own names

  friend bool operator==(const Config&, const Config&) = default;
};

struct ConfigError {
  std::string where;     // "perchd.toml:12:9", or a flag: "--workers"
  std::string what;      // what was wrong
  std::string expected;  // "expected ..." or another hint; may be empty

  friend bool operator==(const ConfigError&, const ConfigError&) = default;
};
using ConfigErrors = std::vector<ConfigError>;

std::string to_string(const ConfigError& error);  // "WHERE: WHAT; EXPECTED"

// Applies the TOML document `text` on top of `base`. `file_name` is for the mistakes only.
std::expected<Config, ConfigErrors> parse_toml(std::string_view text, std::string_view file_name,
                                               const Config& base = {});

enum class Action : std::uint8_t { kServe, kCheck, kPrint };

// What a command line asks for.
struct Invocation {
  Action action = Action::kServe;
  Config config;
  std::string text;  // kPrint: the help or the version
};

// Reads the command line and the file that it names.
std::expected<Invocation, ConfigErrors> load(int argc, const char* const* argv);

}  // namespace perch::perchd
