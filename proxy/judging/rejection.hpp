#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/options/rule.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// Generates the requestIDs of a worker's own replies.
class reply_ids {
 public:
  [[nodiscard]] std::int32_t next() noexcept { return static_cast<std::int32_t>(next_++); }

 private:
  std::uint32_t next_ = 1;  // wraps
};

/// Builds the reply to a command that a rule rejects: IllegalOperation, with the missing field
/// and the rule in its message. Has the request's framing, and no error labels, so that drivers
/// don't retry.
[[nodiscard]] std::vector<std::byte> rejection_of(const wire::message_header& request,
                                                  const routing::verdict& verdict,
                                                  const wire::command& command,
                                                  const config::rule& rule,
                                                  std::int32_t request_id);

/// Builds the reply to a message that a rule rejects because it can't be read:
/// IllegalOperation. Has the request's framing, and no error labels, so that drivers don't
/// retry.
[[nodiscard]] std::vector<std::byte> rejection_of_unread(const wire::message_header& request,
                                                         wire::wire_errc error,
                                                         const config::rule& rule,
                                                         std::int32_t request_id);

/// Why a throttle refuses a command.
enum class throttle_refusal : std::uint8_t {
  full,    ///< the queue is full
  waited,  ///< it has waited for the maximum time
};

/// Builds the reply to a command that a throttle refuses: IngressRequestRateLimitExceeded, with
/// error labels by which drivers know that nothing was executed and a later retry is safe.
[[nodiscard]] std::vector<std::byte> refusal_of(const wire::message_header& request,
                                                routing::command_kind command,
                                                const config::rule& rule, throttle_refusal why,
                                                std::int32_t request_id);

}  // namespace scattergate::proxy
