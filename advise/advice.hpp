#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/evaluation.hpp"
#include "advise/key_score.hpp"
#include "advise/shard_key.hpp"

namespace scattergate::advise {

/// A shape (a command without its values) whose commands would ask fewer or more shards with a
/// candidate key than today.
struct shape_change {
  std::string command;                       ///< the command's name
  std::string shape;                         ///< the shape as JSON
  std::uint64_t shape_hash = 0;              ///< the shape's hash
  double commands = 0;                       ///< number of commands
  routing::routing_class before{}, after{};  ///< the worst class of the commands: today, and
                                             ///< with the candidate key
  double asked_before = 0, asked_after = 0;  ///< shards per command, on average
};

/// The shapes whose commands ask fewer shards with a candidate key than today
/// (candidate::better), or more shards (candidate::worse). Omits shapes that change by less
/// than 0.05 shards per command.
struct shape_changes {
  static constexpr std::size_t most = 10;  ///< the maximum number of listed shapes

  std::vector<shape_change> listed;  ///< the first `most` shapes, largest change first: by the
                                     ///< change per command, times the number of commands
  std::size_t all = 0;               ///< number of shapes, including those beyond `most`
};

/// The risk of a jumbo chunk: that the documents with one key value exceed the maximum size of
/// a chunk. High: one value has more than one shard's share of the new documents, or there are
/// fewer values than shards. Low: one value has more than 1 % of the new documents. Unknown: no
/// values were seen. If there are few new documents, all requests are counted instead.
enum class jumbo_risk : std::uint8_t { none, low, high, unknown };
/// The risk's name in JSON and text.
[[nodiscard]] std::string_view label(jumbo_risk of) noexcept;

/// A reason why a key isn't safe (docs/advise.md, "Safe").
struct objection {
  std::string_view label;  ///< a short name for a table: "hot value"
  std::string text;        ///< a clause for a sentence: "its most common value gets ..."
};

/// One candidate key, and the key's effect on the traffic. The held-out traffic is the last
/// fifth of the time (time_window). Keys are ranked by the earlier traffic, and tested on the
/// held-out traffic.
struct candidate {
  shard_key key;      ///< the key's fields
  key_origin from{};  ///< why the key is a candidate
  measures all;       ///< the key's effect on all traffic
  /// The score by which the key is ranked: in the traffic before the held-out part, or in all
  /// traffic if fewer than 50 commands are held out.
  key_score worth;
  /// The key's score in the held-out traffic alone; empty: fewer than 50 commands are held out.
  std::optional<key_score> held_out_worth;
  bool is_hot = false;  ///< `worth` or `held_out_worth` is hot (key_score::is_hot()): one shard
                        ///< is likely to get more than its share of the requests
  /// The key's effect on the held-out traffic; empty: no time is held out, because all known
  /// times are equal, or none is known.
  std::optional<measures> held_out;
  /// Whether the key is better than the present key: `beats_present_held_out` in the held-out
  /// traffic, `beats_present` by `worth`. Both are empty for the present key itself, and if the
  /// collection isn't sharded. `beats_present_held_out` is also empty without `held_out_worth`.
  std::optional<bool> beats_present_held_out, beats_present;
  std::vector<std::string> forbidden;  ///< names of unique indexes that the key would forbid
  bool are_indexes_known = false;      ///< if false, `forbidden` and `is_unique` are unknown
  bool is_unique = false;  ///< a unique index has exactly the key's fields, in the same order
  /// `better`: the shapes that ask fewer shards than today. `worse`: the shapes that ask more.
  shape_changes better, worse;
  /// Commands that mongos would refuse with this key, but doesn't refuse today.
  double new_refused = 0;
  /// Commands that would scatter with this key, but don't today. If every command of a shape
  /// would ask all shards, all of them count: also those whose filter narrows the key's range,
  /// but excludes no shard.
  double new_scatters = 0;
  jumbo_risk jumbo = jumbo_risk::unknown;  ///< the risk of too large chunks
  /// The correlation of the first field's values with their order of arrival, -1 to 1; 0 if the
  /// field is hashed; empty: unknown.
  std::optional<double> monotonicity;
  bool is_monotonic = false;  ///< the first field isn't hashed, and its values grow
                              ///< or shrink over time
  /// Other collections that this key would suit ("db.collection"): for each field of the key,
  /// at least half of their commands pin the field to single values.
  std::vector<std::string> colocated;
  std::vector<std::string> next;  ///< mongosh commands that analyze the key and, if it is safe,
                                  ///< apply it; see next_steps()
  bool is_safe = false;           ///< there is no objection to the key
  std::vector<objection> not_safe;  ///< why `is_safe` is false, worst first
};

/// The advice on one collection's shard key.
struct collection_advice {
  std::string name_space;             ///< "db.collection"
  std::optional<shard_key> present;   ///< empty: the collection isn't sharded
  std::vector<candidate> candidates;  ///< best first
  std::vector<std::string> unknown;   ///< sentences: what is unknown, and how to provide it
  double commands = 0;                ///< number of commands
  /// The shard requests beyond the first of each command, with the present key; the sum over
  /// all commands.
  double wasted = 0;
  /// The times of the first and last command; empty: unknown.
  std::optional<digest::wall_time> from, to;
  /// Commands from this time on are held out; empty: none.
  std::optional<digest::wall_time> held_out_from;
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

/// What is known to be missing in the input.
struct input_gaps {
  bool is_findings_only = false;  ///< a source is an audit log, which has findings only
  bool has_fleet = false;  ///< a source is the database of a fleet (many daemons), which has no
                           ///< statistics of values
  bool has_several_salts = false;  ///< sketches (statistics of values) were hashed with
                                   ///< different salts, so they can't be added up
  std::uint64_t truncated = 0;     ///< log lines that were truncated
  std::uint64_t redacted = 0;      ///< log entries without values or names
  std::optional<std::chrono::milliseconds> threshold;  ///< a source logged only commands that
                                                       ///< took at least this long; empty: all
                                                       ///< were logged
  std::uint64_t evicted_rows = 0;  ///< shapes that were evicted from a full table
};

}  // namespace scattergate::advise
