#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "wire/command.hpp"

/// Commands that are expensive to judge, to measure how the time grows with their size. A
/// hostile command repeats a part: earlier versions needed more than linear time in the number
/// of repetitions. An honest command has the largest size that must be judged completely.
namespace scattergate::bench {

/// A command as a whole message: an OP_MSG with a body, and the documents of at most one
/// sequence. Thread-safety: immutable.
class hostile_request {
 public:
  /// `sequence`: the name of the document sequence; empty: no sequence. `documents`: the
  /// sequence's documents, as consecutive BSON.
  hostile_request(std::vector<std::byte> body, std::string_view sequence = {},
                  const std::vector<std::byte>& documents = {});

  /// The size of the whole message, in bytes.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return message_.size(); }
  /// The command in the message. Throws std::invalid_argument if the message has none.
  [[nodiscard]] wire::command command() const;

 private:
  std::vector<std::byte> message_;
};

/// A kind of hostile or honest command.
struct hostile_kind {
  const char* name;
  hostile_request (*make)(std::size_t count);  ///< makes the command with `count` repetitions
  /// The `count` to measure. Hostile: with it, the command fills a message, or one document of
  /// a message. Honest: the largest `count` that must be judged completely.
  std::size_t largest;
  bool is_honest = false;
};

/// All kinds.
[[nodiscard]] const std::vector<hostile_kind>& hostile_kinds();

}  // namespace scattergate::bench
