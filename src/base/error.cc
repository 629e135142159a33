#include "perch/base/error.h"

#include <cerrno>
#include <system_error>

namespace perch {
namespace {

struct Meaning {
  ErrorCode code;
  Fault fault;
  Scope scope;
};

Meaning meaning_of(int system_error) {
  switch (system_error) {
    case ECANCELED:
      return {ErrorCode::kCancelled, Fault::kCaller, Scope::kOperation};
    case ETIMEDOUT:
      return {ErrorCode::kTimedOut, Fault::kPeer, Scope::kConnection};
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
      return {ErrorCode::kReset, Fault::kPeer, Scope::kConnection};
    case EINVAL:
    case EBADF:
    case EFAULT:
    case ENAMETOOLONG:
    case ENOTSOCK:
      return {ErrorCode::kInvalidArgument, Fault::kCaller, Scope::kOperation};
    case ENOENT:
    case ENOTDIR:
      return {ErrorCode::kNotFound, Fault::kCaller, Scope::kOperation};
    case EACCES:
    case EPERM:
    case EROFS:
      return {ErrorCode::kPermissionDenied, Fault::kCaller, Scope::kOperation};
    case EADDRINUSE:
      return {ErrorCode::kAddressInUse, Fault::kCaller, Scope::kOperation};
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case ENOSPC:
    case EDQUOT:
      return {ErrorCode::kLimitExceeded, Fault::kSystem, Scope::kOperation};
    case ENOSYS:
    case EOPNOTSUPP:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
      return {ErrorCode::kUnsupported, Fault::kSystem, Scope::kOperation};
    default:
      return {ErrorCode::kSystem, Fault::kSystem, Scope::kOperation};
  }
}

}  // namespace

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kTimedOut:
      return "timed out";
    case ErrorCode::kClosed:
      return "closed";
    case ErrorCode::kReset:
      return "reset";
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kPermissionDenied:
      return "permission denied";
    case ErrorCode::kAddressInUse:
      return "address in use";
    case ErrorCode::kLimitExceeded:
      return "limit exceeded";
    case ErrorCode::kProtocol:
      return "protocol error";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kSystem:
      return "system error";
  }
  return "unknown error";
}

Error Error::from_errno(int system_error, std::string_view what) {
  const Meaning meaning = meaning_of(system_error);
  std::string message(what);
  message += ": ";
  message += std::generic_category().message(system_error);
  Error error(meaning.code, std::move(message), meaning.fault, meaning.scope);
  error.system_error_ = system_error;
  return error;
}

}  // namespace perch
