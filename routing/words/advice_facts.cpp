#include "routing/words/advice_facts.hpp"

#include <algorithm>
#include <optional>

#include "routing/stages/stage.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

/// The work budget for extracting the facts of one command, in units of wire::work_budget.
constexpr std::int64_t work_for_words = 1'000'000;

constexpr std::size_t pipelines_in_pipelines = 8;

bool says_something(const std::optional<element>& filter) noexcept {
  const auto inside = filter ? filter->as_document() : std::nullopt;
  element first;
  return inside && wire::document_reader{*inside}.next(first);
}

/// Reads one command into advice_facts.
class advice_facts_reader {
 public:
  advice_facts_reader(const wire::command& of, advice_facts& to) noexcept : of_(of), to_(to) {}

  void read() noexcept {
    to_.kind = kind_of(of_.name);
    const command_facts& facts = facts_of(to_.kind);
    if (to_.kind == command_kind::aggregate) return read_pipeline();
    if (to_.kind == command_kind::distinct) {
      if (const auto key = find("key")) list(key->as_string());
    }
    if (facts.filter.empty()) return;
    facts.batch.empty() ? read_filter(facts.filter)
                        : read_statements(facts.batch, facts.filter);
  }

 private:
  [[nodiscard]] std::optional<element> find(std::string_view name) noexcept {
    return wire::find_field(of_.body, name, work_);
  }

  void read_filter(std::string_view name) noexcept {
    const auto filter = find(name);
    to_.has_filter = says_something(filter);
    to_.has_one_filter = true;
    select(filter);
    to_.takes_first = to_.kind == command_kind::find_and_modify && says_something(find("sort"));
  }

  /// Records the fields by which a filter selects.
  void select(const std::optional<element>& filter) noexcept {
    const auto inside = filter ? filter->as_document() : std::nullopt;
    wire::metered_reader fields{inside.value_or(document_view{}), work_};
    for (element field; fields.next(field);) {
      const auto end = to_.selected.begin() + static_cast<std::ptrdiff_t>(to_.selected_count);
      const bool is_known = std::find(to_.selected.begin(), end, field.key()) != end;
      if (field.key().starts_with('$') || is_known) continue;
      if (to_.selected_count < to_.selected.size()) {
        to_.selected[to_.selected_count++] = field.key();
      }
    }
  }

  void read_statements(std::string_view name, std::string_view filter) noexcept {
    to_.has_filter = false;
    std::size_t count = 0;
    const auto take = [&](document_view one) {
      const auto conditions = wire::find_field(one, filter, work_);
      to_.has_filter |= says_something(conditions);
      select(conditions);
      ++count;
    };
    if (const auto list = find(name)) {
      const auto array = list->as_array();
      wire::metered_reader members{array.value_or(document_view{}), work_};
      for (element member; members.next(member);) {
        if (const auto one = member.as_document()) take(*one);
      }
    }
    for (const wire::document_sequence& sequence : of_.sequences) {
      if (sequence.identifier != name) continue;
      wire::sequence_reader documents{sequence.documents};
      for (document_view one; !work_.is_spent() && documents.next(one);) take(one);
    }
    to_.has_one_filter = count == 1;
  }

  void read_pipeline() noexcept {
    to_.has_filter = false;
    to_.has_one_filter = true;
    const auto found = find("pipeline");
    const auto stages = found ? found->as_array() : std::nullopt;
    read_joins(stages.value_or(document_view{}), pipelines_in_pipelines);
    wire::metered_reader members{stages.value_or(document_view{}), work_};
    bool is_first = true;
    for (element member; members.next(member); is_first = false) {
      const auto inside = member.as_document();
      element stage;
      if (!inside || !wire::document_reader{*inside}.next(stage)) return;
      if (!read_stage(stage, is_first)) return;
    }
  }

  /// Records the collections that the stages name, at any realistic depth.
  void read_joins(document_view stages, std::size_t deeper) noexcept {
    wire::metered_reader members{stages, work_};
    for (element member; members.next(member);) {
      const auto inside = member.as_document();
      element stage;
      if (!inside || !wire::document_reader{*inside}.next(stage)) continue;
      const stage_collections other = stage_of(stage.key()).other;
      if (other == stage_collections::none) continue;
      const bool is_facet = other == stage_collections::facet;
      join(stage.as_string());
      wire::metered_reader options{stage.as_document().value_or(document_view{}), work_};
      for (element option; options.next(option);) {
        const std::string_view of = option.key();
        if (of == "from" || of == "coll" || of == "into") join_named(option);
        if (deeper == 0 || !(of == "pipeline" || is_facet)) continue;
        if (const auto pipeline = option.as_array()) read_joins(*pipeline, deeper - 1);
      }
    }
  }

  /// Records a collection given by name or as {db, coll}.
  void join_named(const element& given) noexcept {
    const auto parts = given.as_document();
    const auto named = parts ? wire::find_field(*parts, "coll", work_) : given;
    if (named) join(named->as_string());
  }

  void join(std::string_view collection) noexcept {
    if (collection.empty() || collection == of_.collection || to_.joins(collection)) return;
    if (to_.joined_count < to_.joined.size()) to_.joined[to_.joined_count++] = collection;
  }

  /// Reads a stage. Returns whether its output still consists of the collection's own
  /// documents.
  [[nodiscard]] bool read_stage(const element& stage, bool is_first) noexcept {
    const stage_row& row = stage_of(stage.key());
    if (row.passes == stage_pass::matches) {
      to_.has_filter |= says_something(stage);
      select(stage);
      return true;
    }
    if (row.passes == stage_pass::near) {
      to_.begins_with_geo_near = is_first;
      const auto options = stage.as_document();
      const auto query = options ? wire::find_field(*options, "query", work_) : std::nullopt;
      to_.has_filter |= says_something(query);
      select(query);
      return true;
    }
    if (row.passes == stage_pass::counts) list_path(stage);
    if (row.passes == stage_pass::groups) {
      const auto options = stage.as_document();
      if (const auto id = options ? wire::find_field(*options, "_id", work_) : std::nullopt) {
        list_paths(*id);
      }
    }
    return row.keeps_documents;
  }

  void list_paths(const element& id) noexcept {
    const auto parts = id.as_document();
    if (!parts) return list_path(id);
    wire::metered_reader reader{*parts, work_};
    for (element part; reader.next(part);) list_path(part);
  }

  void list_path(const element& expression) noexcept {
    const std::string_view path = expression.as_string();
    if (path.starts_with('$') && !path.starts_with("$$")) list(path.substr(1));
  }

  void list(std::string_view path) noexcept {
    if (to_.listed_count < to_.listed.size()) to_.listed[to_.listed_count++] = path;
  }

  const wire::command& of_;
  advice_facts& to_;
  wire::work_budget work_{work_for_words};
};

}  // namespace

advice_facts advice_facts_of(const wire::command& command) noexcept {
  advice_facts found;
  const auto inner = kind_of(command.name) == command_kind::explain
                         ? command.first.as_document()
                         : std::nullopt;
  if (inner) {
    if (const auto explained = wire::command_of(*inner)) {
      advice_facts_reader{*explained, found}.read();
    }
    return found;
  }
  advice_facts_reader{command, found}.read();
  return found;
}

}  // namespace scattergate::routing
