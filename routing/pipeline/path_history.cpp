#include "routing/pipeline/path_history.hpp"

#include <algorithm>

#include "routing/bounds/filter_parts.hpp"
#include "routing/stages/stage.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

namespace {

using wire::document_view;
using wire::element;

/// The numbers of components and mentions to allocate room for.
struct extent {
  std::size_t parts = 0;
  std::size_t mentions = 0;
};

std::size_t parts_of(std::string_view path) noexcept {
  return 1 + static_cast<std::size_t>(std::ranges::count(path, '.'));
}

void measure(document_view fields, std::uint32_t depth, wire::work_budget& work,
             extent& found) noexcept {
  wire::metered_reader reader{fields, work};
  for (element field; reader.next(field);) {
    found.parts += parts_of(field.key());
    ++found.mentions;
    const auto inner = nested_fields(field);
    if (inner && depth > 0) measure(*inner, depth - 1, work, found);
  }
}

}  // namespace

std::optional<document_view> nested_fields(const element& value) noexcept {
  const auto inner = value.as_document();
  if (!inner) return std::nullopt;
  wire::document_reader reader{*inner};
  element first;
  const bool has_fields = reader.next(first) && !first.key().starts_with('$');
  return has_fields ? inner : std::nullopt;
}

bool path_tree::open(std::size_t parts, std::size_t mentions, scratch& memory) noexcept {
  count_ = 0;
  if (parts == 0) return true;
  nodes_ = memory.allocate<node>(parts);
  mentions_ = memory.allocate<element>(mentions);
  return !nodes_.empty() && !mentions_.empty() && names_.open(parts, memory);
}

bool path_tree::take_fields(document_view fields, scratch& memory) noexcept {
  wire::work_budget& work = memory.work();
  extent all;
  measure(fields, wire::limits::inspect_depth, work, all);
  return open(all.parts, all.mentions, memory) &&
         insert_all(fields, name_table::none, wire::limits::inspect_depth, work);
}

bool path_tree::insert_all(document_view fields, name_table::id below, std::uint32_t depth,
                           wire::work_budget& work) noexcept {
  wire::metered_reader reader{fields, work};
  for (element field; reader.next(field);) {
    const name_table::id part = part_at(below, field.key(), work);
    if (part == name_table::none) return false;
    const auto inner = nested_fields(field);
    if (!inner || depth == 0) {
      mention(part, field);
    } else if (!insert_all(*inner, part, depth - 1, work)) {
      return false;
    }
  }
  return !work.is_spent();
}

bool path_tree::take_list(document_view paths, scratch& memory) noexcept {
  wire::work_budget& work = memory.work();
  extent all;
  wire::metered_reader counted{paths, work};
  for (element path; counted.next(path); ++all.mentions) {
    all.parts += parts_of(path.as_string());
    work.charge(path.value().size() / 4);
  }
  if (!open(all.parts, all.mentions, memory)) return false;
  wire::metered_reader reader{paths, work};
  for (element path; reader.next(path);) {
    const name_table::id part = part_at(name_table::none, path.as_string(), work);
    if (part == name_table::none) return false;
    mention(part, path);
  }
  return !work.is_spent();
}

name_table::id path_tree::part_at(name_table::id below, std::string_view path,
                                  wire::work_budget& work) noexcept {
  for (;;) {
    has_nested_ |= below != name_table::none;
    const std::size_t dot = path.find('.');
    const std::size_t known = names_.size();
    below = names_.add(below, path.substr(0, dot), work);
    if (names_.size() > known) nodes_[below - 1] = {no_mention, no_mention};
    if (below == name_table::none || dot == std::string_view::npos) return below;
    path.remove_prefix(dot + 1);
  }
}

void path_tree::mention(name_table::id part, const element& value) noexcept {
  if (count_ == mentions_.size()) return;
  const std::uint32_t number = count_++;
  mentions_[number] = value;
  if (nodes_[part - 1].own == no_mention) nodes_[part - 1].own = number;
  // If a component already has a mention below it, all components above it have one too.
  for (auto above = names_.parent_of(part);
       above != name_table::none && nodes_[above - 1].below == no_mention;
       above = names_.parent_of(above)) {
    nodes_[above - 1].below = number;
  }
}

