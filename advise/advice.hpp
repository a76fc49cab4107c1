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

/// A shape that another key makes better or worse.
struct shape_change {
  std::string command;
  std::string shape;  ///< JSON
  std::uint64_t shape_hash = 0;
  double commands = 0;
  routing::routing_class before{}, after{};
  double asked_before = 0, asked_after = 0;  ///< shards, on average
};

/// Shapes by what becomes of them: the first, those with most to gain or lose; and how many.
struct shape_changes {
  static constexpr std::size_t most = 10;

  std::vector<shape_change> first;
  std::size_t all = 0;
};

/// Whether one value may take more than a chunk can hold.
enum class jumbo_risk : std::uint8_t { none, low, high, unknown };
[[nodiscard]] std::string_view label(jumbo_risk of) noexcept;

/// One key, and what it would make of the traffic.
struct candidate {
  shard_key key;
  key_origin from{};
  measures all;
  merit worth;  ///< in what is held out, where enough is: by this it is ranked; else in all
  bool is_hot = false;  ///< in what is held out, or in what came before it
  std::optional<measures> held_out;
  /// Whether it beats the present key in what is held out, and in what came before; nothing:
  /// not known.
  std::optional<bool> beats_held_out, beats_earlier;
  std::vector<std::string> forbidden;  ///< unique indexes
  bool are_indexes_known = false;
  shape_changes better, worse;
  double new_scatters = 0;  ///< commands that ask every shard, and don't under the present key
  jumbo_risk jumbo = jumbo_risk::unknown;
  std::optional<double> monotonicity;
  bool is_monotonic = false;
  std::vector<std::string> colocated;  ///< collections whose commands pin the same fields
  std::vector<std::string> next;       ///< for mongosh
  bool is_safe = false;
  std::vector<std::string> not_safe;  ///< why
};

struct collection_advice {
  std::string name_space;
  std::optional<shard_key> present;   ///< nothing: it isn't sharded
  std::vector<candidate> candidates;  ///< the best first
  std::vector<std::string> unknown;   ///< what isn't known, and what to switch on
  double commands = 0;
  std::optional<digest::wall_time> from, to;
  std::optional<digest::wall_time> held_out_from;
};

struct advice {
  std::vector<collection_advice> collections;
  std::size_t shards = 3;
  routing::server_version version;
};

/// What is asked for.
struct question {
  std::string name_space;  ///< one collection; empty: all
  std::vector<shard_key> named;
  std::size_t shards = 3;
};

/// What the sources leave out, as far as they say.
struct knowledge {
  bool is_findings_only = false;  ///< an audit log's lines are among them
  bool has_digests = false;       ///< what a proxy has counted is among them
  bool has_query_stats = false;
  std::uint64_t truncated = 0;                         ///< lines
  std::uint64_t redacted = 0;                          ///< lines
  std::optional<std::chrono::milliseconds> threshold;  ///< only slower commands were logged
  std::uint64_t evicted_rows = 0;
};

}  // namespace scattergate::advise
