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
#include "wire/label_table.hpp"
#include "wire/namespace_view.hpp"

/// The verdict on a command: the prediction of how mongos routes it. To judge a command is to
/// determine its verdict. A finding is a command that the audit log records. A rule may flag a
/// command as a finding. A command that no rule matches is a finding if it scatters on a
/// sharded collection, has a lint (a problem besides its routing), is certainly rejected by
/// mongos, or can't be read.
namespace scattergate::routing {

class collection;

/// The routing class of a command: which shards mongos sends it to, in the terms of MongoDB's
/// analyzeShardKey. The values from `unsharded` on are ordered from best to worst; a batch has
/// the worst class of its statements.
enum class routing_class : std::uint8_t {
  not_routed,      ///< mongos answers the command itself, the command has no target collection,
                   ///< or it concerns sharding or search indexes
  unsharded,       ///< the collection isn't sharded
  single_shard,    ///< one shard
  multi_shard,     ///< the filter bounds the shard key, but several shards may have matching
                   ///< documents
  unknown,         ///< the command or its collection can't be judged; the reason says why
  scatter_gather,  ///< every shard that owns chunks, because the filter doesn't bound the shard
                   ///< key
};
/// The number of routing classes.
inline constexpr std::size_t routing_class_count = wire::enum_count<routing_class>();

/// How far a filter bounds the shard key. Doesn't depend on the chunks.
enum class bounds_kind : std::uint8_t {
  none,      ///< the command isn't routed by a shard key
  point,     ///< every statement pins the key: fixes each key field to one value
  narrowed,  ///< the filter limits the key to a part of the key space
  full,      ///< the filter doesn't limit the key: [MinKey, MaxKey]
};

/// Why a command isn't single_shard. Metrics and the audit log show the label.
enum class reason : std::uint8_t {
  none,
  // scatter_gather
  missing_key,        ///< the filter bounds no field of the shard key
  not_prefix,         ///< the filter bounds later fields of the key, but not the first
  range_on_hashed,    ///< the first field is hashed, and the filter has a range, a regex or the
                      ///< like on it, but no equality
  unbounded_or,       ///< a branch of an $or has no bounds
  negation,           ///< the filter has only a negation ($ne, $nin, $not) on the first field
  collation,          ///< the collation isn't simple, so strings give no bounds
  no_leading_match,   ///< an aggregate whose pipeline has no $match at its head
  write_without_key,  ///< a write of one document (updateOne, ...) whose filter doesn't fix
                      ///< each key field to one value
  foreign_scatter,    ///< a $lookup, $unionWith, ... scatters on the collection that it joins
  by_nature,          ///< commands of this kind always go to every shard
  not_indexable,  ///< the filter's conditions on the key give no bounds: it has only operators
                  ///< such as $text, $where and $geo..., or an empty `$in`, with which no
                  ///< document can match
  // multi_shard
  range,        ///< the filter has a range of the key
  partial_key,  ///< the filter fixes the first fields of the key to one value each, but
                ///< doesn't bound the next one
  many_values,  ///< the filter or batch has several values of the key ($in, $or, several
                ///< statements)
  // unknown
  not_in_catalog,   ///< the catalog doesn't list the namespace and has `unlisted: unknown`, or
                    ///< the namespace's metadata can't be read
  cursor_not_seen,  ///< the cursor was opened before this proxy started, or through another
                    ///< proxy
  unreadable,       ///< the message or its body can't be read, or a batch has no statements
  too_deep,         ///< the command, or a chain of views, is nested too deeply to be judged;
                    ///< or the command uses too many namespaces
  work_budget,  ///< judging needs more work than the message's size allows (wire::work_budget)
  unknown_command,   ///< scattergate doesn't know the command
  no_catalog,        ///< no catalog has been loaded yet
  catalog_outdated,  ///< a command has changed the collection, and the catalog hasn't been read
                     ///< again since
  time_series,       ///< a time-series collection whose time and meta fields are unknown
  refused,           ///< mongos or a shard rejects the command
};
/// The number of reasons, including none.
inline constexpr std::size_t reason_count = wire::enum_count<reason>();

/// A problem of a command, independent of its routing class. Metrics and the audit log show the
/// label.
enum class lint_kind : std::uint8_t {
  none,
  unique_index_without_key,  ///< creates a unique index that doesn't begin with the shard key,
                             ///< or makes such an index unique
  shard_key_update,          ///< changes a shard key field in a way that mongos rejects
  ambiguous_id,              ///< filters by _id alone, but _id is unique only within each shard
  logical_shard_fanout,  ///< reads the documents "<id>:0" to "<id>:n" of one counter, which are
                         ///< on many shards
};
/// The number of lints, including none.
inline constexpr std::size_t lint_count = wire::enum_count<lint_kind>();

/// The error with which mongos, or a shard, rejects a command. label() is MongoDB's name of
/// the error.
enum class refusal : std::uint8_t {
  none,
  invalid_options,
  shard_key_not_found,
  bad_value,
  failed_to_parse,
  not_single_value_field,
  unsupported_format,  ///< an update has both operators and fields
  illegal_operation,
  cannot_create_index,
  invalid_namespace,
  invalid_id_field,
  invalid_pipeline_operator,  ///< $expr has an operator that MongoDB doesn't know
  expression_form,            ///< an object in $expr has another field besides an operator
  unrecognized_stage,
  stage_form,                 ///< a stage doesn't have exactly one field
  query_feature_not_allowed,  ///< an upsert's filter has $expr
  operation_not_supported_in_transaction,
  command_not_supported_on_view,
  output_not_by_id,  ///< a mapReduce outputs to a collection that isn't sharded by _id alone
  rename_of_sharded,
  rename_to_sharded,
  sharded_foreign,  ///< a command joins or replaces a sharded collection where that isn't
                    ///< allowed
  foreign_cannot_be_sharded,  ///< the same error as sharded_foreign, by its name since 8.0
  command_not_found,
  command_not_supported,
  invalid_length,
  no_measurement_time,         ///< a measurement's time field is missing or isn't a date
  constants_without_pipeline,  ///< an update statement has `c`, but its update isn't a pipeline
  unknown_field,           ///< this version of mongos doesn't know an argument of the command
  negative_value,          ///< a limit or skip is below zero
  invalid_pattern,         ///< PCRE can't compile a regular expression
  invalid_pattern_option,  ///< a regular expression has an option that MongoDB doesn't know
  near_not_allowed,        ///< a $match has $near
  text_not_first,          ///< a $match with $text isn't the first stage
  undefined_variable,      ///< an expression has a variable "$$name" that isn't defined
  stage_not_first,         ///< a stage that must be the first one isn't
  near_not_first,      ///< a $geoNear isn't the first stage after the pipeline was optimized
  stage_not_last,      ///< a stage that must be the last one isn't
  stage_not_in_facet,  ///< a $facet has a stage that isn't allowed there
};

/// The label of a routing class in metrics and JSON: "scatter_gather".
[[nodiscard]] std::string_view label(routing_class routing) noexcept;
/// The label of the bounds in JSON: "narrowed"; empty for none.
[[nodiscard]] std::string_view label(bounds_kind bounds) noexcept;
/// The label of a reason in metrics and JSON: "missing_key"; empty for none.
[[nodiscard]] std::string_view label(reason why) noexcept;
/// The label of a lint in metrics and JSON: "ambiguous_id"; empty for none.
[[nodiscard]] std::string_view label(lint_kind lint) noexcept;
/// MongoDB's name for the error: "ShardKeyNotFound"; empty for none.
[[nodiscard]] std::string_view label(refusal refused) noexcept;

/// The cause of a finding: the reason for the command's class, or a lint. Metrics and the audit
/// log show its label as `reason`. Thread-safety: immutable.
class cause {
 public:
  constexpr cause() noexcept = default;
  /// The cause that is a reason; `reason::none`: no cause.
  constexpr cause(reason why) noexcept : number_(static_cast<std::uint8_t>(why)) {}
  /// The cause that is a lint; `lint_kind::none`: no cause.
  constexpr cause(lint_kind lint) noexcept
      : number_(lint == lint_kind::none ? 0 : static_cast<std::uint8_t>(lint) + lints_at) {}

