#pragma once

#include <string>
#include <string_view>

#include "config/text/input.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/text_tree.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// More chunks than a catalog may list, over all its collections.
inline constexpr std::size_t max_chunks = 2'000'000;

/// The longest line of a chunksFile.
inline constexpr std::size_t max_chunk_line_bytes = 1UL << 20;

/// Brings chunks to the collection that a catalog_builder was given last.
class chunk_reader {
 public:
  explicit chunk_reader(routing::catalog_builder& builder) : builder_(builder) {}

  /// Reads the list that a catalog file holds. False where a problem was added.
  bool read_list(const text_tree::node& chunks, problem_log& problems);

  /// Streams a file of one chunk a line. `named_at` is where the catalog names the file.
  /// False where a problem was added.
  bool read_file(const std::string& path, std::size_t named_at, problem_log& problems);

 private:
  /// Adds one chunk.
  [[nodiscard]] text::result<void> add(const text_tree::node& chunk);
  [[nodiscard]] text::result<void> add_line(const line_reader& from);

  routing::catalog_builder& builder_;
  std::size_t chunks_ = 0;
};

}  // namespace scattergate::config
