#include "routing/statements/update_document.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/argument_types.hpp"
#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/stage_reader.hpp"
#include "routing/stages/stage.hpp"
#include "wire/work_budget.hpp"

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

/// What a pipeline makes of a key field.
struct field_after {
  enum class fate : std::uint8_t {
    kept,     ///< the field has the value that it had
    value,    ///< the field has the value `is`
    merged,   ///< the members of the document `is` replace those of the field's value
    removed,  ///< the document lacks the field
    changed,  ///< a part of the field's value is another one
    unknown,  ///< an expression gives the value
  };
  fate what = fate::kept;
  element is{};
};
using fate = field_after::fate;

bool is_id(std::string_view path) noexcept {
  return path == "_id";
}

/// The operator of an expression; std::nullopt: the value has none, as {a: 1} in
/// {$set: {x: {a: 1}}}.
std::optional<element> operator_of(const element& value) noexcept {
  const auto fields = value.as_document();
  if (!fields) return std::nullopt;
  wire::document_reader reader{*fields};
  element first;
  if (!reader.next(first) || !first.key().starts_with('$')) return std::nullopt;
  return first;
}

std::string_view head_of(std::string_view path) noexcept {
  return path.substr(0, path.find('.'));
}

/// Determines what an update's pipeline makes of one field of the shard key. A stage's document
/// {a: {b: 1}} means the same as {"a.b": 1}, and keeps other members of `a` (mongo:
/// exec/add_fields_projection_executor.cpp), except for a new root, which has no other members.
class key_field_pipeline {
 public:
  key_field_pipeline(const filter_walk& walk, std::size_t field,
                     wire::work_budget& work) noexcept
      : path_(walk.target().key[field].path), work_(work) {
    if (is_pinned(walk, field)) pinned_ = walk.pins().values[field];
  }

  [[nodiscard]] field_after run(document_view stages) noexcept {
    stage_reader reader{stages, work_, wire::field_units};
    for (element stage; reader.next(stage);) apply(stage);
    // A pipeline that removes the _id keeps it (mongo: update/object_replace_executor.cpp).
    if (is_id(head_of(path_)) && is_id_removed_) return {};
    return after_;
  }

 private:
  void apply(const element& stage) noexcept {
    const stage_pass does = stage_of(stage.key()).passes;
    if (does == stage_pass::unsets) return unset(stage);
    auto fields = stage.as_document();
    if (stage.key() == replace_root_stage) {
      const auto root = fields ? wire::find_field(*fields, "newRoot", work_) : std::nullopt;
      if (root) replace(*root);
      return;
    }
    if (stage.key() == replace_with_stage) return replace(stage);
    if (!fields) return;
    if (does == stage_pass::adds) set_each(*fields, true, field_after{after_});
    if (does == stage_pass::projects) project(*fields);
  }

  void unset(const element& stage) noexcept {
    if (stage.is_string()) return remove(stage.as_string());
    const auto paths = stage.is_array() ? stage.as_container() : std::nullopt;
    if (!paths) return;
    wire::metered_reader reader{*paths, work_};
    for (element path; reader.next(path);) {
      if (path.is_string()) remove(path.as_string());
    }
  }

  void remove(std::string_view path) noexcept {
    const path_relation is = relate(path, path_);
    if (is == path_relation::unrelated) return;
    if (is_id(path)) is_id_removed_ = true;
    if (is != path_relation::below) {
      after_ = {fate::removed};
    } else if (after_.what != fate::removed && has_inside(path)) {
      after_ = {fate::changed};
    }
  }

  /// Whether the field's value may have a member at `path`.
  [[nodiscard]] bool has_inside(std::string_view path) noexcept {
    if (after_.what != fate::kept || !pinned_) return true;
    const auto inner = pinned_->as_document();
    return inner && find_path(*inner, path.substr(path_.size() + 1), work_);
  }

  void replace(const element& root) noexcept {
    if (const auto call = operator_of(root)) {
      (void)merge(*call, {}, field_after{after_});  // other expressions mostly keep the key
      return;
    }
    const auto fields = root.as_document();
    if (!fields) return;
    const field_after before = after_;
    after_ = {fate::removed};
    is_id_removed_ = true;
    set_each(*fields, false, before);
  }

