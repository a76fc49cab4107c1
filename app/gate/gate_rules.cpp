#include "app/gate/gate_rules.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include "config/options/load.hpp"
#include "digest/finding.hpp"
#include "routing/stages/stage.hpp"
#include "text/glob.hpp"
#include "text/names.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::app {
namespace {

using config::rule_action;

/// Whether the shape of an aggregate has a stage that reads or writes other collections, or may
/// have one because it is cut.
bool names_other_collections(std::string_view shape) {
  if (shape.empty() || shape.find("\"...\"") != shape.npos) return true;
  for (std::size_t at = 0; (at = shape.find("\"$", at)) != shape.npos;) {
    const std::size_t end = std::min(shape.find('"', ++at), shape.size());
    const auto other = routing::stage_of(shape.substr(at, end - at)).other;
    if (other != routing::stage_collections::none) return true;
    at = end;
  }
  return false;
}

/// The shape's verdict, as far as the row has it.
routing::verdict verdict_of(const digest::row& one, const routing::catalog& catalog) {
  routing::verdict made;
  made.command = routing::kind_of(one.command);
  made.routing = one.what.routing;
  made.bounds = one.what.bounds;
  made.judged = catalog.find(one.database, one.collection);
  // Another namespace than the row's may have decided: then a rule on the row's namespace
  // doesn't accept it.
  const bool touches_more = routing::facts_of(made.command).joins &&
                            (made.command != routing::command_kind::aggregate ||
                             names_other_collections(one.what.shape_json));
  if (!touches_more) {
    made.database = one.database;
    made.collection = one.collection;
  }
  if (one.what.why.number() < routing::reason_count) {
    made.why = static_cast<routing::reason>(one.what.why.number());
  }
  // To a policy, a lint makes any command a finding. Rules have no condition on lints.
  if (!made.is_scatter_on_sharded()) made.lint = routing::lint_kind::ambiguous_id;
  if (made.judged == nullptr) return made;
  for (std::size_t i = 0; i < made.judged->key.size(); ++i) {
    const bool is_missing =
        std::ranges::find(one.what.missing, made.judged->key[i].path) != one.what.missing.end();
    if (is_missing) made.missing |= std::uint64_t{1} << i;
  }
  return made;
}

/// Why a decision accepts: "NAME: WHY".
std::string words_of(const proxy::decision& made) {
  if (made.rule == nullptr) return "comment: " + std::string{made.accepted_because};
  const std::string why = proxy::why_of(*made.rule);
  return made.rule->name + (why.empty() ? "" : ": " + why);
}

/// The senders of a row; an unknown one stands for those that the row doesn't name.
std::vector<digest::caller> senders_of(const digest::row& one) {
  auto all = one.who.all();
  if (all.empty() || one.who.others() != 0) {
    all.emplace_back().count = std::max<std::uint64_t>(one.who.others(), 1);
  }
  return all;
}

/// The collection that the author of an entry probably meant: one with a similar name in the
/// entry's database, or with the same name in another one. Empty if there is none.
std::string meant_by(const routing::collection& entry, const std::set<std::string>& unknown) {
  std::vector<std::string_view> beside;
  std::string elsewhere;
  for (const std::string_view one : unknown) {
    const std::string_view database = one.substr(0, one.find('.'));
    const std::string_view name = one.substr(one.find('.') + 1);
    if (text::glob_matches(entry.database, database) || database == entry.database) {
      beside.push_back(name);
    } else if (name == entry.name) {
      elsewhere = one;
    }
  }
  const std::string_view meant = text::nearest(entry.name, beside);
  return meant.empty() ? elsewhere : entry.database + "." + std::string{meant};
}

bool is_of_users(const digest::row& one) {
  return !one.collection.empty() && !one.collection.starts_with("system.") &&
         !wire::is_server_database(one.database);
}

}  // namespace

