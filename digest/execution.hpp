#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scattergate::digest {

/// A number that a source has of some commands. Mergeable.
struct amounts {
  std::uint64_t commands = 0;  ///< that have it
  std::uint64_t total = 0;
  std::uint64_t most = 0;  ///< of one command

  void add(std::uint64_t value) noexcept;
  void add(const amounts& other) noexcept;

  friend bool operator==(const amounts&, const amounts&) = default;
};

/// How many commands had which text: a plan, an error's name. At most so many texts apart,
/// those that came first, cut; the rest is one number.
class text_counts {
 public:
  static constexpr std::size_t most = 8;
  static constexpr std::size_t most_text = 256;  ///< in bytes

  struct counted {
    std::string text;
    std::uint64_t commands;
    friend bool operator==(const counted&, const counted&) = default;
  };

  void add(std::string_view text, std::uint64_t commands);
  void add(const text_counts& other);
  void add_others(std::uint64_t commands) noexcept { others_ += commands; }

  /// In the order in which they came.
  [[nodiscard]] const std::vector<counted>& all() const noexcept { return counted_; }
  /// The most frequent first. Allocates.
  [[nodiscard]] std::vector<counted> ranked() const;
  [[nodiscard]] std::uint64_t others() const noexcept { return others_; }
  /// What they take beside this; never more than the parts that were added.
  [[nodiscard]] std::size_t bytes() const noexcept;

  friend bool operator==(const text_counts&, const text_counts&) = default;

 private:
  std::vector<counted> counted_;
  std::uint64_t others_ = 0;
};

/// How a server ran a shape's commands, as far as a source says. Mergeable.
struct execution {
  amounts docs_examined;
  amounts reply_bytes;  ///< reslen, responseLength
  text_counts plans;    ///< planSummary
  text_counts errors;   ///< MongoDB's names of the errors that commands ended with

  void add(const execution& other);
  /// What it takes beside this; never more than the parts that were added.
  [[nodiscard]] std::size_t bytes() const noexcept { return plans.bytes() + errors.bytes(); }

  friend bool operator==(const execution&, const execution&) = default;
};

}  // namespace scattergate::digest
