#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/values/value.hpp"

/// Commands recombined from the parts of recorded ones.
namespace scattergate::sim {

class recombined_commands {
 public:
  /// Takes the parts of a layout's cases.
  recombined_commands(const document& layout, unsigned seed);

  [[nodiscard]] document next();

 private:
  [[nodiscard]] std::size_t below(std::size_t end);
  [[nodiscard]] bool by_chance(unsigned percent) { return below(100) < percent; }
  template <typename T>
  [[nodiscard]] const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  void take_filter(const document& filter);
  void take_command(const document& command);
  [[nodiscard]] field part();
  [[nodiscard]] field expression_part();
  [[nodiscard]] field constant_part();
  [[nodiscard]] document filter(int depth = 0);
  [[nodiscard]] array branches(int depth);
  [[nodiscard]] array pipeline();
  [[nodiscard]] array joining_pipeline();
  [[nodiscard]] array grouping_pipeline();
  [[nodiscard]] document change();
  [[nodiscard]] document write();
  [[nodiscard]] document operation();
  [[nodiscard]] document uncollated_operation();
  [[nodiscard]] document bulk_write();
  [[nodiscard]] document read();
  [[nodiscard]] value scalar();

  std::mt19937 random_;
  std::vector<field> parts_;  ///< conditions, by the field or operator that they stand under
  std::vector<document> stages_;
  std::vector<value> scalars_;
  std::vector<std::string> paths_;  ///< of the shard key
  bool is_series_ = false;
};

}  // namespace scattergate::sim