text::result<gate_rules> gate_rules::read(const std::optional<std::string>& file,
                                          std::vector<config::rule> of_catalog) {
  gate_rules made;
  if (file) {
    config::flags given;
    given.config_file = *file;
    auto loaded = config::load_options(given, {}, config::purpose::inspect);
    if (!loaded.problems.empty()) return loaded.problems.front();
    made.rules_ = std::move(loaded.value.rules);
    made.accepting_ = std::move(loaded.value.comments.accept);
  }
  if (made.accepting_.empty()) made.accepting_.emplace_back("*");
  made.rules_.insert(made.rules_.end(), std::make_move_iterator(of_catalog.begin()),
                     std::make_move_iterator(of_catalog.end()));
  std::erase_if(made.rules_, [](const config::rule& one) { return one.dry_run; });
  for (config::rule& one : made.rules_) {
    if (one.action != rule_action::accept) one.action = rule_action::observe;
  }
  return made;
}

void gate_rules::accept(digest::table& in, const routing::catalog& catalog) const {
  const proxy::policy policy{rules_, accepting_};
  const auto today = text::day_of(std::chrono::system_clock::now());
  for (const digest::row* one : in.ranked()) {
    if (!digest::is_finding(*one) || digest::is_accepted(*one)) continue;
    const routing::verdict verdict = verdict_of(*one, catalog);
    digest::text_counts by;
    const auto senders = senders_of(*one);
    const bool are_accepted = std::ranges::all_of(senders, [&](const digest::caller& who) {
      const proxy::sender from{who.app_name, who.user, nullptr, today};
      const auto made =
          policy.decide({verdict, from, who.comment}, [&] { return one->shape_hash; });
      if (!made.is_finding || made.action != rule_action::accept) return false;
      by.add(words_of(made), who.count);
      return true;
    });
    if (!are_accepted) continue;
    digest::execution& run = in.row_of(one->key()).of.run;
    run.actions = {};
    run.actions[static_cast<std::size_t>(digest::finding_action::accepted)] = one->count;
    run.accepted_by = std::move(by);
  }
}

gate_counts apply(const gate_limits& limits, digest::table& to,
                  const routing::catalog& catalog) {
  gate_counts made;
  for (const digest::row* one : to.ranked()) {
    digest::row& row = to.row_of(one->key()).of;
    const auto* const entry = catalog.find(row.database, row.collection);
    if (row.what.routing == routing::routing_class::multi_shard && entry != nullptr) {
      const std::size_t owners = entry->chunks.is_empty() ? 0 : entry->chunks.owner_count();
      const bool asks_all = owners > 1 && row.shards.most >= owners;
      row.exceeds_fanout = limits.max_fanout ? row.shards.most > *limits.max_fanout : asks_all;
      if (row.exceeds_fanout && row.what.suggestion.empty()) {
        row.what.suggestion = "asks " + std::to_string(row.shards.most) +
                              " shards; add conditions on the shard key to the filter, or "
                              "pass a larger --max-fanout";
      }
    }
    if (!digest::is_finding(row)) continue;
    if (limits.ignores_failed && row.errors >= row.count) {
      ++made.ignored;
      to.remove(one->key());
    } else {
      const bool scatters = row.what.routing == routing::routing_class::scatter_gather;
      made.failed += scatters || row.exceeds_fanout ? row.errors : 0;
    }
  }
  return made;
}

catalog_use compare(const routing::catalog& catalog, const digest::table& used) {
  std::set<const routing::collection*> matched;
  std::set<std::string> unknown;
  for (const digest::row* one : used.ranked()) {
    if (!is_of_users(*one)) continue;
    const auto* const entry = catalog.find(one->database, one->collection);
    if (entry != nullptr) {
      matched.insert(entry);
    } else {
      unknown.insert(one->name_space());
    }
  }
  catalog_use made;
  made.unknown.assign(unknown.begin(), unknown.end());
  for (const routing::collection& entry : catalog.collections()) {
    if (matched.contains(&entry)) continue;
    const std::string name = entry.full_name();
    made.unused.push_back(name);
    if (!entry.is_sharded()) continue;
    if (const std::string meant = meant_by(entry, unknown); !meant.empty()) {
      made.mistyped.push_back(name + " (did you mean " + meant + "?)");
    }
  }
  std::ranges::sort(made.unused);
  return made;
}

}  // namespace scattergate::app
