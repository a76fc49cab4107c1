#include "routing/classify.hpp"

#include "routing/statements/batch.hpp"
#include "routing/statements/pipeline.hpp"
#include "routing/statements/reads.hpp"
#include "routing/statements/refusal_rules.hpp"
#include "routing/statements/writes.hpp"

namespace scattergate::routing {
namespace {

using wire::command;

/// A command's namespace. Most commands name it in `$db` and the first value, some completely
/// in the first value. `memory`: for a name that the command only implies.
wire::namespace_view namespace_of(const command& given, command_kind kind,
                                  scratch& memory) noexcept {
  if (kind == command_kind::filemd5) return chunks_of_file(given, memory);
  if (takes_collection(kind) && takes_namespace(kind)) {
    if (const auto whole = wire::namespace_view::of(given.collection)) return *whole;
  }
  const bool has_collection = takes_collection(kind) || kind == command_kind::other;
  return {given.database, has_collection ? given.collection : std::string_view{}};
}

/// Judges a command that concerns every shard that owns a part of the collection. mongos sends
/// it to these shards (mongo at 02e99b9: cluster_create_indexes_cmd.cpp,
/// cluster_coll_stats_cmd.cpp), or to the primary shard, whose coordinator sends it to them
/// (cluster_drop_collection_cmd.cpp, cluster_drop_indexes_cmd.cpp,
/// cluster_collection_mod_cmd.cpp). listIndexes goes to one shard (cluster_list_indexes_cmd.cpp
/// at 274cb47, executeCommandAgainstShardWithMinKeyChunk).
statement judge_by_nature(const command& given, command_kind kind, wire::namespace_view on,
                          const judging_context& context) noexcept {
  const resolved_namespace found = resolve(context.entries, on);
  if (found.sharded == nullptr) return found.answer();
  if (kind == command_kind::list_indexes) {
    return statement::of(first_owner(*found.sharded, context.memory), *found.sharded);
  }
  statement made;
  made.goes_to.routing = routing_class::scatter_gather;
  made.goes_to.bounds = bounds_kind::full;
  made.goes_to.why = reason::by_nature;
  made.goes_to.fanout = all_owners(*found.sharded, context.memory);
  made.judged = found.sharded;
  if (kind == command_kind::create_indexes &&
      asks_for_impossible_index(given, *found.sharded, context.memory.work())) {
    made.lint = lint_kind::unique_index_without_key;
    made.refused = refusal::cannot_create_index;
  }
  if (kind == command_kind::coll_mod &&
      asks_for_impossible_conversion(given, *found.sharded, context.entries.version(),
                                     context.memory.work())) {
    made.lint = lint_kind::unique_index_without_key;
    made.refuse_on_shards(refusal::invalid_options);
  }
  return made;
}

void judge_routed(const command& given, command_kind kind, const command_options& options,
                  const judging_context& context, verdict_builder& to) noexcept {
  switch (kind) {
    case command_kind::insert:
      return judge_inserts(given, options, context, to);
    case command_kind::update:
      return judge_updates(given, options, context, to);
    case command_kind::delete_:
      return judge_deletes(given, options, context, to);
    case command_kind::bulk_write:
      return judge_bulk_write(given, options, context, to);
    case command_kind::find_and_modify:
      return to.add(judge_find_and_modify(given, options, context));
    case command_kind::aggregate:
      return to.add(judge_aggregate(given, options, context));
    case command_kind::filemd5:
      return to.add(judge_filemd5(given, context));
    case command_kind::map_reduce:
      return to.add(judge_map_reduce(given, options, context));
    default:
      return to.add(judge_query(given, options, context));
  }
}

statement not_routed() noexcept {
  statement made;
  made.goes_to.routing = routing_class::not_routed;
  return made;
}

/// Whether the value by which a routed command names its collection is valid: a string or
/// symbol, or for an aggregate without collection a number.
bool has_a_name(const command& given, command_kind kind) noexcept {
  if (!given.collection.empty() || !takes_collection(kind)) return true;
  return kind == command_kind::aggregate && given.first.is_number();
}

/// The command inside an explain; std::nullopt if none can be read.
std::optional<command> explained(const command& given) noexcept {
  const auto inner = given.first.as_document();
  if (!inner) return std::nullopt;
  const auto found = wire::command_of(*inner);
  if (!found) return std::nullopt;
  command read = *found;
  if (read.database.empty()) read.database = given.database;
  return read;
}

/// What an explain around a command determines.
struct surroundings {
  bool is_explained = false;
  // Those of the explain; a command's own arguments are among its options.
  bool in_transaction = false;
  bool raw_data = false;
  bool names_raw_data = false;
};

/// Whether mongos rejects a batch because of its number of statements: none, or several in an
/// explain (mongo: write_ops_parsers.cpp, checkOpCountForCommand; bulk_write_common.cpp at
/// 05c59ba, validateRequest; cluster_write_cmd.cpp, explain).
bool has_wrong_length(const command& given, command_kind kind, std::size_t statements,
                      const judging_context& context) noexcept {
  if (statements > 0) return context.is_explained && statements > 1;
  const std::string_view batch = facts_of(kind).batch;
  return !batch.empty() && has_batch(given, batch, context.memory.work());
}

/// The first version that knows the argument `rawData` (mongo: idl/generic_argument.idl, of
/// 8.2). 8.1 may know it, but rejects `true` (mongo: gFeatureFlagRawDataCrudOperations).
constexpr server_version knows_raw_data{8, 2};
constexpr server_version may_know_raw_data{8, 1};

/// Whether mongos rejects the argument `rawData` because it doesn't know it. Beside an explain,
/// 4.4 ignores it: the explain's IDL is strict from 5.0 on (mongo: db/explain.idl).
bool lacks_raw_data(const command_options& options, const surroundings& around,
                    server_version version) noexcept {
  if (version >= knows_raw_data) return false;
  if (version >= may_know_raw_data) return options.raw_data || around.raw_data;
  const bool is_beside = around.names_raw_data && version >= server_version{5, 0};
  return options.names_raw_data || is_beside;
}

/// The error with which mongos rejects a negative limit or skip; `none` if it doesn't. A count
/// may have a negative limit (mongo: query/find_command.idl, count_command.idl; before 5.0
/// query_request.cpp, validate).
refusal refusal_of_numbers(const command_options& options, command_kind kind,
                           server_version version) noexcept {
  const bool is_find = kind == command_kind::find;
  if (!is_find && kind != command_kind::count) return refusal::none;
  if (!options.has_negative_skip && !(is_find && options.has_negative_limit)) {
    return refusal::none;
  }
  constexpr server_version parses_by_idl{5, 0};
  return is_find && version < parses_by_idl ? refusal::bad_value : refusal::negative_value;
}

void judge_family(const command& given, command_kind kind, wire::namespace_view on,
                  const command_options& options, const surroundings& around,
                  const judging_context& context, verdict_builder& to) noexcept {
  const command_family family = family_of(kind);
  const bool reads_on = family == command_family::routed || family == command_family::by_nature;
  refusal refused = reads_on ? refusal_of(given, kind, on, context) : refusal::none;
  if (refused == refusal::none && family == command_family::routed &&
      lacks_raw_data(options, around, context.entries.version())) {
    refused = refusal::unknown_field;
  }
  if (refused == refusal::none) {
    refused = refusal_of_numbers(options, kind, context.entries.version());
  }
  if (refused != refusal::none) to.reject(refused, resolve(context.entries, on).entry, on);
  switch (family) {
    case command_family::routed:
      if (!has_a_name(given, kind)) return to.add(statement::unknown(reason::unreadable));
      judge_routed(given, kind, options, context, to);
      if (has_wrong_length(given, kind, to.added(), context)) {
        to.reject(refusal::invalid_length, resolve(context.entries, on).entry, on);
      }
      return;
    case command_family::by_nature:
      return to.add(judge_by_nature(given, kind, on, context));
    case command_family::follows_cursor:
      return to.add(statement::unknown(reason::cursor_not_seen));
    case command_family::not_routed:
      return to.add(not_routed());
    case command_family::wraps:  // an explain within an explain
    case command_family::unknown:
      return to.add(statement::unknown(reason::unknown_command));
  }
}

void judge_kind(const command& given, command_kind kind, const surroundings& around,
                const catalog& entries, scratch& memory, verdict& to) noexcept {
  const wire::namespace_view on = namespace_of(given, kind, memory);
  to.database = on.database;
  to.collection = on.collection;
  command_options options;
  const command_family family = family_of(kind);
  if (family == command_family::routed || family == command_family::by_nature) {
    options.read(given, facts_of(kind).filter, memory.work());
  }
  // mongos copies generic arguments of an explain into the command, but not over the command's
  // own (mongo: s/commands/cluster_explain_cmd.cpp, makeExplainedObj). It takes those about the
  // session only from the explain.
  if (around.is_explained) options.in_transaction = around.in_transaction;
  const bool is_beside = !options.names_raw_data && entries.version() >= may_know_raw_data;
  const bool raw_data = options.raw_data || (is_beside && around.raw_data);
  std::optional<let_variables> let;
  if (options.let) let.emplace(*options.let, true, memory);
  touch_log touches{memory.work()};
  judging_context context{entries,
                          memory,
                          touches,
                          options.in_transaction,
                          options.has_txn_number,
                          around.is_explained,
                          raw_data};
  if (let) context.let = &*let;
  verdict_builder builder{to, context};
  judge_family(given, kind, on, options, around, context, builder);
  builder.finish();
}

/// The context that an explain gives to the command inside it.
surroundings explain_of(const command& given, wire::work_budget& work) noexcept {
  command_options options;
  options.read(given, {}, work);
  return {true, options.in_transaction, options.raw_data, options.names_raw_data};
}

/// Makes the verdict unknown because the budget ran out: what wasn't read may be anything.
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
  made.version_is_stated = catalog.stated_version().has_value();
  if (family_of(made.command) != command_family::wraps) {
    judge_kind(given, made.command, {}, catalog, memory, made);
  } else if (const auto inner = explained(given)) {
    judge_kind(*inner, kind_of(inner->name), explain_of(given, memory.work()), catalog, memory,
               made);
    // The version of mongos determines which of the two databases it uses.
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
