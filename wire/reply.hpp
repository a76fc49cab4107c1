#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/server_error.hpp"

namespace scattergate::wire {

/// The error of a failed command, as MongoDB reports it.
struct command_error {
  server_errc code{};
  std::string_view message;
  std::span<const std::string_view> labels{};
};

/// Builds `{ok: 0, errmsg, code, codeName}`, with errorLabels if there are any, as a whole
/// OP_MSG that answers `response_to`.
[[nodiscard]] std::vector<std::byte> build_error_msg(std::int32_t request_id,
                                                     std::int32_t response_to,
                                                     const command_error& error);

/// Builds `{ok: 0, errmsg, code, codeName}` as an OP_REPLY, for a request that came as
/// OP_QUERY.
[[nodiscard]] std::vector<std::byte> build_error_reply(std::int32_t request_id,
                                                       std::int32_t response_to,
                                                       const command_error& error);

}  // namespace scattergate::wire