path_mention path_tree::first_about(std::string_view path,
                                    wire::work_budget& work) const noexcept {
  path_mention found;
  std::uint32_t first = no_mention;
  name_table::id part = name_table::none;
  std::string_view rest = path;
  for (;;) {
    const std::size_t dot = rest.find('.');
    part = names_.find(part, rest.substr(0, dot), work);
    if (part == name_table::none) break;
    const bool is_end = dot == std::string_view::npos;
    rest = is_end ? std::string_view{} : rest.substr(dot + 1);
    const node& here = nodes_[part - 1];
    if (here.own < first) {
      first = here.own;
      found = {is_end ? path_relation::same : path_relation::above, mentions_[first], rest,
               names_.parent_of(part) != name_table::none};
    }
    if (!is_end) continue;
    if (here.below < first) found = {path_relation::below, mentions_[here.below], {}};
    break;
  }
  return found;
}

namespace {

constexpr path_effect lost{path_effect::kind::lost, {}, {}, {}, {}};
constexpr path_effect kept{path_effect::kind::kept, {}, {}, {}, {}};

bool is_flag(const element& value) noexcept {
  return value.is_number() || value.type() == wire::bson_type::boolean;
}

/// Whether a $project is an inclusion, which keeps only the fields that it names. Its first
/// field other than _id decides.
bool is_inclusion(document_view projection, wire::work_budget& work) noexcept {
  bool id_alone = true;
  bool id_included = false;
  for (std::uint32_t depth = 0;; ++depth) {
    std::optional<document_view> inner;
    wire::metered_reader reader{projection, work};
    for (element field; !inner && reader.next(field);) {
      if (depth == 0 && field.key() == "_id" && is_flag(field)) {
        id_included = field.is_truthy();
        continue;
      }
      id_alone = false;
      if (is_flag(field)) return field.is_truthy();
      inner = nested_fields(field);
      if (!inner || depth >= wire::limits::inspect_depth) return true;
    }
    if (!inner) return id_alone && id_included;
    projection = *inner;
  }
}

/// "name" of a reference "$$variable.name"; empty for any other text.
std::string_view field_of_variable(std::string_view text, std::string_view variable) noexcept {
  if (!text.starts_with("$$") || !text.substr(2).starts_with(variable)) return {};
  text.remove_prefix(2 + variable.size());
  if (!text.starts_with('.')) return {};
  text.remove_prefix(1);
  return text.find('.') == std::string_view::npos ? text : std::string_view{};
}

/// The field to which `value` refers, if it is a reference without a dot. A reference with a
/// dot may restructure arrays, so mongos doesn't treat it as a renaming (mongo: expression.cpp,
/// ExpressionFieldPath::getComputedPaths).
std::optional<std::string_view> referred_field(const element& value) noexcept {
  const auto from = value.is_string() ? field_reference(value.as_string()) : std::nullopt;
  return from && from->find('.') == std::string_view::npos ? from : std::nullopt;
}

/// The arguments of a $map.
struct mapping {
  std::optional<element> input;
  std::optional<element> made;  ///< its `in`: the result for each member
  std::string_view name;        ///< the name of the variable with the member

  mapping(document_view map, wire::work_budget& work) noexcept
      : input(wire::find_field(map, "input", work)), made(wire::find_field(map, "in", work)) {
    const auto as = wire::find_field(map, "as", work);
    name = as ? as->as_string() : "this";
  }

