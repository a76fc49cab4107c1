#include "routing/pipeline_head.hpp"

#include <algorithm>

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// What a field of a $project does.
bool is_flag(const element& value) noexcept {
  return value.is_number() || value.type() == wire::bson_type::boolean;
}

/// Whether the projection keeps what it names and drops the rest.
bool is_inclusion(document_view projection) noexcept {
  wire::document_reader reader{projection};
  for (element field; reader.next(field);) {
    if (field.key() != "_id" && (!is_flag(field) || field.is_truthy())) return true;
  }
  return false;
}

/// Whether an inclusion hands the value at `path` on as it is.
bool hands_on(document_view inclusion, std::string_view path) noexcept {
  const bool is_id = relate("_id", path) != path_relation::apart;
  wire::document_reader reader{inclusion};
  for (element field; reader.next(field);) {
    const path_relation relation = relate(field.key(), path);
    if (relation == path_relation::same || relation == path_relation::above) {
      return is_flag(field) && field.is_truthy();
    }
    if (relation == path_relation::below) return false;
  }
  return is_id;
}

}  // namespace

bool pipeline_head::pass(const element& stage) noexcept {
  const bool is_first = is_first_;
  is_first_ = false;
  if (closed_) return true;
  const std::string_view name = stage.key();
  if (name == "$match") return pass_match(stage);
  if (name == "$sort") return true;
  if (name == "$project") {
    const auto projection = stage.is_document() ? stage.as_document() : std::nullopt;
    if (projection) pass_project(*projection);
    closed_ |= !projection;
  } else if (name == "$addFields" || name == "$set" || name == "$unset") {
    pass_fields(stage);
  } else if (name == "$unwind") {
    pass_unwind(stage);
  } else if (name == "$lookup" || name == "$graphLookup") {
    pass_join(stage);
  } else if (name != "$unionWith") {
    const auto near = name == "$geoNear" && is_first ? stage.as_document() : std::nullopt;
    const auto query = near ? wire::find_field(*near, "query") : std::nullopt;
    const bool sound = !query || pass_match(*query);
    closed_ = true;
    return sound;
  }
  return true;
}

bool pipeline_head::pass_match(const element& filter) noexcept {
  if (closed_) return true;
  const auto parts = filter.is_document() ? filter.as_document() : std::nullopt;
  if (!parts) return true;  // mongos refuses it as a stage, not as a filter
  has_filter_ = true;
  if (changed_count_ == 0 && inclusion_count_ == 0) return walk_.add(*parts);
  wire::document_reader reader{*parts};
  for (element part; reader.next(part);) {
    if (!add_part(part, 0)) return false;
  }
  return true;
}

/// Adds what of `part` the passed stages leave alone.
bool pipeline_head::add_part(const element& part, std::uint32_t depth) noexcept {
  if (depth < wire::limits::inspect_depth && part.key() == "$and" && part.is_array()) {
    wire::document_reader branches{*part.as_document()};
    for (element branch; branches.next(branch);) {
      const auto filter = branch.is_document() ? branch.as_document() : std::nullopt;
      if (!filter) continue;
      wire::document_reader reader{*filter};
      for (element inner; reader.next(inner);) {
        if (!add_part(inner, depth + 1)) return false;
      }
    }
    return true;
  }
  return !is_free(part, depth) || walk_.add(part);
}

/// Whether no path in `part` was changed.
bool pipeline_head::is_free(const element& part, std::uint32_t depth) const noexcept {
  if (!part.key().starts_with('$')) return !is_changed(part.key());
  if (part.key() == "$comment") return true;
  const bool is_list = part.key() == "$and" || part.key() == "$or" || part.key() == "$nor";
  if (!is_list || !part.is_array() || depth >= wire::limits::inspect_depth) return false;
  wire::document_reader branches{*part.as_document()};
  for (element branch; branches.next(branch);) {
    const auto filter = branch.is_document() ? branch.as_document() : std::nullopt;
    if (!filter) return false;
    wire::document_reader reader{*filter};
    for (element inner; reader.next(inner);) {
      if (!is_free(inner, depth + 1)) return false;
    }
  }
  return true;
}

bool pipeline_head::is_changed(std::string_view path) const noexcept {
  for (std::size_t i = 0; i < changed_count_; ++i) {
    if (relate(changed_[i], path) != path_relation::apart) return true;
  }
  for (std::size_t i = 0; i < inclusion_count_; ++i) {
    if (!hands_on(inclusions_[i], path)) return true;
  }
  return false;
}

void pipeline_head::changed(std::string_view path) noexcept {
  if (changed_count_ == changed_.size()) {
    closed_ = true;
    return;
  }
  changed_[changed_count_++] = path;
}

void pipeline_head::pass_project(document_view projection) noexcept {
  if (is_inclusion(projection)) {
    closed_ |= inclusion_count_ == inclusions_.size();
    if (!closed_) inclusions_[inclusion_count_++] = projection;
  }
  // Of an inclusion only a removed _id is left; of an exclusion everything it names.
  wire::document_reader reader{projection};
  for (element field; reader.next(field);) {
    if (is_flag(field) && !field.is_truthy()) changed(field.key());
  }
}

void pipeline_head::pass_fields(const element& stage) noexcept {
  if (stage.is_string()) return changed(stage.as_string());  // {$unset: "a"}
  const auto fields = stage.as_document();
  if (!fields) {
    closed_ = true;
    return;
  }
  wire::document_reader reader{*fields};
  for (element field; reader.next(field);) {
    changed(stage.is_array() ? field.as_string() : field.key());
  }
}

void pipeline_head::pass_unwind(const element& stage) noexcept {
  const auto options = stage.is_document() ? stage.as_document() : std::nullopt;
  std::string_view path = stage.as_string();
  if (options) {
    const auto named = wire::find_field(*options, "path");
    path = named ? named->as_string() : std::string_view{};
    if (const auto index = wire::find_field(*options, "includeArrayIndex")) {
      changed(index->as_string());
    }
  }
  if (path.size() < 2) {
    closed_ = true;
    return;
  }
  changed(path.substr(1));
}

void pipeline_head::pass_join(const element& stage) noexcept {
  const auto options = stage.is_document() ? stage.as_document() : std::nullopt;
  const auto as = options ? wire::find_field(*options, "as") : std::nullopt;
  if (!as || !as->is_string()) {
    closed_ = true;
    return;
  }
  changed(as->as_string());
}

}  // namespace scattergate::routing
