#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/options/rule.hpp"
#include "routing/verdict.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// The reply to a command that a rule rejects, in the framing of the request: IllegalOperation,
/// naming the missing field and the rule. No error labels: a driver must not retry it.
[[nodiscard]] std::vector<std::byte> rejection_of(const wire::message_header& request,
                                                  const routing::verdict& verdict,
                                                  const config::rule& rule,
                                                  std::int32_t request_id);

/// The same for a message that can't be read, because of `error`.
[[nodiscard]] std::vector<std::byte> rejection_of_unread(const wire::message_header& request,
                                                         wire::wire_errc error,
                                                         const config::rule& rule,
                                                         std::int32_t request_id);

}  // namespace scattergate::proxy
