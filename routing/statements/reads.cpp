#include "routing/statements/reads.hpp"

#include "routing/catalog/collation.hpp"
#include "routing/statements/pipeline.hpp"
#include "routing/statements/touch_log.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// A query on a view is a $match behind the view's pipeline.
statement judge_on_view(const wire::command& command, const command_options& options,
                        const judging& with) noexcept {
  pipeline_source source;
  source.from = command.ns();
  source.let = with.let;
  source.simple_collation = names_simple(options.collation);
  source.last_match = options.filter;
  return judge_pipeline(source, with);
}

statement judge_on_collection(const collection& on, const command_options& options,
                              const judging& with) noexcept {
  const filter_rules rules{names_simple(options.collation).value_or(on.simple_collation),
                           with.entries.version(), with.let};
  filter_walk walk{on, rules, with.memory};
  if (!walk.add(options.filter_document())) return statement::of(walk.fault(), on);
  const target found = target_of(walk, with.memory);
  statement made = statement::of(walk, found);
  made.lint = lint_of(walk, found);
  return made;
}

/// Adds the collections that a mapReduce writes to: `out`, or the values of its modes. mongos
/// takes one mode; which one, where there are several, isn't for us to guess.
void add_output(statement& whole, const element& out, std::string_view database,
                const judging& with) noexcept {
  const auto add = [&](const element& name) {
    if (name.as_string().empty()) return;
    add_foreign(whole, judge_output({database, name.as_string()}, std::nullopt, with));
  };
  wire::work_budget& work = with.memory.work();
  const auto modes = out.as_document();
  if (!modes) return add(out);
  if (const auto other = wire::find_field(*modes, "db", work)) database = other->as_string();
  wire::metered_reader reader{*modes, work};
  for (element mode; reader.next(mode);) {
    const std::string_view how = mode.key();
    if (how == "replace" || how == "merge" || how == "reduce") add(mode);
  }
}

}  // namespace

statement judge_query(const wire::command& command, const command_options& options,
                      const judging& with) noexcept {
  const resolved_namespace found = resolve(with.entries, command.ns());
  if (found.sharded != nullptr) return judge_on_collection(*found.sharded, options, with);
  if (found.entry != nullptr && found.entry->is_view()) {
    return judge_on_view(command, options, with);
  }
  return found.answer();
}

statement judge_aggregate(const wire::command& command, const command_options& options,
                          const judging& with) noexcept {
  const auto stages = options.pipeline ? options.pipeline->as_array() : std::nullopt;
  if (command.collection.empty()) {
    return judge_without_collection(command.database, stages.value_or(document_view{}), with);
  }
  pipeline_source source;
  source.from = command.ns();
  source.stages = stages.value_or(document_view{});
  source.let = with.let;
  source.simple_collation = names_simple(options.collation);
  return judge_pipeline(source, with);
}

statement judge_map_reduce(const wire::command& command, const command_options& options,
                           const judging& with) noexcept {
  statement made = judge_query(command, options, with);
  if (!options.out) return made;
  with.touches.add(command.ns(), made);
  add_output(made, *options.out, command.database, with);
  return made;
}

}  // namespace scattergate::routing
