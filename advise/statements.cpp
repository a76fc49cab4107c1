#include "advise/statements.hpp"

#include <algorithm>

#include "routing/command_kind.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::advise {
namespace {

using wire::document_reader;
using wire::document_view;
using wire::element;

constexpr int most_levels = 8;
constexpr std::size_t most_values = 1000;

std::optional<document_view> document_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field ? field->as_document() : std::nullopt;
}

/// The members of a batch, from an array or from a document sequence.
void for_each_member(const wire::command& command, std::string_view name,
                     const std::function<void(document_view)>& visit) {
  const auto list = wire::find_field(command.body, name);
  if (const auto array = list ? list->as_array() : std::nullopt) {
    document_reader reader{*array};
    for (element member; reader.next(member);) {
      if (const auto one = member.as_document()) visit(*one);
    }
  }
  for (const wire::document_sequence& each : command.sequences) {
    if (each.identifier != name) continue;
    wire::sequence_reader reader{each.documents};
    for (document_view one; reader.next(one);) visit(one);
  }
}

bool is_flag(document_view in, std::string_view name) {
  const auto field = wire::find_field(in, name);
  return field && field->is_truthy();
}

statement statement_of(document_view from, const routing::command_facts& facts) {
  statement made{document_in(from, facts.filter).value_or(document_view{})};
  if (!facts.update.empty()) made.update = wire::find_field(from, facts.update);
  const auto limit = wire::find_field(from, "limit");
  made.is_multi = is_flag(from, "multi") || (limit && limit->as_int64() == 0);
  return made;
}

/// The leading `$match` stages of a pipeline, one statement each.
void visit_pipeline(document_view stages, const std::function<void(const statement&)>& visit) {
  document_reader reader{stages};
  element stage;
  const auto first = reader.next(stage) ? stage.as_document() : std::nullopt;
  const auto match = first ? document_in(*first, "$match") : std::nullopt;
  visit(statement{match.value_or(document_view{})});
}

void visit_operation(document_view operation, const routing::command_facts& facts,
                     const std::function<void(const statement&)>& visit) {
  if (const auto made = document_in(operation, facts.document)) {
    return visit(statement{*made, {}, true});
  }
  visit(statement_of(operation, facts));
}

/// The batch with this member alone.
std::vector<std::byte> alone(const wire::command& batch, std::string_view name,
                             document_view member) {
  wire::bson_writer made;
  document_reader reader{batch.body};
  for (element field; reader.next(field);) {
    if (field.key() != name) made.copy(field);
  }
  made.open_array(name);
  made.document("0", member);
  made.close();
  return made.take();
}

/// Collects the values to which a filter pins fields.
class pins {
 public:
  void walk(document_view filter, int level) {
    if (level == most_levels) return;
    document_reader reader{filter};
    for (element field; reader.next(field);) {
      if (field.key() == "$and") {
        walk_all(field, level);
      } else if (!field.key().starts_with('$')) {
        add_field(field);
      }
    }
  }
  [[nodiscard]] std::vector<pinned_value> take() { return std::move(found_); }

 private:
  void walk_all(const element& branches, int level) {
    const auto list = branches.as_array();
    if (!list) return;
    document_reader reader{*list};
    for (element branch; reader.next(branch);) {
      if (const auto one = branch.as_document()) walk(*one, level + 1);
    }
  }

  void add_field(const element& field) {
    const auto operators = field.as_document();
    document_reader reader{operators.value_or(document_view{})};
    element first;
    if (!operators || !reader.next(first) || !first.key().starts_with('$')) {
      return add(field.key(), field);
    }
    reader = document_reader{*operators};
    for (element each; reader.next(each);) {
      if (each.key() == "$eq") add(field.key(), each);
      if (each.key() == "$in") add_list(field.key(), each);
    }
  }

  void add_list(std::string_view path, const element& values) {
    const auto list = values.as_array();
    if (!list) return;
    document_reader reader{*list};
    for (element one; reader.next(one);) add(path, one);
  }

  void add(std::string_view path, const element& value) {
    const bool is_point = value.type() != wire::bson_type::regex && !value.is_array();
    if (is_point && found_.size() < most_values) found_.push_back({std::string{path}, value});
  }

  std::vector<pinned_value> found_;
};

bool is_same_value(const element& one, const element& other) noexcept {
  return one.type() == other.type() && std::ranges::equal(one.value(), other.value());
}

/// Whether assigning this value to `path` leaves the key at the filter's value.
bool is_kept(std::string_view path, const element& value,
             const std::vector<pinned_value>& pinned) {
  return std::ranges::count_if(
             pinned, [&](const pinned_value& one) { return one.path == path; }) == 1 &&
         std::ranges::any_of(pinned, [&](const pinned_value& one) {
           return one.path == path && is_same_value(one.value, value);
         });
}

bool touches(const shard_key& key, std::string_view path) {
  return std::ranges::any_of(key, [&](const routing::key_field& field) {
    return is_same_or_parent(field.path, path);
  });
}

