#include "tls/connection_callbacks.h"

#include "tls/record.h"
#include "tls/span_bio.h"

namespace perch::tls {

void ConnectionCallbacks::on_message(int sent, int, int content_type, const void* bytes,
                                     std::size_t size, SSL*, void* argument) {
  auto& connection = *static_cast<Connection*>(argument);
  const auto* octets = static_cast<const unsigned char*>(bytes);
  bool idle_message = false;
  if (content_type == static_cast<int>(ContentType::kAlert) && size == 2) {
    const Alert alert{octets[1]};
    connection.last_alert_ = alert;
    connection.alert_received_ = sent == 0;
    // The answer to a client that wants to renegotiate.
    idle_message = sent != 0 && alert == Alert::kNoRenegotiation;
  } else if (content_type == static_cast<int>(ContentType::kHandshake)) {
    idle_message = sent == 0;
  }
  if (!idle_message || connection.state_ != Connection::State::kOpen) return;
  if (++connection.idle_messages_ > kMaxIdleMessages) TransportScope::stop_reading();
}

}  // namespace perch::tls
