#include "app/advise.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "advise/advice_json.hpp"
#include "advise/advisor.hpp"
#include "advise/sketched_values.hpp"
#include "app/advice_source.hpp"
#include "app/catalog_source.hpp"
#include "app/index_source.hpp"
#include "app/interruption.hpp"
#include "app/read_report.hpp"
#include "app/report_output.hpp"
#include "app/source_flags.hpp"
#include "app/terminal.hpp"
#include "config/catalog_file/shard_key_text.hpp"
#include "config/options/options.hpp"
#include "config/text/scalars.hpp"
#include "report/views/advice_views.hpp"
#include "text/printable.hpp"

namespace scattergate::app {
namespace {

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
