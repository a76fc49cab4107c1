#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "wire/command.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::proxy {

/// A complete message, parsed for judging: its command, or why it has none.
struct message_reading {
  wire::op_msg parsed;  ///< set if it is a readable OP_MSG
  /// Whether the checksum is correct; empty: there is none, or the message is too large to
  /// verify it at once.
  std::optional<bool> has_good_checksum;
  wire::result<wire::command> command = wire::wire_errc::bad_bson;  ///< or why it has none

  /// Parses an uncompressed message. Charges `work` for verifying a checksum. The result points
  /// into `message`.
  [[nodiscard]] static message_reading of(const wire::message_header& header,
                                          std::span<const std::byte> message,
                                          wire::work_budget& work) noexcept;
};

}  // namespace scattergate::proxy
