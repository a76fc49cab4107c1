#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/key_field_set.hpp"
#include "routing/shard_set.hpp"
#include "wire/enum_count.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::routing {

class collection;

/// The shards that mongos sends a command to, in analyzeShardKey's terms. From `unsharded` on,
/// in ascending order of badness; a batch has the worst class of its statements.
enum class routing_class : std::uint8_t {
  not_routed,
  unsharded,
  single_shard,
  multi_shard,
  unknown,
  scatter_gather,
};
inline constexpr std::size_t routing_class_count = wire::enum_count<routing_class>();

/// The kind of bounds that a filter implies. Unlike the fan-out, independent of chunks.
enum class bounds_kind : std::uint8_t {
  none,      ///< no shard key is involved
  point,     ///< every statement pins the whole key to one value
  narrowed,  ///< a part of the key space
  full,      ///< the whole key space, [MinKey, MaxKey]
};

/// Why a command isn't single-shard. Metrics and the audit log use the labels.
enum class reason : std::uint8_t {
  none,
  // scatter_gather
  missing_key,        ///< no field of the shard key is bounded
  not_prefix,         ///< later fields of the key are bounded, the first isn't
  range_on_hashed,    ///< only a range (or regex, ...) on a hashed first field
  unbounded_or,       ///< a branch of an $or has no bounds
  negation,           ///< only a complement ($ne, $nin, $not) on the first field
  collation,          ///< a non-simple collation voids string bounds
  no_leading_match,   ///< an aggregate without $match at its head
  write_without_key,  ///< a write of one document whose filter doesn't pin the key
  foreign_scatter,    ///< a $lookup, $unionWith, ... scatters on its own collection
  by_nature,          ///< commands of this kind always go to every shard
  not_indexable,      ///< an operator on the key that gives no bounds ($text, $where, $geo...)
  // multi_shard
  range,        ///< a range of the key
  partial_key,  ///< a prefix of the key is pinned, the rest isn't
  many_values,  ///< several points ($in, $or, a batch)
  // unknown
  not_in_catalog,   ///< the catalog doesn't list the namespace (`unlisted: unknown`), or the
                    ///< cluster's record of it can't be read
  cursor_not_seen,  ///< the cursor was opened before the start, or through another proxy
  unreadable,       ///< a body or message that can't be read, or a batch without its statements
  too_deep,         ///< nested deeper than mongos reads
  work_budget,      ///< it needs more work than its size allows (wire::work_budget)
  unknown_command,  ///< the command's name isn't known
  no_catalog,       ///< no catalog has been loaded yet
  time_series,      ///< a time-series collection whose fields are unknown
  refused,          ///< mongos refuses the command before it is routed
};
inline constexpr std::size_t reason_count = wire::enum_count<reason>();

/// A problem of a command that doesn't depend on its routing class. Metrics and the audit log
/// use the labels.
enum class lint_kind : std::uint8_t {
  none,
  unique_index_without_key,  ///< a unique index that doesn't begin with the shard key
  shard_key_update,          ///< changes a shard key field in a way that mongos will refuse
  ambiguous_id,              ///< filters by _id alone, but _id is unique only within a shard
  logical_shard_fanout,      ///< one logical read of "<id>:0".."<id>:n" on many shards
};
inline constexpr std::size_t lint_count = wire::enum_count<lint_kind>();

/// The error with which mongos, or a shard that it asks, rejects a command.
enum class refusal : std::uint8_t {
  none,
  invalid_options,
  shard_key_not_found,
  bad_value,
  failed_to_parse,
  not_single_value_field,
  unsupported_format,  ///< an update that mixes operators and fields
  illegal_operation,
  cannot_create_index,
  invalid_namespace,
  invalid_id_field,
  invalid_pipeline_operator,  ///< an operator of $expr that MongoDB doesn't know
  expression_form,            ///< $expr: a field next to an operator
  unrecognized_stage,
  stage_form,                 ///< a stage that isn't one field
  query_feature_not_allowed,  ///< $expr in an upsert
  operation_not_supported_in_transaction,
  command_not_supported_on_view,
  output_not_by_id,  ///< a mapReduce into a collection not sharded by _id alone
  rename_of_sharded,
  rename_to_sharded,
  sharded_foreign,  ///< joins or replaces a sharded collection where that isn't allowed
  foreign_cannot_be_sharded,  ///< sharded_foreign as servers from 8.0 on name it
  command_not_found,
  command_not_supported,
  invalid_length,
  no_measurement_time,         ///< a time series' measurement without a date for its time
  constants_without_pipeline,  ///< an update has `c`, and is no pipeline
  unknown_field,               ///< an argument of the command that its version doesn't know
  negative_value,              ///< a limit or a skip below zero
  invalid_pattern,             ///< a regular expression that PCRE doesn't compile
  invalid_pattern_option,      ///< an option of a regular expression that MongoDB doesn't know
  near_not_allowed,            ///< $near in a $match
  text_not_first,              ///< a $match with $text behind another stage
  undefined_variable,          ///< "$$name" that nothing binds
  stage_not_first,             ///< a stage that may only be the first one
  near_not_first,              ///< a $geoNear behind a stage that the optimizer leaves there
  stage_not_last,              ///< a stage that may only be the last one
  stage_not_in_facet,          ///< a stage that no $facet may hold
};

