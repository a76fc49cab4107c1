#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/command.hpp"

namespace scattergate::bench {

/// A document sequence to send with a request: a name and one JSON text per document.
struct json_sequence {
  std::string_view name;
  std::vector<std::string> documents;
};

/// A request as a driver sends it to a mongos: one OP_MSG, with a session and a cluster time.
/// Also has the parsed command. Thread-safety: immutable.
class request {
 public:
  /// `fields`: the command's fields as Extended JSON, without the enclosing braces. `sequence`:
  /// documents to send in a sequence; without documents, there is none. Throws
  /// std::invalid_argument for invalid JSON, and another exception if the fields aren't a
  /// command.
  explicit request(std::string_view fields, const json_sequence& sequence = {},
                   std::string_view database = "bench");
  request(request&&) = default;

  /// The whole message.
  [[nodiscard]] std::span<const std::byte> message() const noexcept { return message_; }
  /// The message's header.
  [[nodiscard]] const wire::message_header& header() const noexcept { return header_; }
  /// The command, as the daemon parses it from the message.
  [[nodiscard]] const wire::command& command() const noexcept { return command_; }

 private:
  std::vector<std::byte> message_;
  wire::message_header header_;
  wire::command command_;  // has views of message_
};

}  // namespace scattergate::bench