/// For {$set: {a: 1}}; a pipeline stage has the same form.
bool changes_by_operators(const shard_key& key, document_view operators, bool is_stage,
                          const std::vector<pinned_value>& pinned) {
  document_reader reader{operators};
  for (element each; reader.next(each);) {
    const std::string_view name = each.key();
    if (name == "$setOnInsert") continue;
    if (is_stage && (name == "$replaceWith" || name == "$replaceRoot" || name == "$project")) {
      return true;
    }
    if (is_stage && name == "$unset" && each.is_string() && touches(key, each.as_string())) {
      return true;
    }
    const bool assigns = name == "$set" || name == "$addFields";
    document_reader fields{each.as_document().value_or(document_view{})};
    for (element field; fields.next(field);) {
      if (!touches(key, field.key())) continue;
      if (!assigns || !is_kept(field.key(), field, pinned)) return true;
    }
  }
  return false;
}

/// A replacement contains the whole key or removes it; an omitted _id stays.
bool changes_by_replacing(const shard_key& key, document_view by,
                          const std::vector<pinned_value>& pinned) {
  return std::ranges::any_of(key, [&](const routing::key_field& field) {
    const auto value = value_at(by, field.path);
    if (!value) return field.path != "_id";
    const bool is_pinned = std::ranges::any_of(
        pinned, [&](const pinned_value& one) { return one.path == field.path; });
    return is_pinned && !is_kept(field.path, *value, pinned);
  });
}

}  // namespace

void for_each_statement(const wire::command& command,
                        const std::function<void(const statement&)>& visit) {
  const routing::command_kind kind = routing::kind_of(command.name);
  const routing::command_facts& facts = routing::facts_of(kind);
  if (facts.holds == routing::batch_items::documents) {
    for_each_member(command, facts.batch, [&](document_view each) {
      visit(statement{each, {}, true});
    });
  } else if (facts.holds == routing::batch_items::statements) {
    for_each_member(command, facts.batch,
                    [&](document_view each) { visit(statement_of(each, facts)); });
  } else if (facts.holds == routing::batch_items::operations) {
    for_each_member(command, facts.batch,
                    [&](document_view each) { visit_operation(each, facts, visit); });
  } else if (kind == routing::command_kind::aggregate) {
    const auto list = wire::find_field(command.body, "pipeline");
    const auto stages = list ? list->as_array() : std::nullopt;
    if (stages) visit_pipeline(*stages, visit);
  } else if (!facts.filter.empty()) {
    statement made = statement_of(command.body, facts);
    made.is_multi = false;  // a find's `limit` isn't a write's
    visit(made);
  }
}

void for_each_alone(const wire::command& command,
                    const std::function<void(const wire::command&, const statement&)>& visit) {
  const routing::command_facts& facts = routing::facts_of(routing::kind_of(command.name));
  const bool is_batch = facts.holds == routing::batch_items::statements ||
                        facts.holds == routing::batch_items::operations;
  std::size_t members = 0;
  if (is_batch) for_each_member(command, facts.batch, [&](document_view) { ++members; });
  if (members < 2) {
    return for_each_statement(command, [&](const statement& one) { visit(command, one); });
  }
  for_each_member(command, facts.batch, [&](document_view each) {
    const std::vector<std::byte> body = alone(command, facts.batch, each);
    const auto read = wire::document_view::from(body);
    const auto made = read ? wire::command_of(*read) : wire::command_of(document_view{});
    if (!made) return;
    for_each_statement(*made, [&](const statement& one) { visit(*made, one); });
  });
}

std::vector<pinned_value> pinned_values(document_view filter) {
  pins found;
  found.walk(filter, 0);
  return found.take();
}

std::optional<element> value_at(document_view document, std::string_view path) {
  for (int level = 0; level < most_levels; ++level) {
    if (auto whole = wire::find_field(document, path)) return whole;
    const std::size_t dot = path.find('.');
    if (dot == path.npos) return std::nullopt;
    const auto outer = document_in(document, path.substr(0, dot));
    if (!outer) return std::nullopt;
    document = *outer;
    path.remove_prefix(dot + 1);
  }
  return std::nullopt;
}

bool may_change(const shard_key& key, const element& update,
                const std::vector<pinned_value>& pinned) {
  if (const auto stages = update.as_array()) {
    document_reader reader{*stages};
    for (element stage; reader.next(stage);) {
      const auto one = stage.as_document();
      if (one && changes_by_operators(key, *one, true, pinned)) return true;
    }
    return false;
  }
  const auto document = update.as_document();
  if (!document) return false;
  document_reader reader{*document};
  element first;
  const bool has_operators = reader.next(first) && first.key().starts_with('$');
  return has_operators ? changes_by_operators(key, *document, false, pinned)
                       : changes_by_replacing(key, *document, pinned);
}

}  // namespace scattergate::advise
