#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "digest/judge.hpp"
#include "digest/row.hpp"
#include "digest/table.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"

namespace scattergate::digest {

/// Judges rows again by another catalog, to show the effect of other shard keys. The original
/// commands are gone, so this class makes up a command from each row's shape. The new verdict
/// never has fewer shards than an original command would ask, except if a filter has a field
/// twice. If no command can be made up, the row keeps its verdict. Thread-safety: one thread at
/// a time.
class second_judge {
 public:
  /// Judges by `catalog`, which must not be null.
  explicit second_judge(std::shared_ptr<const routing::catalog> catalog);

  /// The effect of judge_again() on a row.
  enum class outcome : std::uint8_t {
    stands,      ///< the old verdict holds, because the catalog doesn't affect it: for example,
                 ///< the command touches only a collection whose shard key is unchanged
    judged,      ///< description, classes and shard requests were recomputed
    not_judged,  ///< the old verdict was kept, because no command that represents the row's
                 ///< commands can be made up
  };
  /// Judges a row again, and replaces its verdict if the result is `judged`.
  [[nodiscard]] outcome judge_again(row& of);

  /// Judges all rows of a table again. Returns a table with the new rows and totals. Counts of
  /// commands without a row stay. Calls `on_row` with each row of the result and the outcome of
  /// judging it.
  [[nodiscard]] table judge_again(const table& of,
                                  const std::function<void(const row&, outcome)>& on_row);

 private:
  [[nodiscard]] bool is_sharded(const row& of) const;
  [[nodiscard]] bool is_same_collection(const row& of) const;

  std::shared_ptr<const routing::catalog> catalog_;
  judge judge_;
  std::vector<std::byte> shape_block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch shape_memory_{shape_block_};
};

}  // namespace scattergate::digest
