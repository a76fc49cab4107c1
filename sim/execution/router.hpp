#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/execution/command.hpp"

/// mongos's half: which shards a read or write goes to, asking them, and counting it.
namespace scattergate::sim {

/// A read to be sent out.
struct read_request {
  std::string ns;
  document filter;
  std::string_view command;  ///< as each shard counts it
  std::optional<counted_command> counted;
  bool compares_simply = true;
  std::size_t limit = 0;  ///< that each shard may stop at; 0: none
  variables names{};      ///< that the filter's `$expr` may use
};

struct read_result {
  std::vector<document_ptr> documents;
  std::set<shard_index> asked;
};

/// Sends a read to the shards it needs. Collections of `config` are answered by the router.
[[nodiscard]] read_result read(context& at, const read_request& what);

/// Where a read with this filter goes, without sending it. Empty for `config`.
[[nodiscard]] std::set<shard_index> read_targets(const context& at, const std::string& ns,
                                                 const document& filter, bool compares_simply);

/// Notes on every shard that a command reached it.
void note_reached(context& at, const std::set<shard_index>& shards, std::string_view command);

/// numHostsTargeted for a command that went to `targeted` shards.
void note_hosts(context& at, const std::string& ns, counted_command command,
                std::size_t targeted);

/// Whether strings compare byte by byte for the router: the command has no collation and the
/// collection no default, or it is the simple one. The simulator's shards always compare so.
[[nodiscard]] bool compares_simply(const context& at, const std::string& ns,
                                   const document& arguments);

}  // namespace scattergate::sim