  /// Follows the path `rest` through nested documents in `made`, and removes from `rest` what
  /// was followed; false if a document lacks the field.
  bool descend(std::string_view& rest, wire::work_budget& work) noexcept {
    while (const auto inner = made ? nested_fields(*made) : std::nullopt) {
      const std::size_t dot = rest.find('.');
      made = wire::find_field(*inner, rest.substr(0, dot), work);
      rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
    }
    return made.has_value();
  }
};

/// The arguments of a $map; std::nullopt if `expression` isn't one.
std::optional<document_view> map_of(const element& expression,
                                    wire::work_budget& work) noexcept {
  const auto call = expression.as_document();
  const auto map = call ? wire::find_field(*call, "$map", work) : std::nullopt;
  return map ? map->as_document() : std::nullopt;
}

/// The origin of the value at the path `rest` in a $map's result. In the result of `{$map:
/// {input: "$x", as: "i", in: {b: "$$i.c"}}}`, b was x.c. With `in: "$$i.c"`, the whole result
/// was x.c. A $map over "$$i.c" within the first goes one level deeper (mongo: expression.cpp,
/// ExpressionMap::getComputedPaths, until it was removed).
path_effect of_mapped(document_view map, std::string_view rest,
                      wire::work_budget& work) noexcept {
  mapping outer{map, work};
  const auto from = outer.input ? referred_field(*outer.input) : std::nullopt;
  if (!from || !outer.descend(rest, work)) return lost;
  const auto second = map_of(*outer.made, work);
  if (!second) {
    const std::string_view member = field_of_variable(outer.made->as_string(), outer.name);
    return member.empty() ? lost
                          : path_effect{path_effect::kind::moved, *from, member, rest, {}};
  }
  mapping nested{*second, work};
  if (!nested.input || !nested.descend(rest, work)) return lost;
  const std::string_view member = field_of_variable(nested.input->as_string(), outer.name);
  const std::string_view inner = field_of_variable(nested.made->as_string(), nested.name);
  if (member.empty() || inner.empty()) return lost;
  return {path_effect::kind::moved, *from, member, rest, inner};
}

/// The origin of the value at the path `rest` in an expression's result: another field, or
/// `lost` if the value is computed.
path_effect of_expression(const element& value, std::string_view rest, bool follows_maps,
                          wire::work_budget& work) noexcept {
  if (value.as_document()) {
    const auto map = follows_maps ? map_of(value, work) : std::nullopt;
    return map ? of_mapped(*map, rest, work) : lost;
  }
  const auto from = referred_field(value);
  if (!from) return lost;
  return {path_effect::kind::moved, *from, {}, rest, {}};
}

/// The effect on `path` of a stage that changes the path `changed`.
path_effect of_changed(std::string_view changed, std::string_view path) noexcept {
  const bool is_apart = changed.empty() || relate(changed, path) == path_relation::unrelated;
  return is_apart ? path_effect{} : lost;
}

/// The effect of a $sortByCount on `path`; it groups by `key`, as _id.
path_effect of_counted(const element& key, std::string_view path, bool follows_maps,
                       wire::work_budget& work) noexcept {
  constexpr std::string_view id = "_id";
  const path_relation relation = relate(id, path);
  if (relation == path_relation::same) return of_expression(key, {}, follows_maps, work);
  if (relation == path_relation::above)
    return of_expression(key, path.substr(id.size() + 1), follows_maps, work);
  return lost;
}

/// The string in a stage's option; empty if there is none.
std::string_view option(const element& stage, std::string_view name,
                        wire::work_budget& work) noexcept {
  const auto options = stage.as_document();
  const auto found = options ? wire::find_field(*options, name, work) : std::nullopt;
  return found ? found->as_string() : std::string_view{};
}

/// The path that a $unwind unwinds, without `$`.
std::string_view unwound_path(const element& stage, wire::work_budget& work) noexcept {
  const std::string_view path =
      stage.is_string() ? stage.as_string() : option(stage, "path", work);
  return path.starts_with('$') ? path.substr(1) : std::string_view{};
}

/// Reads a $fill that is equivalent to an $addFields: it only sets fields to given values.
/// Stores the one or two fields. False if it also copies values from other documents, or sets
/// more than two fields (mongo: document_source_fill.cpp at 044d2f7, createFromBson).
bool take_filled(const element& stage, std::string_view& first, std::string_view& second,
                 wire::work_budget& work) noexcept {
  const auto options = stage.as_document();
  const auto output = options ? wire::find_field(*options, "output", work) : std::nullopt;
  wire::metered_reader reader{
      output ? output->as_document().value_or(document_view{}) : document_view{}, work};
  for (element field; reader.next(field);) {
    const auto how = field.as_document();
    if (!how || !wire::find_field(*how, "value", work)) return false;
    if (wire::find_field(*how, "method", work) || !second.empty()) return false;
    (first.empty() ? first : second) = field.key();
  }
  return true;
}

}  // namespace

