#include "proxy/judging/rejection.hpp"

#include <array>
#include <string>
#include <string_view>

#include "routing/words/describe.hpp"
#include "text/utf8.hpp"
#include "wire/reply.hpp"

namespace scattergate::proxy {
namespace {

// From these error labels a driver knows that mongos hasn't executed the command. It backs off
// before it retries (specifications: client-backpressure).
constexpr std::array<std::string_view, 2> overload_labels{"SystemOverloadedError",
                                                          "RetryableError"};

std::string message_of(const judged_subject& of, const config::rule& rule) {
  const routing::verdict& verdict = of.verdict;
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
  const std::string_view driver = of.request.connection.client.as_caller({}).driver;
  if (const auto advice = routing::suggestion(verdict, of.command, driver); !advice.empty()) {
    text.append(": ").append(advice);
  }
  return text;
}

std::vector<std::byte> reply_with(const wire::command_error& error,
                                  const wire::message_header& request,
                                  std::int32_t request_id) {
  const bool is_legacy =
      request.op == wire::opcode::query || request.op == wire::opcode::get_more;
  return is_legacy ? wire::build_error_reply(request_id, request.request_id, error)
                   : wire::build_error_msg(request_id, request.request_id, error);
}

std::vector<std::byte> reject_with(const std::string& text, const wire::message_header& request,
                                   std::int32_t request_id) {
  const std::string plain = text::to_plain(text);
  return reply_with({rejection_code, plain, {}}, request, request_id);
}

}  // namespace

std::vector<std::byte> rejection_of(const judged_subject& rejected, const config::rule& rule,
                                    std::string_view caveat, std::int32_t request_id) {
  return reject_with(message_of(rejected, rule).append(caveat), rejected.request.header,
                     request_id);
}

std::vector<std::byte> rejection_of_unread(const wire::message_header& request,
                                           wire::wire_errc error, const config::rule* rule,
                                           std::int32_t request_id) {
  std::string text = "scattergate: ";
  if (rule == nullptr && error == wire::wire_errc::hidden_arguments) {
    text.append("an OP_QUERY with arguments in $queryOptions is rejected, because mongos may ");
    text.append("move them into the command; put them into the command, or use OP_MSG");
    return reject_with(text, request, request_id);
  }
  text.append("a message that can't be read (").append(wire::label(error));
  text.append(rule == nullptr ? ") is rejected because it is an OP_QUERY; use OP_MSG"
                              : ") is rejected by rule '");
  if (rule != nullptr) {
    text.append(rule->name).append("' because the rule may match it");
  }
  return reject_with(text, request, request_id);
}

std::vector<std::byte> refusal_of(const wire::message_header& request,
                                  routing::command_kind command, const config::rule& rule,
                                  throttle_refusal why, std::int32_t request_id) {
  std::string text = "scattergate: ";
  text.append(routing::name_of(command)).append(" is throttled by rule '").append(rule.name);
  text.append(why == throttle_refusal::full ? "', whose queue is full"
                                            : "', and its wait has timed out");
  if (!rule.why.empty()) text.append(" (").append(rule.why).append(")");
  text.append("; nothing was done, try again later");
  const std::string plain = text::to_plain(text);
  return reply_with(
      {wire::server_errc::ingress_request_rate_limit_exceeded, plain, overload_labels}, request,
      request_id);
}

}  // namespace scattergate::proxy
