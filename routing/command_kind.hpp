#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/enum_count.hpp"

namespace scattergate::routing {

/// The commands that we know by name: the closed list behind the metrics' `command` label.
/// Everything else is `other`.
enum class command_kind : std::uint8_t {
  // clang-format off
  other,
  // routed by a filter or by documents
  find, count, distinct, aggregate, find_and_modify, insert, update, delete_, bulk_write,
  map_reduce,
  // around another command
  explain, get_more, kill_cursors,
  // taken to the shards by nature
  create_indexes, drop_indexes, list_indexes, re_index, coll_mod, coll_stats, data_size, validate,
  create, drop, rename_collection, convert_to_capped, compact, plan_cache_clear,
  plan_cache_clear_filters, plan_cache_list_filters, plan_cache_set_filter,
  create_search_indexes, drop_search_index, update_search_index, list_search_indexes,
  analyze_shard_key, configure_query_analyzer, analyze, set_index_commit_quorum,
  compact_structured_encryption_data, cleanup_structured_encryption_data,
  // sharding administration
  shard_collection, reshard_collection, refine_collection_shard_key, unshard_collection,
  move_collection, enable_sharding, split, move_chunk, move_range, merge_chunks, sharding_admin,
  // no target collection, or answered by mongos itself
  hello, is_master, ping, build_info, authenticate, sasl_start, sasl_continue, logout, get_nonce,
  start_session, end_sessions, refresh_sessions, kill_sessions, commit_transaction,
  abort_transaction, current_op, kill_op, server_status, host_info, get_cmd_line_opts,
  get_parameter, set_parameter, get_log, connection_status, whats_my_uri, db_stats,
  list_databases, list_collections, drop_database, list_commands, user_admin, diagnostics,
  // clang-format on
};

inline constexpr std::size_t command_kind_count = wire::enum_count<command_kind>();

/// How a command's routing is found.
enum class command_family : std::uint8_t {
  routed,          ///< by its filter or documents
  by_nature,       ///< on a collection, to every shard that owns a part of it (or to the first)
  follows_cursor,  ///< as the command that opened the cursor
  wraps,           ///< explain: as the command inside
  not_routed,      ///< no shard's data
  unknown,         ///< a name that we don't know
};

/// What a batch holds.
enum class batch_items : std::uint8_t {
  none,        ///< it is no batch
  documents,   ///< new ones
  statements,  ///< each with a filter
  operations,  ///< of several kinds: a bulkWrite's
};

/// What mongos does with an explain of a command.
enum class explain_support : std::uint8_t {
  none,     ///< refuses it
  unasked,  ///< explains it, but scattergate never asks
  runs,     ///< runs the command
  plans,    ///< plans it, and runs nothing
};

/// Whether a command that went well may change where data is.
enum class catalog_change : std::uint8_t {
  none,
  any,        ///< yes
  of_listed,  ///< of a collection that the catalog has
  by_member,  ///< depends on which command of the group it is
};

/// What a command's first value is.
enum class first_value : std::uint8_t { anything, collection, whole_namespace };

/// What is known of a command beside its name and family. Its fields by name, empty where it
/// has none.
struct command_facts {
  std::string_view filter = {};           ///< with the filter: its own, or each statement's
  std::string_view batch = {};            ///< with what the batch holds: "updates"
  batch_items holds = batch_items::none;  ///< what that is
  std::string_view document = {};         ///< of an operation: the new document
  std::string_view update = {};           ///< with the update: its own, or each statement's
  std::string_view place = "the filter";  ///< where advice adds a field to one filter
  explain_support explained = explain_support::none;
  catalog_change changes = catalog_change::none;
  bool is_sensitive = false;     ///< see is_sensitive()
  bool is_group = false;         ///< see is_group()
  bool is_hello = false;         ///< it greets, and says who the client is
  bool is_write = false;         ///< of documents
  bool opens_cursor = false;     ///< its reply may name one
  bool joins = false;            ///< it may touch other collections than its own
  bool has_pattern = false;      ///< routing/pattern reads messages of it
  bool has_query_shape = false;  ///< its `queryShapeHash` can be computed
  bool takes_views = true;       ///< mongos takes it on a view
  bool in_transactions = false;  ///< a multi-document transaction may hold it
};

/// One command. `name` is the metrics' label and, unless the kind stands for a group of
/// commands, the command's name.
struct command_row {
  command_kind kind;
  std::string_view name;
  command_family family;
  first_value first = first_value::anything;
  command_facts facts = {};
};

/// A row for each kind, in the enum's order; written in command_table.hpp.
extern const std::array<command_row, command_kind_count> command_rows;

[[nodiscard]] inline const command_row& row_of(command_kind kind) noexcept {
  return command_rows[static_cast<std::size_t>(kind)];
}

/// The kind of the command called `name`; names are matched exactly, but for the spellings
/// that MongoDB itself accepts (findandmodify, mapreduce, ismaster, buildinfo, ...).
[[nodiscard]] command_kind kind_of(std::string_view name) noexcept;

[[nodiscard]] inline const command_facts& facts_of(command_kind kind) noexcept {
  return row_of(kind).facts;
}

/// Whether some command has its filter, or its statements' filters, in a field of that name.
[[nodiscard]] bool is_filter_field(std::string_view name) noexcept;

/// Whether some command has statements or operations in a list of that name.
[[nodiscard]] bool is_statement_list(std::string_view name) noexcept;

/// The name as MongoDB spells it, the metrics' label: "findAndModify"; "other".
[[nodiscard]] inline std::string_view name_of(command_kind kind) noexcept {
  return row_of(kind).name;
}

/// Whether the kind is a label that several commands share (`other` among them).
[[nodiscard]] inline bool is_group(command_kind kind) noexcept {
  return facts_of(kind).is_group;
}

[[nodiscard]] inline command_family family_of(command_kind kind) noexcept {
  return row_of(kind).family;
}

/// Whether the command's body holds credentials and must never be shown in any form
/// (specifications: command-logging-and-monitoring, "Security"). hello and isMaster are among
/// them: they may carry speculativeAuthenticate.
[[nodiscard]] inline bool is_sensitive(command_kind kind) noexcept {
  return facts_of(kind).is_sensitive;
}

/// Whether a collection is what the command works on: whether a string as first value names
/// one.
[[nodiscard]] inline bool takes_collection(command_kind kind) noexcept {
  return row_of(kind).first != first_value::anything;
}

/// Whether that string is a whole namespace ("db.collection", sent to `admin`) and not the name
/// of a collection in the command's own database. Implies takes_collection.
[[nodiscard]] inline bool takes_namespace(command_kind kind) noexcept {
  return row_of(kind).first == first_value::whole_namespace;
}

}  // namespace scattergate::routing
