#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "wire/command.hpp"

/// Reads the first part of an OP_MSG, while the rest is still arriving.
namespace scattergate::wire {

/// The name of the command in an OP_MSG, from the beginning of the message. std::nullopt if
/// `start` is too short, or the body isn't the first section after an optional telemetry
/// section.
[[nodiscard]] std::optional<std::string_view> name_of_command(
    std::span<const std::byte> start) noexcept;

/// A command whose document sequence hasn't arrived completely. A view.
struct started_command {
  command what;                ///< without the sequence
  document_sequence sequence;  ///< the first part: its last document may be incomplete
  std::size_t begins_at = 0;   ///< the offset of the first document in the message
};

/// The body and the first sequence, from the beginning of an OP_MSG. std::nullopt if `start` is
/// too short for the body and the sequence's name, if these aren't the first two sections after
/// an optional telemetry section, and if the body isn't a command.
[[nodiscard]] std::optional<started_command> started_command_in(
    std::span<const std::byte> start) noexcept;

}  // namespace scattergate::wire
