#include "report/verify/verifier.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "routing/classify.hpp"
#include "routing/words/describe.hpp"
#include "text/names.hpp"
#include "wire/bson_writer.hpp"
#include "wire/label_table.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report {
namespace {

using routing::bounds_kind;
using routing::routing_class;
using names = std::vector<std::string>;
using plan_kind = explain_plan::kind;

constexpr wire::label_table<outcome> outcome_labels{{
    {outcome::agreed, "agreed"},
    {outcome::disagreed, "disagreed"},
    {outcome::failed, "failed"},
    {outcome::not_compared, "not_compared"},
}};

comparison agreed() {
  return {outcome::agreed, {}};
}

comparison disagreed(std::string why) {
  return {outcome::disagreed, std::move(why)};
}

/// Elements of `some` that aren't in `others`. Both are sorted.
names without(const names& some, const names& others) {
  names left;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                      std::back_inserter(left));
  return left;
}

comparison compare_sets(const names& ours, const explain_plan& plan) {
  const names more = without(plan.shards, ours);
  const names fewer = plan.is_complete ? without(ours, plan.shards) : names{};
  if (more.empty() && fewer.empty()) return agreed();
  std::string why;
  if (!more.empty()) why = "mongos also asks " + text::listed(more);
  if (!fewer.empty())
    why += (why.empty() ? "mongos doesn't ask " : ", but not ") + text::listed(fewer);
  return disagreed(why);
}

/// Compares with a plan that names no shard, for a verdict about a sharded collection.
comparison compare_unnamed(const own_verdict& ours, const explain_plan& plan) {
  if (plan.is == plan_kind::no_shard) return disagreed("mongos asks no shard");
  const bool one =
      ours.fanout ? ours.fanout->size() == 1 : ours.routing == routing_class::single_shard;
  if (one) return agreed();
  return disagreed("mongos sends it to one shard, as for an unsharded collection");
}

comparison compare_unsharded(const explain_plan& plan) {
  const bool none_or_one = plan.is != plan_kind::shards || plan.shards.size() == 1;
  if (none_or_one) return agreed();
  return disagreed("mongos asks several shards, so the collection is sharded");
}

comparison compare_class(const own_verdict& ours, const explain_plan& plan,
                         const names& owners) {
  const names strange = without(plan.shards, owners);
  if (!strange.empty()) {
    return {outcome::failed,
            "chunks moved during the check: " + text::listed(strange) + " owned none before"};
  }
  const bool may_be_fewer =
      ours.bounds != bounds_kind::full || ours.why == routing::reason::negation;
  if (may_be_fewer || !plan.is_complete) return agreed();
  const names fewer = without(owners, plan.shards);
  if (fewer.empty()) return agreed();
  return disagreed("mongos doesn't ask " + text::listed(fewer) +
                   ", where the collection also has chunks");
}

using config::mongo_failure;

bool ends_it_all(mongo_failure kind) {
  return kind == mongo_failure::unreachable || kind == mongo_failure::not_mongos ||
         kind == mongo_failure::bad_uri;
}

explain_plan refused(const config::mongo_error& error) {
  explain_plan made;
  made.is = explain_plan::kind::refused;
  made.code = error.code;
  made.text = error.text;
  return made;
}

/// {find: collection, filter: {}}: asks every shard that owns chunks.
explainable everything_of(const explainable& what) {
  explainable made;
  made.kind = routing::command_kind::find;
  made.database = what.database;
  made.collection = what.collection;
  wire::bson_writer command;
  command.text("find", what.collection);
  command.text("$db", what.database);
  made.command = command.take();
  return made;
}

}  // namespace

std::string_view label(outcome result) noexcept {
  return outcome_labels[result];
}

own_verdict own(const routing::verdict& verdict, const routing::catalog& catalog) {
  own_verdict made;
  made.routing = verdict.routing;
  made.bounds = verdict.bounds;
  made.why = verdict.why;
  made.refused = verdict.refused;
  made.missing = routing::missing_fields(verdict);
  if (verdict.fanout) made.fanout = routing::shard_names(*verdict.fanout, catalog);
  return made;
}

std::string why_incomparable(const own_verdict& ours) {
  if (ours.refused != routing::refusal::none) return {};
  if (ours.routing == routing_class::unknown) {
    return "its routing is unknown: " + std::string{label(ours.why)};
  }
  if (ours.routing == routing_class::not_routed) return "it isn't routed";
  if (ours.why == routing::reason::by_nature) return "it always goes to every shard";
  if (ours.why == routing::reason::foreign_scatter) {
    return "a view joins another collection, which a plan doesn't show";
  }
  return {};
}

