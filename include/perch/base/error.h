// Errors as values: what failed, whose fault it is, and how far it reaches.
//
// Functions that a caller is expected to handle return Result<T>. Exceptions are left to handlers'
// own faults (see docs/architecture.md). An Error is cheap to copy while its text is a literal.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace perch {

enum class ErrorCode : std::uint8_t {
  kCancelled,         // the task was asked to stop
  kTimedOut,          // the wait's Deadline passed
  kClosed,            // the other side ended in an orderly way
  kReset,             // the other side ended abruptly
  kInvalidArgument,   // the caller passed something that can never work
  kNotFound,          // no such file, host or record
  kPermissionDenied,  // the operating system refused
  kAddressInUse,      // another process listens there
  kLimitExceeded,     // a configured limit was reached
  kProtocol,          // the peer broke its protocol
  kUnsupported,       // valid, but not offered here
  kSystem,            // any other operating system error; see system_error()
};

// Who has to change something for the operation to succeed.
enum class Fault : std::uint8_t { kCaller, kPeer, kSystem };

// The smallest thing that the error ends.
enum class Scope : std::uint8_t { kOperation, kStream, kConnection, kProcess };

std::string_view to_string(ErrorCode code);

class Error {
 public:
  Error(ErrorCode code, std::string message, Fault fault = Fault::kCaller,
        Scope scope = Scope::kOperation)
      : message_(std::move(message)), code_(code), fault_(fault), scope_(scope) {}

  // Makes an Error of an errno value; `what` says which operation failed ("bind 127.0.0.1:80").
  static Error from_errno(int system_error, std::string_view what);

  static Error cancelled() { return {ErrorCode::kCancelled, "cancelled"}; }
  static Error timed_out() { return {ErrorCode::kTimedOut, "timed out"}; }

  ErrorCode code() const { return code_; }
  Fault fault() const { return fault_; }
  Scope scope() const { return scope_; }
  int system_error() const { return system_error_; }  // errno, or 0
  const std::string& message() const { return message_; }

 private:
  std::string message_;
  int system_error_ = 0;
  ErrorCode code_;
  Fault fault_;
  Scope scope_;
};

template <class T>
using Result = std::expected<T, Error>;

}  // namespace perch
