#pragma once

#include <cstdint>
#include <string_view>

#include "routing/scratch.hpp"

namespace scattergate::routing {

/// What looking up a name costs, in units of wire::work_budget, beside its bytes.
inline constexpr std::size_t look_up_units = 12;

/// Names that somebody sent, found without going through all of them: each below another one or
/// below none. A hash table in the scratch, under the process's key, that doesn't grow.
/// Thread-safety: as the scratch.
class name_table {
 public:
  /// Names are numbered from 1 on, in the order in which they are added; 0 is none.
  using id = std::uint32_t;
  static constexpr id none = 0;

  /// Room for `names` of them. False where the scratch is exhausted.
  [[nodiscard]] bool open(std::size_t names, scratch& memory) noexcept;

  /// The name below `parent`, which is added where it isn't there yet; `none` where that finds
  /// no room.
  id add(id parent, std::string_view name, wire::work_budget& work) noexcept;

  /// The same; `none` where it isn't there.
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
  std::span<id> slots_;  // a power of two, never more than half full
  std::size_t size_ = 0;
};

}  // namespace scattergate::routing