  /// Applies a $project: it removes the fields with 0, or it keeps only those with 1 or a
  /// value.
  void project(document_view fields) noexcept {
    const field_after before = after_;
    bool excludes = false;
    bool is_listed = is_id(head_of(path_));
    wire::metered_reader reader{fields, work_};
    for (element field; reader.next(field);) {
      const bool is_removed = is_flag(field) && !field.is_truthy();
      excludes |= is_removed && !is_id(field.key());
      const path_relation is = relate(field.key(), path_);
      if (is == path_relation::unrelated) continue;
      is_listed = true;
      if (is_removed) {
        remove(field.key());
      } else if (!is_flag(field)) {
        set_one(field, field.key(), true, before);
      }
    }
    if (!excludes && !is_listed) after_ = {fate::removed};
  }

  static bool is_flag(const element& value) noexcept {
    return value.is_number() || value.type() == bson_type::boolean;
  }

  /// Assigns each field of a document. `keeps`: a document keeps the other members of its
  /// field.
  void set_each(document_view fields, bool keeps, const field_after& before) noexcept {
    wire::metered_reader reader{fields, work_};
    for (element field; reader.next(field);) set_one(field, field.key(), keeps, before);
  }

  /// Assigns `value` to the field at `path`. `before`: what the field was before the stage.
  void set_one(const element& value, std::string_view path, bool keeps,
               const field_after& before) noexcept {
    const path_relation is = relate(path, path_);
    if (is == path_relation::unrelated) return;
    if (is_id(head_of(path))) is_id_removed_ = false;
    const auto call = operator_of(value);
    const bool is_literal = call && call->key() == "$literal";
    if (call && is == path_relation::above && merge(*call, path, before)) return;
    if (!is_literal && is_expression(value)) {
      after_ = is_field(value, path) ? before : field_after{fate::unknown};
    } else if (is == path_relation::below) {
      set_inside(is_literal ? *call : value, path.substr(path_.size() + 1));
    } else if (is_literal) {
      set_whole(*call, path, false);
    } else {
      set_whole(value, path, keeps);
      if (after_.what == fate::value) after_ = after_assignment(element{after_.is}, before);
    }
  }

  /// Assigns a $mergeObjects of documents, and of what was there, to the document at `path`;
  /// empty: to the root. False if that isn't known.
  bool merge(const element& call, std::string_view path, const field_after& before) noexcept {
    const auto parts = call.key() == "$mergeObjects" ? call.as_array() : std::nullopt;
    if (!parts) return false;
    const std::string_view rest = path.empty() ? path_ : path_.substr(path.size() + 1);
    field_after made{fate::removed};
    bool is_named = !path.empty();
    wire::metered_reader reader{*parts, work_};
    for (element part; reader.next(part);) {
      if (path.empty() ? is_root(part) : is_field(part, path)) {
        made = before;
        is_named = true;
        continue;
      }
      const auto members = part.as_document();
      if (!members || operator_of(part)) return false;
      if (!wire::find_field(*members, head_of(rest), work_)) continue;
      is_named = true;
      const auto found = find_path(*members, rest, work_);
      made = found ? after_assignment(*found, before) : field_after{fate::removed};
    }
    after_ = made;
    is_id_removed_ |= !is_named && is_id(head_of(path_));
    return true;
  }

  /// The field after a stage assigns this value or expression to it.
  [[nodiscard]] field_after after_assignment(const element& value,
                                             const field_after& before) const noexcept {
    if (!is_expression(value)) return {fate::value, value};
    return is_field(value, path_) ? before : field_after{fate::unknown};
  }

  static bool is_root(const element& expression) noexcept {
    return expression.as_string() == "$$ROOT" || expression.as_string() == "$$CURRENT";
  }
  static bool is_expression(const element& value) noexcept {
    if (value.is_string()) return value.as_string().starts_with('$');
    return value.is_array() || operator_of(value);
  }
  /// Whether the expression is the field at `path`.
  static bool is_field(const element& expression, std::string_view path) noexcept {
    return expression.is_string() && expression.as_string().substr(1) == path;
  }

