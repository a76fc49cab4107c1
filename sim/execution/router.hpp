#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/execution/command.hpp"

/// mongos's part: selects the shards of a read or write, sends it to them, and counts it.
namespace scattergate::sim {

/// The collation of a command, as the router sees it: the simulator's shards always compare
/// byte by byte.
struct collating {
  bool is_simple = true;   ///< byte by byte
  bool is_default = true;  ///< the collection's default
};

/// A read to send to shards.
struct read_request {
  std::string ns;
  document filter;           ///< applied by the shards
  std::string_view command;  ///< the name under which each shard counts it
  std::optional<counted_command> counted;
  collating collation{};
  std::size_t limit = 0;                   ///< where each shard may stop; 0: no limit
  variables names{};                       ///< variables for the filter's `$expr`
  std::optional<filter_node> targeting{};  ///< selects the shards, if it isn't the filter
  bool is_raw = false;                     ///< for a time series: reads its buckets
};

struct read_result {
  std::vector<document_ptr> documents;
  std::set<shard_index> asked;
};

/// Sends a read to the shards it needs. The router answers for collections of `config`.
[[nodiscard]] read_result read(context& at, const read_request& what);

/// Sends the read at the beginning of a pipeline.
[[nodiscard]] read_result read_for_pipeline(context& at, const std::string& ns,
                                            const array& stages, const collating& collation,
                                            std::optional<counted_command> counted,
                                            const variables& names, bool is_raw = false);

/// The shards for a read with this filter, without sending it. Empty for `config`.
[[nodiscard]] std::set<shard_index> read_targets(const context& at, const std::string& ns,
                                                 const filter_node& filter,
                                                 const collating& collation,
                                                 bool is_raw = false);

/// Whether a command on `ns` refers to a time series' buckets rather than its measurements: by
/// its name, or by `rawData` (mongo: raw_data_operation.h).
[[nodiscard]] bool is_raw(const context& at, const std::string& ns, const document& command);

/// The simulated version's interpretation of filters.
[[nodiscard]] filter_terms filter_terms_of(const context& at, const variables& names);
[[nodiscard]] filter_node filter_for_targeting(const context& at, const document& filter,
                                               const variables& names = {});

/// Rejects the skip of a find or a count, and the limit of a find, below zero (mongo:
/// query/find_command.idl, count_command.idl: gte 0; before 5.0 a find is read by
/// query_request.cpp, validate). Throws command_failure (51024, bad_value).
void check_counts(const context& at, const document& command);

/// Records on each shard that a command reached it.
void note_reached(context& at, const std::set<shard_index>& shards, std::string_view command);

/// Updates numHostsTargeted for a command that went to `targeted` shards.
void note_hosts(context& at, const std::string& ns, counted_command command,
                std::size_t targeted);

/// The command's own collation, or else the collection's.
[[nodiscard]] collating collation_of(const context& at, const std::string& ns,
                                     const document& arguments);

}  // namespace scattergate::sim