bool past_stage::read(const element& from, wire::work_budget& work) noexcept {
  stage = from;
  switch (stage_of(stage.key()).passes) {
    case stage_pass::projects:
      does = effect::includes;
      return stage.as_document().has_value();
    case stage_pass::adds:
      does = effect::adds;
      return stage.as_document().has_value();
    case stage_pass::groups:
      does = effect::groups;
      return stage.as_document().has_value();
    case stage_pass::counts:
      does = effect::counts;
      return true;
    case stage_pass::unsets:
      if (stage.is_string()) changed = stage.as_string();
      does = stage.is_string() ? effect::changes : effect::removes;
      return stage.is_string() || stage.as_array().has_value();
    case stage_pass::unwinds:
      changed = unwound_path(stage, work);
      index = option(stage, "includeArrayIndex", work);
      break;
    case stage_pass::fills:
      if (!take_filled(stage, changed, index, work)) return false;
      break;
    case stage_pass::looks_up:
      changed = option(stage, "as", work);
      break;
    default:
      return false;
  }
  return !changed.empty();
}

void past_stage::prepare(scratch& memory) noexcept {
  if (is_prepared) return;
  is_prepared = true;
  if (does == effect::changes || does == effect::counts) return;
  const document_view fields = stage.as_container().value_or(document_view{});
  if (does == effect::includes && !is_inclusion(fields, memory.work())) {
    does = effect::excludes;
  }
  is_closed = does == effect::removes ? !named.take_list(fields, memory)
                                      : !named.take_fields(fields, memory);
}

bool past_stage::names_below(std::string_view first, wire::work_budget& work) const noexcept {
  if (does == effect::counts) return false;
  if (does != effect::changes) {
    return named.first_about(first, work).relation == path_relation::below;
  }
  return relate(first, changed) == path_relation::above ||
         relate(first, index) == path_relation::above;
}

bool past_stage::renames(wire::work_budget& work) const noexcept {
  if (is_group()) return true;
  if (does != effect::adds && does != effect::includes) return false;
  wire::metered_reader reader{stage.as_container().value_or(document_view{}), work};
  for (element field; reader.next(field);) {
    if (is_flag(field)) continue;
    if (!field.is_string() || referred_field(field)) return true;
  }
  return false;
}

bool past_stage::has_several_keys(wire::work_budget& work) const noexcept {
  if (does != effect::groups) return false;
  const auto id = wire::find_field(stage.as_document().value_or(document_view{}), "_id", work);
  const auto keys = id ? nested_fields(*id) : std::nullopt;
  if (!keys) return false;
  wire::metered_reader reader{*keys, work};
  element key;
  return reader.next(key) && reader.next(key);
}

bool past_stage::is_gate() const noexcept {
  return is_group() || (does == effect::includes && named.has_nested());
}

bool past_stage::note_read(std::string_view path, wire::work_budget& work) noexcept {
  if (does == effect::counts || is_closed) return false;
  if (named.first_about(path, work).relation != path_relation::below) return false;
  is_closed = reads == reads_remembered;
  if (is_closed) return false;
  read_above[reads++] = path;
  return true;
}

/// Whether a condition reads a document that contains `path`; mongos then assumes that the
/// stage changes the path (mongo: semantic_analysis.cpp, extractModifiedDependencies).
bool past_stage::hides(std::string_view path) const noexcept {
  for (std::size_t i = 0; i < reads; ++i) {
    if (relate(read_above[i], path) == path_relation::above) return true;
  }
  return false;
}

/// The effect of a $project that names a part of the preceding $group's key; std::nullopt if it
/// isn't such a reference. The key isn't within an array, so a reference with one dot can be
/// followed.
std::optional<path_effect> past_stage::of_key(const path_mention& said,
                                              wire::work_budget& work) const noexcept {
  if (!reads_key || does != effect::includes || !said.value.is_string()) return std::nullopt;
  const auto from = field_reference(said.value.as_string());
  if (!from || std::ranges::count(*from, '.') != 1) return std::nullopt;
  const bool is_key =
      before != nullptr && before->does == effect::groups && before->names(*from, work);
  if (!is_key) return std::nullopt;
  return path_effect{path_effect::kind::moved, *from, {}, said.rest, {}};
}

/// Whether the stage defines `path`, or a path below it.
bool past_stage::names(std::string_view path, wire::work_budget& work) const noexcept {
  const path_relation relation = named.first_about(path, work).relation;
  return relation == path_relation::same || relation == path_relation::below;
}

path_effect past_stage::of_named(std::string_view path,
                                 wire::work_budget& work) const noexcept {
  const path_mention said = named.first_about(path, work);
  if (said.relation == path_relation::unrelated) return {};
  if (said.relation == path_relation::below || does == effect::removes) return lost;
  if (is_flag(said.value) && does != effect::adds) {
    return does == effect::includes && said.value.is_truthy() ? kept : lost;
  }
  if (said.is_nested && does != effect::groups && !renames_nested) return lost;
  if (const auto of_group = of_key(said, work)) return *of_group;
  return of_expression(said.value, said.rest, renames_nested, work);
}

