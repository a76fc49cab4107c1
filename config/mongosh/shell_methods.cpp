#include "config/mongosh/shell_methods.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "config/mongosh/shell_scanner.hpp"
#include "text/names.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

using value = shell_value;
using values = std::vector<shell_value>;

[[noreturn]] void refuse(const std::string& what) {
  throw shell_error{{0, what}};
}

/// The arguments of one call.
class call {
 public:
  call(const shell_collection& of, std::string_view method, values arguments)
      : of_(of), method_(method), arguments_(std::move(arguments)) {}

  [[nodiscard]] const shell_collection& of() const noexcept { return of_; }
  [[nodiscard]] std::size_t count() const noexcept { return arguments_.size(); }

  /// An argument; std::nullopt if it isn't given, or null.
  [[nodiscard]] std::optional<value> optional(std::size_t at) const {
    if (at >= arguments_.size()) return std::nullopt;
    const value& given = arguments_[at];
    if (given.is_plain && given.kind == node_kind::scalar && given.text == "null") {
      return std::nullopt;
    }
    return given;
  }
  [[nodiscard]] value map(std::size_t at, std::string_view what) const {
    auto given = optional(at);
    if (!given || !given->is_map()) refuse(expected(what, "{...}"));
    return *std::move(given);
  }
  [[nodiscard]] value map_or_empty(std::size_t at, std::string_view what) const {
    return optional(at) ? map(at, what) : value::map();
  }
  [[nodiscard]] value list(std::size_t at, std::string_view what) const {
    auto given = optional(at);
    if (!given || !given->is_list()) refuse(expected(what, "[...]"));
    return *std::move(given);
  }
  [[nodiscard]] value string(std::size_t at, std::string_view what) const {
    auto given = optional(at);
    if (!given || !given->is_string()) refuse(expected(what, "\"...\""));
    return *std::move(given);
  }

 private:
  [[nodiscard]] std::string expected(std::string_view what, std::string_view form) const {
    return std::string{method_} + "(): expected " + std::string{what} + ", " +
           std::string{form};
  }

  const shell_collection& of_;
  std::string_view method_;
  values arguments_;
};

/// {find: "orders"}.
value command(std::string_view name, const call& from) {
  return value::map({{std::string{name}, value::quoted(from.of().name)}});
}

void set_if(value& to, std::string_view key, const value* given) {
  if (given != nullptr) to.set(key, *given);
}

/// Copies these options from an object of options.
template <std::size_t Count>
void copy(value& to, const std::optional<value>& options,
          const std::array<std::string_view, Count>& names) {
  if (!options) return;
  for (const std::string_view name : names) set_if(to, name, options->find(name));
}

constexpr std::array<std::string_view, 11> find_options = {
    "projection", "sort", "limit", "skip",    "hint",        "collation",
    "min",        "max",  "let",   "comment", "allowDiskUse"};
constexpr std::array<std::string_view, 4> read_options = {"hint", "collation", "let",
                                                          "comment"};
constexpr std::array<std::string_view, 4> statement_options = {"collation", "hint",
                                                               "arrayFilters", "sort"};

values find(const call& from) {
  value made = command("find", from);
  made.set("filter", from.map_or_empty(0, "a filter"));
  std::optional<value> options = from.optional(2);
  if (from.of().is_of_driver) {
    options = from.optional(1);
  } else if (const auto projection = from.optional(1)) {
    made.set("projection", *projection);
  }
  copy(made, options, find_options);
  return {made};
}

values find_one(const call& from) {
  values made = find(from);
  made.front().set("limit", value::plain("1"));
  made.front().set("singleBatch", value::plain("true"));
  return made;
}

values count(const call& from) {
  value made = command("count", from);
  made.set("query", from.map_or_empty(0, "a filter"));
  copy(made, from.optional(1), read_options);
  return {made};
}

values estimated_count(const call& from) {
  return {command("count", from)};
}

value pipeline_command(const call& from, value pipeline, const std::optional<value>& options) {
  value made = command("aggregate", from);
  made.set("pipeline", std::move(pipeline));
  made.set("cursor", value::map());
  copy(made, options, read_options);
  return made;
}

