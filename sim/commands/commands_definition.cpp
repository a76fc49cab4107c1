#include <algorithm>
#include <array>

#include "sim/execution/arguments.hpp"
#include "sim/execution/command.hpp"
#include "sim/execution/pipeline.hpp"
#include "sim/execution/router.hpp"
#include "sim/execution/stats.hpp"
#include "sim/query/matcher.hpp"
#include "sim/storage/config_db.hpp"
#include "sim/values/error.hpp"
#include "sim/values/value.hpp"

/// Collections, databases and indexes: creating, listing, dropping.
namespace scattergate::sim {
namespace {

collection& known_collection(context& at) {
  const std::string ns = at.ns();
  collection* found = at.all.data.find(ns);
  if (found == nullptr) refuse(errc::namespace_not_found, "ns does not exist: " + ns);
  return *found;
}

/// Records in the shards' counters that a command went to every shard of the collection.
void note_everywhere(context& at, const std::string& ns) {
  note_reached(at, at.all.data.owners(at.all.data.find(ns), ns), at.in.name);
}

document run_create(context& at) {
  const std::string ns = at.ns_or_view();
  document options;
  constexpr std::array kept{"capped",    "size",       "max",    "validator",
                            "collation", "timeseries", "viewOn", "pipeline"};
  for (const char* name : kept) {
    if (const value* given = argument(at.in.body, name)) options.append(name, *given);
  }
  check_stages(array_argument(options, "pipeline"));
  if (text_argument(options, "viewOn").empty() != !options.has("viewOn") ||
      (options.has("pipeline") && !options.has("viewOn"))) {
    refuse(errc::invalid_options, "viewOn must name a collection or view");
  }
  note_reached(at, at.all.data.owners(nullptr, ns), "create");
  at.all.data.create(ns, options);
  return {};
}

document run_drop(context& at) {
  const std::string ns = at.ns_or_view();
  note_everywhere(at, ns);
  const collection* found = at.all.data.find(ns);
  if (found == nullptr) return {};  // not an error since 7.0
  const auto count = static_cast<std::int32_t>(found->indexes.size());
  if (!is_view(at.all.data, ns)) at.unit.note({ns, "drop"});
  at.all.data.drop(ns);
  return {{"nIndexesWas", count}, {"ns", ns}};
}

document run_drop_database(context& at) {
  for (const auto& [ns, each] : at.all.data.collections()) {
    if (split_ns(ns).db == at.in.db && !is_view(at.all.data, ns)) at.unit.note({ns, "drop"});
  }
  at.unit.note({at.in.db + ".", "dropDatabase"});
  at.all.data.drop_database(at.in.db);
  return {{"dropped", at.in.db}};
}

document run_rename(context& at) {
  const std::string from = text_argument(at.in.body, at.in.name);
  const std::string to = text_argument(at.in.body, "to");
  static_cast<void>(split_ns(from));
  note_everywhere(at, from);
  check_no_view(at.all.data, from);
  at.all.data.rename(from, to, flag_argument(at.in.body, "dropTarget"));
  at.unit.note({from, "rename", {}, {}, to});
  return {};
}

std::string default_name(const document& key) {
  std::string name;
  for (const field& each : key) {
    const auto* kind = each.content.as<std::string>();
    if (!name.empty()) name += "_";
    name +=
        each.name + "_" + (kind != nullptr ? *kind : std::to_string(each.content.as_int64()));
  }
  return name;
}

/// Validates a specification and adds v and name.
document specification_of(const collection& on, const value& given) {
  const auto* content = given.as<document>();
  if (content == nullptr) refuse(errc::type_mismatch, "indexes must be objects");
  document out = *content;
  const document key = document_argument(out, "key");
  if (key.empty()) refuse(errc::cannot_create_index, "Index keys cannot be empty.");
  if (text_argument(out, "name").empty()) out.set("name", default_name(key));
  if (!out.has("v")) out.prepend("v", std::int32_t{2});
  const bool unique = flag_argument(out, "unique");
  const bool hashed = std::any_of(key.begin(), key.end(), [](const field& each) {
    const auto* kind = each.content.as<std::string>();
    return kind != nullptr && *kind == "hashed";
  });
  if (unique && hashed) {
    refuse(16764,
           "Currently hashed indexes cannot guarantee "
           "uniqueness. Use a regular index.");
  }
  if (unique && on.spread && !may_be_unique(on.spread->key, key)) {
    refuse(errc::cannot_create_index, "cannot create unique index over " + default_name(key) +
                                          " with shard key pattern " +
                                          default_name(on.spread->key.pattern()));
  }
  return out;
}

/// Whether the collection has this index; throws if it has a conflicting one.
bool has_index(const collection& on, const document& requested) {
  for (const document& each : on.indexes) {
    const bool same_name = is_equal(*each.find("name"), *requested.find("name"));
    const bool same_key = is_equal(*each.find("key"), *requested.find("key"));
    if (same_name && !same_key) {
      refuse(errc::index_key_specs_conflict,
             "An existing index has the same name as the requested index.");
    }
    const bool same_unique =
        flag_argument(each, "unique") == flag_argument(requested, "unique");
    const bool is_id = text_argument(each, "name") == "_id_";
    if (same_key && (is_id || (same_unique && same_name))) return true;
    if (same_key) {
      refuse(errc::index_options_conflict,
             "Index already exists with a different name or options.");
    }
  }
  return false;
}

document run_create_indexes(context& at) {
  const std::string ns = at.ns();
  const bool existed = at.all.data.find(ns) != nullptr;
  collection& on = at.all.data.ensure(ns);
  note_everywhere(at, ns);
  const auto before = static_cast<std::int32_t>(on.indexes.size());
  for (const value& each : array_argument(at.in.body, "indexes")) {
    const document requested = specification_of(on, each);
    if (!has_index(on, requested)) at.all.data.create_index(on, requested);
  }
  return {{"numIndexesBefore", before},
          {"numIndexesAfter", static_cast<std::int32_t>(on.indexes.size())},
          {"createdCollectionAutomatically", !existed}};
}

std::vector<std::string> names_to_drop(const collection& on, const value& which) {
  std::vector<std::string> out;
  for (const document& each : on.indexes) {
    const std::string name = text_argument(each, "name");
    if (name == "_id_") continue;
    const auto* requested = which.as<std::string>();
    const bool all = requested != nullptr && *requested == "*";
    const bool by_name = requested != nullptr && *requested == name;
    const bool by_key = which.is<document>() && is_equal(*each.find("key"), which);
    if (all || by_name || by_key) out.push_back(name);
  }
  const auto* requested = which.as<std::string>();
  if (out.empty() && (requested == nullptr || *requested != "*"))
    refuse(errc::index_not_found, "index not found");
  return out;
}

document run_drop_indexes(context& at) {
  collection& on = known_collection(at);
  note_everywhere(at, on.ns);
  const auto before = static_cast<std::int32_t>(on.indexes.size());
  const value& which = needed_argument(at.in.body, "index");
  const array several = which.is<array>() ? *which.as<array>() : array{which};
  for (const value& each : several) {
    for (const std::string& name : names_to_drop(on, each)) at.all.data.drop_index(on, name);
  }
  return {{"nIndexesWas", before}};
}

document cursor_of(context& at, const std::string& ns, const std::vector<document>& content) {
  std::vector<document_ptr> results;
  for (const document& each : content) results.push_back(std::make_shared<document>(each));
  const std::int64_t size =
      number_argument(document_argument(at.in.body, "cursor"), "batchSize", default_batch);
  return {{"cursor", at.all.cursors.open(ns, std::move(results), size, false)}};
}

document run_list_indexes(context& at) {
  const collection& on = known_collection(at);
  note_everywhere(at, on.ns);
  return cursor_of(at, on.ns, on.indexes);
}

document run_list_collections(context& at) {
  const matcher filter{document_argument(at.in.body, "filter")};
  const bool name_only = flag_argument(at.in.body, "nameOnly");
  std::vector<document> out;
  for (const auto& [ns, each] : at.all.data.collections()) {
    const ns_parts parts = split_ns(ns);
    if (parts.db != at.in.db) continue;
    const bool is_view = each.options.has("viewOn");
    document entry{{"name", parts.name}, {"type", is_view ? "view" : "collection"}};
    if (!name_only && is_view) {
      entry.append("options", each.options);
      entry.append("info", document{{"readOnly", true}});
    } else if (!name_only) {
      entry.append("options", each.options);
      entry.append("info", document{{"readOnly", false}, {"uuid", each.uuid}});
      entry.append("idIndex", each.indexes.front());
    }
    if (filter.matches(entry)) out.push_back(std::move(entry));
  }
  return cursor_of(at, at.in.db + ".$cmd.listCollections", out);
}

document run_list_databases(context& at) {
  const matcher filter{document_argument(at.in.body, "filter")};
  const bool name_only = flag_argument(at.in.body, "nameOnly");
  array out;
  std::int64_t total = 0;
  for (const auto& [name, each] : at.all.data.databases()) {
    std::int64_t bytes = 0;
    for (const shard& part : at.all.data.shards()) {
      for (const auto& [ns, documents] : part.stores) {
        if (ns.starts_with(name + "."))
          bytes += static_cast<std::int64_t>(documents->size_bytes());
      }
    }
    document entry{{"name", name}};
    if (!name_only) {
      entry.append("sizeOnDisk", bytes);
      entry.append("empty", bytes == 0);
    }
    if (!filter.matches(entry)) continue;
    total += bytes;
    out.emplace_back(std::move(entry));
  }
  document reply{{"databases", std::move(out)}};
  if (!name_only) reply.append("totalSize", total);
  return reply;
}

}  // namespace

std::span<const command_spec> definition_commands() {
  static constexpr std::array all{
      command_spec{"create", run_create, false, true},
      command_spec{"drop", run_drop},
      command_spec{"dropDatabase", run_drop_database},
      command_spec{"renameCollection", run_rename},
      command_spec{"createIndexes", run_create_indexes, false, true},
      command_spec{"dropIndexes", run_drop_indexes},
      command_spec{"listIndexes", run_list_indexes},
      command_spec{"listCollections", run_list_collections},
      command_spec{"listDatabases", run_list_databases},
      command_spec{"collStats", run_coll_stats},
      command_spec{"collstats", run_coll_stats},
      command_spec{"dbStats", run_db_stats},
      command_spec{"dbstats", run_db_stats},
  };
  return all;
}

}  // namespace scattergate::sim
