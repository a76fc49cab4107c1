#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sim/values/value.hpp"

/// The data for the traffic: identical in every run with the same seed.
namespace scattergate::sim::demo {

inline constexpr const char* database_name = "yorkie-meta";
/// The owner of every project created by this program, which identifies its own data.
inline constexpr const char* owner_name = "scattergate-demo";

/// Reproducible random choices.
class dice {
 public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  /// 0 to bound - 1, uniformly. REQUIRES: bound > 0.
  [[nodiscard]] std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(engine_() % bound);
  }
  /// 0 to bound - 1, low ones more often: few projects have many documents.
  [[nodiscard]] std::size_t skewed_below(std::size_t bound) { return below(below(bound) + 1); }
  /// Distributed over the whole key space, like ids of many years.
  [[nodiscard]] object_id id();

 private:
  std::mt19937_64 engine_;
};

struct project {
  object_id id;
  std::string public_key;
};

/// A document or a client: Yorkie's reference key, and its displayed name.
struct entity {
  object_id project;
  object_id id;
  std::string key;
};

struct revision {
  object_id project;
  object_id document;
  object_id id;
};

struct dataset {
  std::vector<project> projects;
  std::vector<entity> documents;
  std::vector<entity> clients;
  std::vector<revision> revisions;
};

[[nodiscard]] dataset make_dataset(std::uint64_t seed);

}  // namespace scattergate::sim::demo
