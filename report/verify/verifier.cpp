#include "report/verify/verifier.hpp"

#include <utility>

#include "routing/classify.hpp"
#include "wire/bson_writer.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report {
namespace {

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