values count_documents(const call& from) {
  value match = value::map({{"$match", from.map_or_empty(0, "a filter")}});
  value group =
      value::map({{"$group", value::map({{"_id", value::plain("1")},
                                         {"n", value::map({{"$sum", value::plain("1")}})}})}});
  return {pipeline_command(from, value::list({std::move(match), std::move(group)}),
                           from.optional(1))};
}

values aggregate(const call& from) {
  const auto first = from.optional(0);
  if (!first) return {pipeline_command(from, value::list(), std::nullopt)};
  if (first->is_list()) return {pipeline_command(from, *first, from.optional(1))};
  value stages = value::list();
  for (std::size_t i = 0; i < from.count(); ++i)
    stages.members.push_back(from.map(i, "stages"));
  return {pipeline_command(from, std::move(stages), std::nullopt)};
}

values distinct(const call& from) {
  value made = command("distinct", from);
  made.set("key", from.string(0, "a field"));
  made.set("query", from.map_or_empty(1, "a filter"));
  copy(made, from.optional(2), read_options);
  return {made};
}

values insert_list(const call& from, value documents) {
  value made = command("insert", from);
  made.set("documents", std::move(documents));
  return {made};
}

values insert_one(const call& from) {
  return insert_list(from, value::list({from.map(0, "a document")}));
}

values insert_many(const call& from) {
  return insert_list(from, from.list(0, "documents"));
}

values insert(const call& from) {
  const auto first = from.optional(0);
  return first && first->is_list() ? insert_many(from) : insert_one(from);
}

value update_command(const call& from, value filter, value change, bool is_multi,
                     const std::optional<value>& options) {
  value statement = value::map({{"q", std::move(filter)}, {"u", std::move(change)}});
  if (is_multi) statement.set("multi", value::plain("true"));
  const value* upsert = options ? options->find("upsert") : nullptr;
  if (upsert != nullptr && upsert->is_true()) statement.set("upsert", value::plain("true"));
  copy(statement, options, statement_options);
  value made = command("update", from);
  made.set("updates", value::list({std::move(statement)}));
  return made;
}

value change_at(const call& from, std::size_t at) {
  const auto given = from.optional(at);
  return given && given->is_list() ? *given : from.map(at, "an update");
}

values update_one(const call& from) {
  return {update_command(from, from.map(0, "a filter"), change_at(from, 1), false,
                         from.optional(2))};
}

values update_many(const call& from) {
  return {update_command(from, from.map(0, "a filter"), change_at(from, 1), true,
                         from.optional(2))};
}

/// The old method, whose third argument has options, or whose third and fourth are upsert and
/// multi.
values update(const call& from) {
  auto options = from.optional(2);
  bool is_multi = false;
  if (options && !options->is_map()) {
    const auto multi = from.optional(3);
    is_multi = multi && multi->is_true();
    options = value::map({{"upsert", *options}});
  } else if (options) {
    const value* multi = options->find("multi");
    is_multi = multi != nullptr && multi->is_true();
  }
  return {update_command(from, from.map(0, "a filter"), change_at(from, 1), is_multi, options)};
}

value delete_command(const call& from, value filter, bool is_multi,
                     const std::optional<value>& options) {
  value statement =
      value::map({{"q", std::move(filter)}, {"limit", value::plain(is_multi ? "0" : "1")}});
  copy(statement, options, std::array<std::string_view, 2>{"collation", "hint"});
  value made = command("delete", from);
  made.set("deletes", value::list({std::move(statement)}));
  return made;
}

values delete_one(const call& from) {
  return {delete_command(from, from.map(0, "a filter"), false, from.optional(1))};
}

values delete_many(const call& from) {
  return {delete_command(from, from.map(0, "a filter"), true, from.optional(1))};
}

values remove(const call& from) {
  const auto options = from.optional(1);
  const value* just_one = options ? options->find("justOne") : nullptr;
  const bool is_one =
      options && (options->is_true() || (just_one != nullptr && just_one->is_true()));
  return {delete_command(from, from.map(0, "a filter"), !is_one, std::nullopt)};
}

