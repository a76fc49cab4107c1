#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"

namespace scattergate::routing {

/// Collects the chunks of one collection in any order, checks them and makes a chunk_map. An
/// error message names the chunk's bounds and its number: 1 for the first chunk added.
/// Thread-safety: one thread at a time.
class chunk_list {
 public:
  /// Adds a chunk of the collection `of`. `shard`: the position of the chunk's owner in the
  /// caller's list of shards. Returns an error message if the bounds are invalid; std::nullopt
  /// on success.
  [[nodiscard]] std::optional<std::string> add(const collection& of, wire::document_view min,
                                               wire::document_view max, std::uint32_t shard);

  /// Adds a chunk whose bounds are already encoded. `shard`: the position of the chunk's owner
  /// in the caller's list of shards. REQUIRES: the bounds are valid and encoded by
  /// append_bound().
  void add_encoded(bytes_view min, bytes_view max, std::uint32_t shard);

  /// Sorts the chunks of the collection `of`. Returns an error message if they overlap or leave
  /// a gap between MinKey and MaxKey; std::nullopt on success. REQUIRES: there is a chunk.
  [[nodiscard]] std::optional<std::string> check(const collection& of);

  /// Makes the chunk_map; the caller must then call chunk_map::index(), which computes the
  /// other members. The owners are the `shard` arguments. REQUIRES: check() succeeded.
  [[nodiscard]] chunk_map make() const;

  /// Whether no chunk was added.
  [[nodiscard]] bool is_empty() const noexcept { return chunks_.empty(); }

 private:
  struct slice {  // a range of bytes of pool_
    std::size_t start = 0;
    std::size_t size = 0;
  };
  struct bound {
    slice key;       // encoded
    slice document;  // as given, for messages; empty if only the encoded key was given
  };
  struct chunk {
    bound min;
    bound max;
    std::uint32_t shard;
    std::uint32_t number;
  };

  [[nodiscard]] std::optional<std::string> append(const collection& of,
                                                  wire::document_view from, bound& to);
  [[nodiscard]] bytes_view view(slice of) const noexcept {
    return bytes_view{pool_}.subspan(of.start, of.size);
  }
  [[nodiscard]] std::string text(const bound& of) const;
  [[nodiscard]] std::string text(const chunk& of) const;

  std::vector<std::byte> pool_;
  std::vector<chunk> chunks_;
};

}  // namespace scattergate::routing
