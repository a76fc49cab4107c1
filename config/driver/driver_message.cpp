#include "config/driver/driver_message.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "wire/bson_writer.hpp"
#include "wire/label_table.hpp"

namespace scattergate::config {
namespace {

using wire::document_view;

/// The longest text in a reply's envelope, in bytes: an error message quotes the server's text.
constexpr std::size_t max_text_bytes = max_envelope_bytes / 4;

std::string_view cut(std::string_view text) {
  return text.substr(0, max_text_bytes);
}

std::string text_in(document_view from, std::string_view name) {
  const auto found = wire::find_field(from, name);
  return found ? std::string{found->as_string()} : std::string{};
}

std::int64_t number_in(document_view from, std::string_view name) {
  const auto found = wire::find_field(from, name);
  return found ? found->as_int64().value_or(0) : 0;
}

std::int32_t int32_in(document_view from, std::string_view name) {
  const std::int64_t number = number_in(from, name);
  using limits = std::numeric_limits<std::int32_t>;
  return number < limits::min() || number > limits::max() ? 0
                                                          : static_cast<std::int32_t>(number);
}

bool is_true_in(document_view from, std::string_view name) {
  const auto found = wire::find_field(from, name);
  return found && found->is_truthy();
}

std::optional<document_view> document_in(document_view from, std::string_view name) {
  const auto found = wire::find_field(from, name);
  return found ? found->as_document() : std::nullopt;
}

template <typename Enum>
std::optional<Enum> enum_in(document_view from, std::string_view name) {
  const std::int64_t number = number_in(from, name);
  const bool is_known =
      number >= 0 && static_cast<std::uint64_t>(number) < wire::enum_count<Enum>();
  return is_known ? std::optional{static_cast<Enum>(number)} : std::nullopt;
}

}  // namespace

std::vector<std::byte> encode(const driver_request& request) {
  wire::bson_writer to;
  to.int32("call", static_cast<std::int32_t>(request.what));
  to.text("database", request.database);
  to.text("uri", request.uri);
  to.text("application", request.application);
  to.int32("waitLimitMillis", request.wait_limit_ms);
  return to.take();
}

std::vector<std::byte> encode(const driver_reply& reply) {
  wire::bson_writer to;
  if (reply.line) {
    to.open_document("log");
    to.boolean("isError", reply.line->is_error);
    to.text("text", cut(reply.line->text));
    to.close();
  }
  if (reply.failed) {
    to.open_document("error");
    to.int32("kind", static_cast<std::int32_t>(reply.failed->kind));
    to.int32("code", reply.failed->code);
    to.text("text", cut(reply.failed->text));
    to.boolean("isTransient", reply.failed->is_transient);
    to.boolean("isOutcomeUnknown", reply.failed->is_outcome_unknown);
    to.close();
  }
  to.open_document("server");
  to.boolean("isMongos", reply.server.is_mongos);
  to.text("type", reply.server.type);
  to.text("address", cut(reply.server.address));
  to.int64("maxWireVersion", reply.server.max_wire_version);
  to.close();
  return to.take();
}

std::optional<driver_request> decode_request(std::span<const std::byte> envelope) {
  const auto from = document_view::from(envelope);
  if (!from) return std::nullopt;
  const auto what = enum_in<driver_call>(*from, "call");
  if (!what) return std::nullopt;
  return driver_request{*what, text_in(*from, "database"), text_in(*from, "uri"),
                        text_in(*from, "application"), int32_in(*from, "waitLimitMillis")};
}

std::optional<driver_reply> decode_reply(std::span<const std::byte> envelope) {
  const auto from = document_view::from(envelope);
  if (!from) return std::nullopt;
  driver_reply made;
  if (const auto line = document_in(*from, "log")) {
    made.line = {is_true_in(*line, "isError"), text_in(*line, "text")};
  }
  if (const auto error = document_in(*from, "error")) {
    const auto kind = enum_in<mongo_failure>(*error, "kind");
    if (!kind) return std::nullopt;
    made.failed =
        mongo_error{*kind, int32_in(*error, "code"), text_in(*error, "text"),
                    is_true_in(*error, "isTransient"), is_true_in(*error, "isOutcomeUnknown")};
  }
  if (const auto server = document_in(*from, "server")) {
    made.server = {is_true_in(*server, "isMongos"), text_in(*server, "type"),
                   text_in(*server, "address"), number_in(*server, "maxWireVersion")};
  }
  return made;
}

}  // namespace scattergate::config