  /// A number below cause_count. Reasons have lower numbers than lints.
  [[nodiscard]] constexpr std::size_t number() const noexcept { return number_; }
  /// The cause with this number(). REQUIRES: `number` is below cause_count.
  [[nodiscard]] static constexpr cause numbered(std::size_t number) noexcept {
    cause made;
    made.number_ = static_cast<std::uint8_t>(number);
    return made;
  }

  friend constexpr bool operator==(cause, cause) noexcept = default;

 private:
  static constexpr std::uint8_t lints_at = reason_count - 1;  // both `none` have number 0

  std::uint8_t number_ = 0;
};
/// The number of causes, including none.
inline constexpr std::size_t cause_count = reason_count + lint_count - 1;
/// The label of the cause in metrics and JSON: the label of its reason or lint; empty if there
/// is no cause.
[[nodiscard]] std::string_view label(cause why) noexcept;

/// Facts about a filter from which advice is made, in addition to its bounds.
struct key_hints {
  /// An operator that makes mongos ignore a filter's conditions on the key, except for an
  /// equality on the whole key.
  enum class blocker : std::uint8_t { none, text, near };

  std::uint64_t pinned = 0;  ///< bit i: the filter has an equality on field i of the key
  /// Bit i: the filter has an equality on field i that the collation makes useless.
  std::uint64_t voided = 0;
  reason cause = reason::none;         ///< why the bounds aren't narrower
  blocker blocked_by = blocker::none;  ///< the blocking operator in the filter, if any
  bool has_collation = false;  ///< the collation isn't simple, so strings give no bounds
};

/// Why mongos or a shard rejects a write that changes a document's shard key
/// (lint_kind::shard_key_update).
struct key_change {
  bool is_of_id = false;   ///< it changes the _id, which can't change
  bool is_multi = false;   ///< it may change several documents
  bool is_plain = false;   ///< it is neither retryable nor in a transaction
  bool is_joined = false;  ///< it may move its document, but isn't the command's only statement
  bool lacks_key = false;  ///< its filter lacks equality on the whole key

