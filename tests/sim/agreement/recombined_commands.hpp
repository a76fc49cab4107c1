#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/values/value.hpp"

/// Random commands, combined from parts of commands that a real mongos has explained.
namespace scattergate::sim {

/// Makes random commands for one chunk layout. The same seed gives the same commands.
class recombined_commands {
 public:
  /// `layout`: a recorded chunk layout with its cases (see recorded_answers.hpp). The parts
  /// come from the commands of these cases.
  recombined_commands(const document& layout, unsigned seed);

  /// The next random command.
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
  [[nodiscard]] value change(bool may_move);
  [[nodiscard]] array changing_pipeline(bool may_move);
  [[nodiscard]] document write();
  [[nodiscard]] document operation();
  [[nodiscard]] document uncollated_operation();
  [[nodiscard]] document bulk_write();
  [[nodiscard]] document read();
  [[nodiscard]] bool is_of_view(const document& command);
  [[nodiscard]] array view_pipeline();
  [[nodiscard]] document statement();
  [[nodiscard]] document collated(document command);
  [[nodiscard]] value scalar();

  std::mt19937 random_;
  std::vector<field> parts_;  ///< conditions, each with its field's or operator's name
  std::vector<document> stages_;
  std::vector<value> scalars_;
  std::vector<std::string> paths_;  ///< the fields of the shard key
  bool is_series_ = false;
  bool takes_let_ = false;  ///< the command may have variables
  bool names_let_ = false;  ///< an `$expr` of the command uses a variable
};

}  // namespace scattergate::sim
