#include "routing/command_kind.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace scattergate::routing {

namespace {

using enum command_kind;
using enum command_family;

/// What a command's first value is.
enum class first_value : std::uint8_t { anything, collection, whole_namespace };
using enum first_value;

/// What is known about a kind. `name` is the metrics' label and, unless the kind stands for a
/// group of commands, the command's name.
struct kind_row {
  command_kind kind;
  std::string_view name;
  command_family family;
  first_value first = anything;
  bool sensitive = false;
  bool is_group = false;
};

/// Every kind, in the enum's order.
constexpr std::array<kind_row, command_kind_count> kinds{{
    {other, "other", command_family::unknown, anything, false, true},
    {find, "find", routed, collection},
    {count, "count", routed, collection},
    {distinct, "distinct", routed, collection},
    {aggregate, "aggregate", routed, collection},
    {find_and_modify, "findAndModify", routed, collection},
    {insert, "insert", routed, collection},
    {update, "update", routed, collection},
    {delete_, "delete", routed, collection},
    {bulk_write, "bulkWrite", routed},
    {map_reduce, "mapReduce", routed, collection},
    {explain, "explain", wraps},
    {get_more, "getMore", follows_cursor, collection},
    {kill_cursors, "killCursors", follows_cursor, collection},
    {create_indexes, "createIndexes", by_nature, collection},
    {drop_indexes, "dropIndexes", by_nature, collection},
    {list_indexes, "listIndexes", by_nature, collection},
    {re_index, "reIndex", by_nature, collection},
    {coll_mod, "collMod", by_nature, collection},
    {coll_stats, "collStats", by_nature, collection},
    {data_size, "dataSize", by_nature, whole_namespace},
    {validate, "validate", by_nature, collection},
    {create, "create", by_nature, collection},
    {drop, "drop", by_nature, collection},
    {rename_collection, "renameCollection", by_nature, whole_namespace},
    {convert_to_capped, "convertToCapped", by_nature, collection},
    {compact, "compact", by_nature, collection},
    {plan_cache_clear, "planCacheClear", by_nature, collection},
    {plan_cache_clear_filters, "planCacheClearFilters", by_nature, collection},
    {plan_cache_list_filters, "planCacheListFilters", by_nature, collection},
    {plan_cache_set_filter, "planCacheSetFilter", by_nature, collection},
    {create_search_indexes, "createSearchIndexes", not_routed, collection},
    {drop_search_index, "dropSearchIndex", not_routed, collection},
    {update_search_index, "updateSearchIndex", not_routed, collection},
    {list_search_indexes, "listSearchIndexes", not_routed, collection},
    {analyze_shard_key, "analyzeShardKey", not_routed, whole_namespace},
    {configure_query_analyzer, "configureQueryAnalyzer", not_routed, whole_namespace},
    {analyze, "analyze", by_nature, collection},
    {set_index_commit_quorum, "setIndexCommitQuorum", by_nature, collection},
    {compact_structured_encryption_data, "compactStructuredEncryptionData", by_nature,
     collection},
    {cleanup_structured_encryption_data, "cleanupStructuredEncryptionData", by_nature,
     collection},
    {shard_collection, "shardCollection", not_routed, whole_namespace},
    {reshard_collection, "reshardCollection", not_routed, whole_namespace},
    {refine_collection_shard_key, "refineCollectionShardKey", not_routed, whole_namespace},
    {unshard_collection, "unshardCollection", not_routed, whole_namespace},
    {move_collection, "moveCollection", not_routed, whole_namespace},
    {enable_sharding, "enableSharding", not_routed},
    {split, "split", not_routed, whole_namespace},
    {move_chunk, "moveChunk", not_routed, whole_namespace},
    {move_range, "moveRange", not_routed, whole_namespace},
    {merge_chunks, "mergeChunks", not_routed, whole_namespace},
    {sharding_admin, "shardingAdmin", not_routed, anything, false, true},
    {hello, "hello", not_routed, anything, true},
    {is_master, "isMaster", not_routed, anything, true},
    {ping, "ping", not_routed},
    {build_info, "buildInfo", not_routed},
    {authenticate, "authenticate", not_routed, anything, true},
    {sasl_start, "saslStart", not_routed, anything, true},
    {sasl_continue, "saslContinue", not_routed, anything, true},
    {logout, "logout", not_routed},
    {get_nonce, "getnonce", not_routed, anything, true},
    {start_session, "startSession", not_routed},
    {end_sessions, "endSessions", not_routed},
    {refresh_sessions, "refreshSessions", not_routed},
    {kill_sessions, "killSessions", not_routed},
    {commit_transaction, "commitTransaction", not_routed},
    {abort_transaction, "abortTransaction", not_routed},
    {current_op, "currentOp", not_routed},
    {kill_op, "killOp", not_routed},
    {server_status, "serverStatus", not_routed},
    {host_info, "hostInfo", not_routed},
    {get_cmd_line_opts, "getCmdLineOpts", not_routed},
    {get_parameter, "getParameter", not_routed},
    {set_parameter, "setParameter", not_routed},
    {get_log, "getLog", not_routed},
    {connection_status, "connectionStatus", not_routed},
    {whats_my_uri, "whatsmyuri", not_routed},
    {db_stats, "dbStats", not_routed},
    {list_databases, "listDatabases", not_routed},
    {list_collections, "listCollections", not_routed},
    {drop_database, "dropDatabase", not_routed},
    {list_commands, "listCommands", not_routed},
    {user_admin, "userAdmin", not_routed, anything, true, true},
    {diagnostics, "diagnostics", not_routed, anything, false, true},
}};

static_assert(wire::has_each_in_order(kinds, &kind_row::kind));

/// Names beyond the label: the members of a group, and the other spellings MongoDB accepts.
struct further_name {
  std::string_view name;
  command_kind kind;
};

constexpr further_name aliases[] = {{"findandmodify", find_and_modify},
                                    {"mapreduce", map_reduce},
                                    {"collstats", coll_stats},
                                    {"datasize", data_size},
                                    {"dbstats", db_stats},
                                    {"deleteIndexes", drop_indexes},
                                    {"ismaster", is_master},
                                    {"buildinfo", build_info}};

// clang-format off
constexpr std::string_view sharding_admin_names[] = {
    "abortMoveCollection", "abortReshardCollection", "abortRewriteCollection",
    "abortUnshardCollection", "addShard", "addShardToZone", "autoSplitVector",
    "balancerCollectionStatus", "balancerStart", "balancerStatus", "balancerStop",
    "changePrimary", "checkMetadataConsistency", "cleanupOrphaned", "cleanupReshardCollection",
    "clearJumboFlag", "commitMoveCollection", "commitReshardCollection", "commitShardRemoval",
    "commitTransitionToDedicatedConfigServer", "commitUnshardCollection",
    "configureCollectionAutoSplitter", "configureCollectionBalancing",
    "createUnsplittableCollection", "flushRouterConfig", "getDatabaseVersion", "getShardMap",
    "getShardVersion", "getShardingReady",
    "getTransitionToDedicatedConfigServerStatus", "isdbGrid", "isdbgrid", "listShards",
    "mergeAllChunksOnShard", "movePrimary", "removeShard", "removeShardFromZone",
    "repairShardedCollectionChunksHistory", "resetPlacementHistory", "rewriteCollection",
    "setAllowMigrations", "shardDrainingStatus", "shardingState", "splitVector",
    "startShardDraining", "startTransitionToDedicatedConfigServer", "stopShardDraining",
    "stopTransitionToDedicatedConfigServer", "transitionFromDedicatedConfigServer",
    "transitionToDedicatedConfigServer", "transitionToShardedCluster",
    "untrackUnshardedCollection", "updateZoneKeyRange"};

/// copydb* left with 4.2, but its credentials are still the specification's to hide.
constexpr std::string_view user_admin_names[] = {
    "copydb", "copydbgetnonce", "copydbsaslstart", "createRole", "createUser",
    "dropAllRolesFromDatabase", "dropAllUsersFromDatabase", "dropRole", "dropUser",
    "grantPrivilegesToRole", "grantRolesToRole", "grantRolesToUser", "invalidateUserCache",
    "oidcListKeys", "oidcRefreshKeys", "revokePrivilegesFromRole", "revokeRolesFromRole",
    "revokeRolesFromUser", "rolesInfo", "updateRole", "updateUser", "usersInfo"};

constexpr std::string_view diagnostics_names[] = {
    "appendOplogNote", "availableQueryOptions", "clearLog", "configureFailPoint",
    "connPoolStats", "connPoolSync", "dbHash", "dbhash", "dropConnections", "echo", "features",
    "filemd5", "forceError", "forceerror", "fsync", "fsyncUnlock", "getAuditConfig",
    "getAuditConfigGeneration", "getChangeStreamState", "getClusterParameter",
    "getDefaultRWConcern", "getDiagnosticData", "getFreeMonitoringStatus", "getLastError",
    "getPrevError", "getQueryableEncryptionCountInfo", "getTrafficRecordingStatus",
    "getlasterror", "getpreverror", "killAllSessions", "killAllSessionsByPattern",
    "listDatabasesForAllTenants", "lockInfo", "logApplicationMessage", "logMessage",
    "logRotate", "multicast", "netstat", "profile", "reapLogicalSessionCacheNow",
    "refreshLogicalSessionCacheNow", "releaseMemory", "removeQuerySettings", "replSetGetConfig",
    "replSetGetStatus", "resetError", "reseterror", "rotateCertificates", "rotateFTDC",
    "setAuditConfig", "setChangeStreamState", "setClusterParameter", "setDefaultRWConcern",
    "setFeatureCompatibilityVersion", "setFreeMonitoring", "setProfilingFilterGlobally",
    "setQuerySettings", "setUserWriteBlockMode", "shardConnPoolStats", "shutdown", "sleep",
    "startRecordingTraffic", "startTrafficRecording", "stopRecordingTraffic",
    "stopTrafficRecording", "top", "validateDBMetadata", "waitForFailPoint", "whatsmysni"};
// clang-format on

constexpr unsigned slot_bits = 10;
constexpr std::size_t slot_count = std::size_t{1} << slot_bits;

/// Spreads names by their length and four of their characters: cheaper than reading them all.
constexpr std::size_t home_of(std::string_view name) noexcept {
  const auto at = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i]));
  };
  const std::size_t last = name.size() - 1;
  const std::uint32_t sample =
      at(0) | at(last / 3) << 8U | at(last - last / 3) << 16U | at(last) << 24U;
  const auto length = static_cast<std::uint32_t>(name.size());
  return ((sample + length * 0x85EBCA6BU) * 0xC2B2AE35U) >> (32U - slot_bits);
}