  /// Whether nothing is wrong.
  [[nodiscard]] constexpr bool is_allowed() const noexcept { return *this == key_change{}; }
  friend constexpr bool operator==(const key_change&, const key_change&) noexcept = default;
};

/// The judgement of the part of a command that uses one namespace: statements of a batch, or a
/// pipeline's use of a collection that it reads, joins or writes to. Members have the same
/// meaning as in a verdict.
struct touch {
  std::string_view database;
  std::string_view collection;
  const routing::collection* judged = nullptr;  ///< the catalog's entry for the collection that
                                                ///< was judged; null: not listed
  std::uint64_t missing = 0;  ///< bit i: the filter doesn't bound field i of the key
  /// The number of the batch's statements with this judgement; 1 if there is no batch.
  std::uint32_t statements = 0;
  /// The position of the first of these statements in the batch, from 0.
  std::uint32_t first_statement = 0;
  routing_class routing = routing_class::unknown;
  bounds_kind bounds = bounds_kind::none;
  reason why = reason::none;
  lint_kind lint = lint_kind::none;
  key_change change{};
  refusal refused = refusal::none;
  /// mongos rejects this part before it chooses shards. The members above say where mongos
  /// would send this part if it ran it after all.
  bool is_unrouted = false;
  key_hints hints;  ///< facts for advice

  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database, collection}; }

  /// The class in which verdict::statements counts these statements.
  [[nodiscard]] routing_class counted_class() const noexcept {
    return is_unrouted ? routing_class::unknown : routing;
  }
};