path_effect past_stage::effect_on(std::string_view path,
                                  wire::work_budget& work) const noexcept {
  if (is_closed || !is_prepared || hides(path)) return lost;
  if (does == effect::counts) return of_counted(stage, path, renames_nested, work);
  if (does == effect::changes) {
    const path_effect said = of_changed(changed, path);
    return said.is != path_effect::kind::unnamed ? said : of_changed(index, path);
  }
  const path_effect said = of_named(path, work);
  if (said.is != path_effect::kind::unnamed) return said;
  if (does == effect::groups) return lost;
  const bool is_id = path == "_id" || path.starts_with("_id.");
  return does == effect::includes && !is_id ? lost : said;
}

namespace {

/// The path that consists of the effect's non-empty parts, joined by dots; std::nullopt if the
/// scratch memory is exhausted.
std::optional<std::string_view> joined(const path_effect& moved, scratch& memory) noexcept {
  if (moved.member.empty() && moved.rest.empty()) return moved.origin;
  const auto text = memory.allocate<char>(moved.origin.size() + moved.member.size() +
                                          moved.inner.size() + moved.rest.size() + 3);
  if (text.empty()) return std::nullopt;
  auto end = std::ranges::copy(moved.origin, text.begin()).out;
  for (const std::string_view piece : {moved.member, moved.inner, moved.rest}) {
    if (piece.empty()) continue;
    *end++ = '.';
    end = std::ranges::copy(piece, end).out;
  }
  return std::string_view{text.begin(), end};
}

/// Whether the value at the end of the path came from below another field.
bool is_reshaped(const path_effect& moved) noexcept {
  const bool is_below = moved.origin.find('.') != std::string_view::npos;
  return moved.rest.empty() && (is_below || !moved.member.empty());
}

}  // namespace

bool path_history::pass(const wire::element& stage, scratch& memory) noexcept {
  if (count_ == stages_remembered) return false;
  past_stage next;
  next.before = last_;
  next.renames_nested = renames_nested_;
  if (!next.read(stage, memory.work())) return false;
  const auto place = memory.allocate<past_stage>(1);
  if (place.empty()) return false;
  place[0] = next;
  last_ = place.data();
  ++count_;
  is_prepared_ = false;
  return true;
}

void path_history::prepare(scratch& memory) noexcept {
  if (is_prepared_) return;
  is_prepared_ = true;
  gates_ = 0;
  for (past_stage* each = last_; each != nullptr; each = each->before) {
    each->prepare(memory);
    if (each->is_gate() && ++gates_ > gates_remembered) each->close();
  }
}

past_stage* path_history::gate_before(const past_stage* gate) const noexcept {
  past_stage* each = gate == nullptr ? last_ : gate->before;
  while (each != nullptr && !each->is_gate()) each = each->before;
  return each;
}

bool path_history::shares_field(std::string_view path, scratch& memory,
                                const past_stage* until) const noexcept {
  for (const past_stage* each = last_; each != until; each = each->before) {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos && !is_nested()) return false;
    if (each->names_below(path.substr(0, dot), memory.work())) return true;
    const path_effect said = each->effect_on(path, memory.work());
    if (said.is == path_effect::kind::moved) return true;  // rare, so assume it does
  }
  return false;
}

std::optional<std::string_view> path_history::origin_of(std::string_view path, scratch& memory,
                                                        const past_stage* until,
                                                        bool* reshaped) const noexcept {
  if (is_nested()) {
    if (relate(nested_below_, path) != path_relation::above) return std::nullopt;
    path.remove_prefix(nested_below_.size() + 1);
  }
  for (const past_stage* each = last_; each != until; each = each->before) {
    const path_effect said = each->effect_on(path, memory.work());
    if (said.is == path_effect::kind::lost) return std::nullopt;
    if (said.is != path_effect::kind::moved) continue;
    if (reshaped != nullptr) *reshaped |= is_reshaped(said);
    const auto moved = joined(said, memory);
    if (!moved) return std::nullopt;
    path = *moved;
  }
  return path;
}

}  // namespace scattergate::routing
