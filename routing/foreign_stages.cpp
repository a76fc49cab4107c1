#include "routing/foreign_stages.hpp"

#include <algorithm>
#include <array>

#include "routing/touch_log.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// A collection that a stage names, as a string or as {db, coll}.
struct named_collection {
  std::string_view database;
  std::string_view name;
};

named_collection collection_of(const std::optional<element>& named,
                               std::string_view database) noexcept {
  if (!named) return {database, {}};
  const auto parts = named->is_document() ? named->as_document() : std::nullopt;
  if (!parts) return {database, named->as_string()};
  named_collection found{database, {}};
  if (const auto db = wire::find_field(*parts, "db")) found.database = db->as_string();
  if (const auto coll = wire::find_field(*parts, "coll")) found.name = coll->as_string();
  return found;
}

std::optional<document_view> array_in(document_view options, std::string_view field) noexcept {
  const auto found = wire::find_field(options, field);
  return found && found->is_array() ? found->as_document() : std::nullopt;
}

std::string_view text_in(document_view options, std::string_view field) noexcept {
  const auto found = wire::find_field(options, field);
  return found ? found->as_string() : std::string_view{};
}

/// What isn't judged any further: it may touch whatever there is.
void give_up(statement& whole, const foreign_context& context, reason why) noexcept {
  context.with.touches.lose();
  add_foreign(whole, statement::unknown(why));
}

/// Whether a stage's options name something twice. Some versions of MongoDB take the last one.
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
  if (context.depth >= wire::limits::inspect_depth / 4) {
    return give_up(whole, context, reason::too_deep);
  }
  judging deeper = context.with;
  deeper.depth = context.depth + 1;
  const bool has_own_documents = source.collection.empty();  // those of $documents
  add_foreign(whole, has_own_documents
                         ? judge_without_collection(source.database, source.stages, deeper)
                         : judge_pipeline(source, deeper));
}

void add_lookup(statement& whole, const foreign_context& context, document_view options,
                const wire::document_reader& rest) noexcept {
  const named_collection from =
      collection_of(wire::find_field(options, "from"), context.database);
  pipeline_source source;
  source.database = from.database;
  source.collection = from.name;
  source.stages = array_in(options, "pipeline").value_or(document_view{});
  source.simple_collation = context.simple_collation;
  source.varying_path = text_in(options, "foreignField");
  source.as = text_in(options, "as");
  if (!source.as.empty()) source.rest = rest;
  if (const auto let = wire::find_field(options, "let")) source.let = let->as_document();
  source.let_is_constant = false;
  add_source(whole, context, source);
}

void add_graph_lookup(statement& whole, const foreign_context& context,
                      document_view options) noexcept {
  const named_collection from =
      collection_of(wire::find_field(options, "from"), context.database);
  pipeline_source source;
  source.database = from.database;
  source.collection = from.name;
  source.simple_collation = context.simple_collation;
  source.varying_path = text_in(options, "connectToField");
  if (const auto filter = wire::find_field(options, "restrictSearchWithMatch")) {
    source.filter = *filter;
  }
  add_source(whole, context, source);
}

/// A $match behind the union holds for both its sides (mongo: DocumentSourceUnionWith,
/// doOptimizeAt), so the stages that follow it do.
void add_union(statement& whole, const foreign_context& context, const element& stage,
               const wire::document_reader& rest) noexcept {
  pipeline_source source;
  source.rest = rest;
  source.database = context.database;
  source.simple_collation = context.simple_collation;
  const named_collection from = collection_of(stage, context.database);
  source.database = from.database;
  source.collection = from.name;
  if (const auto options = stage.is_document() ? stage.as_document() : std::nullopt) {
    source.stages = array_in(*options, "pipeline").value_or(document_view{});
  }
  add_source(whole, context, source);
}

void add_facets(statement& whole, const foreign_context& context,
                document_view facets) noexcept {
  foreign_context deeper = context;
  if (++deeper.depth >= wire::limits::inspect_depth / 4) {
    return give_up(whole, context, reason::too_deep);
  }
  wire::document_reader reader{facets};
  for (element facet; reader.next(facet);) {
    if (facet.is_array()) add_foreign_stages(whole, deeper, *facet.as_document());
  }
}

void add_merge(statement& whole, const foreign_context& context,
               const element& stage) noexcept {
  std::optional<element> into = stage;
  std::optional<element> on;
  if (const auto options = stage.is_document() ? stage.as_document() : std::nullopt) {
    into = wire::find_field(*options, "into");
    on = wire::find_field(*options, "on");
  }
  const named_collection to = collection_of(into, context.database);
  if (!to.name.empty())
    add_foreign(whole, judge_output(to.database, to.name, on, context.with));
}

void add_out(statement& whole, const foreign_context& context, const element& stage) noexcept {
  const named_collection to = collection_of(stage, context.database);
  if (to.name.empty()) return;
  const statement made = judge_replaced(to.database, to.name, context.with);
  if (made.refused == refusal::none) return add_foreign(whole, made);
  if (whole.refused == refusal::none) whole.refused = made.refused;
}

bool names_collections(std::string_view stage) noexcept {
  return stage == "$lookup" || stage == "$unionWith" || stage == "$graphLookup" ||
         stage == "$merge" || stage == "$out";
}

void add_stage(statement& whole, const foreign_context& context, const element& stage,
               const wire::document_reader& rest) noexcept {
  const std::string_view name = stage.key();
  const auto options = stage.is_document() ? stage.as_document() : std::nullopt;
  if (name == "$facet" && options) return add_facets(whole, context, *options);
  if (!names_collections(name)) return;
  if (options && names_twice(*options)) give_up(whole, context, reason::unreadable);
  if (name == "$unionWith") return add_union(whole, context, stage, rest);
  if (name == "$merge") return add_merge(whole, context, stage);
  if (name == "$out") return add_out(whole, context, stage);
  if (!options) return;
  if (name == "$lookup") return add_lookup(whole, context, *options, rest);
  add_graph_lookup(whole, context, *options);
}

}  // namespace

void add_foreign_stages(statement& whole, const foreign_context& context,
                        document_view stages) noexcept {
  wire::document_reader reader{stages};
  for (element member; reader.next(member);) {
    const auto stage = member.is_document() ? member.as_document() : std::nullopt;
    if (!stage) continue;
    wire::document_reader inside{*stage};
    if (element operation; inside.next(operation)) add_stage(whole, context, operation, reader);
  }
}

}  // namespace scattergate::routing