/// The prediction of how mongos routes a command. Contains views into the command, the catalog
/// and the scratch memory that were passed to classify().
struct verdict {
  command_kind command = command_kind::other;      ///< the command
  routing_class routing = routing_class::unknown;  ///< which shards the command asks
  bounds_kind bounds = bounds_kind::none;          ///< how far the filter limits the key
  reason why = reason::none;                       ///< why `routing` isn't single_shard
  lint_kind lint = lint_kind::none;                ///< a problem besides the routing
  key_change change{};  ///< for lint_kind::shard_key_update: what is wrong with the change
  refusal refused = refusal::none;  ///< the error if mongos rejects it
  bool is_sent = false;  ///< mongos sends at least a part of the command to shards, even if
                         ///< `refused` is set
  bool version_is_stated = false;  ///< the catalog states the version of mongos, so that
                                   ///< `refused` is certain
  bool widened = false;  ///< memory or the work budget ran low, so the bounds are wider than
                         ///< mongos's

  /// The work budget was spent before the whole command was read, so `routing` is unknown.
  bool abandoned = false;

  /// `touches` may be incomplete. For example, there are too many namespaces, pipelines are
  /// nested too deeply, or it is uncertain which of two namespaces mongos uses.
  bool may_touch_more = false;

  /// The namespace under which the command is counted: usually its own. For explain, that of
  /// the explained command; for getMore, that of the command that opened the cursor; for
  /// bulkWrite, that of the operation that decides the class. `collection` is empty if there is
  /// none.
  std::string_view database;
  std::string_view collection;

  /// The catalog's entry for the collection whose shard key decided the class (for
  /// foreign_scatter: the joined collection). Null if the namespace isn't listed or no
  /// collection is involved.
  const routing::collection* judged = nullptr;

  /// Bit i: the filter doesn't bound field i of the key of `judged`; see key_field_set.
  std::uint64_t missing = 0;

  key_hints hints;  ///< the hints of the statement that decided the class

  /// The position of the statement that decided the class in the batch, from 0. 0 if there is
  /// no batch.
  std::uint32_t deciding_statement = 0;

  /// The shards that own chunks within the bounds; std::nullopt if they aren't known, for
  /// example because the catalog has no chunks.
  std::optional<shard_set> fanout;

  /// The shards that mongos sends the command to, if it sends the command to more shards than
  /// those in `fanout`; otherwise std::nullopt.
  std::optional<shard_set> sent_to;

  /// The shards within the bounds of the parts that mongos rejects before it chooses shards
  /// (touch::is_unrouted); std::nullopt if there is no such part, or its shards aren't known.
  std::optional<shard_set> unrouted_fanout;

  /// The number of statements of each routing_class, including rejected ones. A command that
  /// isn't a batch counts as one statement.
  std::array<std::uint32_t, routing_class_count> statements{};

  /// The different judgements of each namespace that the command uses. Empty if there is only
  /// one judgement, which is this verdict's own. A command that mongos rejects before it
  /// chooses shards has the class `unknown`; its class if mongos runs it after all is in a
  /// touch, so that a wrong prediction of an error doesn't hide a scatter from rules.
  std::span<const touch> touches;

  /// A copy of this verdict with the namespace, class, bounds, reason, lint and refusal of
  /// `one`, which is a member of `touches`.
  [[nodiscard]] verdict verdict_in(const touch& one) const noexcept;

  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database, collection}; }

  /// The number of shards that mongos sends the command to. 0 if mongos rejects the whole
  /// command; std::nullopt if the shards are unknown.
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

  /// Whether the command scatters on a sharded collection, and not because all commands of its
  /// kind do (reason::by_nature). Such a command is a finding if no rule matches it.
  [[nodiscard]] bool is_scatter_on_sharded() const noexcept {
    return routing == routing_class::scatter_gather && why != reason::by_nature;
  }

  /// Whether mongos or a shard certainly rejects the command, or a part of it, and the command
  /// reads or writes a collection's documents: the application gets an error. Such a command is
  /// a finding if no rule matches it.
  [[nodiscard]] bool is_certainly_refused() const noexcept;
};

/// Why the command is, or would be, a finding: its lint or its certain rejection if there is
/// one and the command doesn't scatter on a sharded collection; otherwise the reason for its
/// class.
[[nodiscard]] cause cause_of(const verdict& of) noexcept;

/// Whether the cause says that mongos or a shard rejects the command.
[[nodiscard]] bool is_error(cause why) noexcept;

}  // namespace scattergate::routing
