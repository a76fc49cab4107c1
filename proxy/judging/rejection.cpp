#include "proxy/judging/rejection.hpp"

#include <string>

#include "routing/words/describe.hpp"
#include "telemetry/utf8.hpp"
#include "wire/reply.hpp"

namespace scattergate::proxy {
namespace {

constexpr std::int32_t illegal_operation = 20;  // mongo: base/error_codes.yml

std::string message_of(const routing::verdict& verdict, const config::rule& rule) {
  std::string text = "scattergate: ";
  text.append(routing::name_of(verdict.command)).append(" on ");
  text.append(verdict.database).append(".").append(verdict.collection);
  text.append(" is rejected by rule '").append(rule.name).append("'");
  if (const auto missing = routing::missing_fields(verdict); !missing.empty()) {
    text.append(": the filter misses shard key field");
    if (missing.size() > 1) text.append("s");
    const char* separator = " ";
    for (const std::string& field : missing) {
      text.append(separator).append(field);
      separator = ", ";
    }
  }
  if (!rule.why.empty()) text.append(" (").append(rule.why).append(")");
  if (const auto advice = routing::suggestion(verdict); !advice.empty()) {
    text.append(": ").append(advice);
  }
  return text;
}

std::vector<std::byte> reply_with(const std::string& text, const wire::message_header& request,
                                  std::int32_t request_id) {
  const std::string plain = telemetry::to_plain(text);
  const wire::command_error error{illegal_operation, "IllegalOperation", plain};
  const bool is_legacy =
      request.op == wire::opcode::query || request.op == wire::opcode::get_more;
  return is_legacy ? wire::build_error_reply(request_id, request.request_id, error)
                   : wire::build_error_msg(request_id, request.request_id, error);
}

}  // namespace

std::vector<std::byte> rejection_of(const wire::message_header& request,
                                    const routing::verdict& verdict, const config::rule& rule,
                                    std::int32_t request_id) {
  return reply_with(message_of(verdict, rule), request, request_id);
}

std::vector<std::byte> rejection_of_unread(const wire::message_header& request,
                                           wire::wire_errc error, const config::rule& rule,
                                           std::int32_t request_id) {
  std::string text = "scattergate: a message that can't be read (";
  text.append(wire::label(error)).append(") is rejected by rule '").append(rule.name);
  text.append("', which it may fall under (on_uninspected: reject)");
  return reply_with(text, request, request_id);
}

}  // namespace scattergate::proxy
