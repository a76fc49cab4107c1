#pragma once

#include <cstdint>

#include "sim/values/value.hpp"

/// The effect of an update on a document.
namespace scattergate::sim {

/// An update statement's `u`, validated once: operators, a replacement, or a pipeline of
/// `$set`/`$addFields`, `$unset`/`$project`, `$replaceWith`/`$replaceRoot`. Thread-safety:
/// immutable.
class update {
 public:
  /// `now_millis` is the value for `$currentDate`. Throws command_failure for an unknown
  /// operator (failed_to_parse) or two operators on one path (conflicting_update_operators).
  update(value specification, std::int64_t now_millis);

  [[nodiscard]] bool is_replacement() const noexcept { return kind_ == kind::replacement; }
  [[nodiscard]] bool is_pipeline() const noexcept { return kind_ == kind::pipeline; }
  /// The replacement; null if it isn't one.
  [[nodiscard]] const document* replacement() const noexcept {
    return is_replacement() ? specification_.as<document>() : nullptr;
  }

  /// The document after the update. `inserting`: applies `$setOnInsert`, too. Throws
  /// command_failure (immutable_field) if the `_id` would change.
  [[nodiscard]] document apply(const document& before, bool inserting) const;

  /// The initial document of an upsert: the equalities of its filter.
  [[nodiscard]] static document seed_of(const document& filter);

 private:
  enum class kind : std::uint8_t { operators, replacement, pipeline };
  [[nodiscard]] document apply_operators(const document& before, bool inserting) const;

  value specification_;
  std::int64_t now_millis_;
  kind kind_ = kind::operators;
};

}  // namespace scattergate::sim
