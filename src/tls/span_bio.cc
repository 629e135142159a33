#include "tls/span_bio.h"

#include <algorithm>
#include <cstring>

#include "perch/base/check.h"

namespace perch::tls {
namespace {

struct Transport {
  std::span<const std::byte> input;
  std::vector<std::byte>* output = nullptr;
};

int bio_read(BIO* bio, char* to, std::size_t size, std::size_t* read) {
  auto& transport = *static_cast<Transport*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  *read = std::min(size, transport.input.size());
  if (*read == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  std::memcpy(to, transport.input.data(), *read);
  transport.input = transport.input.subspan(*read);
  return 1;
}

int bio_write(BIO* bio, const char* from, std::size_t size, std::size_t* written) {
  auto& transport = *static_cast<Transport*>(BIO_get_data(bio));
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  transport.output->insert(transport.output->end(), bytes, bytes + size);
  *written = size;
  return 1;
}

long bio_ctrl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

int bio_create(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

// Made once and never freed: connections may end while the process does.
const BIO_METHOD* method() {
  static const BIO_METHOD* const made = [] {
    BIO_METHOD* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "perch span");
    PERCH_CHECK(m != nullptr && BIO_meth_set_read_ex(m, bio_read) == 1 &&
                BIO_meth_set_write_ex(m, bio_write) == 1 && BIO_meth_set_ctrl(m, bio_ctrl) == 1 &&
                BIO_meth_set_create(m, bio_create) == 1);
    return m;
  }();
  return made;
}

struct ThreadBio {
  Transport transport;
  BioPtr bio{BIO_new(method())};
  ThreadBio() {
    PERCH_CHECK(bio != nullptr);
    BIO_set_data(bio.get(), &transport);
  }
};

ThreadBio& thread_bio() {
  static thread_local ThreadBio bio;
  return bio;
}

}  // namespace

TransportScope::TransportScope(SSL* ssl, std::span<const std::byte> input,
                               std::vector<std::byte>& output) {
  ThreadBio& own = thread_bio();
  outer_input_ = own.transport.input;
  outer_output_ = own.transport.output;
  own.transport = {input, &output};
  if (SSL_get_rbio(ssl) == own.bio.get()) return;
  attached_ = ssl;
  BIO_up_ref(own.bio.get());
  SSL_set_bio(ssl, own.bio.get(), own.bio.get());
}

TransportScope::~TransportScope() {
  if (attached_ != nullptr) SSL_set_bio(attached_, nullptr, nullptr);
  thread_bio().transport = {outer_input_, outer_output_};
}

std::span<const std::byte> TransportScope::unread() { return thread_bio().transport.input; }

void TransportScope::stop_reading() { thread_bio().transport.input = {}; }

}  // namespace perch::tls
