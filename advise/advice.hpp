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

/// A shape whose commands would ask fewer, or more, shards with another key.
struct shape_change {
  std::string command;
  std::string shape;  ///< JSON
  std::uint64_t shape_hash = 0;
  double commands = 0;
  routing::routing_class before{}, after{};
  double asked_before = 0, asked_after = 0;  ///< shards per command, on average
};

/// The shapes that a key makes cheaper, or those that it makes more expensive: the ones with
/// the largest change, and the number of all.
struct shape_changes {
  static constexpr std::size_t most = 10;

  std::vector<shape_change> first;
  std::size_t all = 0;
};

/// Whether the documents with one key value may exceed the size of a chunk.
enum class jumbo_risk : std::uint8_t { none, low, high, unknown };
/// The risk's name in JSON and text.
[[nodiscard]] std::string_view label(jumbo_risk of) noexcept;

/// A reason why a key isn't safe.
struct objection {
  std::string_view label;  ///< for a table: "hot value"
  std::string text;        ///< a clause: "its most common value gets ..."
};

/// One candidate key, and its effect on the traffic.
struct candidate {
  shard_key key;
  key_origin from{};
  measures all;
  merit worth;  ///< for ranking: on the traffic before the held-out part, or on all traffic if
                ///< too little is held out
  std::optional<merit> held_out_worth;  ///< empty: too little is held out
  bool is_hot = false;                  ///< `worth` or `held_out_worth` is hot
  std::optional<measures> held_out;
  /// Whether it beats the present key on the held-out traffic, and on the earlier traffic (on
  /// all traffic if nothing is held out); empty: unknown.
  std::optional<bool> beats_held_out, beats_earlier;
  std::vector<std::string> forbidden;  ///< unique indexes that the key would forbid
  bool are_indexes_known = false;
  bool is_unique = false;  ///< an index is unique on just these fields
  shape_changes better, worse;
  double new_refused = 0;   ///< commands that mongos would refuse, and doesn't today
  double new_scatters = 0;  ///< commands that would scatter and don't today, of a shape that
                            ///< always asks every shard, too
  jumbo_risk jumbo = jumbo_risk::unknown;
  std::optional<double> monotonicity;
  bool is_monotonic = false;
  std::vector<std::string> colocated;  ///< collections whose commands pin the same fields by
                                       ///< equality
  std::vector<std::string> next;       ///< next steps: commands for mongosh; see next_steps()
  bool is_safe = false;
  std::vector<objection> not_safe;  ///< why `is_safe` is false, worst first
};

/// The advice on one collection's shard key.
struct collection_advice {
  std::string name_space;
  std::optional<shard_key> present;   ///< empty: the collection isn't sharded
  std::vector<candidate> candidates;  ///< best first
  std::vector<std::string> unknown;   ///< what is unknown, and what to enable
  double commands = 0;
  double wasted = 0;  ///< shard requests today beyond one per command
  std::optional<digest::wall_time> from, to;
  std::optional<digest::wall_time> held_out_from;
};

/// The advice on all collections.
struct advice {
  std::vector<collection_advice> collections;  ///< those that waste most first
  std::size_t shards = 3;
  routing::server_version version;
};

/// The user's request for advice.
struct question {
  std::string name_space;  ///< one collection; empty: all
  std::vector<shard_key> named;
  std::size_t shards = 3;
};

/// The known gaps of the input.
struct knowledge {
  bool is_findings_only = false;   ///< some input is an audit log, which has findings only
  bool has_fleet = false;          ///< some input is a fleet's database, which has no sketches
  bool has_several_salts = false;  ///< sketches that can't be added up
  std::uint64_t truncated = 0;     ///< lines
  std::uint64_t redacted = 0;      ///< lines
  std::optional<std::chrono::milliseconds> threshold;  ///< only slower commands were logged
  std::uint64_t evicted_rows = 0;
};

}  // namespace scattergate::advise
