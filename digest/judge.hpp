#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// Judges commands by a catalog, those with made-up values as well.
class judge {
 public:
  explicit judge(std::shared_ptr<const routing::catalog> by) : catalog_(std::move(by)) {}

  /// Valid until the next call, as long as the command is.
  [[nodiscard]] routing::verdict of(const wire::command& command);

  /// Of a command whose values are made up: which chunks they lie in says nothing. The bounds
  /// stand: a whole key goes to one shard, no bounds to all; what lies between is judged as if
  /// nobody knew the chunks, so that its fan-out isn't known either. What is said of the values
  /// that an update assigns is left out.
  [[nodiscard]] routing::verdict of_made_up(const wire::command& command);

  [[nodiscard]] const routing::catalog& catalog() const noexcept { return *catalog_; }

 private:
  std::shared_ptr<const routing::catalog> catalog_;
  std::shared_ptr<const routing::catalog> without_chunks_;  ///< made when it is wanted
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch memory_{block_};
};

}  // namespace scattergate::digest