values find_and(const call& from, std::optional<value> change, std::size_t options_at) {
  value made = command("findAndModify", from);
  made.set("query", from.map(0, "a filter"));
  if (change) {
    made.set("update", *std::move(change));
  } else {
    made.set("remove", value::plain("true"));
  }
  const auto options = from.optional(options_at);
  copy(made, options,
       std::array<std::string_view, 6>{"sort", "upsert", "collation", "hint", "arrayFilters",
                                       "let"});
  if (options) set_if(made, "fields", options->find("projection"));
  return {made};
}

values find_one_and_update(const call& from) {
  return find_and(from, change_at(from, 1), 2);
}

values find_one_and_delete(const call& from) {
  return find_and(from, std::nullopt, 1);
}

values find_and_modify(const call& from) {
  value made = command("findAndModify", from);
  const value options = from.map(0, "{query, update, ...}");
  made.keys.insert(made.keys.end(), options.keys.begin(), options.keys.end());
  made.members.insert(made.members.end(), options.members.begin(), options.members.end());
  return {made};
}

values create_indexes_on(const call& from, const values& keys) {
  value indexes = value::list();
  for (const value& key : keys) {
    value index = value::map({{"key", key}, {"name", value::quoted("index")}});
    if (const auto options = from.optional(1)) {
      copy(index, options, std::array<std::string_view, 2>{"unique", "collation"});
    }
    indexes.members.push_back(std::move(index));
  }
  value made = command("createIndexes", from);
  made.set("indexes", std::move(indexes));
  return {made};
}

values create_index(const call& from) {
  return create_indexes_on(from, {from.map(0, "a key")});
}

values create_indexes(const call& from) {
  return create_indexes_on(from, from.list(0, "keys").members);
}

values bulk_write(const call& from);

/// A method and the function that makes its commands.
struct method_row {
  std::string_view name;
  values (*make)(const call& from);
};

template <const char* Name>
values plain_command(const call& from) {
  return {command(Name, from)};
}

constexpr char drop[] = "drop";
constexpr char list_indexes[] = "listIndexes";
constexpr char coll_stats[] = "collStats";

constexpr std::array<method_row, 29> methods = {{
    {"find", find},
    {"findOne", find_one},
    {"aggregate", aggregate},
    {"count", count},
    {"countDocuments", count_documents},
    {"estimatedDocumentCount", estimated_count},
    {"distinct", distinct},
    {"insertOne", insert_one},
    {"insertMany", insert_many},
    {"insert", insert},
    {"updateOne", update_one},
    {"updateMany", update_many},
    {"update", update},
    {"replaceOne", update_one},
    {"deleteOne", delete_one},
    {"deleteMany", delete_many},
    {"remove", remove},
    {"findOneAndUpdate", find_one_and_update},
    {"findOneAndReplace", find_one_and_update},
    {"findOneAndDelete", find_one_and_delete},
    {"findAndModify", find_and_modify},
    {"bulkWrite", bulk_write},
    {"createIndex", create_index},
    {"createIndexes", create_indexes},
    {"ensureIndex", create_index},
    {"drop", plain_command<drop>},
    {"getIndexes", plain_command<list_indexes>},
    {"indexes", plain_command<list_indexes>},
    {"stats", plain_command<coll_stats>},
}};

const value& member(const value& of, std::string_view key, std::string_view operation) {
  const value* found = of.find(key);
  if (found == nullptr) {
    refuse("bulkWrite(): " + std::string{operation} + " needs " + std::string{key});
  }
  return *found;
}

