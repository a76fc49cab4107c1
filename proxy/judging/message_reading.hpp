#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "wire/command.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::proxy {

/// A complete message, read for judging: its command, or why there is none.
struct message_reading {
  wire::op_msg parsed;                    ///< if it is a readable OP_MSG
  std::optional<bool> has_good_checksum;  ///< if it has one that was compared
  wire::result<wire::command> command = wire::wire_errc::bad_bson;

  /// Reads an uncompressed message; comparing a checksum is charged to `work`.
  [[nodiscard]] static message_reading of(const wire::message_header& header,
                                          std::span<const std::byte> message,
                                          wire::work_budget& work) noexcept;
};

}  // namespace scattergate::proxy
