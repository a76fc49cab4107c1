#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/label_table.hpp"

namespace scattergate::routing {

/// The commands that scattergate knows by name. A kind stands for one command, or for a group
/// of commands (is_group()); `other` stands for all unknown commands. name_of() is the value
/// of the metrics' label `command`.
enum class command_kind : std::uint8_t {
  // clang-format off
  other,
  // routed by a filter or by documents
  find, count, distinct, aggregate, find_and_modify, insert, update, delete_, bulk_write,
  map_reduce, filemd5,
  // refer to another command: the explained one, or the one that opened the cursor
  explain, get_more, kill_cursors,
  // on one collection, without a filter; most are always sent to shards
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

/// The number of kinds.
inline constexpr std::size_t command_kind_count = wire::enum_count<command_kind>();

/// How mongos chooses the shards for a command.
enum class command_family : std::uint8_t {
  routed,     ///< by the command's filter or documents
  by_nature,  ///< always every shard that owns chunks of the collection; for some commands only
              ///< the owner of the first chunk
  follows_cursor,  ///< the shards of the command that opened the cursor
  wraps,           ///< explain: the shards of the explained command
  not_routed,      ///< mongos answers it (ping), it has no target collection (dbStats), or it
                   ///< concerns sharding or search indexes
  unknown,         ///< scattergate doesn't know the command
};

/// What a command's batch contains.
enum class batch_items : std::uint8_t {
  none,        ///< not a batch
  documents,   ///< new documents
  statements,  ///< updates or deletes, each with a filter
  operations,  ///< inserts, updates and deletes of a bulkWrite
};

/// How mongos answers an explain of a command.
enum class explain_support : std::uint8_t {
  none,        ///< mongos rejects the explain
  never_sent,  ///< mongos explains the command, but scattergate never sends that explain
  runs,        ///< mongos runs the command in order to explain it
  plans,       ///< mongos plans the command without running it
};

/// Whether a successful command may change the metadata in the catalog.
enum class catalog_change : std::uint8_t {
  none,
  any,                 ///< may change it in any case
  placement,           ///< may change which chunks there are, and on which shards
  of_listed,           ///< may change it if the catalog lists the command's collection, or the
                       ///< command defines a view
  depends_on_command,  ///< depends on the command, because the kind is a group
};

/// The meaning of a command's first value: of 5 in {ping: 5}, or of "c" in {find: "c"}.
/// `anything`: it doesn't name a collection. `collection`: a collection of the command's
/// database. `whole_namespace`: "db.collection".
enum class first_value : std::uint8_t { anything, collection, whole_namespace };

/// The properties of a command besides its name and family. A field name is empty if the
/// command has no such field.
struct command_facts {
  std::string_view filter = {};           ///< field with the filter of the command or statement
  std::string_view batch = {};            ///< the field with the batch: "updates"
  batch_items holds = batch_items::none;  ///< what the batch contains
  std::string_view document = {};  ///< the field with the document that an operation inserts
  std::string_view update = {};    ///< field with the update of the command or statement
  /// Where advice says to add a condition, in words.
  std::string_view advice_place = "the filter";
  explain_support explained = explain_support::none;  ///< how mongos answers an explain
  catalog_change changes = catalog_change::none;      ///< whether it may change the catalog
  bool is_sensitive = false;                          ///< its body may contain credentials
  bool is_group = false;                              ///< the kind stands for several commands
  bool is_hello = false;                              ///< hello or isMaster
  bool is_write = false;                              ///< it writes documents
  bool opens_cursor = false;                          ///< its reply may contain a cursor
  bool joins = false;            ///< it may touch collections other than its own
  bool has_pattern = false;      ///< its verdict may be reused for messages that differ only
                                 ///< in values (routing::pattern)
  bool has_query_shape = false;  ///< scattergate can compute its `queryShapeHash`
  bool takes_views = true;       ///< false: mongos rejects it on a view
  bool in_transactions = false;  ///< multi-document transactions may contain it
};

/// A row of the command table. `name`: the command's name as MongoDB spells it, or the group's
/// name. `first`: the meaning of the command's first value.
struct command_row {
  command_kind kind;
  std::string_view name;
  command_family family;
  first_value first = first_value::anything;
  command_facts facts = {};
};

/// The command table (command_table.hpp): a row for each kind, in the enum's order.
extern const std::array<command_row, command_kind_count> command_rows;

/// The kind's row in the command table.
[[nodiscard]] inline const command_row& row_of(command_kind kind) noexcept {
  return command_rows[static_cast<std::size_t>(kind)];
}

/// The kind of the command `name`; `other` if it is unknown. Case-sensitive, except for
/// spellings that MongoDB also accepts (findandmodify, mapreduce, ismaster, buildinfo, ...).
[[nodiscard]] command_kind kind_of(std::string_view name) noexcept;

/// The kind's properties, from the command table.
[[nodiscard]] inline const command_facts& facts_of(command_kind kind) noexcept {
  return row_of(kind).facts;
}

/// Whether any command, or any statement of a batch, has its filter in a field with this name,
/// as with "filter" or "q".
[[nodiscard]] bool is_filter_field(std::string_view name) noexcept;

/// Whether any command has statements or operations in a list with this name, as with "updates"
/// or "ops".
[[nodiscard]] bool is_statement_list(std::string_view name) noexcept;

/// The value of the metrics' label `command`: the command's name as MongoDB spells it
/// ("findAndModify"), or the group's name ("other").
[[nodiscard]] inline std::string_view name_of(command_kind kind) noexcept {
  return row_of(kind).name;
}

/// Whether the kind stands for several commands, as `other` does.
[[nodiscard]] inline bool is_group(command_kind kind) noexcept {
  return facts_of(kind).is_group;
}

/// How mongos chooses the shards for commands of this kind.
[[nodiscard]] inline command_family family_of(command_kind kind) noexcept {
  return row_of(kind).family;
}

/// Whether the command's body may contain credentials, so that it must never be shown
/// (MongoDB's driver specifications: command-logging-and-monitoring, "Security"). True for
/// hello and isMaster, which may have the field speculativeAuthenticate.
[[nodiscard]] inline bool is_sensitive(command_kind kind) noexcept {
  return facts_of(kind).is_sensitive;
}

/// Whether the command's first value, if it is a string, names a collection.
[[nodiscard]] inline bool takes_collection(command_kind kind) noexcept {
  return row_of(kind).first != first_value::anything;
}

/// Whether the command's first value is a whole namespace ("db.collection", as in commands to
/// the database `admin`), not the name of a collection in the command's database. Implies
/// takes_collection().
[[nodiscard]] inline bool takes_namespace(command_kind kind) noexcept {
  return row_of(kind).first == first_value::whole_namespace;
}

}  // namespace scattergate::routing
