#pragma once

#include <cstdint>

#include "sim/values/value.hpp"

/// Computes the effect of updates on documents.
namespace scattergate::sim {

/// A parsed update (`u` of an update statement): operators, a replacement, or a pipeline of
/// `$set`/`$addFields`, `$unset`/`$project`, `$replaceWith`/`$replaceRoot`. Thread-safety:
/// immutable.
class update {
 public:
  /// Parses an update. `now_millis`: the time for `$currentDate`, in milliseconds since 1970.
  /// Throws command_failure for an update that mongos rejects: a value that is neither a
  /// document nor an array, or a pipeline with an invalid stage (failed_to_parse), or a
  /// replacement with operators (dollar_prefixed_field_name).
  update(value specification, std::int64_t now_millis);

  /// Throws command_failure for operators that a shard rejects: an unknown operator
  /// (failed_to_parse), an invalid path (bad_value), or two operators on one path
  /// (conflicting_update_operators).
  void check_operators() const;

  /// Whether the update replaces the whole document.
  [[nodiscard]] bool is_replacement() const noexcept { return kind_ == kind::replacement; }
  /// Whether the update is a pipeline.
  [[nodiscard]] bool is_pipeline() const noexcept { return kind_ == kind::pipeline; }
  /// The replacement document; null if the update isn't a replacement.
  [[nodiscard]] const document* replacement() const noexcept {
    return is_replacement() ? specification_.as<document>() : nullptr;
  }

  /// Whether the update consists of operators that change only `field` or parts of it.
  [[nodiscard]] bool changes_only(const std::string& field) const;

  /// The document after the update. `inserting`: whether an upsert inserts the document, so
  /// that `$setOnInsert` applies. Throws command_failure, for example immutable_field if the
  /// `_id` would change.
  [[nodiscard]] document apply(const document& before, bool inserting) const;

  /// The document to which an upsert applies the update. Its fields have the values that the
  /// filter's equalities require.
  [[nodiscard]] static document seed_of(const document& filter);

 private:
  enum class kind : std::uint8_t { operators, replacement, pipeline };
  [[nodiscard]] document apply_operators(const document& before, bool inserting) const;

  value specification_;
  std::int64_t now_millis_;
  kind kind_ = kind::operators;
};

}  // namespace scattergate::sim
