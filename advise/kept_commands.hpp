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

/// A sample of complete commands, which have the values that a shape lacks. Keeps all commands
/// up to a size limit. Beyond that it thins out the largest shapes: it keeps every second of
/// their commands, then every fourth, and so on, selected by a reproducible pseudo-random
/// sequence.
class kept_commands {
 public:
  static constexpr std::size_t default_bytes = 64UL << 20;
  /// Longer commands, mostly batches of documents, aren't kept.
  static constexpr std::size_t most_of_one = 64UL << 10;

  struct command {
    std::vector<std::byte> body;  ///< BSON, without arguments that don't affect routing
    std::optional<digest::wall_time> at;
    std::uint64_t order = 0;  ///< position in the order of arrival
  };
  struct of_shape {
    std::vector<command> commands;
    std::uint64_t seen = 0;      ///< commands seen, kept or not
    std::uint64_t too_long = 0;  ///< commands seen that were too long
    std::size_t bytes = 0;
    std::uint64_t highest =
        ~std::uint64_t{0};  ///< commands with a higher pseudo-random number are discarded
  };

  explicit kept_commands(std::size_t max_bytes = default_bytes) : max_bytes_(max_bytes) {}

  /// Offers a command of the row with this shape hash.
  void keep(std::uint64_t shape_hash, wire::document_view body,
            std::optional<digest::wall_time> at);

  /// The commands kept for a shape; null if none were offered.
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
