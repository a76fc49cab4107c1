#include <algorithm>
#include <array>
#include <cstddef>

#include "routing/command_table.hpp"

namespace scattergate::routing {

namespace {

using enum command_kind;

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
    for (const command_row& row : command_table) {
      if (!row.facts.is_group) add(row.name, row.kind);
    }
    for (const further_name& alias : aliases) add(alias.name, alias.kind);
    for (const std::string_view name : sharding_admin_names) add(name, sharding_admin);
    for (const std::string_view name : user_admin_names) add(name, user_admin);
    for (const std::string_view name : diagnostics_names) add(name, diagnostics);
  }
};

constexpr name_table names;

}  // namespace

constinit const std::array<command_row, command_kind_count> command_rows = command_table;

command_kind kind_of(std::string_view name) noexcept {
  if (name.empty()) return other;
  for (std::size_t at = home_of(name);; at = (at + 1) % slot_count) {
    const further_name& slot = names.slots[at];
    if (slot.name.empty()) return other;
    if (slot.name == name) return slot.kind;
  }
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
