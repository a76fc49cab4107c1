#include "digest/judge.hpp"

#include <optional>
#include <string>
#include <utility>

#include "digest/shape_command.hpp"
#include "routing/classify.hpp"
#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/describe.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {
namespace {

std::shared_ptr<const routing::catalog> without_chunks(const routing::catalog& of) {
  routing::catalog_builder builder;
  builder.set_version(of.version());
  builder.set_unlisted(of.unlisted());
  for (const routing::collection& one : of.collections()) {
    routing::collection entry = one;
    entry.chunks = {};
    // Can't fail: a catalog has accepted this entry before.
    if (!builder.add(std::move(entry))) (void)builder.finish_collection();
  }
  return builder.build();
}

using routing::command_kind;
using routing::routing_class;

/// Applies the verdict to all commands of the row.
void apply(const routing::verdict& verdict, const wire::command& command, row& to) {
  const auto senders = to.who.ranked();
  const std::string driver = senders.empty() ? std::string{} : senders.front().driver;
  to.what = describe(verdict, command, std::move(to.what.shape_json), driver);
  to.what.statement.reset();  // a shape doesn't have all statements of a batch
  to.by_routing = {};
  to.by_routing[static_cast<std::size_t>(verdict.routing)] = to.count;
  to.shards = {};
  to.fanouts = {};
  if (const auto asked = verdict.shards_asked()) {
    to.shards.add(*asked, to.count);
    to.fanouts.add(*asked, to.count);
  }
}

/// Replaces a row's counts in the totals: `before` by `after`.
void replace(totals& in, const counts& before, const counts& after) noexcept {
  for (std::size_t i = 0; i < in.by_routing.size(); ++i) {
    in.by_routing[i] += after.by_routing[i] - before.by_routing[i];
  }
  in.shards.subtract(before.shards);
  in.shards.add(after.shards);
}

}  // namespace

description describe(const routing::verdict& verdict, const wire::command& command,
                     std::string shape_json, std::string_view driver) {
  description what;
  what.routing = verdict.routing;
  what.bounds = verdict.bounds;
  what.why = routing::cause_of(verdict);
  what.shape_json = std::move(shape_json);
  if (verdict.judged != nullptr && !verdict.judged->key.empty()) {
    what.shard_key_json = routing::shard_key_json(*verdict.judged);
  }
  what.missing = routing::missing_fields(verdict);
  what.lints = routing::lints(verdict);
  what.suggestion = routing::suggestion(verdict, command, driver);
  what.statement = routing::blamed_statement(verdict);
  return what;
}

routing::verdict judge::verdict_of(const wire::command& command) {
  return routing::classify(command, *catalog_, memory_);
}

routing::verdict judge::verdict_of_made_up(const wire::command& command) {
  routing::verdict verdict = verdict_of(command);
  if (verdict.bounds == routing::bounds_kind::narrowed) {
    if (without_chunks_ == nullptr) without_chunks_ = without_chunks(*catalog_);
    verdict = routing::classify(command, *without_chunks_, memory_);
  }
  if (verdict.lint == routing::lint_kind::shard_key_update) {
    verdict.lint = routing::lint_kind::none;
  }
  return verdict;
}

second_judge::second_judge(std::shared_ptr<const routing::catalog> catalog)
    : catalog_(catalog), judge_(std::move(catalog)) {}

bool second_judge::is_sharded(const row& of) const {
  const routing::collection* const entry = catalog_->find(of.database, of.collection);
  return entry != nullptr && !entry->key.empty();
}

/// Whether this catalog has the same shard key by which the row was judged.
bool second_judge::is_same_collection(const row& of) const {
  const routing::collection* const entry = catalog_->find(of.database, of.collection);
  if (is_sharded(of)) return routing::shard_key_json(*entry) == of.what.shard_key_json;
  const bool is_unsharded =
      entry != nullptr || catalog_->unlisted() == routing::unlisted_policy::unsharded;
  return is_unsharded && of.what.shard_key_json.empty() &&
         of.what.routing == routing_class::unsharded;
}

second_judge::outcome second_judge::judge_again(row& of) {
  const command_kind kind = routing::kind_of(of.command);
  const auto family = routing::family_of(kind);
  if (family == routing::command_family::not_routed || of.collection.empty()) {
    return outcome::stands;
  }
  const bool is_same = is_same_collection(of);
  const routing::command_facts& facts = routing::facts_of(kind);
  const bool is_insert = facts.holds == routing::batch_items::documents;
  if (!is_same && is_insert && is_sharded(of)) return outcome::not_judged;
  if (is_same && !facts.joins) return outcome::stands;
  const auto made = command_of_row(of);
  const auto body = made ? wire::document_view::from(*made) : std::nullopt;
  if (!body) return outcome::not_judged;
  const auto command = wire::command_of(*body);
  // A command with another shape doesn't represent the row's commands.
  if (!command || routing::shape_hash(*command, shape_memory_) != of.shape_hash) {
    return outcome::not_judged;
  }
  const routing::verdict verdict = judge_.verdict_of_made_up(*command);
  if (verdict.refused != routing::refusal::none) return outcome::not_judged;
  if (is_same && verdict.touches.empty() && !verdict.may_touch_more) return outcome::stands;
  apply(verdict, *command, of);
  return outcome::judged;
}

table second_judge::judge_again(const table& of,
                                const std::function<void(const row&, outcome)>& on_row) {
  table made{of.max_rows()};
  totals all = of.all();
  for (const row* one : of.ranked()) {
    row again = *one;
    const outcome came = judge_again(again);
    on_row(again, came);
    replace(all, *one, again);
    made.add(again);
  }
  made.restore(all, of.evicted_rows(), of.error_bound());
  return made;
}

}  // namespace scattergate::digest
