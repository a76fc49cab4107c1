#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "routing/command_kind.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// The facts about a command that advice depends on. Contains views into the command.
struct question {
  command_kind kind = command_kind::other;  ///< for an explain: the explained command's
  bool has_filter = true;                   ///< at least one of its filters has a condition
  bool has_one_filter = false;              ///< not a batch, or a batch of one
  bool begins_with_geo_near = false;

  /// The fields whose values it lists: a distinct's key, or the `_id` of the first $group.
  std::array<std::string_view, 8> listed;
  std::size_t listed_count = 0;

  /// The other collections that an aggregation's stages join or write to.
  std::array<std::string_view, 16> joined;
  std::size_t joined_count = 0;

  [[nodiscard]] bool joins(std::string_view collection) const noexcept {
    const auto end = joined.begin() + static_cast<std::ptrdiff_t>(joined_count);
    return std::find(joined.begin(), end, collection) != end;
  }
};

/// Extracts these facts from a command. Reads only the beginning of a very large one.
[[nodiscard]] question question_of(const wire::command& command) noexcept;

}  // namespace scattergate::routing
