#include "routing/path_history.hpp"

#include <algorithm>

#include "routing/match_path.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

/// What one stage says of a path.
struct fate {
  enum class kind : std::uint8_t {
    unnamed,  ///< nothing
    kept,
    moved,  ///< it lay at `origin`, followed by `rest`
    lost,   ///< computed, changed, removed, or only a part of it is handed on
  } is = kind::unnamed;
  std::string_view origin;
  std::string_view rest;
};

enum class stage_kind : std::uint8_t { adds, includes, excludes };

bool is_flag(const element& value) noexcept {
  return value.is_number() || value.type() == wire::bson_type::boolean;
}

/// A document that holds further fields, not an expression.
std::optional<document_view> nested_fields(const element& value) noexcept {
  const auto inner = value.is_document() ? value.as_document() : std::nullopt;
  if (!inner) return std::nullopt;
  wire::document_reader reader{*inner};
  element first;
  const bool has_fields = reader.next(first) && !first.key().starts_with('$');
  return has_fields ? inner : std::nullopt;
}

/// Whether a $project keeps what it names: told by its first field, _id's flag set aside.
bool is_inclusion(document_view projection, std::uint32_t depth = 0) noexcept {
  bool id_alone = true;
  bool id_included = false;
  wire::document_reader reader{projection};
  for (element field; reader.next(field);) {
    if (depth == 0 && field.key() == "_id" && is_flag(field)) {
      id_included = field.is_truthy();
      continue;
    }
    id_alone = false;
    if (is_flag(field)) return field.is_truthy();
    const auto inner = nested_fields(field);
    if (!inner || depth >= wire::limits::inspect_depth) return true;
    return is_inclusion(*inner, depth + 1);
  }
  return id_alone && id_included;
}

/// What the expression at a path gives: another field's value unchanged, or a new one. A dotted
/// reference reshapes what lies in arrays and is no mere renaming.
fate of_expression(const element& value, std::string_view rest) noexcept {
  const auto from = value.is_string() ? field_reference(value.as_string()) : std::nullopt;
  if (!from || from->find('.') != std::string_view::npos) return {fate::kind::lost, {}, {}};
  return {fate::kind::moved, *from, rest};
}

fate of_field(const element& value, stage_kind stage, path_relation relation,
              std::string_view rest) noexcept {
  if (relation == path_relation::below) return {fate::kind::lost, {}, {}};
  const bool is_kept = stage == stage_kind::includes && is_flag(value) && value.is_truthy();
  if (is_kept) return {fate::kind::kept, {}, {}};
  if (stage != stage_kind::adds && is_flag(value)) return {fate::kind::lost, {}, {}};
  return of_expression(value, relation == path_relation::same ? std::string_view{} : rest);
}

/// What the fields of a $project or $addFields, nested ones included, say of `path`.
fate of_fields(document_view fields, stage_kind stage, const match_path* outer,
               std::string_view path, std::uint32_t depth) noexcept {
  if (depth >= wire::limits::inspect_depth) return {fate::kind::lost, {}, {}};
  wire::document_reader reader{fields};
  for (element field; reader.next(field);) {
    const match_path name{field.key(), outer};
    std::string_view rest;
    const path_relation relation = relate(name, path, rest);
    if (relation == path_relation::apart) continue;
    const auto inner = nested_fields(field);
    if (!inner) return of_field(field, stage, relation, rest);
    const fate within = of_fields(*inner, stage, &name, path, depth + 1);
    if (within.is != fate::kind::unnamed) return within;
  }
  return {};
}

fate of_project(document_view projection, std::string_view path) noexcept {
  if (!is_inclusion(projection)) {
    return of_fields(projection, stage_kind::excludes, nullptr, path, 0);
  }
  const fate said = of_fields(projection, stage_kind::includes, nullptr, path, 0);
  if (said.is != fate::kind::unnamed) return said;
  const bool is_id = path == "_id" || path.starts_with("_id.");
  return {is_id ? fate::kind::kept : fate::kind::lost, {}, {}};
}

fate of_changed(std::string_view changed, std::string_view path) noexcept {
  const bool is_apart = relate(changed, path) == path_relation::apart;
  return {is_apart ? fate::kind::unnamed : fate::kind::lost, {}, {}};
}

