#include "routing/bounds/pipeline_head.hpp"

#include "routing/bounds/redact_rules.hpp"
#include "routing/bounds/stage_reader.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

bool is_list_of_filters(const element& part) noexcept {
  return part.is_array() &&
         (part.key() == "$and" || part.key() == "$or" || part.key() == "$nor");
}

/// The next member's stage; false where it is none.
bool next_stage(wire::metered_reader& reader, element& stage) noexcept {
  element member;
  return reader.next(member) && read_stage(member, stage);
}

/// Whether a stage is a $unwind of `path` that drops what found nothing and adds nothing.
bool unwinds_only(const element& stage, std::string_view path,
                  wire::work_budget& work) noexcept {
  if (stage.key() != "$unwind" || path.empty()) return false;
  std::string_view unwound = stage.as_string();
  if (const auto options = stage.as_document()) {
    const auto named = wire::find_field(*options, "path", work);
    const auto kept = wire::find_field(*options, "preserveNullAndEmptyArrays", work);
    if ((kept && kept->is_truthy()) || wire::find_field(*options, "includeArrayIndex", work)) {
      return false;
    }
    unwound = named ? named->as_string() : std::string_view{};
  }
  return unwound.starts_with('$') && unwound.substr(1) == path;
}

}  // namespace

bool pipeline_head::pass(const element& stage) noexcept {
  const bool is_first = is_first_;
  is_first_ = false;
  const std::string_view name = stage.key();
  if (name == "$match") return pass_match(stage);
  if (closed_ || name == "$sort" || name == "$unionWith") return true;
  if (name == "$redact") {
    redacted_ = true;
    return true;
  }
  const auto near = name == "$geoNear" && is_first ? stage.as_container() : std::nullopt;
  const auto query = near ? wire::find_field(*near, "query", memory_.work()) : std::nullopt;
  const bool sound = !query || pass_match(*query);
  closed_ |= !history_.pass(stage, memory_);
  return sound;
}

bool pipeline_head::pass_match(const element& filter) noexcept {
  const auto parts = filter.as_document();
  if (!parts) return true;  // mongos refuses it as a stage, not as a filter
  if (!closed_ && !redacted_ && history_.is_empty()) {
    has_filter_ = true;
    return walk_.add(*parts);
  }
  if (!check_behind(*parts)) return false;
  if (closed_) return true;
  has_filter_ = true;
  history_.prepare(memory_);
  walk_.follow(history_);
  wire::metered_reader reader{*parts, memory_.work()};
  for (element part; reader.next(part);) {
    if (!add_part(part, 0)) return false;
  }
  return true;
}

void pipeline_head::pass_varying(std::string_view path) noexcept {
  if (closed_ || redacted_) return;  // it may equal null, which a $redact brings about
  history_.prepare(memory_);
  if (const auto origin = history_.origin_of(path, memory_)) walk_.add_varying(*origin);
}

void pipeline_head::pass_behind_lookup(wire::metered_reader rest,
                                       std::string_view as) noexcept {
  element stage;
  if (closed_ || !next_stage(rest, stage) || !unwinds_only(stage, as, memory_.work())) return;
  history_.nest_below(as);
  while (next_stage(rest, stage)) {
    if (stage.key() == "$match" && !pass_match(stage)) return;
    if (stage.key() != "$match" && stage.key() != "$sort") return;
  }
}

/// mongos reads every filter, wherever it stays: looks for what it would refuse.
bool pipeline_head::check_behind(document_view filter) noexcept {
  const std::size_t mark = memory_.mark();
  filter_walk aside{walk_.target(), walk_.rules(), memory_};
  (void)aside.add(filter);
  memory_.rewind(mark);
  const filter_fault fault = aside.fault();
  // What is only too much to read doesn't matter behind the head.
  if (fault == filter_fault::none || fault == filter_fault::too_deep) return true;
  fault_behind_ = fault;
  return false;
}

/// Adds what of `part` the passed stages leave alone.
bool pipeline_head::add_part(const element& part, std::uint32_t depth) noexcept {
  const bool is_split = part.key() == "$and" && part.is_array();
  if (!is_split || depth >= wire::limits::inspect_depth) {
    return !is_free(part, depth) || walk_.add(part);
  }
  wire::metered_reader branches{part.as_container().value_or(document_view{}), memory_.work()};
  for (element branch; branches.next(branch);) {
    const auto filter = branch.as_document();
    if (!filter) continue;
    wire::metered_reader reader{*filter, memory_.work()};
    for (element inner; reader.next(inner);) {
      if (!add_part(inner, depth + 1)) return false;
    }
  }
  return true;
}

/// Whether all of `part` may run at the pipeline's head.
bool pipeline_head::is_free(const element& part, std::uint32_t depth) const noexcept {
  if (!part.key().starts_with('$')) return is_path_free(part);
  if (part.key() == "$comment") return true;
  if (part.key() == "$expr") {
    return !redacted_ && !history_.is_nested() && is_expression_free(part, depth);
  }
  if (!is_list_of_filters(part) || (redacted_ && part.key() == "$nor")) return false;
  return depth < wire::limits::inspect_depth && are_branches_free(part, depth + 1);
}

bool pipeline_head::are_branches_free(const element& part, std::uint32_t depth) const noexcept {
  wire::metered_reader branches{part.as_container().value_or(document_view{}), memory_.work()};
  for (element branch; branches.next(branch);) {
    const auto filter = branch.as_document();
    if (!filter) return false;
    wire::metered_reader reader{*filter, memory_.work()};
    for (element inner; reader.next(inner);) {
      if (!is_free(inner, depth)) return false;
    }
  }
  return true;
}

bool pipeline_head::is_path_free(const element& part) const noexcept {
  const std::size_t mark = memory_.mark();
  const bool has_origin = history_.origin_of(part.key(), memory_).has_value();
  memory_.rewind(mark);
  return has_origin && (!redacted_ || may_precede_redact(part, memory_.work()));
}

/// Whether every field that an expression reads may be read at the head.
bool pipeline_head::is_expression_free(const element& expression,
                                       std::uint32_t depth) const noexcept {
  if (depth >= wire::limits::inspect_depth) return false;
  if (expression.is_string()) {
    const std::string_view text = expression.as_string();
    if (text == "$$ROOT" || text == "$$CURRENT") return false;
    const auto path = field_reference(text);
    const std::size_t mark = memory_.mark();
    const bool is_free = !path || history_.origin_of(*path, memory_).has_value();
    memory_.rewind(mark);
    return is_free;
  }
  if (expression.key() == "$literal" || expression.key() == "$const") return true;
  const auto inner = expression.as_container();
  wire::metered_reader reader{inner.value_or(document_view{}), memory_.work()};
  for (element member; reader.next(member);) {
    if (!is_expression_free(member, depth + 1)) return false;
  }
  return true;
}

}  // namespace scattergate::routing
