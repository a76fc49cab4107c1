#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "routing/command_kind.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// The facts about a command, besides its verdict, that advice depends on. Contains views into
/// the command.
struct advice_facts {
  command_kind kind = command_kind::other;  ///< for an explain, the explained command's kind
  bool has_filter = true;       ///< false: the command has no condition, although commands of
                                ///< its kind can have a filter
  bool has_one_filter = false;  ///< exactly one filter: that of the whole command, or of the
                                ///< only statement of a batch
  bool begins_with_geo_near = false;  ///< the first stage is $geoNear
  bool takes_first = false;  ///< it changes the first document in an order (a findAndModify
                             ///< with a sort), so a caller can't know which one

  /// The fields by which the filter selects, without those inside $and, $or and the like.
  std::array<std::string_view, 4> selected;
  std::size_t selected_count = 0;  ///< number of fields in `selected`; further are omitted

  /// The fields whose values the command lists: the key of a distinct, or the paths in the key
  /// of a $group or $sortByCount, if the stages before it only select, sort or unwind
  /// documents.
  std::array<std::string_view, 8> listed;
  std::size_t listed_count = 0;  ///< number of fields in `listed`; further fields are omitted

  /// The names of other collections that an aggregation's stages join or write to.
  std::array<std::string_view, 16> joined;
  std::size_t joined_count = 0;  ///< number of names in `joined`; further names are omitted

  /// Whether `joined` contains the collection.
  [[nodiscard]] bool joins(std::string_view collection) const noexcept {
    const auto end = joined.begin() + static_cast<std::ptrdiff_t>(joined_count);
    return std::find(joined.begin(), end, collection) != end;
  }
};

/// Extracts the facts from a command. Reads only the beginning of a very large command.
[[nodiscard]] advice_facts advice_facts_of(const wire::command& command) noexcept;

}  // namespace scattergate::routing
