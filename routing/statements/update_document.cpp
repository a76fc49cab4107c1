#include "routing/statements/update_document.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/argument_types.hpp"
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

enum class key_part : std::uint8_t {
  all,
  id,  ///< the _id, or a part of it
};

bool is_in(key_part part, std::string_view path) noexcept {
  return part == key_part::all || path == "_id" || path.starts_with("_id.");
}

/// Whether writing at `path` may change a key field in `part`. `value`: the assigned value, if
/// known. A parent document keeps the field if it has the value that the filter requires.
bool touches_key(std::string_view path, const std::optional<element>& value,
                 const filter_walk& walk, wire::work_budget& work,
                 key_part part = key_part::all) noexcept {
  const auto& key = walk.target().key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (!is_in(part, key[i].path)) continue;
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
                       wire::work_budget& work, key_part part = key_part::all) noexcept {
  const auto& key = walk.target().key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (!is_pinned(walk, i) || !is_in(part, key[i].path)) continue;
    const auto value = find_path(replacement, key[i].path, work);
    if (!value && key[i].path == "_id") continue;  // an omitted _id stays
    const element& pinned = walk.pins().values[i];
    const bool stays = value ? same_value(*value, pinned) : pinned.type() == bson_type::null;
    if (!stays) return true;
  }
  return false;
}

/// Whether the operator always gives a field that exists another value, unless `argument` has
/// no effect. $min, $bit, $addToSet and others may leave the value as it is.
bool always_changes(std::string_view modifier, const element& argument) noexcept {
  if (modifier == "$inc") return double_of(argument) != 0;
  if (modifier == "$mul") return double_of(argument) != 1;
  return modifier == "$set" || modifier == "$unset" || modifier == "$rename" ||
         modifier == "$currentDate" || modifier == "$push";
}

bool modifiers_change_id(document_view update, const filter_walk& walk,
                         wire::work_budget& work) noexcept {
  wire::metered_reader operators{update, work};
  for (element one; operators.next(one);) {
    const auto fields = one.as_document();
    if (!fields) continue;
    wire::metered_reader paths{*fields, work};
    for (element field; paths.next(field);) {
      if (!always_changes(one.key(), field)) continue;
      std::optional<element> value;
      if (one.key() == "$set") value = field;
      if (touches_key(field.key(), value, walk, work, key_part::id)) return true;
      const bool renames = one.key() == "$rename" && field.is_string();
      if (renames && touches_key(field.as_string(), std::nullopt, walk, work, key_part::id)) {
        return true;
      }
    }
  }
  return false;
}

/// Whether a value in a pipeline is certainly no expression.
bool is_constant(const element& value) noexcept {
  if (value.is_string()) return !value.as_string().starts_with('$');
  return !value.as_container();
}

/// Whether the stage assigns to the _id, or to a part of it, a constant that changes it;
/// std::nullopt: the stage leaves the _id as it is.
std::optional<bool> stage_changes_id(const element& stage, const filter_walk& walk,
                                     wire::work_budget& work) noexcept {
  const bool sets = stage_of(stage.key()).passes == stage_pass::adds;
  const bool replaces = stage.key() == replace_with_stage || stage.key() == replace_root_stage;
  auto fields = stage.as_document();
  if (fields && stage.key() == replace_root_stage) {
    const auto root = wire::find_field(*fields, "newRoot", work);
    fields = root ? root->as_document() : std::nullopt;
  }
  if (stage_of(stage.key()).passes == stage_pass::unsets) return false;
  if (!sets && !replaces) return std::nullopt;
  if (!fields) return false;  // an expression
  std::optional<bool> changes;
  wire::metered_reader reader{*fields, work};
  for (element field; reader.next(field);) {
    if (!is_in(key_part::id, field.key())) continue;
    changes = is_constant(field) && touches_key(field.key(), field, walk, work, key_part::id);
  }
  return replaces ? changes.value_or(false) : changes;
}

/// The last stage that concerns the _id decides. A pipeline that removes the _id keeps it
/// (mongo: update/object_replace_executor.cpp).
bool pipeline_changes_id(document_view stages, const filter_walk& walk,
                         wire::work_budget& work) noexcept {
  bool changes = false;
  stage_reader reader{stages, work, wire::field_units};
  for (element stage; reader.next(stage);) {
    changes = stage_changes_id(stage, walk, work).value_or(changes);
  }
  return changes;
}

/// Replaces key values by those of a replacement document; false if one is missing.
bool replace_values(document_view replacement, const filter_walk& walk,
                    std::span<element> values, wire::work_budget& work) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view path = walk.target().key[i].path;
    const auto value = find_path(replacement, path, work);
    if (!value && path != "_id") return false;
    if (value) values[i] = *value;
  }
  return true;
}

/// Writes to key values as the operators do; false if only a shard can compute one.
bool modify_values(document_view update, const filter_walk& walk, std::span<element> values,
                   wire::work_budget& work) noexcept {
  wire::metered_reader operators{update, work};
  for (element one; operators.next(one);) {
    if (one.key() == "$setOnInsert") continue;
    const auto fields = one.as_document();
    if (!fields) return false;
    wire::metered_reader paths{*fields, work};
    for (element field; paths.next(field);) {
      if (one.key() == "$rename") return false;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string_view path = walk.target().key[i].path;
        const path_relation relation = relate(field.key(), path);
        if (relation == path_relation::unrelated) continue;
        if (one.key() != "$set" || relation == path_relation::below) return false;
        const auto after = value_of_key(field.key(), field, path, work);
        if (!after) return false;
        values[i] = *after;
      }
    }
  }
  return true;
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

bool changes_id_in_key(const element& update, update_form form, const filter_walk& walk,
                       wire::work_budget& work) noexcept {
  const auto in_id = [](const key_field& field) { return is_in(key_part::id, field.path); };
  const auto inner = update.as_container();
  if (!inner || std::ranges::none_of(walk.target().key, in_id)) return false;
  switch (form) {
    case update_form::modifiers:
      return modifiers_change_id(*inner, walk, work);
    case update_form::replacement:
      return replacement_moves(*inner, walk, work, key_part::id);
    case update_form::pipeline:
      return pipeline_changes_id(*inner, walk, work);
    case update_form::mixed:
      break;
  }
  return false;
}

std::span<const element> key_after(const element& update, update_form form,
                                   const filter_walk& walk, scratch& memory) noexcept {
  const auto fields = update.as_document();
  const auto values = memory.allocate<element>(walk.target().key.size());
  if (!fields) return {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_pinned(walk, i)) return {};
    values[i] = walk.pins().values[i];
  }
  const bool is_known = form == update_form::replacement
                            ? replace_values(*fields, walk, values, memory.work())
                            : form == update_form::modifiers &&
                                  modify_values(*fields, walk, values, memory.work());
  return is_known ? values : std::span<element>{};
}

}  // namespace scattergate::routing
