#pragma once

#include <array>
#include <cstddef>

#include "routing/scratch.hpp"
#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// Collects the namespaces that one command touches while it is judged; equal judgements in one
/// namespace share an entry. Bounded: what doesn't fit sets verdict::may_touch_more.
class touch_log {
 public:
  explicit touch_log(wire::work_budget& work) noexcept : work_(work) {}

  /// More entries than any application's command has: its namespaces, times the ways in which
  /// it is judged there.
  static constexpr std::size_t max_touches = 64;

  /// Adds a statement, or the judgement of a joined collection. The names must live as long as
  /// the verdict.
  void add(wire::namespace_view on, const statement& made) noexcept;

  /// Records that something unknown is touched.
  void lose() noexcept { has_lost_ = true; }

  /// Writes the entries into the verdict, using `memory`, if there is more than one namespace
  /// judged in one way.
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
