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

/// A sample of complete commands: unlike shapes, these have values. Keeps all commands up to a
/// size limit. At the limit it halves the sample of the largest shape, again and again: about
/// every second of its commands remains, then every fourth, chosen by a reproducible
/// pseudo-random sequence.
class kept_commands {
 public:
  /// The default size limit, in bytes.
  static constexpr std::size_t default_bytes = 64UL << 20;
  /// Longer commands, mostly batches of documents, aren't kept.
  static constexpr std::size_t most_of_one = 64UL << 10;

  /// One kept command.
  struct command {
    std::vector<std::byte> body;  ///< BSON, without arguments that don't affect routing
    std::optional<digest::wall_time> at;
    std::uint64_t order = 0;  ///< position in the order of arrival
  };
  /// The sample of one shape.
  struct of_shape {
    std::vector<command> commands;
    std::uint64_t seen = 0;      ///< commands seen, kept or not
    std::uint64_t too_long = 0;  ///< commands seen that were too long
    std::size_t bytes = 0;
    std::uint64_t highest =
        ~std::uint64_t{0};  ///< only commands with at most this pseudo-random number are kept
  };

  explicit kept_commands(std::size_t max_bytes = default_bytes) : max_bytes_(max_bytes) {}

  /// Offers a command to the sample. Too long ones are only counted.
  void keep(std::uint64_t shape_hash, wire::document_view body,
            std::optional<digest::wall_time> at);

  /// A shape's sample; null if none of its commands were offered.
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