bool needs_owners(const own_verdict& ours) noexcept {
  return ours.refused == routing::refusal::none && !ours.fanout &&
         (ours.routing == routing_class::multi_shard ||
          ours.routing == routing_class::scatter_gather);
}

comparison compare(const own_verdict& ours, const explain_plan& plan,
                   const std::optional<names>& owners) {
  const bool we_refuse = ours.refused != routing::refusal::none;
  switch (plan.is) {
    case plan_kind::refused:
      if (we_refuse) return agreed();
      return {outcome::failed,
              "mongos: " + plan.text + " (code " + std::to_string(plan.code) + ")"};
    case plan_kind::no_plan:
      return {outcome::failed, plan.text};
    default:
      break;
  }
  if (we_refuse) {
    return disagreed("mongos plans it, but doesn't reply " + std::string{label(ours.refused)});
  }
  if (ours.routing == routing_class::unsharded) return compare_unsharded(plan);
  if (plan.is != plan_kind::shards) return compare_unnamed(ours, plan);
  if (ours.fanout) return compare_sets(*ours.fanout, plan);
  if (ours.routing == routing_class::single_shard) {
    return plan.shards.size() == 1
               ? agreed()
               : disagreed("mongos asks " + std::to_string(plan.shards.size()) + " shards");
  }
  if (owners) return compare_class(ours, plan, *owners);
  return agreed();
}

verifier::verifier(config::mongo_reader& mongos,
                   std::shared_ptr<const routing::catalog> catalog, catalog_source newer)
    : mongos_(mongos),
      catalog_(std::move(catalog)),
      newer_(std::move(newer)),
      block_(routing::scratch_bytes),
      memory_(block_) {}

check verifier::check_one(const explainable& what) {
  check made = attempt(what);
  if (made.result.is != outcome::disagreed) return made;
  auto fresh = newer_ ? newer_() : nullptr;
  set_catalog(fresh ? std::move(fresh) : catalog_);
  return attempt(what);
}

void verifier::set_catalog(std::shared_ptr<const routing::catalog> catalog) {
  catalog_ = std::move(catalog);
  owners_.clear();
}

check verifier::attempt(const explainable& what) {
  check made;
  made.result = {outcome::not_compared, what.why_not};
  if (!what.why_not.empty()) return made;
  made.ours = judge(what.judged());
  // mongos refuses forbidden joins of sharded collections before it plans.
  if (!what.without_joins.empty()) made.ours.refused = judge(what.command).refused;
  made.result.why = why_incomparable(made.ours);
  if (!made.result.why.empty()) return made;
  made.plan = explain(what, made);
  std::optional<std::vector<std::string>> owners;
  if (!made.trouble && made.plan.is == explain_plan::kind::shards && needs_owners(made.ours)) {
    owners = owners_of(what, made);
  }
  made.result = made.trouble ? comparison{outcome::failed, made.trouble->text}
                             : compare(made.ours, made.plan, owners);
  return made;
}

own_verdict verifier::judge(const std::vector<std::byte>& command) {
  const auto body = wire::document_view::from(command);
  const auto read = body ? wire::command_of(*body) : wire::wire_errc::bad_bson;
  if (!read) {
    own_verdict unreadable;
    unreadable.why = routing::reason::unreadable;
    return unreadable;
  }
  return own(routing::classify(*read, *catalog_, memory_), *catalog_);
}

explain_plan verifier::explain(const explainable& what, check& of) {
  if (pause_) pause_();
  ++sent_;
  const std::vector<std::byte> request = explain_request(what);
  const auto view = wire::document_view::from(request);
  if (!view) return {};
  const auto reply = mongos_.run(what.database, *view);
  if (!reply) {
    if (ends_it_all(reply.error().kind)) of.trouble = reply.error();
    return refused(reply.error());
  }
  const auto plan = wire::document_view::from(*reply);
  return plan ? read_explain(*plan) : explain_plan{};
}

std::optional<std::vector<std::string>> verifier::owners_of(const explainable& what,
                                                            check& of) {
  const std::string name = wire::namespace_view{what.database, what.collection}.full_name();
  if (const auto known = owners_.find(name); known != owners_.end()) return known->second;
  const explain_plan plan = explain(everything_of(what), of);
  if (plan.is != explain_plan::kind::shards || !plan.is_complete) return std::nullopt;
  owners_.emplace(name, plan.shards);
  return plan.shards;
}

}  // namespace scattergate::report
