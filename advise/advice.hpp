#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/evaluation.hpp"
#include "advise/merit.hpp"
#include "advise/shard_key.hpp"

namespace scattergate::advise {

/// A shape whose commands would ask fewer or more shards with a candidate key than today.
struct shape_change {
  std::string command;  ///< the command's name
  std::string shape;    ///< the shape as JSON
  std::uint64_t shape_hash = 0;
  double commands = 0;                       ///< number of commands
  routing::routing_class before{}, after{};  ///< the worst class of these commands
  double asked_before = 0, asked_after = 0;  ///< shards per command, on average
};

/// Either the shapes that ask fewer shards with a candidate key than today, or those that ask
/// more.
struct shape_changes {
  static constexpr std::size_t most = 10;

  std::vector<shape_change> listed;  ///< at most `most` shapes, largest change first
  std::size_t all = 0;               ///< number of shapes, including those not in `listed`
};

/// The risk that the documents with one key value exceed the maximum size of a chunk: high if
/// one value has more than a shard's share of the documents, low from 1 % on.
enum class jumbo_risk : std::uint8_t { none, low, high, unknown };
/// The risk's name in JSON and text.
[[nodiscard]] std::string_view label(jumbo_risk of) noexcept;

/// A reason why a key isn't safe (docs/advise.md, "Safe").
struct objection {
  std::string_view label;  ///< for a table: "hot value"
  std::string text;        ///< a clause: "its most common value gets ..."
};

/// One candidate key, and its effect on the traffic. Held-out traffic is the last fifth of the
/// time; see time_window.
struct candidate {
  shard_key key;
  key_origin from{};
  measures all;  ///< of all traffic
  merit worth;   ///< ranks the key: from the traffic before the held-out part, or from all
                 ///< traffic if too little is held out for a test
  std::optional<merit> held_out_worth;  ///< from the held-out traffic; empty: too little
  bool is_hot = false;                  ///< `worth` or `held_out_worth` is hot
  std::optional<measures> held_out;     ///< of the held-out traffic; empty: nothing is held out
  /// Whether the key beats the present key: by `held_out_worth`, and by `worth`. Empty for the
  /// present key itself, and if the collection isn't sharded; `beats_present_held_out` also if
  /// `held_out_worth` is empty.
  std::optional<bool> beats_present_held_out, beats_present;
  std::vector<std::string> forbidden;  ///< names of unique indexes that the key would forbid
  bool are_indexes_known = false;      ///< if false, `forbidden` and `is_unique` are unknown
  bool is_unique = false;              ///< a unique index has exactly the key's fields
  shape_changes better, worse;  ///< shapes that ask fewer shards than today; that ask more
  double new_refused = 0;       ///< commands that mongos would refuse, and doesn't today
  double new_scatters = 0;      ///< commands that would scatter, and don't today. Includes the
                                ///< commands of shapes that would always ask every shard,
                                ///< although they pin a part of the key.
  jumbo_risk jumbo = jumbo_risk::unknown;
  std::optional<double> monotonicity;  ///< of the key's first field; see field_values
  bool is_monotonic = false;           ///< the first field's values grow or shrink over time
  std::vector<std::string> colocated;  ///< other collections that this key would suit: at least
                                       ///< half of their commands pin each of its fields
  std::vector<std::string> next;       ///< mongosh commands to run next; see next_steps()
  bool is_safe = false;
  std::vector<objection> not_safe;  ///< why `is_safe` is false, worst first
};

/// The advice on one collection's shard key.
struct collection_advice {
  std::string name_space;
  std::optional<shard_key> present;   ///< empty: the collection isn't sharded
  std::vector<candidate> candidates;  ///< best first
  std::vector<std::string> unknown;   ///< sentences: what is unknown, and how to provide it
  double commands = 0;
  double wasted = 0;  ///< shard requests with the present key beyond one per command
  std::optional<digest::wall_time> from, to;  ///< of the first and last command; empty: unknown
  std::optional<digest::wall_time> held_out_from;  ///< commands from this time on are held out;
                                                   ///< empty: none
};

/// The advice on all collections.
struct advice {
  std::vector<collection_advice> collections;  ///< most wasted shard requests first
  std::size_t shards = 3;                      ///< the assumed number of shards
  routing::server_version version;             ///< the cluster's version, from the catalog
};

/// The user's request for advice.
struct question {
  std::string name_space;        ///< one collection, "db.collection"; empty: all
  std::vector<shard_key> named;  ///< keys that the user named
  std::size_t shards = 3;        ///< the number of shards to assume
};

/// The known gaps of the input.
struct knowledge {
  bool is_findings_only = false;   ///< a source is an audit log, which has findings only
  bool has_fleet = false;          ///< a source is a fleet's database, which has no sketches
  bool has_several_salts = false;  ///< sketches have different salts, so they can't be added up
  std::uint64_t truncated = 0;     ///< log lines that were truncated
  std::uint64_t redacted = 0;      ///< log entries without values or names
  std::optional<std::chrono::milliseconds> threshold;  ///< a source logged only commands that
                                                       ///< took at least this long; empty: all
  std::uint64_t evicted_rows = 0;  ///< shapes that were evicted from a full table
};

}  // namespace scattergate::advise
