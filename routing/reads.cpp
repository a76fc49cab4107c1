#include "routing/reads.hpp"

#include "routing/pipeline.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// The command's collation where it has one: whether it is simple.
std::optional<bool> asked_collation(const command_options& options) noexcept {
  const auto spec = options.collation ? options.collation->as_document() : std::nullopt;
  if (!spec || spec->is_empty()) return std::nullopt;
  const auto locale = wire::find_field(*spec, "locale");
  return locale && locale->as_string() == "simple";
}

/// A query on a view is a $match behind the view's pipeline.
statement judge_on_view(const wire::command& command, const command_options& options,
                        const judging& with) noexcept {
  pipeline_source source;
  source.database = command.database;
  source.collection = command.collection;
  source.let = options.let;
  source.simple_collation = asked_collation(options);
  source.last_match = options.filter;
  return judge_pipeline(source, with);
}

statement judge_on_collection(const collection& on, const command_options& options,
                              const judging& with) noexcept {
  const filter_rules rules{is_simple(options.collation, on), with.entries.version(),
                           options.let};
  filter_walk walk{on, rules, with.memory};
  if (!walk.add(options.filter_document())) return statement::of(walk.fault(), on);
  const target found = target_of(walk, with.memory);
  statement made = statement::of(walk, found);
  made.lint = lint_of(walk, found);
  return made;
}

/// The collection that a mapReduce writes to: `out`, or the value of one of its modes.
struct output_name {
  std::string_view database;
  std::string_view name;
};

output_name output_of(const command_options& options, std::string_view database) noexcept {
  if (!options.out) return {};
  if (options.out->is_string()) return {database, options.out->as_string()};
  const auto modes = options.out->as_document();
  if (!modes) return {};
  output_name found{database, {}};
  wire::document_reader reader{*modes};
  for (element mode; reader.next(mode);) {
    if (mode.key() == "db") found.database = mode.as_string();
    const bool names =
        mode.key() == "replace" || mode.key() == "merge" || mode.key() == "reduce";
    if (names) found.name = mode.as_string();
  }
  return found;
}

}  // namespace

statement judge_query(const wire::command& command, const command_options& options,
                      const judging& with) noexcept {
  const resolved_namespace found = resolve(with.entries, command.database, command.collection);
  if (found.sharded != nullptr) return judge_on_collection(*found.sharded, options, with);
  if (found.entry != nullptr && found.entry->is_view()) {
    return judge_on_view(command, options, with);
  }
  return found.answer();
}

statement judge_aggregate(const wire::command& command, const command_options& options,
                          const judging& with) noexcept {
  const auto stages = options.pipeline && options.pipeline->is_array()
                          ? options.pipeline->as_document()
                          : std::nullopt;
  if (command.collection.empty()) {
    return judge_without_collection(command.database, stages.value_or(document_view{}), with);
  }
  pipeline_source source;
  source.database = command.database;
  source.collection = command.collection;
  source.stages = stages.value_or(document_view{});
  source.let = options.let;
  source.simple_collation = asked_collation(options);
  return judge_pipeline(source, with);
}

statement judge_map_reduce(const wire::command& command, const command_options& options,
                           const judging& with) noexcept {
  statement made = judge_query(command, options, with);
  const output_name out = output_of(options, command.database);
  if (!out.name.empty()) {
    add_foreign(made, judge_output(out.database, out.name, std::nullopt, with));
  }
  return made;
}

}  // namespace scattergate::routing
