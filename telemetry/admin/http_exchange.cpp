#include "telemetry/admin/http_exchange.hpp"

namespace scattergate::telemetry {
namespace {

/// Nothing inline, nothing from elsewhere, nobody's frame.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

}  // namespace

unsigned status_of(const error_code& error) {
  if (error == http::error::header_limit) {
    return static_cast<unsigned>(http::status::request_header_fields_too_large);
  }
  if (error == http::error::unexpected_body || error == http::error::body_limit) {
    return static_cast<unsigned>(http::status::payload_too_large);
  }
  const bool is_http =
      error.category() == http::make_error_code(http::error::end_of_stream).category();
  const bool is_closed =
      error == http::error::end_of_stream || error == http::error::partial_message;
  return is_http && !is_closed ? static_cast<unsigned>(http::status::bad_request) : 0;
}

void guard(http::fields& header) {
  header.set(http::field::server, "scattergate");
  header.set(http::field::cache_control, "no-store");
  header.set("X-Content-Type-Options", "nosniff");
  header.set("Referrer-Policy", "no-referrer");
  header.set("Content-Security-Policy", content_policy);
}

response framed(const admin_reply& reply, unsigned version, bool keep_alive) {
  response framed{static_cast<http::status>(reply.status), version};
  framed.set(http::field::content_type, reply.content_type);
  framed.set(http::field::vary, "Accept, Accept-Encoding");
  if (reply.coding != content_coding::identity) {
    framed.set(http::field::content_encoding, label(reply.coding));
  }
  guard(framed);
  if (framed.result() == http::status::unauthorized) {
    framed.set(http::field::www_authenticate, "Basic realm=\"scattergate\", charset=\"UTF-8\"");
  }
  if (framed.result() == http::status::method_not_allowed) {
    framed.set(http::field::allow, "GET, HEAD");
  }
  framed.keep_alive(keep_alive);
  framed.body() = {reply.body.data(), reply.body.size()};
  framed.prepare_payload();
  return framed;
}

}  // namespace scattergate::telemetry
