#include "routing/bounds/path_history.hpp"

#include <algorithm>

#include "wire/metered_reader.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

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

enum class stage_kind : std::uint8_t { adds, includes, excludes, removes, changes };

bool is_flag(const element& value) noexcept {
  return value.is_number() || value.type() == wire::bson_type::boolean;
}

/// Whether a $project keeps what it names: told by its first field, _id's flag set aside.
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

/// What the expression at a path gives: another field's value unchanged, or a new one. A dotted
/// reference reshapes what lies in arrays and is no mere renaming.
fate of_expression(const element& value, std::string_view rest) noexcept {
  const auto from = value.is_string() ? field_reference(value.as_string()) : std::nullopt;
  if (!from || from->find('.') != std::string_view::npos) return {fate::kind::lost, {}, {}};
  return {fate::kind::moved, *from, rest};
}

fate of_field(const path_mention& said, stage_kind stage) noexcept {
  if (said.relation == path_relation::apart) return {};
  if (said.relation == path_relation::below || stage == stage_kind::removes) {
    return {fate::kind::lost, {}, {}};
  }
  const bool is_kept =
      stage == stage_kind::includes && is_flag(said.value) && said.value.is_truthy();
  if (is_kept) return {fate::kind::kept, {}, {}};
  if (stage != stage_kind::adds && is_flag(said.value)) return {fate::kind::lost, {}, {}};
  return of_expression(said.value, said.rest);
}

fate of_changed(std::string_view changed, std::string_view path) noexcept {
  const bool is_apart = changed.empty() || relate(changed, path) == path_relation::apart;
  return {is_apart ? fate::kind::unnamed : fate::kind::lost, {}, {}};
}

/// The text of an option, empty where there is none.
std::string_view option(const element& stage, std::string_view name,
                        wire::work_budget& work) noexcept {
  const auto options = stage.as_document();
  const auto found = options ? wire::find_field(*options, name, work) : std::nullopt;
  return found ? found->as_string() : std::string_view{};
}

std::string_view unwound_path(const element& stage, wire::work_budget& work) noexcept {
  const std::string_view path =
      stage.is_string() ? stage.as_string() : option(stage, "path", work);
  return path.starts_with('$') ? path.substr(1) : std::string_view{};
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

}  // namespace

/// A stage that was passed. Trivial, as it lies in the scratch.
struct path_history::past_stage {
  past_stage* before = nullptr;
  element stage;
  stage_kind kind = stage_kind::changes;
  std::string_view changed;  ///< the paths that a $lookup or $unwind writes to
  std::string_view index;
  path_tree named;  ///< once it was prepared: what any other stage names
  bool is_prepared = false;
  bool is_unread = false;  ///< there was no room for that

  /// False where the stage can't be followed.
  bool take(wire::work_budget& work) noexcept {
    const std::string_view name = stage.key();
    if (name == "$project" || name == "$addFields" || name == "$set") {
      kind = name == "$project" ? stage_kind::includes : stage_kind::adds;
      return stage.as_document().has_value();
    }
    if (name == "$unset") {
      if (stage.is_string()) changed = stage.as_string();
      kind = stage.is_string() ? stage_kind::changes : stage_kind::removes;
      return stage.is_string() || stage.as_array().has_value();
    }
    if (name == "$unwind") {
      changed = unwound_path(stage, work);
      index = option(stage, "includeArrayIndex", work);
    } else if (name == "$lookup" || name == "$graphLookup") {
      changed = option(stage, "as", work);
    }
    return !changed.empty();
  }

  void prepare(scratch& memory) noexcept {
    if (is_prepared) return;
    is_prepared = true;
    if (kind == stage_kind::changes) return;
    const document_view fields = stage.as_container().value_or(document_view{});
    if (kind == stage_kind::includes && !is_inclusion(fields, memory.work())) {
      kind = stage_kind::excludes;
    }
    is_unread = kind == stage_kind::removes ? !named.take_list(fields, memory)
                                            : !named.take_fields(fields, memory);
  }

  [[nodiscard]] fate of(std::string_view path, wire::work_budget& work) const noexcept {
    if (is_unread || !is_prepared) return {fate::kind::lost, {}, {}};
    if (kind == stage_kind::changes) {
      const fate said = of_changed(changed, path);
      return said.is != fate::kind::unnamed ? said : of_changed(index, path);
    }
    const fate said = of_field(named.first_about(path, work), kind);
    if (said.is != fate::kind::unnamed || kind != stage_kind::includes) return said;
    const bool is_id = path == "_id" || path.starts_with("_id.");
    return {is_id ? fate::kind::kept : fate::kind::lost, {}, {}};
  }
};

std::optional<std::string_view> field_reference(std::string_view text) noexcept {
  for (const std::string_view start : {"$$CURRENT.", "$$ROOT."}) {
    if (text.starts_with(start)) return text.substr(start.size());
  }
  if (text.size() < 2 || text[0] != '$' || text[1] == '$') return std::nullopt;
  return text.substr(1);
}

bool path_history::pass(const element& stage, scratch& memory) noexcept {
  if (count_ == stages_remembered) return false;
  past_stage next;
  next.before = last_;
  next.stage = stage;
  if (!next.take(memory.work())) return false;
  const auto kept = memory.take<past_stage>(1);
  if (kept.empty()) return false;
  kept[0] = next;
  last_ = &kept[0];
  ++count_;
  return true;
}

void path_history::prepare(scratch& memory) noexcept {
  for (past_stage* each = last_; each != nullptr && !each->is_prepared; each = each->before) {
    each->prepare(memory);
  }
}

std::optional<std::string_view> path_history::origin_of(std::string_view path,
                                                        scratch& memory) const noexcept {
  if (is_nested()) {
    if (relate(nested_below_, path) != path_relation::above) return std::nullopt;
    path.remove_prefix(nested_below_.size() + 1);
  }
  for (const past_stage* each = last_; each != nullptr; each = each->before) {
    const fate said = each->of(path, memory.work());
    if (said.is == fate::kind::lost) return std::nullopt;
    if (said.is != fate::kind::moved) continue;
    const auto moved = joined(said, memory);
    if (!moved) return std::nullopt;
    path = *moved;
  }
  return path;
}

}  // namespace scattergate::routing
