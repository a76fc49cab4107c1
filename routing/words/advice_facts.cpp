#include "routing/words/advice_facts.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "routing/catalog/catalog.hpp"
#include "routing/stages/stage.hpp"
#include "routing/words/key_words.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

/// The work budget for extracting the facts of one command, in units of wire::work_budget.
constexpr std::int64_t work_for_words = 1'000'000;

constexpr std::size_t pipelines_in_pipelines = 8;
constexpr std::size_t ands_in_ands = 8;

bool says_something(const std::optional<element>& filter) noexcept {
  const auto inside = filter ? filter->as_document() : std::nullopt;
  element first;
  return inside && wire::document_reader{*inside}.next(first);
}

bool is_empty_list(const element& value) noexcept {
  const auto items = value.as_array();
  element first;
  return items && !wire::document_reader{*items}.next(first);
}

/// Whether a field holds the version of a document, by which libraries detect concurrent
/// changes: Mongoose, Spring Data and Morphia, Beanie.
bool is_version_field(std::string_view name) noexcept {
  constexpr std::string_view names[] = {"__v", "version", "_version", "revision_id"};
  return std::ranges::find(names, name) != std::end(names);
}

bool has_literal_prefix(std::string_view pattern) noexcept {
  constexpr std::string_view begin = "^";
  constexpr std::string_view special = ".[($|*+?{\\";
  if (!pattern.starts_with(begin) || pattern.find('|') != pattern.npos) return false;
  pattern.remove_prefix(begin.size());
  return !pattern.empty() && special.find(pattern.front()) == special.npos;
}

/// The pattern of a BSON regex, which is a C string.
std::string_view pattern_of(const element& regex) noexcept {
  const auto bytes = regex.value();
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return text.substr(0, text.find('\0'));
}

condition_form form_of_pattern(std::string_view pattern) noexcept {
  return has_literal_prefix(pattern) ? condition_form::range : condition_form::pattern;
}

condition_form form_of_operator(const element& with) noexcept {
  struct row {
    std::string_view name;
    condition_form form;
  };
  static constexpr row rows[] = {
      {"$eq", condition_form::equality},  {"$in", condition_form::list},
      {"$all", condition_form::equality}, {"$gt", condition_form::range},
      {"$gte", condition_form::range},    {"$lt", condition_form::range},
      {"$lte", condition_form::range},    {"$type", condition_form::range},
      {"$mod", condition_form::range},    {"$ne", condition_form::negation},
      {"$nin", condition_form::negation}, {"$not", condition_form::negation}};
  if (with.key() == "$regex") {
    return form_of_pattern(with.is_string() ? with.as_string() : pattern_of(with));
  }
  const auto found = std::ranges::find(rows, with.key(), &row::name);
  return found == std::end(rows) ? condition_form::other : found->form;
}

/// Reads one command into advice_facts.
class advice_facts_reader {
 public:
  advice_facts_reader(const wire::command& of, const verdict& judged, advice_facts& to)
      : of_(of), to_(to), judged_(judged) {
    const bool is_sharded = judged.judged != nullptr && judged.judged->is_sharded();
    if (is_sharded) first_ = name_for_clients(judged, 0);
    to_.collection = of.collection;
  }

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

  [[nodiscard]] bool is_given(std::string_view name) noexcept {
    const auto found = find(name);
    return found && found->is_truthy();
  }

  void read_filter(std::string_view name) noexcept {
    const auto filter = find(name);
    to_.has_filter = says_something(filter);
    select(filter);
    const bool sorts = says_something(find("sort"));
    if (to_.kind == command_kind::find_and_modify) {
      to_.takes_first = sorts;
      to_.is_upsert = is_given("upsert");
      note_update(find("update"));
    } else if (to_.kind == command_kind::find) {
      read_find(sorts);
    } else {
      to_.is_of_many = true;
      to_.counts_all = to_.kind == command_kind::count && !to_.has_filter;
    }
  }

