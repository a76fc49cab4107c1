#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/catalog_file/chunk_reader.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/text_tree.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::config {

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
