#pragma once

#include <optional>

#include "digest/row.hpp"
#include "digest/sketch/salt.hpp"
#include "digest/sketch/sketch_table.hpp"
#include "routing/catalog/catalog.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// Counts whole commands in sketches, for who has them: a reader of logs and captures.
class command_sketches {
 public:
  /// Both must outlive it; `into` is of this salt.
  command_sketches(sketch_table& into, const salt& by) : into_(into), salt_(by) {}

  /// Counts the values of a command; of a collection that comes first, its shard key's fields
  /// by `catalog` get their places first. `at`: when it came; nothing: not known.
  void count(const wire::command& command, const routing::catalog& catalog,
             std::optional<wall_time> at);

 private:
  sketch_table& into_;
  const salt& salt_;
};

}  // namespace scattergate::digest
