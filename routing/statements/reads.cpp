#include "routing/statements/reads.hpp"

#include <algorithm>

#include "routing/catalog/collation.hpp"
#include "routing/statements/measurements.hpp"
#include "routing/statements/pipeline.hpp"
#include "routing/statements/touch_log.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// Judges a query on a view: mongos appends it to the view's pipeline as a $match.
statement judge_on_view(const wire::command& command, const command_options& options,
                        const judging_context& context) noexcept {
  pipeline_source source;
  source.from = command.ns();
  source.let = context.let;
  source.simple_collation = names_simple(options.collation);
  source.last_match = options.filter;
  return judge_pipeline(source, context);
}

statement judge_on_collection(const resolved_namespace& found_on,
                              const command_options& options,
                              const judging_context& context) noexcept {
  const collection& on = *found_on.sharded;
  const filter_rules rules{names_simple(options.collation).value_or(on.simple_collation),
                           context.entries.version(), context.let};
  filter_walk walk{on, rules, context.memory};
  filter_fault fault = filter_fault::none;
  if (found_on.series != nullptr) {
    if (!add_measurement_filter(walk, options.filter_document(), *found_on.series,
                                derives_time_bounds(context.entries), fault, context.memory)) {
      return statement::of(fault, on, context.memory);
    }
  } else if (!walk.add(options.filter_document())) {
    return statement::of(walk.fault(), on, context.memory);
  }
  const target found = target_of(walk, context.memory);
  statement made = statement::of(walk, found);
  made.lint = lint_of(walk, found);
  return made;
}

/// The `out` of a mapReduce, unless that is inline.
struct output {
  std::string_view database;
  std::string_view collection;
  bool replaces = false;
  bool is_sharded = false;  ///< it requests that the collection is sharded

  [[nodiscard]] wire::namespace_view ns() const noexcept { return {database, collection}; }
};

/// The error with which mongos rejects writing to the output collection; `none` if it accepts
/// it (mongo: mr_common.cpp, translateFromMR and rejectRequestsToCreateShardedCollections).
refusal refusal_of(const output& out, const resolved_namespace& into) noexcept {
  if (into.sharded != nullptr) {
    const auto& key = into.sharded->key;
    if (key.size() != 1 || key.front().path != "_id") return refusal::output_not_by_id;
  }
  const bool is_unsharded =
      into.sharded == nullptr && into.answer_routing == routing_class::unsharded;
  const bool would_shard = out.is_sharded && (out.replaces || is_unsharded);
  return would_shard ? refusal::invalid_options : refusal::none;
}

/// Judges the write to the output collection.
statement judge(const output& out, const judging_context& context) noexcept {
  const resolved_namespace into = resolve(context.entries, out.ns());
  const refusal refused = refusal_of(out, into);
  if (refused == refusal::none) {
    return out.replaces ? judge_replaced(out.ns(), refusal::illegal_operation, context)
                        : judge_output(out.ns(), {}, context);
  }
  const statement made = statement::refused_by(refused, into.sharded);
  context.touches.add(out.ns(), made);
  return made;
}

void add_output(statement& whole, const output& out, const judging_context& context) noexcept {
  if (out.collection.empty()) return;
  const statement made = judge(out, context);
  if (made.refused == refusal::none) return add_foreign(whole, made);
  if (whole.refused == refusal::none) whole.refused = made.refused;
}

/// Adds the judgements of the collections that a mapReduce writes to: `out`, or the values of
/// its modes. mongos uses one mode; if there are several, it isn't known which.
void add_outputs(statement& whole, const element& given, std::string_view database,
                 const judging_context& context) noexcept {
  output out{database, given.as_string(), true};
  const auto modes = given.as_document();
  if (!modes) return add_output(whole, out, context);
  wire::work_budget& work = context.memory.work();
  const auto other = wire::find_field(*modes, "db", work);
  if (other) out.database = other->as_string();
  const auto sharded = wire::find_field(*modes, "sharded", work);
  out.is_sharded = sharded && sharded->is_truthy();
  wire::metered_reader reader{*modes, work};
  for (element mode; reader.next(mode);) {
    const std::string_view how = mode.key();
    out.replaces = how == "replace" || how == "normal";
    if (!out.replaces && how != "merge" && how != "reduce") continue;
    out.collection = mode.as_string();
    add_output(whole, out, context);
  }
}

}  // namespace

statement judge_query(const wire::command& command, const command_options& options,
                      const judging_context& context) noexcept {
  const resolved_namespace found = resolve(context, command.ns());
  if (found.sharded != nullptr) return judge_on_collection(found, options, context);
  if (found.entry != nullptr && found.entry->is_view()) {
    return judge_on_view(command, options, context);
  }
  return found.answer();
}

wire::namespace_view chunks_of_file(const wire::command& command, scratch& memory) noexcept {
  constexpr std::string_view suffix = ".chunks";
  const auto root = wire::find_field(command.body, "root", memory.work());
  std::string_view bucket = root ? root->as_string() : std::string_view{};
  if (bucket.empty()) bucket = "fs";
  const auto name = memory.allocate<char>(bucket.size() + suffix.size());
  if (name.empty()) return {command.database, {}};
  std::ranges::copy(suffix, std::ranges::copy(bucket, name.begin()).out);
  return {command.database, {name.data(), name.size()}};
}

statement judge_filemd5(const wire::command& command, const judging_context& context) noexcept {
  const wire::namespace_view on = chunks_of_file(command, context.memory);
  if (on.collection.empty()) return statement::unknown(reason::unreadable);
  const auto root = wire::find_field(command.body, "root", context.memory.work());
  if (root && !root->is_string()) {
    return statement::refused_by(refusal::invalid_namespace, nullptr);
  }
  const resolved_namespace found = resolve(context, on);
  if (found.sharded == nullptr) return found.answer();
  filter_walk walk{*found.sharded, filter_rules{true, context.entries.version()},
                   context.memory};
  (void)walk.add(element{"files_id", command.first.type(), command.first.value()});
  statement made = statement::of(walk, target_of(walk, context.memory));
  const auto& key = found.sharded->key;
  const bool is_by_file = !key.empty() && key.size() <= 2 && key[0].path == "files_id" &&
                          (key.size() == 1 || key[1].path == "n");
  if (!is_by_file || std::ranges::any_of(key, &key_field::hashed)) {
    made.reject_first(refusal::illegal_operation);
  }
  return made;
}

statement judge_aggregate(const wire::command& command, const command_options& options,
                          const judging_context& context) noexcept {
  const auto stages = options.pipeline ? options.pipeline->as_array() : std::nullopt;
  if (command.collection.empty()) {
    return judge_without_collection(command.database, stages.value_or(document_view{}),
                                    context);
  }
  pipeline_source source;
  source.from = command.ns();
  source.stages = stages.value_or(document_view{});
  source.let = context.let;
  source.simple_collation = names_simple(options.collation);
  return judge_pipeline(source, context);
}

statement judge_map_reduce(const wire::command& command, const command_options& options,
                           const judging_context& context) noexcept {
  statement made = judge_query(command, options, context);
  if (!options.out) return made;
  context.touches.add(command.ns(), made);
  add_outputs(made, *options.out, command.database, context);
  return made;
}

}  // namespace scattergate::routing
