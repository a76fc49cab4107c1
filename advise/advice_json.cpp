#include "advise/advice_json.hpp"

#include <algorithm>
#include <cmath>

#include "advise/traffic.hpp"
#include "routing/shape/placeholder.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"

namespace scattergate::advise {
namespace {

using text::json_writer;

constexpr std::uint64_t schema_version = 1;
constexpr int digits = 4;

std::uint64_t whole(double value) noexcept {
  return static_cast<std::uint64_t>(std::llround(value));
}

void number(json_writer& to, std::string_view name, const std::optional<double>& value) {
  value ? to.decimal(name, *value, digits) : to.null(name);
}

void flag(json_writer& to, std::string_view name, const std::optional<bool>& value) {
  to.name(name);
  value ? to.flag(*value) : to.null();
}

void percentage(json_writer& to, std::string_view name, double part, double all) {
  all == 0 ? to.null(name) : to.decimal(name, 100 * part / all, digits);
}

void append_classes(json_writer& to, std::string_view name, const class_counts& of) {
  to.object(name);
  to.number("total", whole(of.all()));
  to.number("singleShard", whole(of.single_shard));
  to.number("multiShard", whole(of.multi_shard));
  to.number("scatterGather", whole(of.scatter_gather));
  to.end();
}

void append_common(json_writer& to, const candidate& of, const std::vector<common_value>& all) {
  to.array("mostCommonValues");
  for (const common_value& one : all) {
    to.object();
    to.object("value");
    for (std::size_t i = 0; i < one.types.size(); ++i) {
      to.text(of.key[i].path, routing::placeholder_of(one.types[i]));
    }
    to.end();
    to.number("frequency", whole(one.frequency));
    to.end();
  }
  to.end();
}

void append_monotonicity(json_writer& to, const candidate& of) {
  to.object("monotonicity");
  // mongo: the monotonicity of a key with a hashed field behind other fields is unknown.
  const bool is_hidden =
      !of.key.front().hashed && std::ranges::any_of(of.key, &routing::key_field::hashed);
  number(to, "recordIdCorrelationCoefficient", is_hidden ? std::nullopt : of.monotonicity);
  const bool is_known = !is_hidden && (of.monotonicity || of.is_monotonic);
  to.text("type", !is_known ? "unknown" : of.is_monotonic ? "monotonic" : "not monotonic");
  to.end();
}

/// Appends analyzeShardKey's keyCharacteristics: of the new documents in the traffic, or, if
/// there are none, of the values to which filters pin the key.
void append_characteristics(json_writer& to, const candidate& of) {
  const key_values& values = of.all.values;
  const bool has_documents = values.documents > 0;
  const double sampled = has_documents ? values.documents : values.pinned;
  const double distinct = has_documents ? values.distinct_documents : values.distinct;
  to.object("keyCharacteristics");
  to.null("numDocsTotal");
  to.null("numOrphanDocs");
  to.null("avgDocSizeBytes");
  to.number("numDocsSampled", whole(values.documents));
  flag(to, "isUnique", of.are_indexes_known ? std::optional{of.is_unique} : std::nullopt);
  to.name("numDistinctValues");
  sampled == 0 ? to.null() : to.number(whole(distinct));
  append_common(to, of, has_documents ? values.common_documents : values.common);
  append_monotonicity(to, of);
  to.end();
}

void append_ranges(json_writer& to, std::string_view name, const std::vector<double>& of) {
  if (of.empty()) return to.null(name);
  to.array(name);
  for (const double one : of) to.number(whole(one));
  to.end();
}

/// The names that analyzeShardKey gives to the members of a distribution.
struct distribution_names {
  std::string_view object;
  std::array<std::string_view, 4> commands;  ///< unused ones are empty
  std::string_view single_shard, multi_shard, scatter_gather, by_range;
};

/// Opens a distribution's JSON object, and appends the members that reads and writes have in
/// common. The caller closes the object.
void begin_distribution(json_writer& to, const distribution_names& names,
                        const distribution& of) {
  double sampled = 0;
  for (const double one : of.by_command) sampled += one;
  to.object(names.object);
  to.object("sampleSize");
  to.number("total", whole(sampled));
  for (std::size_t i = 0; i < names.commands.size(); ++i) {
    if (!names.commands[i].empty()) to.number(names.commands[i], whole(of.by_command[i]));
  }
  to.end();
  const double all = of.classes.all();
  percentage(to, names.single_shard, of.classes.single_shard, all);
  percentage(to, names.multi_shard, of.classes.multi_shard, all);
  percentage(to, names.scatter_gather, of.classes.scatter_gather, all);
  append_ranges(to, names.by_range, of.by_range);
}

void append_reads(json_writer& to, const distribution& of) {
  begin_distribution(to,
                     {"readDistribution",
                      {"find", "aggregate", "count", "distinct"},
                      "percentageOfSingleShardReads",
                      "percentageOfMultiShardReads",
                      "percentageOfScatterGatherReads",
                      "numReadsByRange"},
                     of);
  to.end();
}

void append_writes(json_writer& to, const distribution& of) {
  begin_distribution(to,
                     {"writeDistribution",
                      {"update", "delete", "findAndModify"},
                      "percentageOfSingleShardWrites",
                      "percentageOfMultiShardWrites",
                      "percentageOfScatterGatherWrites",
                      "numWritesByRange"},
                     of);
  const double all = of.classes.all();
  percentage(to, "percentageOfShardKeyUpdates", of.key_updates, all);
  percentage(to, "percentageOfSingleWritesWithoutShardKey", of.single_without_key, all);
  percentage(to, "percentageOfMultiWritesWithoutShardKey", of.multi_without_key, all);
  to.end();
}

void append_changes(json_writer& to, std::string_view name, const shape_changes& of) {
  to.object(name);
  to.number("total", of.all);
  to.array("shapes");
  for (const shape_change& one : of.listed) {
    to.object();
    to.text("command", one.command);
    to.text("shapeHash", routing::shape_hash_text(one.shape_hash));
    to.text("shape", one.shape);
    to.number("count", whole(one.commands));
    to.text("routingBefore", label(one.before));
    to.text("routingAfter", label(one.after));
    to.decimal("shardsBefore", one.asked_before, digits);
    to.decimal("shardsAfter", one.asked_after, digits);
    to.end();
  }
  to.end();
  to.end();
}

void append_held_out(json_writer& to, const collection_advice& on, const candidate& of) {
  if (!of.held_out || !on.held_out_from) return to.null("heldOut");
  to.object("heldOut");
  to.time("from", *on.held_out_from);
  to.number("commands", whole(of.held_out->commands));
  to.decimal("shardRequestsPerCommand", of.held_out->per_command(), digits);
  number(to, "hottestValueShare", of.held_out->values.hottest());
  number(to, "perMinuteShare", of.held_out->values.per_minute);
  flag(to, "beatsPresent", of.beats_present_held_out);
  flag(to, "beatsPresentBefore", of.beats_present);
  to.end();
}

void append_candidate(json_writer& to, const collection_advice& on, const candidate& of) {
  to.object();
  to.raw("key", key_json(of.key));
  to.text("origin", label(of.from));
  to.flag("safe", of.is_safe);
  to.array("notSafe");
  for (const objection& one : of.not_safe) to.text(one.text);
  to.end();
  to.number("commands", whole(of.all.commands));
  to.decimal("shardRequestsPerCommand", of.all.per_command(), digits);
  to.number("estimatedCommands", whole(of.all.estimated));
  to.number("refusedCommands", whole(of.all.refused));
  to.number("newScatterGather", whole(of.new_scatters));
  append_classes(to, "reads", of.all.reads);
  append_classes(to, "writes", of.all.writes);
  number(to, "hottestValueShare", of.all.values.hottest());
  to.flag("hotValue", of.is_hot);
  number(to, "perMinuteShare", of.all.values.per_minute);
  to.text("jumboChunkRisk", label(of.jumbo));
  of.are_indexes_known ? to.texts("forbiddenUniqueIndexes", of.forbidden)
                       : to.null("forbiddenUniqueIndexes");
  append_held_out(to, on, of);
  append_characteristics(to, of);
  append_reads(to, of.all.read_distribution);
  append_writes(to, of.all.write_distribution);
  append_changes(to, "better", of.better);
  append_changes(to, "worse", of.worse);
  to.texts("colocatedWith", of.colocated);
  to.texts("next", of.next);
  to.end();
}

}  // namespace

std::string advice_json(const advice& of) {
  std::string made;
  json_writer to{made};
  to.object();
  to.number("schemaVersion", schema_version);
  to.array("collections");
  for (const collection_advice& one : of.collections) {
    to.object();
    to.text("ns", one.name_space);
    one.present ? to.raw("present", key_json(*one.present)) : to.null("present");
    to.array("candidates");
    for (const candidate& each : one.candidates) append_candidate(to, one, each);
    to.end();
    to.texts("unknown", one.unknown);
    to.end();
  }
  to.end();
  to.end();
  made += "\n";
  return made;
}

}  // namespace scattergate::advise
