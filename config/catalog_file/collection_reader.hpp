#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/text/input.hpp"
#include "config/text/map_entries.hpp"
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

/// Reads the collections of a catalog file, with their chunks, into a catalog_builder.
class collection_reader {
 public:
  /// `folder`: the catalog file's folder; the path in a collection's `chunksFile` is relative
  /// to it. `builder` and `problems` must outlive this object.
  collection_reader(routing::catalog_builder& builder, std::string folder,
                    problem_log& problems)
      : builder_(builder), chunks_(builder), folder_(std::move(folder)), problems_(problems) {}

  /// Reads the list of collections of a catalog file. A collection with a problem is added as
  /// unreadable: it doesn't prevent reading the others. Adds a problem only if `value` isn't a
  /// list.
  void read(const text_tree::node& value);

 private:
  struct draft;
  void read_one(const text_tree::node& value);
  static void read_entry(const map_entry& entry, draft& to, problem_log& found);
  void add(draft& from, problem_log& found);
  void read_chunks(const draft& from, problem_log& found);

  routing::catalog_builder& builder_;
  chunk_reader chunks_;
  std::string folder_;
  problem_log& problems_;
};

/// The valid keys of a collection's entry in a catalog file.
[[nodiscard]] std::span<const std::string_view> collection_keys() noexcept;

}  // namespace scattergate::config
