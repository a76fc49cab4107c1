#pragma once

#include <string>
#include <string_view>

#include "config/text/input.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/text_tree.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// The maximum number of chunks in a catalog file, over all its collections.
inline constexpr std::size_t max_chunks = 2'000'000;

/// The maximum length of a line in a chunksFile, in bytes. A chunksFile has one chunk per line;
/// a catalog file names it.
inline constexpr std::size_t max_chunk_line_bytes = 1UL << 20;

/// Reads a collection's chunks (ranges of shard keys) from a catalog file or a chunksFile. The
/// functions add them to the collection that was added to the catalog_builder last, up to
/// max_chunks over all successful calls.
class chunk_reader {
 public:
  /// `builder` must outlive this object.
  explicit chunk_reader(routing::catalog_builder& builder) : builder_(builder) {}

  /// Reads a list of chunks in a catalog file. On failure, adds a problem and returns false.
  bool read_list(const text_tree::node& chunks, problem_log& problems);

  /// Reads the chunksFile `path` line by line, without holding it in memory. `named_at`: the
  /// line of the catalog file that names `path`. On failure, adds a problem and returns false.
  bool read_file(const std::string& path, std::size_t named_at, problem_log& problems);

 private:
  /// Adds one chunk.
  [[nodiscard]] text::result<void> add(const text_tree::node& chunk);
  [[nodiscard]] text::result<void> add_line(const line_reader& from);

  routing::catalog_builder& builder_;
  std::size_t chunks_ = 0;
};

}  // namespace scattergate::config
