#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/sources/observation.hpp"
#include "wire/bson.hpp"
#include "wire/compressed.hpp"
#include "wire/header.hpp"

namespace scattergate::report {

/// State that all conversations (connections) of a capture share: a decompressor, and the
/// commands that opened cursors. The cursors are shared, because a driver may send a getMore on
/// another connection of its pool.
class conversation_parts {
 public:
  /// `to`: receives the capture's commands; must outlive this object.
  explicit conversation_parts(observer& to) : receiver(to) {}

  /// The command that opened a cursor, as BSON; empty: unknown. Valid until opened().
  [[nodiscard]] const std::vector<std::byte>& opener_of(std::int64_t cursor) const;
  /// Remembers the command `opener`, which opened a cursor. Forgets the oldest commands if
  /// there are too many, or if they take too many bytes.
  void opened(std::int64_t cursor, const std::vector<std::byte>& opener);

  observer& receiver;
  wire::decompressor decompressor;
  std::vector<std::byte> block;  ///< the last decompressed message

 private:
  std::unordered_map<std::int64_t, std::vector<std::byte>> openers_;
  std::deque<std::int64_t> order_;  ///< oldest first
  std::size_t opener_bytes_ = 0;
};

/// The messages of one connection in both directions. Reports each command together with the
/// result from its reply.
class conversation {
 public:
  /// `remote`: the client's address. `parts` must outlive this object.
  conversation(conversation_parts& parts, std::string remote);

  /// Reads the next complete message, from either side, captured at `at`. The observer counts
  /// unreadable messages, and commands with credentials, as skipped.
  void receive(std::span<const std::byte> message, digest::wall_time at);

  /// Reports the requests that have had no reply. Their results stay unknown. Call this when
  /// the connection ends.
  void finish();

  /// Memory held for requests without a reply, in bytes.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }

 private:
  /// A request that waits for its reply.
  struct asked {
    observation what;
    digest::wall_time at;
    [[nodiscard]] std::size_t bytes() const noexcept;
  };

  [[nodiscard]] std::span<const std::byte> unpacked(const wire::message_header& header,
                                                    std::span<const std::byte> message);
  void take_request(const wire::message_header& header, std::span<const std::byte> message,
                    digest::wall_time at);
  void take_reply(const wire::message_header& header, std::span<const std::byte> message,
                  digest::wall_time at);
  void learn_who(wire::document_view hello);
  [[nodiscard]] asked& await_reply(std::int32_t request, digest::wall_time at);

  conversation_parts& parts_;
  digest::caller who_;
  std::unordered_map<std::int32_t, asked> asked_;
  std::size_t held_bytes_ = 0;  ///< of asked_, in bytes
};

}  // namespace scattergate::report
