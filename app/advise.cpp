#include "app/advise.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

#include "advise/advice_json.hpp"
#include "advise/advisor.hpp"
#include "advise/shard_key.hpp"
#include "advise/sketched_values.hpp"
#include "app/catalog_source.hpp"
#include "app/json_list.hpp"
#include "app/report_output.hpp"
#include "app/report_sources.hpp"
#include "app/terminal.hpp"
#include "config/catalog_file/shard_key_text.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/options.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/input.hpp"
#include "config/text/scalars.hpp"
#include "config/text/text_readers.hpp"
#include "report/views/advice_views.hpp"
#include "text/printable.hpp"
#include "text/problem.hpp"
#include "wire/bson_writer.hpp"
#include "wire/namespace_view.hpp"
#include "wire/server_error.hpp"

namespace scattergate::app {
namespace {

/// Indexes read from a cluster.
struct cluster_indexes {
  advise::known_indexes found;
  std::vector<text::problem> problems;  ///< one for each collection whose indexes can't be
                                        ///< read, or only one if the connection string is
                                        ///< invalid
};

constexpr std::size_t most_bytes = 16UL << 20;

advise::index index_of(wire::document_view document) {
  return {{document.bytes().begin(), document.bytes().end()}};
}

/// Adds the indexes of a list under `name_space` or, if that is empty, under each index's `ns`.
void add_list(wire::document_view list, const std::string& name_space,
              advise::known_indexes& to) {
  wire::document_reader reader{list};
  for (wire::element member; reader.next(member);) {
    const auto one = member.as_document();
    if (!one) continue;
    const auto ns = wire::find_field(*one, "ns");
    const std::string own{ns ? ns->as_string() : std::string_view{}};
    const std::string& name = name_space.empty() ? own : name_space;
    if (!name.empty()) to[name].push_back(index_of(*one));
  }
}

text::result<config::bson_bytes> bson_of_text(const std::string& text) {
  auto tree = config::parse_json(text);
  if (!tree) tree = config::parse_yaml(text);
  if (!tree)
    return text::failure("line " + std::to_string(tree.error().line) + ": " +
                         tree.error().what);
  const bool is_good = !tree->is_empty() && !tree->root().is_scalar();
  if (!is_good) return text::failure("expected indexes by namespace");
  auto made = config::bson_of(tree->root());
  if (!made) return text::failure(made.error().what);
  return *std::move(made);
}

/// The indexes of one collection; none if it doesn't exist.
text::result<advise::known_indexes> ask_one(config::mongo_client& mongos,
                                            wire::namespace_view name) {
  wire::bson_writer command;
  command.text("listIndexes", name.collection);
  command.open_document("cursor");
  command.int32("batchSize", 1000);  // a collection has at most 64
  command.close();
  const auto bytes = command.take();
  const auto reply = mongos.run(name.database, *wire::document_view::from(bytes));
  if (!reply) {
    const bool is_absent =
        reply.error().code == static_cast<int>(wire::server_errc::namespace_not_found);
    if (is_absent) return advise::known_indexes{};
    return text::problem{name.full_name(), "its indexes can't be read: " + reply.error().text};
  }
  const auto body = wire::document_view::from(*reply);
  const auto cursor = body ? wire::find_field(*body, "cursor") : std::nullopt;
  const auto inside = cursor ? cursor->as_document() : std::nullopt;
  const auto batch = inside ? wire::find_field(*inside, "firstBatch") : std::nullopt;
  const auto list = batch ? batch->as_array() : std::nullopt;
  advise::known_indexes made;
  made[name.full_name()];
  if (list) add_list(*list, name.full_name(), made);
  return made;
}

/// Reads the indexes of collections from a file, in JSON or in mongosh's syntax. The file has
/// one of two forms:
/// - the output of getIndexes() for each namespace: {"shop.orders": [{...}]}
/// - one list of indexes, each with its namespace in the field `ns`: [{ns: "shop.orders", ...}]
///
/// Returns a problem if the file can't be read or is invalid.
text::result<advise::known_indexes> read_indexes(const std::string& path) {
  const auto text = config::read_file(path, most_bytes);
  if (!text) return text.error();
  const auto bson = bson_of_text(*text);
  if (!bson) return text::problem{path, bson.error().what};
  advise::known_indexes made;
  if (is_json_list(*text)) {
    add_list(bson->view(), {}, made);
  } else {
    wire::document_reader reader{bson->view()};
    for (wire::element field; reader.next(field);) {
      const std::string name{field.key()};
      const auto list = field.as_array();
      if (!list || !wire::namespace_view::of(name)) {
        return text::problem{path, "expected a list of indexes for each namespace"};
      }
      made[name];
      add_list(*list, name, made);
    }
  }
  if (made.empty()) return text::problem{path, "it has no indexes, or none with a namespace"};
  return made;
}

/// Reads the indexes of these collections ("db.collection") from the cluster behind the
/// connection string `uri`.
cluster_indexes read_cluster_indexes(const std::string& uri,
                                     const std::vector<std::string>& name_spaces) {
  cluster_indexes made;
  auto mongos = config::mongo_client::open(uri, {"scattergate-advise"});
  if (!mongos) {
    made.problems.push_back(text::failure(mongos.error().text));
    return made;
  }
  for (const std::string& each : name_spaces) {
    const auto name = wire::namespace_view::of(each);
    if (!name) continue;
    auto found = ask_one(**mongos, *name);
    if (found) {
      made.found.merge(*found);
    } else {
      made.problems.push_back(found.error());
    }
  }
  return made;
}

constexpr std::uint64_t least_shards = 2;
constexpr std::uint64_t most_shards = 1000;

enum class view : std::uint8_t { text, json, html };

/// The parsed flags.
struct flags {
  advise::question asked;
  reading how;
  view as = view::text;
};

text::result<view> read_view(const advise_flags& given) {
  if (given.as_json) return view::json;
  if (!given.format || *given.format == "text") return view::text;
  if (*given.format == "json") return view::json;
  if (*given.format == "html") return view::html;
  return text::failure("--format: expected one of text|json|html, not '" + *given.format + "'");
}

text::result<advise::question> read_question(const advise_flags& given) {
  advise::question made;
  made.name_space = given.collection;
  if (!given.collection.empty() && !wire::namespace_view::of(given.collection)) {
    return text::problem{"--collection",
                         "expected database.collection, not '" + given.collection + "'"};
  }
  for (const std::string& text : given.keys) {
    auto key = config::read_shard_key(text);
    if (!key) return text::problem{"--key", key.error().what};
    if (std::ranges::count_if(*key, &routing::key_field::hashed) > 1) {
      return text::problem{"--key", "only one field of a key may be hashed: " + text};
    }
    made.named.push_back(*std::move(key));
  }
  if (given.shards) {
    const auto shards = config::parse_count(*given.shards);
    if (!shards || *shards < least_shards || *shards > most_shards) {
      return text::problem{"--shards",
                           "expected a number from 2 to 1000, not '" + *given.shards + "'"};
    }
    made.shards = *shards;
  }
  return made;
}

text::result<flags> read_flags(const advise_flags& given) {
  const auto kind = read_kind(given.as);
  if (!kind) return kind.error();
  auto asked = read_question(given);
  if (!asked) return asked.error();
  const auto window = read_window(given.since, given.until);
  if (!window) return window.error();
  const auto as = read_view(given);
  if (!as) return as.error();
  const auto credentials = read_admin_credentials(given.credentials);
  if (!credentials) return credentials.error();
  flags made;
  made.asked = *std::move(asked);
  made.as = *as;
  made.how.as = *kind;
  made.how.filter = *window;
  made.how.credentials = *credentials;
  return made;
}

/// The collections whose indexes are needed: `asked`, or all in the table. A view has no
/// indexes; the collection below it counts.
std::vector<std::string> collections_in(const digest::table& table,
                                        const routing::catalog& catalog,
                                        const std::string& asked) {
  if (!asked.empty()) return {asked};
  std::vector<std::string> made;
  for (const digest::row* one : table.ranked()) {
    const routing::collection* entry = catalog.find(one->database, one->collection);
    if (!one->collection.empty() && (entry == nullptr || !entry->is_view())) {
      made.push_back(one->name_space());
    }
    if (entry != nullptr && entry->is_view()) {
      made.push_back(one->database + "." + entry->view_on);
    }
  }
  std::ranges::sort(made);
  made.erase(std::ranges::unique(made).begin(), made.end());
  return made;
}

cluster_indexes load_indexes(const advise_flags& given, const digest::table& table,
                             const routing::catalog& catalog) {
  cluster_indexes made;
  if (given.indexes) {
    auto read = read_indexes(*given.indexes);
    if (!read) {
      made.problems.push_back(read.error());
    } else {
      made.found = *std::move(read);
    }
  } else if (given.catalog == config::catalog_options::mongos) {
    made = read_cluster_indexes(given.catalog_uri.value_or(""),
                                collections_in(table, catalog, given.collection));
  }
  return made;
}

int print(const advise::advice& made, view as) {
  switch (as) {
    case view::text:
      std::cout << report::advice_text(made, style_of_terminal(STDOUT_FILENO));
      break;
    case view::json:
      std::cout << text::ci_safe(advise::advice_json(made), text::ci_syntax::json);
      break;
    case view::html:
      std::cout << text::ci_safe(report::advice_page(made), text::ci_syntax::markup);
      break;
  }
  std::cout.flush();
  return std::cout ? 0 : fail("advise", text::failure("the advice can't be written"));
}

}  // namespace

int advise(const advise_flags& given) {
  auto read_as = read_flags(given);
  if (!read_as) return fail("advise", read_as.error());
  catalog_source source{given.catalog, given.catalog_uri.value_or(""), "advise"};
  const auto loaded = source.load();
  for (const text::problem& one : loaded.problems) fail("advise", one);
  if (!loaded.problems.empty()) return could_not;
  catch_interruption();
  read_as->how.judged_by = loaded.value;
  advise::kept_commands kept;
  read_report read{loaded.value, given.catalog};
  read.keep_in(kept);
  digest::sketch_pool sketches;
  read_as->how.sketches = &sketches;
  read.read(given.sources, read_as->how, goes_on);
  int status = 0;
  const cluster_indexes indexes = load_indexes(given, read.table(), *loaded.value);
  for (const text::problem& one : indexes.problems) status = fail("advise", one);
  if (status != 0 && given.indexes) return status;
  advise::input_gaps gaps = gaps_of(read.model());
  gaps.has_several_salts = sketches.has_several_salts();
  const advise::evidence evidence{
      read.table(), *loaded.value, &kept, &indexes.found, advise::statistics_in(sketches),
      gaps};
  const advise::advice made = advise::advise(evidence, read_as->asked);
  status = std::max(status, print(made, read_as->as));
  for (const text::problem& one : read.problems()) status = fail("advise", one);
  return status;
}

}  // namespace scattergate::app
