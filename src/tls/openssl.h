// Owners for OpenSSL's objects, and its error queue as Errors.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "perch/base/error.h"

namespace perch::tls {

template <auto Free>
struct Freer {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};

using SslCtxPtr = std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>>;
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Freer<X509_free>>;
using StorePtr = std::unique_ptr<X509_STORE, Freer<X509_STORE_free>>;

// The reason of the oldest error in this thread's queue, which is then emptied. Static text.
std::string_view take_openssl_reason();

// "what: reason", after a failure of OpenSSL's.
Error openssl_error(std::string_view what, ErrorCode code = ErrorCode::kInvalidArgument);

// A file of at most a mebibyte. Errors name it.
Result<std::string> read_file(const std::string& path);

// A BIO that reads `text`, which must outlive it.
BioPtr reading_bio(std::string_view text);

}  // namespace perch::tls
