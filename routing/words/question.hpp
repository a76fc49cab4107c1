#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "routing/command_kind.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// What a command asks for, as far as it matters to what can be advised about it. Views point
/// into the command.
struct question {
  command_kind kind = command_kind::other;  ///< what is asked; of an explain what it explains
  bool has_filter = true;                   ///< some filter of it says something
  bool has_one_filter = false;              ///< it is no batch, or a batch of one
  bool begins_with_geo_near = false;

  /// The fields whose values it lists: a distinct's, or the `_id` of its first $group.
  std::array<std::string_view, 8> listed;
  std::size_t listed_count = 0;

  /// The collections that an aggregation's stages join or write to, beside its own.
  std::array<std::string_view, 16> joined;
  std::size_t joined_count = 0;

  [[nodiscard]] bool joins(std::string_view collection) const noexcept {
    const auto end = joined.begin() + static_cast<std::ptrdiff_t>(joined_count);
    return std::find(joined.begin(), end, collection) != end;
  }
};

/// Reads a command again. Bounded: of a very large one it sees the beginning.
[[nodiscard]] question question_of(const wire::command& command) noexcept;

}  // namespace scattergate::routing
