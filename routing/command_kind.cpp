#include <algorithm>
#include <array>
#include <cstddef>

#include "routing/command_table.hpp"
#include "routing/name_slots.hpp"

namespace scattergate::routing {

namespace {

using enum command_kind;

/// Further names of a kind: the members of a group, and other spellings that MongoDB accepts.
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
                                    {"buildinfo", build_info},
                                    {"enablesharding", enable_sharding},
                                    {"shardcollection", shard_collection},
                                    {"movechunk", move_chunk}};

// clang-format off
constexpr std::string_view sharding_admin_names[] = {
    "abortMoveCollection", "abortReshardCollection", "abortRewriteCollection",
    "abortUnshardCollection", "addShard", "addShardToZone", "addshard", "addshardtozone",
    "autoSplitVector",
    "balancerCollectionStatus", "balancerStart", "balancerStatus", "balancerStop",
    "changePrimary", "checkMetadataConsistency", "cleanupOrphaned", "cleanupReshardCollection",
    "clearJumboFlag", "commitMoveCollection", "commitReshardCollection", "commitShardRemoval",
    "commitTransitionToDedicatedConfigServer", "commitUnshardCollection",
    "configureCollectionAutoSplitter", "configureCollectionBalancing",
    "createUnsplittableCollection", "flushRouterConfig", "flushrouterconfig",
    "getDatabaseVersion", "getShardMap", "getShardVersion", "getShardingReady",
    "getTransitionToDedicatedConfigServerStatus", "getshardversion", "isdbGrid", "isdbgrid",
    "listShards", "listshards", "mergeAllChunksOnShard", "movePrimary", "moveprimary",
    "removeShard", "removeShardFromZone", "removeshard", "removeshardfromzone",
    "repairShardedCollectionChunksHistory", "resetPlacementHistory", "rewriteCollection",
    "setAllowMigrations", "shardDrainingStatus", "shardingState", "splitVector",
    "startShardDraining", "startTransitionToDedicatedConfigServer", "stopShardDraining",
    "stopTransitionToDedicatedConfigServer", "transitionFromDedicatedConfigServer",
    "transitionToDedicatedConfigServer", "transitionToShardedCluster",
    "untrackUnshardedCollection", "updateZoneKeyRange"};

/// MongoDB 4.2 removed copydb*, but the specification still requires that their credentials are
/// hidden.
constexpr std::string_view user_admin_names[] = {
    "copydb", "copydbgetnonce", "copydbsaslstart", "createRole", "createUser",
    "dropAllRolesFromDatabase", "dropAllUsersFromDatabase", "dropRole", "dropUser",
    "grantPrivilegesToRole", "grantRolesToRole", "grantRolesToUser", "invalidateUserCache",
    "oidcListKeys", "oidcRefreshKeys", "revokePrivilegesFromRole", "revokeRolesFromRole",
    "revokeRolesFromUser", "rolesInfo", "updateRole", "updateUser", "usersInfo"};

constexpr std::string_view diagnostics_names[] = {
    "appendOplogNote", "availableQueryOptions", "clearLog", "configureFailPoint",
    "connPoolStats", "connPoolSync", "connpoolsync", "dbHash", "dbhash", "dropConnections", "echo", "features",
    "forceError", "forceerror", "fsync", "fsyncUnlock", "getAuditConfig",
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

constexpr auto names = [] {
  constexpr unsigned slot_bits = 10;
  name_slots<command_kind, slot_bits> made;
  for (const command_row& row : command_table) {
    if (!row.facts.is_group) made.add(row.name, row.kind);
  }
  for (const further_name& alias : aliases) made.add(alias.name, alias.kind);
  for (const std::string_view name : sharding_admin_names) made.add(name, sharding_admin);
  for (const std::string_view name : user_admin_names) made.add(name, user_admin);
  for (const std::string_view name : diagnostics_names) made.add(name, diagnostics);
  return made;
}();

}  // namespace

constinit const std::array<command_row, command_kind_count> command_rows = command_table;

command_kind kind_of(std::string_view name) noexcept {
  return names.find(name, other);
}

bool is_filter_field(std::string_view name) noexcept {
  return !name.empty() && std::ranges::any_of(command_table, [&](const command_row& row) {
    return row.facts.filter == name;
  });
}

bool is_statement_list(std::string_view name) noexcept {
  return !name.empty() && std::ranges::any_of(command_table, [&](const command_row& row) {
    return !row.facts.filter.empty() && row.facts.batch == name;
  });
}

}  // namespace scattergate::routing
