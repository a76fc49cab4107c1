#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/execution/command.hpp"

/// mongos's half: which shards a read or write goes to, asking them, and counting it.
namespace scattergate::sim {

/// How a command compares strings, as the router sees it: the simulator's shards always compare
/// byte by byte.
struct collating {
  bool is_simple = true;   ///< byte by byte
  bool is_default = true;  ///< as the collection does where a command doesn't say
};

/// A read to be sent out.
struct read_request {
  std::string ns;
  document filter;           ///< that the shards apply
  std::string_view command;  ///< as each shard counts it
  std::optional<counted_command> counted;
  collating collation{};
  std::size_t limit = 0;                   ///< that each shard may stop at; 0: none
  variables names{};                       ///< that the filter's `$expr` may use
  std::optional<filter_node> targeting{};  ///< what finds the shards, where it isn't the filter
  bool is_raw = false;                     ///< of a time series: its buckets are read
};

struct read_result {
  std::vector<document_ptr> documents;
  std::set<shard_index> asked;
};

/// Sends a read to the shards it needs. Collections of `config` are answered by the router.
[[nodiscard]] read_result read(context& at, const read_request& what);

/// Sends the read that a pipeline begins with.
[[nodiscard]] read_result read_for_pipeline(context& at, const std::string& ns,
                                            const array& stages, const collating& collation,
                                            std::optional<counted_command> counted,
                                            const variables& names, bool is_raw = false);

/// Where a read with this filter goes, without sending it. Empty for `config`.
[[nodiscard]] std::set<shard_index> read_targets(const context& at, const std::string& ns,
                                                 const filter_node& filter,
                                                 const collating& collation,
                                                 bool is_raw = false);

/// Whether a command on `ns` means a time series' buckets rather than its measurements: by its
/// name, or by `rawData`, from 8.2 on (mongo: raw_data_operation.h).
[[nodiscard]] bool is_raw(const context& at, const std::string& ns, const document& command);

/// What the version of MongoDB that the cluster passes for makes of filters.
[[nodiscard]] filter_terms filter_terms_of(const context& at, const variables& names);
[[nodiscard]] filter_node filter_for_targeting(const context& at, const document& filter,
                                               const variables& names = {});

/// Notes on every shard that a command reached it.
void note_reached(context& at, const std::set<shard_index>& shards, std::string_view command);

/// numHostsTargeted for a command that went to `targeted` shards.
void note_hosts(context& at, const std::string& ns, counted_command command,
                std::size_t targeted);

/// By the command's own collation, else by the collection's.
[[nodiscard]] collating collation_of(const context& at, const std::string& ns,
                                     const document& arguments);

}  // namespace scattergate::sim
