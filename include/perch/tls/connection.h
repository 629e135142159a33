// The server's side of one TLS connection, without I/O: ciphertext in, plaintext and ciphertext
// out.
//
// Life: kHandshaking -> kOpen -> kPeerClosed (the peer's close_notify), and kFailed from anywhere.
// Deadlines are the owner's, the handshake's too. So is the end of the byte stream: if that comes
// before kPeerClosed, what was received may have been cut off by a third party.
//
// Memory: OpenSSL's object (src/tls/README.md has the figures), and the bytes of a record while it
// is incomplete. A failed connection has freed the former.
//
// Output: no call appends more than one handshake flight and about as many bytes as it was given.
// An owner that reads no more while output waits is therefore bounded.
//
// Thread-safety: none; one worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perch/memory/slab.h"
#include "perch/tls/alert.h"
#include "perch/tls/server_context.h"

struct ssl_st;  // OpenSSL's connection object

namespace perch::tls {

inline constexpr std::size_t kMaxPlaintextBytes = 16 * 1024;  // of a record

// Takes what a connection deciphers.
class Sink {
 public:
  // One record's plaintext, at most 16 KiB, never empty; it lives until the call returns. May call
  // the connection's `seal` and `close`, and nothing else that changes it.
  virtual void on_plaintext(std::span<const std::byte> plaintext) = 0;

 protected:
  ~Sink() = default;
};

// Collects the bytes of a record that came in parts (src/tls/record.h has the framing).
class RecordAssembler {
 public:
  // Whole records from the front of `input`, which loses them. Empty when bytes are missing; those
  // that there are were then all taken. What is returned lives until `release`.
  std::span<const std::byte> take(std::span<const std::byte>& input);
  // The records were used: frees their storage, if it was the assembler's.
  void release();
  // Bytes of an incomplete record.
  std::size_t held() const { return held_.size(); }

 private:
  std::vector<std::byte> held_;
};

class Connection final : public memory::SlabAllocated {
 public:
  enum class State : std::uint8_t { kHandshaking, kOpen, kPeerClosed, kFailed };

  struct Failure {
    Alert alert;              // the one that was sent or received
    bool by_peer;             // received
    bool in_clear;            // the client does not speak TLS but HTTP; no alert was sent
    std::string_view reason;  // for a log line; static text
  };

  explicit Connection(std::shared_ptr<const ServerContext> context);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Takes all of `ciphertext`, gives plaintext to `sink` and appends to `out` what must be sent:
  // the handshake, tickets, alerts. After kPeerClosed or kFailed, input is ignored.
  void receive(std::span<const std::byte> ciphertext, Sink& sink, std::vector<std::byte>& out);

  // Appends `plaintext` to `out` in records of up to 16 KiB. False where nothing can be sent:
  // during the handshake, after `close`, and in kFailed.
  [[nodiscard]] bool seal(std::span<const std::byte> plaintext, std::vector<std::byte>& out);

  // Appends a close_notify, once, where a connection was made; nothing can be sealed afterwards.
  // The peer may go on sending until it has closed its own side.
  void close(std::vector<std::byte>& out);

  State state() const { return state_; }
  bool can_seal() const;
  // Why, in kFailed.
  const std::optional<Failure>& failure() const { return failure_; }
  // Bytes of an incomplete record are held; such a connection cannot be parked.
  bool mid_record() const { return assembler_.held() != 0; }
  // Bytes kept besides the OpenSSL object and this one.
  std::size_t held_bytes() const { return assembler_.held(); }

  // --- of the handshake; valid from kOpen on
  std::string_view alpn() const;  // empty: the client offered none
  // As the client sent it, in lower case; empty: none.
  std::string_view server_name() const { return server_name_; }
  Version version() const { return version_; }
  std::string_view cipher() const { return cipher_; }  // "TLS_AES_128_GCM_SHA256"
  bool resumed() const { return resumed_; }
  // The client's verified certificate's subject (RFC 4514); empty: it sent none.
  std::string_view peer_subject() const {
    return peer_subject_ != nullptr ? std::string_view(*peer_subject_) : std::string_view();
  }
  // Which certificate was shown: the position in ServerContextOptions::certificates, not counting
  // those that are offered together with an earlier one.
  std::size_t certificate_index() const { return certificate_index_; }
  // See ServerContext::certificate_covers.
  bool certificate_covers(std::string_view authority) const;
  const ServerContext& context() const { return *context_; }

 private:
  friend struct ConnectionCallbacks;  // connection_callbacks.cc
  struct SslDeleter {
    void operator()(ssl_st* ssl) const noexcept;
  };

  void process(std::span<const std::byte> records, Sink& sink, std::vector<std::byte>& out);
  bool check_first_record(std::span<const std::byte> records, std::vector<std::byte>& out);
  void finish_handshake();
  void on_read_result(int result);
  void fail(Alert alert, std::string_view reason);
  void free_engine_if_failed();

  std::shared_ptr<const ServerContext> context_;
  std::unique_ptr<ssl_st, SslDeleter> ssl_;
  RecordAssembler assembler_;
  std::string server_name_;
  std::unique_ptr<std::string> peer_subject_;
  std::string_view cipher_;
  std::optional<Failure> failure_;
  std::uint64_t records_sealed_ = 0;  // with the present key
  std::uint16_t idle_messages_ = 0;   // handshake messages since the last plaintext
  std::uint16_t certificate_index_ = 0;
  std::uint8_t alpn_ = 0;  // index + 1 in the context's list; 0: none
  State state_ = State::kHandshaking;
  Version version_ = Version::kTls13;
  bool resumed_ = false;
  bool first_record_seen_ = false;
  bool close_sent_ = false;
  bool receiving_ = false;
  bool alert_received_ = false;
  std::optional<Alert> last_alert_;  // sent or received
};

// A client's first bytes are an HTTP/1.x request line or the HTTP/2 preface, so it took a TLS port
// for a cleartext one. Needs five bytes.
bool looks_like_http(std::span<const std::byte> first_bytes);

}  // namespace perch::tls