  void read_find(bool sorts) noexcept {
    const auto limit = find("limit");
    const bool is_of_one = limit && limit->as_int64() == 1;
    to_.is_of_many = sorts || !is_of_one;
    const auto projected = find("projection");
    const auto fields = projected ? projected->as_document() : std::nullopt;
    if (!fields || !is_of_one) return;
    std::size_t of_key = 0;  // without _id
    std::size_t others = 0;
    bool has_id = false;
    wire::metered_reader reader{*fields, work_};
    for (element field; reader.next(field);) {
      if (!field.is_truthy()) continue;
      const bool is_id = field.key() == "_id";
      has_id |= is_id;
      if (!is_id) ++(is_of_key(field.key()) ? of_key : others);
    }
    to_.asks_for_any = !to_.has_filter && has_id && of_key + others == 0;
    to_.asks_for_key = others == 0 && of_key != 0;
  }

  [[nodiscard]] bool is_of_key(std::string_view path) const noexcept {
    return !first_.empty() && std::ranges::find(judged_.judged->key, path, &key_field::path) !=
                                  judged_.judged->key.end();
  }

  void note_update(const std::optional<element>& update) noexcept {
    auto fields = update ? update->as_document() : std::nullopt;
    if (!fields) return;
    if (const auto set = wire::find_field(*fields, "$set", work_)) fields = set->as_document();
    to_.has_type_tag = fields && wire::find_field(*fields, "_t", work_).has_value();
  }

  /// Records the fields by which a filter selects.
  void select(const std::optional<element>& filter) noexcept {
    const auto inside = filter ? filter->as_document() : std::nullopt;
    if (!inside) return;
    find_conditions(*inside, ands_in_ands);
    to_.matches_nothing |= matches_nothing(*inside, ands_in_ands);
    if (!read_id_condition(*inside, ands_in_ands)) {
      to_.by_id = advice_facts::id_condition::none;
    }
    wire::metered_reader fields{*inside, work_};
    for (element field; fields.next(field);) {
      const auto end = to_.selected.begin() + static_cast<std::ptrdiff_t>(to_.selected_size);
      const bool is_known = std::find(to_.selected.begin(), end, field.key()) != end;
      if (field.key().starts_with('$') || is_known) continue;
      if (to_.selected_size < to_.selected.size()) {
        to_.selected[to_.selected_size++] = field.key();
      }
    }
  }

  /// Reads how the filter selects by _id. Returns false if it also selects by something else.
  [[nodiscard]] bool read_id_condition(document_view filter, std::size_t deeper) noexcept {
    using id_condition = advice_facts::id_condition;
    wire::metered_reader fields{filter, work_};
    for (element field; fields.next(field);) {
      if (is_version_field(field.key())) continue;
      if (field.key() == "$and") {
        bool is_by_id = deeper != 0;
        for_each_document(field, deeper, [&](document_view one, std::size_t left) {
          is_by_id = is_by_id && read_id_condition(one, left);
        });
        if (!is_by_id) return false;
        continue;
      }
      const condition_form form = form_of(field);
      const bool is_one = form == condition_form::equality;
      if (field.key() != "_id" || !(is_one || form == condition_form::list)) return false;
      to_.by_id = is_one ? id_condition::one : id_condition::several;
    }
    return true;
  }

  /// The form of a field's condition.
  [[nodiscard]] condition_form form_of(const element& field) noexcept {
    if (field.type() == wire::bson_type::regex) return form_of_pattern(pattern_of(field));
    const auto operators = field.as_document();
    element first;
    if (!operators || !wire::document_reader{*operators}.next(first) ||
        !first.key().starts_with('$')) {
      return condition_form::equality;
    }
    condition_form found = condition_form::none;
    wire::metered_reader reader{*operators, work_};
    for (element each; reader.next(each);) found = std::max(found, form_of_operator(each));
    return found;
  }

  /// Whether an empty list makes sure that no document matches the filter.
  [[nodiscard]] bool matches_nothing(document_view filter, std::size_t deeper) noexcept {
    wire::metered_reader fields{filter, work_};
    for (element field; fields.next(field);) {
      const bool is_and = field.key() == "$and";
      if (!field.key().starts_with('$') && has_empty_list(field)) return true;
      if (!is_and && field.key() != "$or") continue;
      std::size_t branches = 0;
      std::size_t empty_branches = 0;
      for_each_document(field, deeper, [&](document_view one, std::size_t left) {
        ++branches;
        if (matches_nothing(one, left)) ++empty_branches;
      });
      if (empty_branches != 0 && (is_and || empty_branches == branches)) return true;
    }
    return false;
  }

