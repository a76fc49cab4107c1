#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sim/programs/demo/driver.hpp"
#include "sim/values/value.hpp"

/// The data that the demo's traffic uses: the database of Yorkie, a collaborative editing
/// server. The data is identical in every run with the same seed.
namespace scattergate::sim::demo {

/// The database that the demo writes to.
inline constexpr const char* database_name = "yorkie-meta";
/// The owner of every project that the demo creates. The name distinguishes the demo's data
/// from data of other origin.
inline constexpr const char* owner_name = "scattergate-demo";

/// A reproducible source of random choices. Thread-safety: one thread at a time.
class dice {
 public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  /// A number from 0 to bound - 1, uniformly distributed. REQUIRES: bound > 0.
  [[nodiscard]] std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(engine_() % bound);
  }
  /// A number from 0 to bound - 1; low numbers are more frequent. For uneven data: a few
  /// projects have most documents. REQUIRES: bound > 0.
  [[nodiscard]] std::size_t skewed_below(std::size_t bound) { return below(below(bound) + 1); }
  /// A random id from the whole range of ObjectIds, as if ids came from many years.
  [[nodiscard]] object_id id();

 private:
  std::mt19937_64 engine_;
};

/// A project of Yorkie, to which documents and clients belong.
struct project {
  object_id id;
  std::string public_key;
};

/// A document or a client of Yorkie. `project` and `id` identify it in the database; `key` is
/// the name that users see.
struct entity {
  object_id project;
  object_id id;
  std::string key;
};

/// A stored revision of a document. `id` identifies the revision.
struct revision {
  object_id project;
  object_id document;
  object_id id;
};

/// All data of the demo.
struct dataset {
  std::vector<project> projects;
  std::vector<entity> documents;
  std::vector<entity> clients;
  std::vector<revision> revisions;
};

/// Creates the data for a seed, in memory only.
[[nodiscard]] dataset make_dataset(std::uint64_t seed);

/// Checks that all projects in the database are the demo's own, because the demo must not
/// write to other data. Throws driver_error if the database has projects of other owners.
void check_ownership(client& cluster);

/// Shards the demo's collections by the shard keys of Yorkie v0.6.38, the application whose
/// database the demo imitates. Throws driver_error.
void shard_collections(client& cluster);

/// Inserts the data into the database. Does nothing if an earlier run has inserted all of it;
/// completes an earlier run that was interrupted. Throws driver_error.
void seed(client& cluster, const dataset& data);

}  // namespace scattergate::sim::demo
