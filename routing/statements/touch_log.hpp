#pragma once

#include <array>
#include <cstddef>

#include "routing/scratch.hpp"
#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// Collects the judgements by namespace while a command is judged; equal ones in one namespace
/// share an entry. Bounded: if there is no room, it sets verdict::may_touch_more.
/// Thread-safety: one thread at a time.
class touch_log {
 public:
  explicit touch_log(wire::work_budget& work) noexcept : work_(work) {}

  /// The maximum number of entries: namespaces times judgements in each.
  static constexpr std::size_t max_touches = 64;

  /// Adds the judgement of a statement or of a joined collection. The names must live as long
  /// as the verdict.
  void add(wire::namespace_view on, const statement& made) noexcept;

  /// Records that an unknown namespace is touched.
  void lose() noexcept { has_lost_ = true; }

  /// Writes the entries into the verdict, in `memory`, if there are several.
  void publish(verdict& to, scratch& memory) const noexcept;

 private:
  [[nodiscard]] touch* find(const touch& one) noexcept;

  // Entries are constructed only when needed, unlike those of an array.
  struct storage {
    alignas(touch) std::array<std::byte, sizeof(touch) * max_touches> bytes;
  };
  [[nodiscard]] touch* slots() noexcept {
    return reinterpret_cast<touch*>(storage_.bytes.data());
  }
  [[nodiscard]] const touch* slots() const noexcept {
    return reinterpret_cast<const touch*>(storage_.bytes.data());
  }

  wire::work_budget& work_;
  storage storage_;
  std::size_t size_ = 0;
  std::size_t last_ = 0;  // most statements resemble the previous one
  bool has_lost_ = false;
};

}  // namespace scattergate::routing