  [[nodiscard]] bool has_empty_list(const element& field) noexcept {
    const auto operators = field.as_document();
    if (!operators) return false;
    const auto is_empty = [&](std::string_view name) {
      const auto list = wire::find_field(*operators, name, work_);
      return list && is_empty_list(*list);
    };
    return is_empty("$in") || is_empty("$all");
  }

  /// Records the form of the conditions on the key's first field.
  void find_conditions(document_view filter, std::size_t deeper) noexcept {
    wire::metered_reader fields{filter, work_};
    for (element field; fields.next(field);) {
      if (!first_.empty() && field.key() == first_) note_form(form_of(field));
      if (!first_.empty() && field.key() == "$expr") find_comparisons(field, deeper);
      if (field.key() == "$and") {
        for_each_document(field, deeper, [&](document_view one, std::size_t left) {
          find_conditions(one, left);
        });
      }
    }
  }

  void find_comparisons(const element& expression, std::size_t deeper) noexcept {
    const auto inside = expression.as_document();
    element with;
    if (!inside || !wire::document_reader{*inside}.next(with)) return;
    if (with.key() == "$and") {
      wire::metered_reader members{with.as_array().value_or(document_view{}), work_};
      for (element each; deeper != 0 && members.next(each);) find_comparisons(each, deeper - 1);
      return;
    }
    constexpr std::string_view comparisons[] = {"$eq", "$in", "$gt", "$gte", "$lt", "$lte"};
    if (std::ranges::find(comparisons, with.key()) == std::end(comparisons)) return;
    std::size_t fields = 0;
    std::size_t values = 0;
    wire::metered_reader operands{with.as_array().value_or(document_view{}), work_};
    for (element each; operands.next(each);) {
      const std::string_view text = each.is_string() ? each.as_string() : std::string_view{};
      const bool is_first =
          text.size() == first_.size() + 1 && text.starts_with('$') && text.substr(1) == first_;
      const bool is_path = text.starts_with('$') && !text.starts_with("$$");
      fields += is_first ? 1U : 0U;
      values += is_path || each.is_document() ? 0U : 1U;
    }
    // Outside of the $expr, a range of a hashed field doesn't narrow the shards either.
    const bool is_range = with.key() != "$eq" && with.key() != "$in";
    const bool helps = !is_range || !judged_.judged->key.front().hashed;
    if (fields == 1 && values == 1) {
      note_form(helps ? condition_form::in_expr : condition_form::range);
    }
  }

  void note_form(condition_form form) noexcept { to_.on_first = std::max(to_.on_first, form); }

  template <typename Use>
  void for_each_document(const element& list, std::size_t deeper, Use use) noexcept {
    if (deeper == 0) return;
    wire::metered_reader members{list.as_array().value_or(document_view{}), work_};
    for (element member; members.next(member);) {
      if (const auto one = member.as_document()) use(*one, deeper - 1);
    }
  }

