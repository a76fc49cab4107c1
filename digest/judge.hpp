#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "digest/row.hpp"
#include "digest/table.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// Makes the description of a shape (a command without its values), from one command with this
/// shape and its verdict. `shape_json`: the shape as JSON; empty if unknown. For a batch whose
/// statements a log omits, it is {"statements":"not logged"}. `driver`: the name of the
/// sender's driver, for the advice; empty if unknown. Allocates.
[[nodiscard]] description describe(const routing::verdict& verdict,
                                   const wire::command& command, std::string shape_json,
                                   std::string_view driver = {});

/// Judges commands: predicts by a catalog which shards mongos asks for each. Also judges
/// commands whose values are made up. Thread-safety: one thread at a time.
class judge {
 public:
  /// Judges by `catalog`, which must not be null.
  explicit judge(std::shared_ptr<const routing::catalog> catalog)
      : catalog_(std::move(catalog)) {}

  /// Judges a command. The verdict is valid until the next call, but not longer than the
  /// command.
  [[nodiscard]] routing::verdict verdict_of(const wire::command& command);

  /// Judges a command whose values are made up, so that the chunks which contain them mean
  /// nothing. The verdict depends only on how the filter bounds the shard key. If the filter
  /// pins the whole key to a value, the command asks one shard. If it doesn't bound the key,
  /// the command asks all shards. Otherwise the number of shards is unknown. Ignores the values
  /// that an update assigns. The verdict is valid until the next call, but not longer than the
  /// command.
  [[nodiscard]] routing::verdict verdict_of_made_up(const wire::command& command);

  /// The catalog by which this object judges.
  [[nodiscard]] const routing::catalog& catalog() const noexcept { return *catalog_; }

 private:
  std::shared_ptr<const routing::catalog> catalog_;
  std::shared_ptr<const routing::catalog> without_chunks_;  ///< created on first use
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch memory_{block_};
};

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
