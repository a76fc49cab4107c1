#pragma once

#include <array>
#include <cstddef>

#include "routing/scratch.hpp"
#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// Gathers what one command touches while it is judged: like judgements in one namespace are
/// one entry. Bounded, and never silently: what there is no room for makes
/// verdict::may_touch_more.
class touch_log {
 public:
  explicit touch_log(wire::work_budget& work) noexcept : work_(work) {}

  /// More entries than any application's command has: its namespaces, times the ways in which
  /// it is judged there.
  static constexpr std::size_t max_touches = 64;

  /// Notes a statement, or what becomes of a joined collection. The names must live as long as
  /// the verdict.
  void add(wire::namespace_view on, const statement& made) noexcept;

  /// Notes that something is touched of which there is nothing to tell.
  void lose() noexcept { has_lost_ = true; }

  /// Writes it into the verdict, by way of `memory`, where there is more to tell than one
  /// namespace judged in one way.
  void publish(verdict& to, scratch& memory) const noexcept;

 private:
  [[nodiscard]] touch* find(const touch& one) noexcept;

  // No touch is made before it is needed: an array of them would be.
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
  std::size_t last_ = 0;  // statements mostly are like the one before
  bool has_lost_ = false;
};

}  // namespace scattergate::routing