  void read_statements(std::string_view name, std::string_view filter) noexcept {
    to_.statement = judged_.deciding_statement;
    std::uint32_t count = 0;
    const auto take = [&](document_view one) {
      if (count++ == to_.statement) read_statement(one, filter);
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
    to_.statements = std::max<std::size_t>(count, 1);
  }

  void read_statement(document_view one, std::string_view filter) noexcept {
    const auto conditions = wire::find_field(one, filter, work_);
    to_.has_filter = says_something(conditions);
    select(conditions);
    const auto flag = [&](std::string_view name) {
      const auto found = wire::find_field(one, name, work_);
      return found && found->is_truthy();
    };
    const bool deletes = wire::find_field(one, "limit", work_).has_value();
    to_.is_of_many = deletes ? !flag("limit") : flag("multi");
    to_.is_upsert = flag("upsert");
    const bool is_bulk = to_.kind == command_kind::bulk_write;
    note_update(wire::find_field(one, is_bulk ? "updateMods" : "u", work_));
  }

  void read_pipeline() noexcept {
    to_.has_filter = false;
    to_.is_of_many = true;
    const auto found = find("pipeline");
    const auto stages = found ? found->as_array() : std::nullopt;
    read_joins(stages.value_or(document_view{}), pipelines_in_pipelines);
    wire::metered_reader members{stages.value_or(document_view{}), work_};
    bool is_first = true;
    bool keeps_documents = true;
    bool is_whole = true;  // as the collection has them
    for (element member; members.next(member); is_first = false) {
      const auto inside = member.as_document();
      element stage;
      if (!inside || !wire::document_reader{*inside}.next(stage)) return;
      const stage_pass passes = stage_of(stage.key()).passes;
      to_.counts_all |= is_whole && !to_.has_filter && counts(stage);
      is_whole = is_whole && passes == stage_pass::matches;
      if (keeps_documents) {
        keeps_documents = read_stage(stage, is_first);
      } else if (passes == stage_pass::matches) {
        to_.has_filter |= says_something(stage);
      }
      if (passes == stage_pass::groups || passes == stage_pass::counts) return;
    }
  }

  /// Whether a stage counts documents: by its name, or as a group for a constant that has only
  /// {$sum: 1}, as drivers do it.
  [[nodiscard]] bool counts(const element& stage) noexcept {
    if (stage.key() == count_stage) return true;
    const bool groups = stage_of(stage.key()).passes == stage_pass::groups;
    const auto fields = groups ? stage.as_document() : std::nullopt;
    std::size_t sums = 0;
    wire::metered_reader reader{fields.value_or(document_view{}), work_};
    for (element field; reader.next(field);) {
      const bool is_id = field.key() == "_id";
      if (is_id && (field.is_document() || field.as_string().starts_with('$'))) return false;
      if (is_id) continue;
      const auto operators = field.as_document();
      const auto sum = operators ? wire::find_field(*operators, "$sum", work_) : std::nullopt;
      if (!sum || sum->as_int64() != 1) return false;
      ++sums;
    }
    return sums == 1;
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
      to_.needs_no_match |= is_facet || other == stage_collections::union_with;
      join(stage.as_string(), stage.key());
      wire::metered_reader options{stage.as_document().value_or(document_view{}), work_};
      for (element option; options.next(option);) {
        const std::string_view of = option.key();
        if (of == "from" || of == "coll" || of == "into") join_named(option, stage.key());
        if (deeper == 0 || !(of == "pipeline" || is_facet)) continue;
        if (const auto pipeline = option.as_array()) read_joins(*pipeline, deeper - 1);
      }
    }
  }

  /// Records a collection given by name or as {db, coll}.
  void join_named(const element& given, std::string_view stage) noexcept {
    const auto parts = given.as_document();
    const auto named = parts ? wire::find_field(*parts, "coll", work_) : given;
    if (named) join(named->as_string(), stage);
  }

  void join(std::string_view collection, std::string_view stage) noexcept {
    if (collection.empty() || !to_.stage_for(collection).empty()) return;
    if (to_.joined_size < to_.joined.size()) {
      to_.joined[to_.joined_size++] = {collection, stage};
    }
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
    if (to_.listed_size < to_.listed.size()) to_.listed[to_.listed_size++] = path;
  }

  const wire::command& of_;
  advice_facts& to_;
  const verdict& judged_;
  std::string first_;  // the key's first field in clients' commands; empty: not sharded
  wire::work_budget work_{work_for_words};
};

}  // namespace

advice_facts advice_facts_of(const wire::command& command, const verdict& of) {
  advice_facts found;
  const auto inner = kind_of(command.name) == command_kind::explain
                         ? command.first.as_document()
                         : std::nullopt;
  if (inner) {
    if (const auto explained = wire::command_of(*inner)) {
      advice_facts_reader{*explained, of, found}.read();
    }
    return found;
  }
  advice_facts_reader{command, of, found}.read();
  return found;
}

}  // namespace scattergate::routing
