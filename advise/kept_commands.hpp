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

/// A sample of commands with their values. Keeps all commands until they exceed a size limit.
/// Then halves the samples of the shapes that use most memory, repeatedly, until all samples
/// use less than three quarters of the limit. (A shape is a command without its values.) A
/// reproducible pseudo-random sequence chooses the commands that remain.
class kept_commands {
 public:
  /// The default size limit, in bytes.
  static constexpr std::size_t default_bytes = 64UL << 20;
  /// The maximum size of a kept command, in bytes. Longer commands are only counted; most of
  /// them are batches of documents.
  static constexpr std::size_t most_of_one = 64UL << 10;

  /// One kept command.
  struct command {
    std::vector<std::byte> body;          ///< BSON, without arguments that don't affect routing
    std::optional<digest::wall_time> at;  ///< empty: unknown
    std::uint64_t order = 0;  ///< the command's position among all offered commands, not
                              ///< counting those above `most_of_one`
  };
  /// The sample of one shape.
  struct of_shape {
    std::vector<command> commands;  ///< the kept commands
    std::uint64_t seen = 0;         ///< number of commands offered, whether kept or not
    std::uint64_t too_long = 0;     ///< number of offered commands above `most_of_one`
    std::size_t bytes = 0;          ///< memory of `commands`
    /// Each command has a pseudo-random number. Commands with a greater number than this are
    /// dropped.
    std::uint64_t keep_up_to = ~std::uint64_t{0};
  };

  /// `max_bytes`: the limit for the memory of all samples.
  explicit kept_commands(std::size_t max_bytes = default_bytes) : max_bytes_(max_bytes) {}

  /// Offers a command to the sample of its shape; copies it if it is kept. A command above
  /// `most_of_one` is only counted.
  void keep(std::uint64_t shape_hash, wire::document_view body,
            std::optional<digest::wall_time> at);

  /// A shape's sample; null if none of its commands were offered.
  [[nodiscard]] const of_shape* find(std::uint64_t shape_hash) const noexcept;
  /// The memory of all samples, in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  void make_room();
  void halve(of_shape& one);

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t taken_ = 0;  // commands offered that weren't too long
  std::unordered_map<std::uint64_t, of_shape> shapes_;
};

}  // namespace scattergate::advise
