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

/// Judges what was judged before by another catalog, without the commands themselves: a command
/// is made up of each row's shape, which is never taken for narrower than those that it counts,
/// but where a filter named a field twice. Where that can't be done, the row keeps the verdict
/// that it has.
class second_judge {
 public:
  explicit second_judge(std::shared_ptr<const routing::catalog> by);

  enum class outcome : std::uint8_t {
    stands,      ///< by this catalog too: the collection is the same to it
    judged,      ///< the row's description, classes and shard requests are by this catalog
    not_judged,  ///< no command can be made of the row
  };
  /// Judges a row again.
  [[nodiscard]] outcome judge_again(row& of);

  /// Judges all rows of a table again, and corrects their totals. Counts without a row stay as
  /// they are. `told` is called for each row.
  [[nodiscard]] table judge_again(const table& of,
                                  const std::function<void(const row&, outcome)>& told);

 private:
  [[nodiscard]] bool is_sharded(const row& of) const;
  [[nodiscard]] bool is_same_collection(const row& of) const;

  std::shared_ptr<const routing::catalog> catalog_;
  judge judge_;
  std::vector<std::byte> shape_block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch shape_memory_{shape_block_};
};

}  // namespace scattergate::digest
