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

/// Where mongos takes a command. The words are analyzeShardKey's; their order is the order in
/// which the worst statement of a batch decides (not_routed stands outside it).
enum class routing_class : std::uint8_t {
  not_routed,
  unsharded,
  single_shard,
  multi_shard,
  unknown,
  scatter_gather,
};
inline constexpr std::size_t routing_class_count = wire::enum_count<routing_class>();

/// The part of a verdict that no chunk move can change.
enum class bounds_kind : std::uint8_t {
  none,      ///< no shard key is concerned
  point,     ///< the full key is pinned, for every statement
  narrowed,  ///< less than the whole key space
  full,      ///< [MinKey, MaxKey]
};

/// Why a command isn't single-shard (a closed list: labels of metrics and of the audit log).
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
  by_nature,          ///< the command goes to every shard whatever it says
  not_indexable,      ///< an operator on the key that gives no bounds ($text, $where, $geo...)
  // multi_shard
  range,        ///< a range of the key
  partial_key,  ///< a prefix of the key is pinned, the rest isn't
  many_values,  ///< several points ($in, $or, a batch)
  // unknown
  not_in_catalog,   ///< the catalog doesn't list the namespace and calls unlisted ones unknown,
                    ///< or has it from a cluster's record that can't be read
  cursor_not_seen,  ///< a cursor that was opened before or beside us
  unreadable,       ///< a body or message that we can't read, or a batch without its statements
  too_deep,         ///< nested deeper than mongos reads
  work_budget,      ///< more work than its size allows (wire::work_budget)
  unknown_command,  ///< a command that we don't know by name
  no_catalog,       ///< no catalog has been loaded yet
  time_series,      ///< a time-series collection, whose buckets are keyed otherwise
  refused,          ///< mongos refuses the command before it is routed
};
inline constexpr std::size_t reason_count = wire::enum_count<reason>();

/// What is to be found fault with in a command whatever its class (a closed list, as above).
enum class lint_kind : std::uint8_t {
  none,
  unique_index_without_key,  ///< a unique index that isn't prefixed by the shard key
  shard_key_update,          ///< changes a shard key field in a way that mongos will refuse
  ambiguous_id,              ///< by _id alone where _id is unique per shard only
  logical_shard_fanout,      ///< one logical read of "<id>:0".."<id>:n" on many shards
};
inline constexpr std::size_t lint_count = wire::enum_count<lint_kind>();

/// The error with which mongos would refuse a command.
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
  expression_form,            ///< $expr: beside an operator stands a further field
  unrecognized_stage,
  stage_form,                 ///< a stage that isn't one field
  query_feature_not_allowed,  ///< $expr in an upsert
  operation_not_supported_in_transaction,
  command_not_supported_on_view,
  output_not_by_id,  ///< a mapReduce into a collection not sharded by _id alone
  rename_of_sharded,
  rename_to_sharded,
  sharded_foreign,  ///< joins, or replaces, a collection that mustn't be sharded for that
  foreign_cannot_be_sharded,  ///< the same error, by the name that it has from 8.0 on
  command_not_found,
  command_not_supported,
  invalid_length,
  no_measurement_time,         ///< a time series' measurement without a date for its time
  constants_without_pipeline,  ///< an update has `c`, and is no pipeline
  unknown_field,               ///< an argument of the command that its version doesn't know
};

/// Labels: "scatter_gather", "narrowed" (none: empty), "missing_key" (none: empty),
/// "ambiguous_id" (none: empty), "ShardKeyNotFound" (none: empty).
[[nodiscard]] std::string_view label(routing_class routing) noexcept;
[[nodiscard]] std::string_view label(bounds_kind bounds) noexcept;
[[nodiscard]] std::string_view label(reason why) noexcept;
[[nodiscard]] std::string_view label(lint_kind lint) noexcept;
[[nodiscard]] std::string_view label(refusal refused) noexcept;

/// What a command is flagged for: the reason of its class, or a lint. What metrics and the
/// audit log call the reason of a finding. Thread-safety: immutable.
class cause {
 public:
  constexpr cause() noexcept = default;
  constexpr cause(reason why) noexcept : number_(static_cast<std::uint8_t>(why)) {}
  constexpr cause(lint_kind lint) noexcept
      : number_(lint == lint_kind::none ? 0 : static_cast<std::uint8_t>(lint) + lints_at) {}

