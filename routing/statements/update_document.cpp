#include "routing/statements/update_document.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/document_path.hpp"
#include "routing/bounds/stage_reader.hpp"
#include "routing/stages/stage.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::document_view;
using wire::element;

bool is_pinned(const filter_walk& walk, std::size_t field) noexcept {
  return walk.pins().pinned.contains(field);
}

/// The value of the key field `field` after `value` is written at `path`; std::nullopt:
/// unknown, or the field is removed.
std::optional<element> value_of_key(std::string_view path, const element& value,
                                    std::string_view field, wire::work_budget& work) noexcept {
  if (path.size() == field.size()) return value;
  const auto parent = value.as_document();
  return parent ? find_path(*parent, field.substr(path.size() + 1), work) : std::nullopt;
}

/// Whether writing at `path` may change a key field. `value`: the assigned value, if known. A
/// parent document keeps the field if it has the value that the filter requires.
bool touches_key(std::string_view path, const std::optional<element>& value,
                 const filter_walk& walk, wire::work_budget& work) noexcept {
  const auto& key = walk.target().key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const path_relation relation = relate(path, key[i].path);
    if (relation == path_relation::unrelated) continue;
    const auto after = value && relation != path_relation::below && is_pinned(walk, i)
                           ? value_of_key(path, *value, key[i].path, work)
                           : std::nullopt;
    if (!after || !same_value(*after, walk.pins().values[i])) return true;
  }
  return false;
}

/// Whether operators, {$set: {path: value, ...}, $unset: ..., ...}, may change a key field.
bool modifiers_touch_key(document_view update, const filter_walk& walk,
                         wire::work_budget& work) noexcept {
  wire::metered_reader operators{update, work};
  for (element one; operators.next(one);) {
    if (one.key() == "$setOnInsert") continue;  // it only sets the key of an inserted document
    const auto fields = one.as_document();
    if (!fields) continue;
    wire::metered_reader paths{*fields, work};
    for (element field; paths.next(field);) {
      std::optional<element> value;
      if (one.key() == "$set") value = field;
      if (touches_key(field.key(), value, walk, work)) return true;
      const bool renames = one.key() == "$rename" && field.is_string();
      if (renames && touches_key(field.as_string(), std::nullopt, walk, work)) return true;
    }
  }
  return false;
}

bool stage_touches_key(const element& stage, const filter_walk& walk,
                       wire::work_budget& work) noexcept {
  const stage_pass does = stage_of(stage.key()).passes;
  const bool sets = does == stage_pass::adds;
  if (does == stage_pass::unsets && stage.is_string()) {
    return touches_key(stage.as_string(), std::nullopt, walk, work);
  }
  const bool removes = does == stage_pass::unsets && stage.is_array();
  const auto fields = sets || removes ? stage.as_container() : std::nullopt;
  if (!fields) return false;
  wire::metered_reader reader{*fields, work};
  for (element field; reader.next(field);) {
    const std::string_view path = removes ? field.as_string() : field.key();
    std::optional<element> value;
    if (sets) value = field;
    if (touches_key(path, value, walk, work)) return true;
  }
  return false;
}

bool pipeline_touches_key(document_view stages, const filter_walk& walk,
                          wire::work_budget& work) noexcept {
  stage_reader reader{stages, work, wire::field_units};
  for (element stage; reader.next(stage);) {
    if (stage_touches_key(stage, walk, work)) return true;
  }
  return false;
}

/// Whether a replacement's key values differ from those that the filter pins.
bool replacement_moves(document_view replacement, const filter_walk& walk,
                       wire::work_budget& work) noexcept {
  const auto& key = walk.target().key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (!is_pinned(walk, i)) continue;
    const auto value = find_path(replacement, key[i].path, work);
    if (!value && key[i].path == "_id") continue;  // an omitted _id stays
    const element& pinned = walk.pins().values[i];
    const bool stays = value ? same_value(*value, pinned) : pinned.type() == bson_type::null;
    if (!stays) return true;
  }
  return false;
}

bool is_known_modifier(std::string_view name) noexcept {
  using namespace std::string_view_literals;
  // mongo: update/modifier_table.cpp, and $v, for which mongos has another error.
  static constexpr auto known =
      std::to_array({"$set"sv, "$inc"sv, "$unset"sv, "$push"sv, "$pull"sv, "$setOnInsert"sv,
                     "$addToSet"sv, "$bit"sv, "$currentDate"sv, "$max"sv, "$min"sv, "$mul"sv,
                     "$pop"sv, "$pullAll"sv, "$rename"sv, "$v"sv});
  return name.starts_with("$_") || std::ranges::find(known, name) != known.end();
}

}  // namespace

update_outline outline_of(const element& update, wire::work_budget& work) noexcept {
  if (update.is_array()) return {update_form::pipeline};
  const auto fields = update.as_document();
  if (!fields || fields->is_empty()) return {update_form::replacement};
  bool has_operator = false;
  bool has_field = false;
  bool has_unknown = false;
  wire::metered_reader reader{*fields, work};
  for (element field; reader.next(field);) {
    const bool is_operator = field.key().starts_with('$');
    (is_operator ? has_operator : has_field) = true;
    has_unknown |= is_operator && !is_known_modifier(field.key());
  }
  if (!has_operator) return {update_form::replacement};
  return {has_field ? update_form::mixed : update_form::modifiers, has_unknown || has_field};
}

bool changes_shard_key(const element& update, update_form form, const filter_walk& walk,
                       wire::work_budget& work) noexcept {
  const auto inner = update.as_container();
  if (!inner) return false;
  switch (form) {
    case update_form::modifiers:
      return modifiers_touch_key(*inner, walk, work);
    case update_form::replacement:
      return replacement_moves(*inner, walk, work);
    case update_form::pipeline:
      return pipeline_touches_key(*inner, walk, work);
    case update_form::mixed:
      break;
  }
  return false;
}

}  // namespace scattergate::routing
