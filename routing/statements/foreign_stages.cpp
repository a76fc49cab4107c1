#include "routing/statements/foreign_stages.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/stage_reader.hpp"
#include "routing/stages/stage.hpp"
#include "routing/statements/touch_log.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// The maximum nesting depth of pipelines. A nested pipeline is three BSON levels below the
/// outer one, so mongos doesn't read deeper ones.
constexpr std::uint32_t deepest_pipeline = wire::limits::inspect_depth / 3;

/// The number of $unionWith in one pipeline for which the following stages are also applied to
/// the other collection. Further ones are judged without these stages, which gives wider
/// results, because each $unionWith would read all of them again.
constexpr std::size_t unions_with_rest = 32;

/// The collection that a stage names, as a string or as {db, coll}.
wire::namespace_view collection_of(const std::optional<element>& named,
                                   std::string_view database,
                                   wire::work_budget& work) noexcept {
  if (!named) return {database, {}};
  const auto parts = named->as_document();
  if (!parts) return {database, named->as_string()};
  wire::namespace_view found{database, {}};
  if (const auto db = wire::find_field(*parts, "db", work)) found.database = db->as_string();
  if (const auto coll = wire::find_field(*parts, "coll", work))
    found.collection = coll->as_string();
  return found;
}

std::optional<document_view> array_in(document_view options, std::string_view field,
                                      wire::work_budget& work) noexcept {
  const auto found = wire::find_field(options, field, work);
  return found ? found->as_array() : std::nullopt;
}

std::string_view text_in(document_view options, std::string_view field,
                         wire::work_budget& work) noexcept {
  const auto found = wire::find_field(options, field, work);
  return found ? found->as_string() : std::string_view{};
}

/// Gives up judging a pipeline, which may then touch any namespace.
void give_up(statement& whole, const foreign_context& context, reason why) noexcept {
  context.judging.touches.note_missing_entry();
  add_foreign(whole, statement::unknown(why));
}

/// Whether a stage has an option twice. Some versions of MongoDB use the last one.
bool names_twice(document_view options) noexcept {
  constexpr std::size_t max_options = 16;  // $graphLookup has eight
  std::array<std::string_view, max_options> names;
  std::size_t count = 0;
  wire::document_reader reader{options};
  for (element option; reader.next(option);) {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(count);
    if (count == max_options || std::find(names.begin(), end, option.key()) != end) return true;
    names[count++] = option.key();
  }
  return reader.is_corrupt();
}

void add_source(statement& whole, const foreign_context& context,
                const pipeline_source& source) noexcept {
  if (context.depth >= deepest_pipeline) return give_up(whole, context, reason::too_deep);
  judging_context deeper = context.judging;
  deeper.depth = context.depth + 1;
  constexpr std::size_t source_units = 600;  // the cost of a pipeline in addition to its stages
  context.judging.memory.work().charge(source_units);
  const bool has_own_documents = source.from.collection.empty();  // those of $documents
  add_foreign(whole, has_own_documents
                         ? judge_without_collection(source.from.database, source.stages, deeper)
                         : judge_pipeline(source, deeper));
}

/// Whether mongos rejects a join because the other collection is sharded: before 5.1, and in a
/// transaction before 8.0 (mongo: lite_parsed_pipeline.cpp, verifyIsSupported, by each stage's
/// allowShardedForeignCollection; the manual's pages of $lookup and $graphLookup). mongos
/// checks the given name; a view isn't sharded.
bool is_refused(wire::namespace_view from, const judging_context& context) noexcept {
  const server_version version = context.entries.version();
  const bool mustnt_be_sharded = version < server_version{5, 1} ||
                                 (context.in_transaction && version < server_version{8, 0});
  return mustnt_be_sharded && !context.skips_join_checks &&
         resolve(context.entries, from).sharded != nullptr;
}

/// Adds a join. If mongos rejects the command because of the joined collection, only records
/// where the join would go, for rules.
void add_join(statement& whole, const foreign_context& context,
              const pipeline_source& source) noexcept {
  if (!is_refused(source.from, context.judging)) return add_source(whole, context, source);
  statement apart;
  add_source(apart, context, source);
  if (whole.refused == refusal::none) whole.refused = refusal::sharded_foreign;
}

void add_lookup(statement& whole, const foreign_context& context, document_view options,
                const wire::metered_reader& rest) noexcept {
  wire::work_budget& work = context.judging.memory.work();
  pipeline_source source;
  source.from = collection_of(wire::find_field(options, "from", work), context.database, work);
  source.stages = array_in(options, "pipeline", work).value_or(document_view{});
  source.simple_collation = context.simple_collation;
  source.varying_path = text_in(options, "foreignField", work);
  source.as = text_in(options, "as", work);
  if (!source.as.empty()) source.rest = rest;
  const auto let = wire::find_field(options, "let", work);
  const auto variables = let ? let->as_container() : std::nullopt;
  const let_variables known =
      variables ? let_variables{*variables, false, context.judging.memory} : let_variables{};
  source.let = &known;
  add_join(whole, context, source);
}