/// The commands of a bulkWrite: each operation is routed by itself.
values bulk_write(const call& from) {
  values made;
  for (const value& one : from.list(0, "operations").members) {
    if (!one.is_map() || one.keys.size() != 1 || !one.members.front().is_map()) {
      refuse("bulkWrite(): expected operations such as {updateOne: {filter: {...}, ...}}");
    }
    const std::string& kind = one.keys.front();
    const value& with = one.members.front();
    const std::optional<value> options{with};
    if (kind == "insertOne") {
      value documents = value::list({member(with, "document", kind)});
      for (value& each : insert_list(from, std::move(documents))) made.push_back(each);
    } else if (kind == "updateOne" || kind == "updateMany") {
      made.push_back(update_command(from, member(with, "filter", kind),
                                    member(with, "update", kind), kind == "updateMany",
                                    options));
    } else if (kind == "replaceOne") {
      made.push_back(update_command(from, member(with, "filter", kind),
                                    member(with, "replacement", kind), false, options));
    } else if (kind == "deleteOne" || kind == "deleteMany") {
      made.push_back(
          delete_command(from, member(with, "filter", kind), kind == "deleteMany", options));
    } else {
      refuse("bulkWrite(): no operation has the name " + text::in_quotes(kind));
    }
  }
  return made;
}

/// A cursor's method, and the command's field that it sets; empty: none that matters.
struct cursor_row {
  std::string_view name;
  std::string_view field;
};

constexpr std::array<cursor_row, 22> cursor_methods = {{
    {"sort", "sort"},
    {"limit", "limit"},
    {"skip", "skip"},
    {"hint", "hint"},
    {"collation", "collation"},
    {"project", "projection"},
    {"projection", "projection"},
    {"min", "min"},
    {"max", "max"},
    {"comment", "comment"},
    {"allowDiskUse", ""},
    {"batchSize", ""},
    {"maxTimeMS", ""},
    {"maxAwaitTimeMS", ""},
    {"readPref", ""},
    {"readConcern", ""},
    {"noCursorTimeout", ""},
    {"returnKey", ""},
    {"showRecordId", ""},
    {"tailable", ""},
    {"explain", ""},
    {"addOption", ""},
}};

constexpr std::array<std::string_view, 19> reading = {
    "toArray",     "forEach",         "map",     "pretty", "next",
    "tryNext",     "hasNext",         "itcount", "close",  "isClosed",
    "isExhausted", "objsLeftInBatch", "then",    "catch",  "finally",
    "length",      "stream",          "rewind",  "exec"};

template <typename Table>
[[noreturn]] void refuse_method(std::string_view name, const Table& table,
                                std::string_view of) {
  std::vector<std::string_view> known;
  std::string all;
  for (const auto& each : table) {
    known.push_back(each.name);
    all += (all.empty() ? "" : ", ") + std::string{each.name};
  }
  refuse(std::string{of} + " has no method " + text::in_quotes(name) +
         text::did_you_mean(name, known) + " (known: " + all + ")");
}

const method_row* find_method(std::string_view name) noexcept {
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [&](const method_row& one) { return one.name == name; });
  return found == methods.end() ? nullptr : &*found;
}

}  // namespace

bool is_collection_method(std::string_view method) noexcept {
  return find_method(method) != nullptr;
}

std::vector<shell_value> commands_of(const shell_collection& of, std::string_view method,
                                     std::vector<shell_value> arguments) {
  const method_row* found = find_method(method);
  if (found == nullptr) refuse_method(method, methods, "a collection");
  return found->make(call{of, method, std::move(arguments)});
}

void apply_to_cursor(shell_value& command, std::string_view method,
                     std::vector<shell_value> arguments) {
  const bool is_find = command.find("find") != nullptr;
  if ((method == "count" || method == "size") && is_find) {
    value made =
        value::map({{"count", *command.find("find")}, {"query", *command.find("filter")}});
    for (const std::string_view kept : {"limit", "skip", "hint", "collation", "$db"}) {
      set_if(made, kept, command.find(kept));
    }
    command = std::move(made);
    return;
  }
  const auto found = std::find_if(cursor_methods.begin(), cursor_methods.end(),
                                  [&](const cursor_row& one) { return one.name == method; });
  if (found == cursor_methods.end()) refuse_method(method, cursor_methods, "a cursor");
  if (found->field.empty()) return;
  if (arguments.empty()) refuse(std::string{method} + "(): expected an argument");
  command.set(found->field, std::move(arguments.front()));
}

bool only_reads(std::string_view method) noexcept {
  return std::find(reading.begin(), reading.end(), method) != reading.end();
}

}  // namespace scattergate::config
