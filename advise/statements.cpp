#include "advise/statements.hpp"

#include <algorithm>

#include "digest/statement_views.hpp"
#include "routing/command_kind.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::advise {
namespace {

using wire::document_reader;
using wire::document_view;
using wire::element;

constexpr std::size_t most_values = 1000;

bool is_flag(document_view in, std::string_view name) {
  const auto field = wire::find_field(in, name);
  return field && field->is_truthy();
}

statement statement_of(const digest::statement_view& one, const routing::command_facts& facts) {
  statement made{one.filter, {}, one.is_insert};
  if (one.is_insert) return made;
  if (!facts.update.empty()) made.update = wire::find_field(one.from, facts.update);
  if (facts.holds == routing::batch_items::none)
    return made;  // a find's `limit` has another meaning than a delete's
  const auto limit = wire::find_field(one.from, "limit");
  made.is_multi = is_flag(one.from, "multi") || (limit && limit->as_int64() == 0);
  return made;
}

/// A copy of the batch with only this member. `name`: the batch's argument, such as "updates".
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

bool is_same_value(const element& one, const element& other) noexcept {
  return one.type() == other.type() && std::ranges::equal(one.value(), other.value());
}

/// Whether the filter pins `path` to just this value, so that assigning it changes nothing.
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

/// For update operators such as {$set: {a: 1}}, or a pipeline stage, which has the same form.
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

/// For a replacement document. It removes the key's fields that it omits, except _id.
bool changes_by_replacing(const shard_key& key, document_view by,
                          const std::vector<pinned_value>& pinned) {
  return std::ranges::any_of(key, [&](const routing::key_field& field) {
    const auto value = digest::value_at(by, field.path);
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
  digest::for_each_statement(command, kind, [&](const digest::statement_view& one) {
    visit(statement_of(one, facts));
    return true;
  });
}

void for_each_alone(const wire::command& command,
                    const std::function<void(const wire::command&, const statement&)>& visit) {
  const routing::command_facts& facts = routing::facts_of(routing::kind_of(command.name));
  const bool is_batch = facts.holds == routing::batch_items::statements ||
                        facts.holds == routing::batch_items::operations;
  std::size_t members = 0;
  if (is_batch) {
    digest::for_each_member(command, facts.batch, [&](document_view) { return ++members < 2; });
  }
  if (members < 2) {
    return for_each_statement(command, [&](const statement& one) { visit(command, one); });
  }
  digest::for_each_member(command, facts.batch, [&](document_view each) {
    const std::vector<std::byte> body = alone(command, facts.batch, each);
    const auto read = wire::document_view::from(body);
    const auto made = read ? wire::command_of(*read) : wire::command_of(document_view{});
    if (made) for_each_statement(*made, [&](const statement& one) { visit(*made, one); });
    return true;
  });
}

std::vector<pinned_value> pinned_values(document_view filter) {
  std::vector<pinned_value> found;
  digest::for_each_pinned(filter, [&](std::string_view path, const element& value) {
    if (found.size() < most_values) found.push_back({std::string{path}, value});
  });
  return found;
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
