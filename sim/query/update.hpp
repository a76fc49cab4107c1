#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/query/matcher.hpp"
#include "sim/values/value.hpp"

/// Computes the effect of updates on documents.
namespace scattergate::sim {

/// A parsed update: the member `u` of an update statement. One of three kinds: operators such
/// as `$set`, a replacement document, or a pipeline of `$set`/`$addFields`, `$unset`/`$project`
/// and `$replaceWith`/`$replaceRoot`. Thread-safety: immutable.
class update {
 public:
  /// Parses an update. `now_millis`: the time for `$currentDate`, in milliseconds since 1970.
  /// `array_filters`: the filters of the members that `$[x]` in a path stands for. Throws
  /// command_failure for an update that mongos rejects:
  /// - failed_to_parse: neither a document nor an array, a pipeline with a stage that isn't
  ///   a document with one field, or an invalid array filter;
  /// - dollar_prefixed_field_name: a replacement that contains operators.
  update(value specification, std::int64_t now_millis, const array& array_filters = {});

  /// Checks the operators as a shard does. Throws command_failure for an unknown operator or
  /// needless array filter (failed_to_parse), an invalid path (bad_value), or two operators on
  /// one path (conflicting_update_operators).
  void check_operators() const;

  /// Whether the update replaces the whole document.
  [[nodiscard]] bool is_replacement() const noexcept { return kind_ == kind::replacement; }
  /// Whether the update is a pipeline.
  [[nodiscard]] bool is_pipeline() const noexcept { return kind_ == kind::pipeline; }
  /// The replacement document; null if the update isn't a replacement.
  [[nodiscard]] const document* replacement() const noexcept {
    return is_replacement() ? specification_.as<document>() : nullptr;
  }

  /// Whether the update consists of operators that change only the top-level field `field` or
  /// parts of it.
  [[nodiscard]] bool changes_only(const std::string& field) const;

  /// Returns the document after the update. `inserting`: an upsert inserts the document, so
  /// `$setOnInsert` applies. `filter`: the statement's filter, by which `$` in a path finds an
  /// array's member. Throws command_failure if the update can't be applied; for
  /// example, immutable_field if the `_id` would change.
  [[nodiscard]] document apply(const document& before, bool inserting,
                               const document& filter = {}) const;

  /// The document to which an upsert applies the update if no document matches. Has the values
  /// that the filter's equalities require: {a: 1} for {a: 1, b: {$gt: 2}}.
  [[nodiscard]] static document seed_of(const document& filter);

 private:
  enum class kind : std::uint8_t { operators, replacement, pipeline };
  [[nodiscard]] document apply_operators(const document& before, bool inserting,
                                         const document& filter) const;

  value specification_;
  std::int64_t now_millis_;
  std::map<std::string, matcher, std::less<>> array_filters_;  ///< by identifier
  kind kind_ = kind::operators;
};

}  // namespace scattergate::sim