/// Open addressing over all names, made at compile time. An empty slot has an empty name.
struct name_table {
  std::array<further_name, slot_count> slots{};

  constexpr void add(std::string_view name, command_kind kind) {
    std::size_t at = home_of(name);
    while (!slots[at].name.empty()) {
      if (slots[at].name == name) throw "a command is listed twice";  // fails the compilation
      at = (at + 1) % slot_count;
    }
    slots[at] = {name, kind};
  }

  constexpr name_table() {
    for (const kind_row& row : kinds) {
      if (!row.is_group) add(row.name, row.kind);
    }
    for (const further_name& alias : aliases) add(alias.name, alias.kind);
    for (const std::string_view name : sharding_admin_names) add(name, sharding_admin);
    for (const std::string_view name : user_admin_names) add(name, user_admin);
    for (const std::string_view name : diagnostics_names) add(name, diagnostics);
  }
};

constexpr name_table names;

const kind_row& row_of(command_kind kind) noexcept {
  return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace

command_kind kind_of(std::string_view name) noexcept {
  if (name.empty()) return other;
  for (std::size_t at = home_of(name);; at = (at + 1) % slot_count) {
    const further_name& slot = names.slots[at];
    if (slot.name.empty()) return other;
    if (slot.name == name) return slot.kind;
  }
}

std::string_view name_of(command_kind kind) noexcept {
  return row_of(kind).name;
}

bool is_group(command_kind kind) noexcept {
  return row_of(kind).is_group;
}

command_family family_of(command_kind kind) noexcept {
  return row_of(kind).family;
}

bool is_sensitive(command_kind kind) noexcept {
  return row_of(kind).sensitive;
}

bool takes_collection(command_kind kind) noexcept {
  return row_of(kind).first != anything;
}

bool takes_namespace(command_kind kind) noexcept {
  return row_of(kind).first == whole_namespace;
}

}  // namespace scattergate::routing
