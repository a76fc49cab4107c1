#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/options/rule.hpp"
#include "proxy/judging/judged_subject.hpp"
#include "wire/header.hpp"
#include "wire/server_error.hpp"

namespace scattergate::proxy {

/// Generates the requestIDs of a worker's own replies to rejected requests.
class reply_ids {
 public:
  /// The next requestID.
  [[nodiscard]] std::int32_t next() noexcept { return static_cast<std::int32_t>(next_++); }

 private:
  std::uint32_t next_ = 1;  // wraps around
};

/// The error that a rejected command gets: MongoDB's own for a query that its settings reject
/// (mongo: query_settings, from 8.0 on). No driver gives it a meaning of its own. Some take 20
/// (IllegalOperation) in a reply to a retryable write for a storage engine without them.
inline constexpr wire::server_errc rejection_code =
    wire::server_errc::query_rejected_by_settings;

/// Builds the reply to a command that a rule rejects: the error `rejection_code`. The error's
/// message names the rule and the missing shard key fields, and ends with `caveat`. The
/// reply is an OP_MSG, or an OP_REPLY if the request has a legacy opCode. It has no error
/// labels, so drivers don't retry.
[[nodiscard]] std::vector<std::byte> rejection_of(const judged_subject& rejected,
                                                  const config::rule& rule,
                                                  std::string_view caveat,
                                                  std::int32_t request_id);

/// Builds the reply to a message that is rejected because it can't be read: the error
/// `rejection_code`. The error's message names `error` and the rule. `rule`: null if no rule
/// rejects the message, but unread_requests::must_not_pass(). The reply is an OP_MSG, or an
/// OP_REPLY if the request has a legacy opCode. It has no error labels, so drivers don't retry.
[[nodiscard]] std::vector<std::byte> rejection_of_unread(const wire::message_header& request,
                                                         wire::wire_errc error,
                                                         const config::rule* rule,
                                                         std::int32_t request_id);

/// Why a throttle (a rule's rate limiter) refuses a command.
enum class throttle_refusal : std::uint8_t {
  full,    ///< the command can't wait: the queue is full or not configured, another client's
           ///< command has displaced it, memory has no room for it, or an earlier request may
           ///< stay unanswered
  waited,  ///< the command has waited in the queue for the maximum time
};

/// Builds the reply to a command that a throttle refuses: the error
/// IngressRequestRateLimitExceeded. Its error labels say that the command wasn't executed and
/// that a retry is safe.
[[nodiscard]] std::vector<std::byte> refusal_of(const wire::message_header& request,
                                                routing::command_kind command,
                                                const config::rule& rule, throttle_refusal why,
                                                std::int32_t request_id);

}  // namespace scattergate::proxy
