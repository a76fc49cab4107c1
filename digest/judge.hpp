#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

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

}  // namespace scattergate::digest
