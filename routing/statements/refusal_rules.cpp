#include "routing/statements/refusal_rules.hpp"

namespace scattergate::routing {
namespace {

/// The first version that renames sharded collections, and whose find takes a symbol for its
/// collection's name.
constexpr server_version version_5_0{5, 0};
/// The first version with a bulkWrite.
constexpr server_version version_8_0{8, 0};

/// Whether a view takes the command (mongo: jstests/core/views/views_all_commands.js). That
/// none takes writes, resolved_namespace::answer_to_write() says.
bool is_for_views(command_kind kind) noexcept {
  switch (kind) {
    case command_kind::convert_to_capped:
    case command_kind::create_indexes:
    case command_kind::data_size:
    case command_kind::drop_indexes:
    case command_kind::list_indexes:
    case command_kind::map_reduce:
    case command_kind::plan_cache_clear:
    case command_kind::plan_cache_clear_filters:
    case command_kind::plan_cache_list_filters:
    case command_kind::plan_cache_set_filter:
    case command_kind::re_index:
    case command_kind::rename_collection:
    case command_kind::validate:
      return false;
    default:
      return true;
  }
}

bool is_view(wire::namespace_view name, const judging& with) noexcept {
  const collection* entry = resolve(with.entries, name).entry;
  return entry != nullptr && entry->is_view();
}

bool is_sharded(wire::namespace_view name, const judging& with) noexcept {
  return resolve(with.entries, name).sharded != nullptr;
}

/// Whether a multi-document transaction may hold the command at all (mongo: commands.cpp,
/// canUseTransactions; txnCmdWhitelist until 4.4, allowedInTransactions() later).
bool is_for_transactions(command_kind kind) noexcept {
  switch (kind) {
    case command_kind::aggregate:
    case command_kind::bulk_write:
    case command_kind::create:
    case command_kind::create_indexes:
    case command_kind::delete_:
    case command_kind::distinct:
    case command_kind::find:
    case command_kind::find_and_modify:
    case command_kind::insert:
    case command_kind::update:
      return true;
    default:
      return false;
  }
}

/// Whether there is an explain of it (mongo: commands.hpp, CommandInvocation::explain).
bool is_explainable(command_kind kind) noexcept {
  return kind != command_kind::insert && family_of(kind) == command_family::routed;
}

/// Until 4.4 neither end of a renaming may be sharded (mongo:
/// cluster_rename_collection_cmd.cpp).
refusal refusal_of_rename(const wire::command& given, wire::namespace_view from,
                          const judging& with) noexcept {
  if (with.entries.version() >= version_5_0) return refusal::none;
  if (is_sharded(from, with)) return refusal::rename_of_sharded;
  const auto to = wire::find_field(given.body, "to", with.memory.work());
  const auto into = to ? wire::namespace_view::of(to->as_string()) : std::nullopt;
  return into && is_sharded(*into, with) ? refusal::rename_to_sharded : refusal::none;
}

}  // namespace

refusal refusal_of(const wire::command& given, command_kind kind, wire::namespace_view on,
                   const judging& with) noexcept {
  // Only a mongod has it (mongo: db/commands/compact.cpp; none in s/commands).
  if (kind == command_kind::compact) return refusal::command_not_found;
  if (with.in_transaction && (with.is_explained || !is_for_transactions(kind))) {
    return refusal::operation_not_supported_in_transaction;
  }
  if (with.is_explained && !is_explainable(kind)) return refusal::illegal_operation;
  if (!is_for_views(kind) && is_view(on, with)) return refusal::command_not_supported_on_view;
  switch (kind) {
    case command_kind::find: {
      // mongo 4.4: query_request.cpp, parseFromFindCommand. Others take the symbol.
      const bool is_symbol = given.first.type() == wire::bson_type::symbol;
      const bool refuses = is_symbol && with.entries.version() < version_5_0;
      return refuses ? refusal::failed_to_parse : refusal::none;
    }
    case command_kind::bulk_write:
      return with.entries.version() < version_8_0 ? refusal::command_not_found : refusal::none;
    case command_kind::distinct:  // by the shards (mongo: commands/distinct.cpp)
      return with.in_transaction && is_sharded(on, with)
                 ? refusal::operation_not_supported_in_transaction
                 : refusal::none;
    case command_kind::rename_collection:
      return refusal_of_rename(given, on, with);
    case command_kind::convert_to_capped:  // mongo: cluster_convert_to_capped_cmd.cpp
      return is_sharded(on, with) ? refusal::illegal_operation : refusal::none;
    default:
      return refusal::none;
  }
}

}  // namespace scattergate::routing