  void set_inside(const element& value, std::string_view rest) noexcept {
    const auto inner =
        pinned_ && after_.what == fate::kept ? pinned_->as_document() : std::nullopt;
    const auto known = inner ? find_path(*inner, rest, work_) : std::nullopt;
    if (!known || !same_value(*known, value)) after_ = {fate::changed};
  }

  /// Assigns a constant to the field, or to a document that has it.
  void set_whole(const element& value, std::string_view path, bool keeps) noexcept {
    const auto inner = value.as_document();
    if (path.size() == path_.size()) {
      const bool merges = inner && keeps && after_.what != fate::removed;
      after_ = {merges ? fate::merged : fate::value, value};
      return;
    }
    const std::string_view rest = path_.substr(path.size() + 1);
    const auto found = inner ? find_path(*inner, rest, work_) : std::nullopt;
    if (found) {
      after_ = {fate::value, *found};
    } else if (!inner || !keeps) {
      after_ = {fate::removed};
    }
  }

  std::string_view path_;
  std::optional<element> pinned_;
  wire::work_budget& work_;
  field_after after_;
  bool is_id_removed_ = false;
};

/// Whether a document's members, at any depth, are those of `whole`.
bool has_members(const element& whole, document_view members, std::uint32_t depth,
                 wire::work_budget& work) noexcept {
  const auto all = whole.as_document();
  if (!all || depth == 0) return false;
  wire::metered_reader reader{members, work};
  for (element member; reader.next(member);) {
    const auto known = wire::find_field(*all, member.key(), work);
    const auto inner = member.as_document();
    const bool is_there = known && (inner ? has_members(*known, *inner, depth - 1, work)
                                          : same_value(*known, member));
    if (!is_there) return false;
  }
  return true;
}

/// Whether the pipeline gives a key field in `part` another value. `or_may`: or may give it
/// one.
bool pipeline_changes(document_view stages, const filter_walk& walk, wire::work_budget& work,
                      key_part part, bool or_may) noexcept {
  constexpr std::uint32_t deepest = 32;
  const auto& key = walk.target().key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (!is_in(part, key[i].path)) continue;
    const field_after after = key_field_pipeline{walk, i, work}.run(stages);
    const element* const before = is_pinned(walk, i) ? &walk.pins().values[i] : nullptr;
    const bool stays = [&] {
      switch (after.what) {
        case fate::kept:
          return true;
        case fate::value:
          return before != nullptr && same_value(after.is, *before);
        case fate::merged:
          return before != nullptr &&
                 has_members(*before, *after.is.as_document(), deepest, work);
        case fate::removed:
          return before != nullptr && before->type() == bson_type::null;
        case fate::changed:
          return false;
        case fate::unknown:
          break;
      }
      return !or_may;
    }();
    if (!stays) return true;
  }
  return false;
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

/// Changes key values as a pipeline does; false if only a shard can compute one.
bool run_on_values(document_view stages, const filter_walk& walk, std::span<element> values,
                   wire::work_budget& work) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const field_after after = key_field_pipeline{walk, i, work}.run(stages);
    if (after.what == fate::kept) continue;
    if (after.what != fate::value) return false;
    values[i] = after.is;
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
      return pipeline_changes(*inner, walk, work, key_part::all, true);
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
      return pipeline_changes(*inner, walk, work, key_part::id, false);
    case update_form::mixed:
      break;
  }
  return false;
}

std::span<const element> key_after(const element& update, update_form form,
                                   const filter_walk& walk, scratch& memory) noexcept {
  const auto inner = update.as_container();
  const auto values = memory.allocate<element>(walk.target().key.size());
  if (!inner) return {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_pinned(walk, i)) return {};
    values[i] = walk.pins().values[i];
  }
  const bool is_known = [&] {
    switch (form) {
      case update_form::replacement:
        return replace_values(*inner, walk, values, memory.work());
      case update_form::modifiers:
        return modify_values(*inner, walk, values, memory.work());
      case update_form::pipeline:
        return run_on_values(*inner, walk, values, memory.work());
      case update_form::mixed:
        break;
    }
    return false;
  }();
  return is_known ? values : std::span<element>{};
}

}  // namespace scattergate::routing
