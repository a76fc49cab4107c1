#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// Judges commands by a catalog, including commands with made-up values.
class judge {
 public:
  explicit judge(std::shared_ptr<const routing::catalog> by) : catalog_(std::move(by)) {}

  /// Valid until the next call and as long as the command.
  [[nodiscard]] routing::verdict of(const wire::command& command);

  /// Judges a command with made-up values, whose chunks mean nothing. Its bounds still count: a
  /// complete key goes to one shard, no bounds go to all; for anything between, chunks are
  /// treated as unknown, and so is the fan-out. Verdicts about assigned values of an update are
  /// omitted.
  [[nodiscard]] routing::verdict of_made_up(const wire::command& command);

  [[nodiscard]] const routing::catalog& catalog() const noexcept { return *catalog_; }

 private:
  std::shared_ptr<const routing::catalog> catalog_;
  std::shared_ptr<const routing::catalog> without_chunks_;  ///< created on first use
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch memory_{block_};
};

}  // namespace scattergate::digest