  /// Below cause_count: the reasons first, the lints behind them.
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

/// What stands beside the bounds of a filter, for whoever advises what to change.
struct key_hints {
  /// An operator beside which mongos heeds nothing less than equality on the whole key.
  enum class spoiler : std::uint8_t { none, text, near };

  std::uint64_t pinned = 0;     ///< bit i: field i of the key has one value, by equality
  std::uint64_t voided = 0;     ///< bit i: it would, but for a collation that isn't simple
  reason cause = reason::none;  ///< why the bounds are no narrower, whatever follows from that
  spoiler beside = spoiler::none;
  bool has_collation = false;  ///< one that isn't simple: strings give no bounds
};

/// What a command does in one namespace: a judgement that some of its statements share, or what
/// becomes of a collection that it joins or writes to.
struct touch {
  std::string_view database;
  std::string_view collection;
  const routing::collection* judged = nullptr;
  std::uint64_t missing = 0;
  std::uint32_t statements = 0;  ///< of a batch; 1 for what isn't one
  routing_class routing = routing_class::unknown;
  bounds_kind bounds = bounds_kind::none;
  reason why = reason::none;
  lint_kind lint = lint_kind::none;
  refusal refused = refusal::none;
  key_hints hints;

  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database, collection}; }
};

/// How mongos will route one command. Views point into the command, the catalog and the
/// scratch that it was judged with: read it before any of them goes.
struct verdict {
  command_kind command = command_kind::other;
  routing_class routing = routing_class::unknown;
  bounds_kind bounds = bounds_kind::none;
  reason why = reason::none;
  lint_kind lint = lint_kind::none;
  refusal refused = refusal::none;
  bool widened = false;    ///< the scratch, or the work for it, ran out on the way
  bool abandoned = false;  ///< the work ran out before all was judged: `unknown`

  /// It may touch namespaces, or be judged there in ways, that `touches` doesn't tell: there
  /// are too many, they stand too deep, or which of two names mongos believes is its affair.
  bool may_touch_more = false;

  /// The namespace that the command is counted under: its own; explain's and a getMore's inner
  /// one; for bulkWrite that of the deciding op. collection is empty where there is none.
  std::string_view database;
  std::string_view collection;

  /// The catalog's entry whose key decided (foreign_scatter: the foreign one); null where the
  /// namespace isn't listed or no collection is concerned.
  const routing::collection* judged = nullptr;

  /// Bit i: the filter doesn't bound field i of judged's key (routing/key_field_set.hpp).
  std::uint64_t missing = 0;

  key_hints hints;  ///< of the statement that decided

  std::optional<shard_set> fanout;  ///< shards the bounds reach; none where chunks aren't known
  std::optional<shard_set> sent_to;  ///< only where mongos sends wider than the bounds

  /// The statements of the command by class, indexed by routing_class: one for a command that
  /// isn't a batch. Those that mongos refuses are among them.
  std::array<std::uint32_t, routing_class_count> statements{};

  /// All that it touches and what becomes of it there, where that is more than the verdict says
  /// by itself; else empty.
  std::span<const touch> touches;

  /// The same command as it looks to `one` of the namespaces that it touches.
  [[nodiscard]] verdict seen_by(const touch& one) const noexcept;

  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database, collection}; }

  /// How many shards mongos asks: none where it refuses the command. Nothing where the chunks
  /// aren't known.
  [[nodiscard]] std::optional<std::uint32_t> shards_asked() const noexcept {
    const auto& asked = sent_to ? sent_to : fanout;
    if (refused != refusal::none) return 0;
    if (!asked) return std::nullopt;
    return static_cast<std::uint32_t>(asked->size());
  }

  /// Whether the filter doesn't bound this field of judged's key.
  [[nodiscard]] bool misses(std::size_t field) const noexcept {
    return key_field_set{missing}.contains(field);
  }

  /// A finding by default: what the rules are asked about when nothing in them matches.
  [[nodiscard]] bool is_scatter_on_sharded() const noexcept {
    return routing == routing_class::scatter_gather && why != reason::by_nature;
  }
};

}  // namespace scattergate::routing