void add_graph_lookup(statement& whole, const foreign_context& context,
                      document_view options) noexcept {
  wire::work_budget& work = context.judging.memory.work();
  pipeline_source source;
  source.from = collection_of(wire::find_field(options, "from", work), context.database, work);
  source.simple_collation = context.simple_collation;
  source.varying_path = text_in(options, "connectToField", work);
  if (const auto filter = wire::find_field(options, "restrictSearchWithMatch", work)) {
    source.filter = *filter;
  }
  add_join(whole, context, source);
}

/// Judges the other collection of a $unionWith. mongos also applies a $match after the
/// $unionWith to that collection (mongo: DocumentSourceUnionWith, doOptimizeAt), so the
/// following stages are read for it, too.
void add_union(statement& whole, const foreign_context& context, const element& stage,
               const wire::metered_reader& rest) noexcept {
  wire::work_budget& work = context.judging.memory.work();
  pipeline_source source;
  if (context.unions++ < unions_with_rest) source.rest = rest;
  source.simple_collation = context.simple_collation;
  source.from = collection_of(stage, context.database, work);
  if (const auto options = stage.as_document()) {
    source.stages = array_in(*options, "pipeline", work).value_or(document_view{});
  }
  add_source(whole, context, source);
}

void add_facets(statement& whole, const foreign_context& context,
                document_view facets) noexcept {
  if (context.depth >= deepest_pipeline) return give_up(whole, context, reason::too_deep);
  wire::metered_reader reader{facets, context.judging.memory.work()};
  for (element facet; reader.next(facet);) {
    const auto stages = facet.as_array();
    if (!stages) continue;
    add_foreign_stages(
        whole, {context.database, context.simple_collation, context.judging, context.depth + 1},
        *stages);
  }
}

void add_merge(statement& whole, const foreign_context& context,
               const element& stage) noexcept {
  wire::work_budget& work = context.judging.memory.work();
  output_rules rules;
  std::optional<element> into = stage;
  if (const auto options = stage.as_document()) {
    into = wire::find_field(*options, "into", work);
    rules.on_fields = wire::find_field(*options, "on", work);
    rules.only_inserts = text_in(*options, "whenMatched", work) == "fail";
  }
  const wire::namespace_view to = collection_of(into, context.database, work);
  if (to.collection.empty()) return;
  const statement made = judge_output(to, rules, context.judging);
  if (made.refused == refusal::none) return add_foreign(whole, made);
  if (whole.refused == refusal::none) whole.refused = made.refused;
}

void add_out(statement& whole, const foreign_context& context, const element& stage) noexcept {
  const wire::namespace_view to =
      collection_of(stage, context.database, context.judging.memory.work());
  if (to.collection.empty()) return;
  // mongo: pipeline/document_source_out.h, checkShardedForeignCollAllowed.
  const bool has_new_name = context.judging.entries.version() >= server_version{8, 0};
  const statement made = judge_replaced(
      to, has_new_name ? refusal::foreign_cannot_be_sharded : refusal::sharded_foreign,
      context.judging);
  if (made.refused == refusal::none) return add_foreign(whole, made);
  if (whole.refused == refusal::none) whole.refused = made.refused;
}

void add_stage(statement& whole, const foreign_context& context, const element& stage,
               const wire::metered_reader& rest) noexcept {
  const stage_collections other = stage_of(stage.key()).other;
  if (other == stage_collections::none) return;
  const auto options = stage.as_document();
  if (other == stage_collections::facet) {
    if (options) add_facets(whole, context, *options);
    return;
  }
  if (options && names_twice(*options)) give_up(whole, context, reason::unreadable);
  switch (other) {
    case stage_collections::lookup:
      if (options) add_lookup(whole, context, *options, rest);
      return;
    case stage_collections::graph_lookup:
      if (options) add_graph_lookup(whole, context, *options);
      return;
    case stage_collections::union_with:
      return add_union(whole, context, stage, rest);
    case stage_collections::merge:
      return add_merge(whole, context, stage);
    case stage_collections::out:
      return add_out(whole, context, stage);
    case stage_collections::none:
    case stage_collections::facet:
      return;
  }
}

}  // namespace

void add_foreign_stages(statement& whole, const foreign_context& context,
                        document_view stages) noexcept {
  stage_reader reader{stages, context.judging.memory.work()};
  for (element stage; reader.next(stage);) add_stage(whole, context, stage, reader.rest());
}

}  // namespace scattergate::routing
