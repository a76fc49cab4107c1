#include "routing/classify.hpp"

#include "routing/statements/index_rules.hpp"
#include "routing/statements/pipeline.hpp"
#include "routing/statements/reads.hpp"
#include "routing/statements/writes.hpp"

namespace scattergate::routing {
namespace {

using wire::command;

/// Where the namespace is that a command names: beside `$db`, or whole in its first value.
wire::namespace_view namespace_of(const command& given, command_kind kind) noexcept {
  if (takes_collection(kind) && takes_namespace(kind)) {
    if (const auto whole = wire::namespace_view::of(given.collection)) return *whole;
  }
  const bool has_collection = takes_collection(kind) || kind == command_kind::other;
  return {given.database, has_collection ? given.collection : std::string_view{}};
}

/// A command that mongos takes to every shard that holds a part of the collection.
statement judge_by_nature(const command& given, command_kind kind, wire::namespace_view on,
                          const judging& with) noexcept {
  const resolved_namespace found = resolve(with.entries, on);
  if (found.sharded == nullptr) return found.answer();
  statement made;
  made.goes_to.routing = routing_class::scatter_gather;
  made.goes_to.bounds = bounds_kind::full;
  made.goes_to.why = reason::by_nature;
  made.goes_to.fanout = all_owners(*found.sharded, with.memory);
  made.judged = found.sharded;
  if (kind == command_kind::create_indexes &&
      asks_for_impossible_index(given, *found.sharded, with.memory.work())) {
    made.lint = lint_kind::unique_index_without_key;
    made.refused = refusal::cannot_create_index;
  }
  return made;
}

void judge_routed(const command& given, command_kind kind, const command_options& options,
                  const judging& with, verdict_builder& to) noexcept {
  switch (kind) {
    case command_kind::insert:
      return judge_inserts(given, options, with, to);
    case command_kind::update:
      return judge_updates(given, options, with, to);
    case command_kind::delete_:
      return judge_deletes(given, options, with, to);
    case command_kind::bulk_write:
      return judge_bulk_write(given, options, with, to);
    case command_kind::find_and_modify:
      return to.add(judge_find_and_modify(given, options, with));
    case command_kind::aggregate:
      return to.add(judge_aggregate(given, options, with));
    case command_kind::map_reduce:
      return to.add(judge_map_reduce(given, options, with));
    default:
      return to.add(judge_query(given, options, with));
  }
}

statement not_routed() noexcept {
  statement made;
  made.goes_to.routing = routing_class::not_routed;
  return made;
}

/// Whether what stands where a routed command names its collection can be one's name. (mongos
/// takes strings and symbols; in their place an aggregate may have a number for none.)
bool has_a_name(const command& given, command_kind kind) noexcept {
  if (!given.collection.empty() || kind == command_kind::bulk_write) return true;
  return kind == command_kind::aggregate && given.first.is_number();
}

/// The command inside an explain; nothing where there is none that can be read.
std::optional<command> explained(const command& given) noexcept {
  const auto inner = given.first.as_document();
  if (!inner) return std::nullopt;
  const auto found = wire::command_of(*inner);
  if (!found) return std::nullopt;
  command read = *found;
  if (read.database.empty()) read.database = given.database;
  return read;
}

void judge_kind(const command& given, command_kind kind, const catalog& entries,
                scratch& memory, verdict& to) noexcept {
  const wire::namespace_view on = namespace_of(given, kind);
  to.database = on.database;
  to.collection = on.collection;
  command_options options;
  const command_family family = family_of(kind);
  if (family == command_family::routed) options.read(given, memory.work());
  std::optional<let_variables> let;
  if (options.let) let.emplace(*options.let, true, memory);
  touch_log touches{memory.work()};
  judging with{entries, memory, touches, options.in_transaction, options.has_txn_number};
  if (let) with.let = &*let;
  verdict_builder builder{to, with};
  switch (family) {
    case command_family::routed:
      if (!has_a_name(given, kind)) {
        builder.add(statement::unknown(reason::unreadable));
        break;
      }
      judge_routed(given, kind, options, with, builder);
      break;
    case command_family::by_nature:
      builder.add(judge_by_nature(given, kind, on, with));
      break;
    case command_family::follows_cursor:
      builder.add(statement::unknown(reason::cursor_not_seen));
      break;
    case command_family::not_routed:
      builder.add(not_routed());
      break;
    case command_family::wraps:  // an explain within an explain
    case command_family::unknown:
      builder.add(statement::unknown(reason::unknown_command));
      break;
  }
  builder.finish();
}

/// What the work wasn't enough for can be anything.
void abandon(verdict& made) noexcept {
  made.abandoned = true;
  auto& unknown = made.statements[static_cast<std::size_t>(routing_class::unknown)];
  if (made.routing != routing_class::unknown || unknown == 0) ++unknown;
  made.routing = routing_class::unknown;
  made.bounds = bounds_kind::none;
  made.why = reason::work_budget;
  made.missing = 0;
  made.fanout.reset();
  made.sent_to.reset();
}

}  // namespace

verdict classify(const command& given, const catalog& catalog, scratch& memory,
                 wire::work_budget& work) noexcept {
  memory.reset();
  memory.set_work(work);
  verdict made;
  made.command = kind_of(given.name);
  if (family_of(made.command) != command_family::wraps) {
    judge_kind(given, made.command, catalog, memory, made);
  } else if (const auto inner = explained(given)) {
    judge_kind(*inner, kind_of(inner->name), catalog, memory, made);
    // Which of the two mongos believes depends on its version.
    made.may_touch_more |= inner->database != given.database && !given.database.empty();
  } else {
    made.database = given.database;
    made.why = reason::unreadable;
    made.may_touch_more = true;
    made.statements[static_cast<std::size_t>(routing_class::unknown)] = 1;
  }
  work = memory.work();
  if (work.is_spent()) abandon(made);
  return made;
}

verdict classify(const command& given, const catalog& catalog, scratch& memory) noexcept {
  auto work = wire::work_budget::for_message(given.size_bytes());
  return classify(given, catalog, memory, work);
}

verdict unreadable() noexcept {
  verdict made;
  made.why = reason::unreadable;
  made.statements[static_cast<std::size_t>(routing_class::unknown)] = 1;
  return made;
}

}  // namespace scattergate::routing
