#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/options/rule.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// Generates the requestIDs of the replies that a worker itself gives to rejected requests.
class reply_ids {
 public:
  [[nodiscard]] std::int32_t next() noexcept { return static_cast<std::int32_t>(next_++); }

 private:
  std::uint32_t next_ = 1;  // wraps around
};

/// Builds the reply to a command that a rule rejects: the error IllegalOperation, with the
/// missing field and the rule in its message. The reply is an OP_MSG, or an OP_REPLY to a
/// legacy opCode. It has no error labels, so that drivers don't retry.
[[nodiscard]] std::vector<std::byte> rejection_of(const wire::message_header& request,
                                                  const routing::verdict& verdict,
                                                  const wire::command& command,
                                                  const config::rule& rule,
                                                  std::int32_t request_id);

/// Builds the reply to a message that a rule rejects because it can't be read: the error
/// IllegalOperation, with `error` and the rule in its message; otherwise as rejection_of().
[[nodiscard]] std::vector<std::byte> rejection_of_unread(const wire::message_header& request,
                                                         wire::wire_errc error,
                                                         const config::rule& rule,
                                                         std::int32_t request_id);

/// Why a throttle refuses a command.
enum class throttle_refusal : std::uint8_t {
  full,    ///< the queue is full
  waited,  ///< the command has waited for the maximum time
};

/// Builds the reply to a command that a throttle refuses: the error
/// IngressRequestRateLimitExceeded, with error labels by which drivers know that mongos hasn't
/// executed the command and that a retry is safe.
[[nodiscard]] std::vector<std::byte> refusal_of(const wire::message_header& request,
                                                routing::command_kind command,
                                                const config::rule& rule, throttle_refusal why,
                                                std::int32_t request_id);

}  // namespace scattergate::proxy
