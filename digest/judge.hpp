#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// Judges commands by a catalog, including commands with made-up values. Thread-safety: one
/// thread at a time.
class judge {
 public:
  /// Judges by `catalog`, which must not be null.
  explicit judge(std::shared_ptr<const routing::catalog> catalog)
      : catalog_(std::move(catalog)) {}

  /// Judges a command. The verdict is valid until the next call, but not longer than the
  /// command.
  [[nodiscard]] routing::verdict verdict_of(const wire::command& command);

  /// Judges a command with made-up values. The chunks that contain these values mean nothing,
  /// so the verdict depends on the kind of bounds only: the command asks one shard if it pins
  /// the whole key, all shards if it doesn't bound the key, and an unknown number in any other
  /// case. Ignores the values that an update assigns.
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
