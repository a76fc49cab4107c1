#pragma once

#include <cstdint>

#include "sim/values/value.hpp"

/// The effect of an update on a document.
namespace scattergate::sim {

/// An update statement's `u`: operators, a replacement, or a pipeline of
/// `$set`/`$addFields`, `$unset`/`$project`, `$replaceWith`/`$replaceRoot`. Thread-safety:
/// immutable.
class update {
 public:
  /// `now_millis` is the value for `$currentDate`. Throws command_failure for what the router
  /// rejects: another type (failed_to_parse), a replacement with operators.
  update(value specification, std::int64_t now_millis);

  /// Throws command_failure for what a shard rejects of operators: an unknown one
  /// (failed_to_parse), two on one path (conflicting_update_operators).
  void check_operators() const;

  [[nodiscard]] bool is_replacement() const noexcept { return kind_ == kind::replacement; }
  [[nodiscard]] bool is_pipeline() const noexcept { return kind_ == kind::pipeline; }
  /// The replacement; null if it isn't one.
  [[nodiscard]] const document* replacement() const noexcept {
    return is_replacement() ? specification_.as<document>() : nullptr;
  }

  /// Whether it has operators that change this field, or parts of it, and nothing else.
  [[nodiscard]] bool changes_only(const std::string& field) const;

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