/// The label of a routing class in metrics and JSON: "scatter_gather".
[[nodiscard]] std::string_view label(routing_class routing) noexcept;
/// The label of the bounds in JSON: "narrowed"; empty for none.
[[nodiscard]] std::string_view label(bounds_kind bounds) noexcept;
/// The label of a reason in metrics and JSON: "missing_key"; empty for none.
[[nodiscard]] std::string_view label(reason why) noexcept;
/// The label of a lint in metrics and JSON: "ambiguous_id"; empty for none.
[[nodiscard]] std::string_view label(lint_kind lint) noexcept;
/// MongoDB's name of the error: "ShardKeyNotFound"; empty for none.
[[nodiscard]] std::string_view label(refusal refused) noexcept;

/// The cause of a finding: the reason of the command's class, or a lint. Metrics and the audit
/// log show it as `reason`. Thread-safety: immutable.
class cause {
 public:
  constexpr cause() noexcept = default;
  constexpr cause(reason why) noexcept : number_(static_cast<std::uint8_t>(why)) {}
  constexpr cause(lint_kind lint) noexcept
      : number_(lint == lint_kind::none ? 0 : static_cast<std::uint8_t>(lint) + lints_at) {}

  /// A number below cause_count; reasons precede lints.
  [[nodiscard]] constexpr std::size_t number() const noexcept { return number_; }
  [[nodiscard]] static constexpr cause numbered(std::size_t number) noexcept {
    cause made;
    made.number_ = static_cast<std::uint8_t>(number);
    return made;
  }

  friend constexpr bool operator==(cause, cause) noexcept = default;

 private:
  static constexpr std::uint8_t lints_at = reason_count - 1;  // there is one none

  std::uint8_t number_ = 0;
};
inline constexpr std::size_t cause_count = reason_count + lint_count - 1;
[[nodiscard]] std::string_view label(cause why) noexcept;

/// Facts about a filter that advice needs in addition to its bounds.
struct key_hints {
  /// An operator next to which only an equality on the whole key has an effect.
  enum class blocker : std::uint8_t { none, text, near };

  std::uint64_t pinned = 0;  ///< bit i: field i of the key has one value, by equality
  /// Bit i: field i would have one value if the collation were simple.
  std::uint64_t voided = 0;
  reason cause = reason::none;  ///< why the bounds aren't narrower
  blocker beside = blocker::none;
  bool has_collation = false;  ///< one that isn't simple: strings give no bounds
};

/// A command's judgement in one of the namespaces that it touches: of some of its statements,
/// or of a collection that it joins or writes to.
struct touch {
  std::string_view database;
  std::string_view collection;
  const routing::collection* judged = nullptr;
  std::uint64_t missing = 0;
  std::uint32_t statements = 0;  ///< the number of a batch's statements; 1 for other commands
  routing_class routing = routing_class::unknown;
  bounds_kind bounds = bounds_kind::none;
  reason why = reason::none;
  lint_kind lint = lint_kind::none;
  refusal refused = refusal::none;
  key_hints hints;

  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database, collection}; }
};

/// The prediction of how mongos routes a command. Its views are valid as long as the command,
/// the catalog and the scratch memory that it was judged with.
struct verdict {
  command_kind command = command_kind::other;
  routing_class routing = routing_class::unknown;
  bounds_kind bounds = bounds_kind::none;
  reason why = reason::none;
  lint_kind lint = lint_kind::none;
  refusal refused = refusal::none;
  bool is_sent = false;    ///< mongos sends a part of it to shards, even if it is `refused`
  bool widened = false;    ///< memory or work ran out: the bounds are wider than necessary
  bool abandoned = false;  ///< the work budget ran out before the end, so `routing` is unknown

  /// `touches` may be incomplete: there are too many, they are nested too deeply, or mongos may
  /// use either of two names.
  bool may_touch_more = false;

  /// The namespace that the command is counted under: its own; for explain and getMore the
  /// inner one; for bulkWrite that of the deciding op. collection is empty if there is none.
  std::string_view database;
  std::string_view collection;

  /// The catalog's entry whose key decided (foreign_scatter: the foreign one); null if the
  /// namespace isn't listed or no collection is involved.
  const routing::collection* judged = nullptr;

  /// Bit i: the filter doesn't bound field i of the key of `judged`
  /// (routing/key_field_set.hpp).
  std::uint64_t missing = 0;

  key_hints hints;  ///< the deciding statement's

  std::optional<shard_set> fanout;   ///< shards that the bounds reach; empty: unknown
  std::optional<shard_set> sent_to;  ///< set if mongos asks more shards than the bounds

  /// The number of statements by routing_class, refused ones included; one in all if the
  /// command isn't a batch.
  std::array<std::uint32_t, routing_class_count> statements{};

  /// The judgements by namespace; empty if there is just one, which the verdict itself has.
  std::span<const touch> touches;

  /// This verdict with the class, bounds and reason of `one` of its touches.
  [[nodiscard]] verdict seen_by(const touch& one) const noexcept;

  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database, collection}; }

  /// The number of shards that mongos asks; 0 if it rejects the whole command; std::nullopt if
  /// chunks are unknown.
  [[nodiscard]] std::optional<std::uint32_t> shards_asked() const noexcept {
    const auto& asked = sent_to ? sent_to : fanout;
    if (refused != refusal::none && !is_sent) return 0;
    if (!asked) return std::nullopt;
    return static_cast<std::uint32_t>(asked->size());
  }

  /// Whether the filter doesn't bound this field of the key of `judged`.
  [[nodiscard]] bool misses(std::size_t field) const noexcept {
    return key_field_set{missing}.contains(field);
  }

  /// Whether the command is a finding if no rule matches it.
  [[nodiscard]] bool is_scatter_on_sharded() const noexcept {
    return routing == routing_class::scatter_gather && why != reason::by_nature;
  }
};

}  // namespace scattergate::routing
