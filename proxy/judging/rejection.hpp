#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/options/rule.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// The requestIDs of replies that a worker makes itself.
class reply_ids {
 public:
  [[nodiscard]] std::int32_t next() noexcept { return static_cast<std::int32_t>(next_++); }

 private:
  std::uint32_t next_ = 1;  // wraps
};

/// The reply to a command that a rule rejects, in the framing of the request: IllegalOperation,
/// naming the missing field and the rule. No error labels: a driver must not retry it.
[[nodiscard]] std::vector<std::byte> rejection_of(const wire::message_header& request,
                                                  const routing::verdict& verdict,
                                                  const wire::command& command,
                                                  const config::rule& rule,
                                                  std::int32_t request_id);

/// The same for a message that can't be read, because of `error`.
[[nodiscard]] std::vector<std::byte> rejection_of_unread(const wire::message_header& request,
                                                         wire::wire_errc error,
                                                         const config::rule& rule,
                                                         std::int32_t request_id);

/// Why a throttle lets a command not on.
enum class throttle_refusal : std::uint8_t {
  full,    ///< as many wait as may
  waited,  ///< it has waited as long as it may
};

/// The reply to a command that a rule doesn't let on now: IngressRequestRateLimitExceeded, by
/// whose labels a driver knows that nothing was done, and that it may try again later.
[[nodiscard]] std::vector<std::byte> refusal_of(const wire::message_header& request,
                                                routing::command_kind command,
                                                const config::rule& rule, throttle_refusal why,
                                                std::int32_t request_id);

}  // namespace scattergate::proxy