fate of_unset(const element& stage, std::string_view path) noexcept {
  if (stage.is_string()) return of_changed(stage.as_string(), path);
  wire::document_reader reader{stage.as_document().value_or(document_view{})};
  for (element field; reader.next(field);) {
    const fate said = of_changed(field.as_string(), path);
    if (said.is != fate::kind::unnamed) return said;
  }
  return {};
}

/// The text of an option, empty where there is none.
std::string_view option(const element& stage, std::string_view name) noexcept {
  const auto options = stage.is_document() ? stage.as_document() : std::nullopt;
  const auto found = options ? wire::find_field(*options, name) : std::nullopt;
  return found ? found->as_string() : std::string_view{};
}

std::string_view unwound_path(const element& stage) noexcept {
  const std::string_view path = stage.is_string() ? stage.as_string() : option(stage, "path");
  return path.starts_with('$') ? path.substr(1) : std::string_view{};
}

fate of_unwind(const element& stage, std::string_view path) noexcept {
  const fate said = of_changed(unwound_path(stage), path);
  const std::string_view index = option(stage, "includeArrayIndex");
  if (said.is != fate::kind::unnamed || index.empty()) return said;
  return of_changed(index, path);
}

/// REQUIRES: path_history::pass() took the stage.
fate of_stage(const element& stage, std::string_view path) noexcept {
  const std::string_view name = stage.key();
  if (name == "$unset") return of_unset(stage, path);
  if (name == "$unwind") return of_unwind(stage, path);
  if (name == "$lookup" || name == "$graphLookup") {
    return of_changed(option(stage, "as"), path);
  }
  const document_view fields = stage.as_document().value_or(document_view{});
  if (name == "$project") return of_project(fields, path);
  return of_fields(fields, stage_kind::adds, nullptr, path, 0);
}

/// `origin`, or `origin.rest`; nothing where the scratch is exhausted.
std::optional<std::string_view> joined(const fate& moved, scratch& memory) noexcept {
  if (moved.rest.empty()) return moved.origin;
  const auto text = memory.take<char>(moved.origin.size() + 1 + moved.rest.size());
  if (text.empty()) return std::nullopt;
  auto end = std::ranges::copy(moved.origin, text.begin()).out;
  *end++ = '.';
  std::ranges::copy(moved.rest, end);
  return std::string_view{text.data(), text.size()};
}

bool is_followed(const element& stage) noexcept {
  const std::string_view name = stage.key();
  if (name == "$project" || name == "$addFields" || name == "$set") {
    return stage.is_document() && stage.as_document();
  }
  if (name == "$unset") return stage.is_string() || (stage.is_array() && stage.as_document());
  if (name == "$unwind") return !unwound_path(stage).empty();
  return (name == "$lookup" || name == "$graphLookup") && !option(stage, "as").empty();
}

}  // namespace

std::optional<std::string_view> field_reference(std::string_view text) noexcept {
  for (const std::string_view start : {"$$CURRENT.", "$$ROOT."}) {
    if (text.starts_with(start)) return text.substr(start.size());
  }
  if (text.size() < 2 || text[0] != '$' || text[1] == '$') return std::nullopt;
  return text.substr(1);
}

bool path_history::pass(const element& stage) noexcept {
  if (count_ == stages_.size() || !is_followed(stage)) return false;
  stages_[count_++] = stage;
  return true;
}

std::optional<std::string_view> path_history::origin_of(std::string_view path,
                                                        scratch& memory) const noexcept {
  if (is_nested()) {
    if (relate(nested_below_, path) != path_relation::above) return std::nullopt;
    path.remove_prefix(nested_below_.size() + 1);
  }
  for (std::size_t i = count_; i-- > 0;) {
    const fate said = of_stage(stages_[i], path);
    if (said.is == fate::kind::lost) return std::nullopt;
    if (said.is != fate::kind::moved) continue;
    const auto moved = joined(said, memory);
    if (!moved) return std::nullopt;
    path = *moved;
  }
  return path;
}

}  // namespace scattergate::routing
