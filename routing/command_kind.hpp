#pragma once

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

/// The kind of the command called `name`; names are matched exactly, but for the spellings
/// that MongoDB itself accepts (findandmodify, mapreduce, ismaster, buildinfo, ...).
[[nodiscard]] command_kind kind_of(std::string_view name) noexcept;

/// The name as MongoDB spells it, the metrics' label: "findAndModify"; "other".
[[nodiscard]] std::string_view name_of(command_kind kind) noexcept;

/// Whether the kind is a label that several commands share (`other` among them).
[[nodiscard]] bool is_group(command_kind kind) noexcept;

[[nodiscard]] command_family family_of(command_kind kind) noexcept;

/// Whether the command's body holds credentials and must never be shown in any form
/// (specifications: command-logging-and-monitoring, "Security"). hello and isMaster are among
/// them: they may carry speculativeAuthenticate.
[[nodiscard]] bool is_sensitive(command_kind kind) noexcept;

/// Whether a collection is what the command works on: whether a string as first value names
/// one.
[[nodiscard]] bool takes_collection(command_kind kind) noexcept;

/// Whether that string is a whole namespace ("db.collection", sent to `admin`) and not the name
/// of a collection in the command's own database. Implies takes_collection.
[[nodiscard]] bool takes_namespace(command_kind kind) noexcept;

}  // namespace scattergate::routing
