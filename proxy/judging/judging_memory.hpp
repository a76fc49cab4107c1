#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "routing/scratch.hpp"

namespace scattergate::proxy {

/// The scratch memory of a thread that judges commands. Judging a command overwrites the
/// results of the previous one.
class judging_memory {
 public:
  judging_memory() = default;
  judging_memory(const judging_memory&) = delete;
  judging_memory& operator=(const judging_memory&) = delete;

  /// The memory for computing the verdict. The verdict points into this memory.
  [[nodiscard]] routing::scratch& verdict() noexcept { return verdict_; }
  /// The memory for all that is computed while the verdict is still needed, such as the shape.
  [[nodiscard]] routing::scratch& shape() noexcept { return shape_; }

 private:
  using block = std::unique_ptr<std::byte[]>;
  static block make_block() {
    return std::make_unique_for_overwrite<std::byte[]>(routing::scratch_bytes);
  }

  block verdict_block_ = make_block();
  block shape_block_ = make_block();
  routing::scratch verdict_{{verdict_block_.get(), routing::scratch_bytes}};
  routing::scratch shape_{{shape_block_.get(), routing::scratch_bytes}};
};

}  // namespace scattergate::proxy
