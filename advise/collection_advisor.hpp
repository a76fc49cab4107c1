#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "advise/advisor.hpp"
#include "advise/shard_key.hpp"
#include "advise/traffic.hpp"

namespace scattergate::advise {

/// The mongosh commands that a user can run next, in order. scattergate only prints them. They
/// analyze `key` and, if `is_safe` and `key` isn't the present key, make it the shard key.
/// Omits commands that the server's `version` doesn't support. `name_space`: "db.collection";
/// without a dot, there are no commands. `present`: the present key; empty if the collection
/// isn't sharded. `is_safe`: the advice has no objection to `key` (candidate::is_safe).
[[nodiscard]] std::vector<std::string> next_steps(std::string_view name_space,
                                                  const std::optional<shard_key>& present,
                                                  const shard_key& key,
                                                  routing::server_version version,
                                                  bool is_safe);

/// Facts that unknowns_of() needs about a collection, besides its traffic.
struct known_facts {
  bool are_indexes_known = false;  ///< the collection's indexes are known
  double sketched = 0;  ///< number of requests counted by the sketches (statistics of values)
                        ///< in use; 0: none are used
  double estimated_share = 0;  ///< the share of commands whose number of shards is an estimate,
                               ///< 0 to 1; the maximum over the evaluated keys
};

/// What is unknown about a collection's traffic, one sentence for each gap. Each sentence also
/// says how to provide the missing data.
[[nodiscard]] std::vector<std::string> unknowns_of(const traffic& sent, const input_gaps& gaps,
                                                   const known_facts& of);

/// The least number of commands on a collection for reliable advice.
inline constexpr double least_commands = 1000;

/// Evaluates and ranks shard keys for one collection. Call add() for each row, then advise(). A
/// row has the counts of one shape; a shape is a command without its values.
class collection_advisor {
 public:
  /// `from` and `asked` must outlive this object. `name`: the collection's name. It must not be
  /// the name of a MongoDB view.
  collection_advisor(const evidence& from, const question& asked, wire::namespace_view name);

  /// Adds a row's counts; the row must outlive this object.
  void add(const digest::row& one) { sent_.add(one); }

  /// Evaluates and ranks the keys. Call it once.
  [[nodiscard]] collection_advice advise();

  /// For each examined field path: the share (0 to 1) of all commands whose filters pin the
  /// field. A filter pins a field if it limits the field to single values by equality (`$eq` or
  /// `$in`). Examined are the fields that filters pin most often, and those of the present and
  /// the named keys. REQUIRES: advise() was called.
  [[nodiscard]] std::map<std::string, double> pinned_shares() const;

 private:
  [[nodiscard]] evaluation_input make_evaluation_input() const;
  [[nodiscard]] std::vector<std::string> touched() const;
  void add_candidates();
  void add_candidate(const shard_key& key, key_origin from);
  void weigh(candidate& one, const evaluation& result);
  void compare_shapes(candidate& one, const evaluation& result) const;
  void describe_values(candidate& one) const;
  void judge_safety(candidate& one, bool has_unknown) const;
  void rank();
  void learn_orders();
  [[nodiscard]] std::optional<value_statistics> statistics_of(const shard_key& key) const;

  const evidence& from_;
  const question& asked_;
  std::string database_, collection_;
  std::string full_name_;
  const std::vector<index>* indexes_ = nullptr;  ///< null: unknown
  traffic sent_;
  std::optional<evaluation_input> input_;
  std::vector<candidate> found_;
  std::optional<shard_key> present_;  // empty: the collection isn't sharded
  // For each row in traffic::rows(): its cost with the present key, or without a key if the
  // collection isn't sharded.
  std::vector<shape_cost> present_costs_;
  std::optional<key_score> present_worth_, present_held_out_;
  bool are_minutes_known_ = false;  // key_values::per_minute is known for at least one key
  // The number of requests that the sketches of a key counted: the maximum over all keys. 0 if
  // commands with values were sampled, or if there are no sketches.
  double sketched_ = 0;
};

}  // namespace scattergate::advise
