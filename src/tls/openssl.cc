#include "tls/openssl.h"

#include <cerrno>
#include <cstdio>

#include <openssl/err.h>

#include "perch/base/check.h"

namespace perch::tls {

std::string_view take_openssl_reason() {
  const unsigned long error = ERR_peek_error();
  ERR_clear_error();
  if (error == 0) return "unknown reason";
  if (ERR_SYSTEM_ERROR(error)) return "system error";
  const char* reason = ERR_reason_error_string(error);
  return reason != nullptr ? reason : "unknown reason";
}

Error openssl_error(std::string_view what, ErrorCode code) {
  std::string message(what);
  message += ": ";
  message += take_openssl_reason();
  return {code, std::move(message)};
}

Result<std::string> read_file(const std::string& path) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  errno = 0;
  const std::unique_ptr<std::FILE, Freer<std::fclose>> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return std::unexpected(Error::from_errno(errno, path));
  std::string text(kMaxBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return std::unexpected(Error::from_errno(errno, path));
  if (text.size() > kMaxBytes) {
    return std::unexpected(Error(ErrorCode::kLimitExceeded, path + ": larger than 1 MiB"));
  }
  return text;
}

BioPtr reading_bio(std::string_view text) {
  BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  PERCH_CHECK(bio != nullptr);
  return bio;
}

}  // namespace perch::tls
