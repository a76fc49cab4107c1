#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "routing/scratch.hpp"
#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// Collects the judgements of a command's statements and joined collections, by namespace.
/// Equal judgements of one namespace share an entry and are counted. Bounded: judgements beyond
/// max_touches are dropped, and verdict::may_touch_more is set. Thread-safety: one thread at a
/// time.
class touch_log {
 public:
  /// `work`: the budget for comparing entries; must outlive this object.
  explicit touch_log(wire::work_budget& work) noexcept : work_(work) {}

  /// The maximum number of entries. A namespace has an entry for each different judgement.
  static constexpr std::size_t max_touches = 64;

  /// Adds `made`, a judgement of the namespace `on`. The texts that `on` refers to must outlive
  /// the verdict. `position`: the statement's position in the batch, from 0.
  void add(wire::namespace_view on, const statement& made, std::uint32_t position = 0) noexcept;

  /// Records that entries are missing: the command touches a namespace that can't be
  /// determined.
  void note_missing_entry() noexcept { has_missing_entries_ = true; }

  /// Records that mongos rejects the whole command before it chooses shards.
  void reject(refusal error) noexcept;

  /// Sets verdict::touches to a copy of the entries in `memory`, unless the only entry is the
  /// verdict itself. If
  /// entries are missing or `memory` is exhausted, sets verdict::may_touch_more, and replaces
  /// a class that is better than `unknown` by `unknown`.
  void publish(verdict& to, scratch& memory) const noexcept;

 private:
  [[nodiscard]] touch* find(const touch& one) noexcept;

  // Raw memory, so that only the entries in use are constructed.
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
  std::size_t last_ = 0;  // the entry used last: most statements have the same judgement as the
                          // previous one
  bool has_missing_entries_ = false;
};

}  // namespace scattergate::routing
