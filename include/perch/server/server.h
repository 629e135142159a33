// The server: listeners, workers, and the life of every connection from accept to drain.
//
// A connection is in one of these states, each dearer than the one before:
//
//   accepted   nothing received yet: a slot of 24 bytes
//   parked     no stream is open: the slot, and a record of some dozen bytes
//   quiet      streams are open but nothing moves: session, waiting handlers
//   active     bytes are being read or written: session and buffers
//
// Thread-safety: a Server is set up, started, drained and destroyed by one thread, which is none of
// its workers; `statistics` may be called from any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/http/router.h"
#include "perch/http1/options.h"
#include "perch/http2/options.h"
#include "perch/net/unique_fd.h"
#include "perch/server/access_record.h"
#include "perch/tls/server_context.h"

namespace perch::server {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
using Log = std::function<void(LogLevel, std::string_view)>;  // called on any worker

struct ServerOptions {
  unsigned workers = 0;  // 0: one per usable CPU

  // Off keeps every connection's session for its life, so that both can be measured.
  bool parking = true;
  // How long a connection stays as it is after its last activity. Doubles, up to the maximum, with
  // each wake that brings no request.
  Duration parking_grace = std::chrono::milliseconds(50);
  Duration parking_grace_max = std::chrono::seconds(10);

  Duration idle_timeout = std::chrono::seconds(180);       // HTTP/2, without a stream
  Duration http1_idle_timeout = std::chrono::seconds(75);  // HTTP/1.1, between requests
  Duration handshake_timeout = std::chrono::seconds(10);   // TLS, from its first byte, absolute
  // While output waits for the client, each period of this length must bring some progress, and
  // `minimum_rate` bytes per second on average.
  Duration write_stall_timeout = std::chrono::seconds(30);
  std::uint64_t minimum_rate = 1024;                          // 0: any progress will do
  Duration partial_frame_timeout = std::chrono::seconds(10);  // from its first byte, absolute
  Duration linger_timeout = std::chrono::seconds(2);  // from our last byte to the peer's close

  // 0: what the descriptor limit leaves. Connections beyond are told GOAWAY and closed.
  std::uint32_t max_connections = 0;
  // Descriptors that connections may not use when max_connections is 0: listeners, files.
  std::uint32_t reserved_descriptors = 640;

  // TLS handshakes under way at a time, for each worker; connections beyond are closed.
  std::uint32_t max_handshakes = 256;

  http2::SessionOptions http2;
  http1::SessionOptions http1;
  Log log;  // empty: one line to standard error
  // Empty: nothing is gathered. See access_record.h.
  AccessLog access_log;
};

struct ServerStatistics {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;            // for max_connections or max_handshakes
  std::uint64_t handshakes = 0;         // TLS, completed
  std::uint64_t resumptions = 0;        // of them, by a ticket
  std::uint64_t failed_handshakes = 0;  // or not completed in time
  std::uint64_t requests = 0;
  std::uint64_t wakes = 0;
  std::uint64_t stream_errors = 0;
  std::uint64_t connection_errors = 0;
  std::uint64_t open = 0;    // now, in any state
  std::uint64_t parked = 0;  // now
  std::uint64_t parked_at_most = 0;
  std::uint64_t parked_record_bytes = 0;  // now, as put
};

// A listening TCP socket that the process was given: by systemd's socket activation, or by the
// process that it takes over from.
struct InheritedListener {
  net::UniqueFd socket;
  std::string scheme;  // "http" or "https", where whoever gave it has said so; else ""
};

// A socket that a server listens on.
struct ListenerView {
  int descriptor;  // the server's
  std::string url;
  bool secure;
};

class Server {
 public:
  explicit Server(ServerOptions options = {});
  ~Server();  // stops without a drain
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Before `start`. See http::Router.
  Result<void> route(http::Method method, std::string_view pattern, http::Handler handler);
  void set_fallback(http::Handler handler);

  // What connections to https listeners get: before `listen` for the first of them, then at any
  // time, for the connections of from then on.
  void secure(std::shared_ptr<const tls::ServerContext> context);

  // Opens listeners for "http://HOST[:PORT]" or "https://HOST[:PORT]" (default ports 80 and 443;
  // port 0: any; host "*": all addresses). Before `start`. Errors: kInvalidArgument, kNotFound,
  // kAddressInUse, kPermissionDenied, kSystem.
  Result<void> listen(std::string_view url);
  // Before `listen`, which then takes the inherited socket that is bound to an address instead of
  // opening another; for port 0, one with any port. An inherited socket of both IP versions
  // (systemd's default for [::]) serves 0.0.0.0 as well. Error kInvalidArgument: it is no listening
  // TCP socket.
  Result<void> inherit(InheritedListener listener);
  // After `listen`: closes the inherited sockets that no URL asked for, and tells their addresses.
  std::vector<std::string> drop_unclaimed();
  // To give to another process; valid until a drain begins.
  std::vector<ListenerView> listeners() const;
  // Another process has the sockets too: `drain` will close them here and leave the ports open.
  void share_listeners();

  // The URLs listened on, with the ports that were chosen.
  const std::vector<std::string>& urls() const;

  Result<void> start();

  // Stops accepting, tells every client by GOAWAY in two steps, finishes what is open, and closes
  // what is left at the deadline. Returns true when nothing had to be cut off. The server is
  // stopped afterwards. `hurry` is polled meanwhile; true cuts the rest off at once.
  bool drain(Deadline deadline, const std::function<bool()>& hurry = {});

  // Returns once every worker has ended the turn of its loop that it was in, and with it all that
  // handlers do without waiting: what such handlers have borrowed before can then be destroyed.
  void synchronize();

  // How many connections the limits allow. After `start`.
  std::uint32_t max_connections() const;
  ServerStatistics statistics() const;

  // For small programs: listens, says where on standard output, serves until SIGINT or SIGTERM,
  // drains for up to ten seconds. Returns an exit code.
  int run(std::string_view url);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perch::server
