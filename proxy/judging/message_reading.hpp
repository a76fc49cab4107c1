#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "wire/command.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::proxy {

/// A whole message as it is read for judging: the command in it, or why there is none.
struct message_reading {
  wire::op_msg parsed;                    ///< where it is an OP_MSG that can be read
  std::optional<bool> has_good_checksum;  ///< where it has one that was compared
  wire::result<wire::command> command = wire::wire_errc::bad_bson;

  /// Reads what isn't compressed; a checksum's comparison is paid from `work`.
  [[nodiscard]] static message_reading of(const wire::message_header& header,
                                          std::span<const std::byte> message,
                                          wire::work_budget& work) noexcept;
};

}  // namespace scattergate::proxy
