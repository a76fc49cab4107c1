#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "digest/row.hpp"
#include "wire/bson.hpp"

namespace scattergate::advise {

/// Whole commands beside the rows that count them: what a shape doesn't tell, values, is in
/// them. All of them up to so many bytes; beyond, of the shapes that take most of the room
/// every second command, then every fourth, and so on, chosen by chance that is the same each
/// time.
class kept_commands {
 public:
  static constexpr std::size_t default_bytes = 64UL << 20;
  /// What is longer isn't kept: a batch of documents, mostly.
  static constexpr std::size_t most_of_one = 64UL << 10;

  struct command {
    std::vector<std::byte> body;  ///< BSON, without what has no part in routing
    std::optional<digest::wall_time> at;
    std::uint64_t order = 0;  ///< in which commands came
  };
  struct of_shape {
    std::vector<command> commands;
    std::uint64_t seen = 0;      ///< kept or not
    std::uint64_t too_long = 0;  ///< of these
    std::size_t bytes = 0;
    std::uint64_t highest =
        ~std::uint64_t{0};  ///< which commands stay: no higher lot than this
  };

  explicit kept_commands(std::size_t max_bytes = default_bytes) : max_bytes_(max_bytes) {}

  /// Takes a command of the row with that shape hash.
  void keep(std::uint64_t shape_hash, wire::document_view body,
            std::optional<digest::wall_time> at);

  /// Null where none was taken.
  [[nodiscard]] const of_shape* find(std::uint64_t shape_hash) const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  void make_room();
  void halve(of_shape& one);

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t taken_ = 0;
  std::unordered_map<std::uint64_t, of_shape> shapes_;
};

}  // namespace scattergate::advise
