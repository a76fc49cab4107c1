#pragma once

#include <cstdint>
#include <string_view>

#include "routing/scratch.hpp"

namespace scattergate::routing {

/// The cost of looking up a name, in units of wire::work_budget, in addition to its bytes.
inline constexpr std::size_t look_up_units = 12;

/// A tree of names from untrusted input: each name has a parent or is at the top. A hash table
/// of fixed size in the scratch memory; hashes are keyed per process. Thread-safety: as for the
/// scratch memory.
class name_table {
 public:
  /// Identifies a name: its number in order of addition, from 1; 0: none.
  using id = std::uint32_t;
  static constexpr id none = 0;

  /// Allocates room for this many names; false if the scratch memory is exhausted.
  [[nodiscard]] bool open(std::size_t names, scratch& memory) noexcept;

  /// The ID of a name below `parent`, added if necessary; `none` if there is no room.
  id add(id parent, std::string_view name, wire::work_budget& work) noexcept;

  /// The ID of a name below `parent`; `none` if it isn't in the table.
  [[nodiscard]] id find(id parent, std::string_view name,
                        wire::work_budget& work) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] id parent_of(id name) const noexcept { return entries_[name - 1].parent; }

 private:
  struct entry {
    std::string_view name;
    id parent;
  };
  [[nodiscard]] std::size_t slot_of(id parent, std::string_view name,
                                    wire::work_budget& work) const noexcept;

  std::span<entry> entries_;
  std::span<id> slots_;  // its size is a power of two; never more than half full
  std::size_t size_ = 0;
};

}  // namespace scattergate::routing
