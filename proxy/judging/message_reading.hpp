#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "wire/command.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::proxy {

/// A complete message, parsed for judging: the message's command, or why it has none.
struct message_reading {
  wire::op_msg parsed;  ///< set if the message is a readable OP_MSG
  /// Whether the checksum is correct. Empty if the message isn't a readable OP_MSG, has no
  /// checksum, or is too large to verify the checksum in one step.
  std::optional<bool> has_good_checksum;
  /// The command, or why the message has none.
  wire::result<wire::command> command = wire::wire_errc::bad_bson;

  /// Parses an uncompressed message. Verifying a checksum uses up some of `work`. The result
  /// points into `message`.
  [[nodiscard]] static message_reading of(const wire::message_header& header,
                                          std::span<const std::byte> message,
                                          wire::work_budget& work) noexcept;
};

}  // namespace scattergate::proxy
