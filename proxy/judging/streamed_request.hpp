#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "proxy/judging/request_view.hpp"
#include "proxy/settings.hpp"
#include "telemetry/memory_budget.hpp"
#include "wire/error.hpp"
#include "wire/header.hpp"
#include "wire/message_digest.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {

/// A large request whose bytes are forwarded as they arrive. Keeps a digest of the message (see
/// wire::message_digest): a smaller command that gets the same verdict. The digest is judged
/// when all bytes have arrived. Its memory is charged to the connection's memory share (its
/// part of limits.memory). If the share is exhausted, the digest is discarded, and the request
/// counts as unreadable.
class streamed_request {
 public:
  /// Starts streaming a request. `current`: the current settings. Null in these cases:
  /// - the request isn't an OP_MSG of more than 64 KiB, or its command's name hasn't arrived;
  /// - the request must be held until it is complete, because a rule rejects or throttles
  ///   commands, or because the command may change the client's identity.
  [[nodiscard]] static std::unique_ptr<streamed_request> begin(
      const request_view& request, const std::shared_ptr<const settings>& current);

  /// `start`: the beginning of the OP_MSG, at least its header and flags. `command`: the
  /// command's name. `current`: the current settings. `memory`: the connection's memory share.
  streamed_request(const wire::message_header& header, std::span<const std::byte> start,
                   std::string_view command, std::shared_ptr<const settings> current,
                   telemetry::memory_share& memory);

  /// Adds the next bytes of the message; the first call's bytes begin with the header.
  /// REQUIRES: all calls together pass at most as many bytes as the header says.
  void feed(std::span<const std::byte> bytes);

  [[nodiscard]] const wire::message_header& header() const noexcept { return header_; }
  /// The message's header and flags.
  [[nodiscard]] std::span<const std::byte> head() const noexcept { return head_; }
  /// The settings that were current when the request began. Their catalog determines which
  /// parts the digest keeps.
  [[nodiscard]] const std::shared_ptr<const settings>& initial_settings() const noexcept {
    return initial_settings_;
  }
  /// The message's digest: the parts of the message that were kept so far.
  [[nodiscard]] const wire::message_digest& digest() const noexcept { return digest_; }

  /// Whether the message's checksum is correct; std::nullopt if the message has none.
  /// REQUIRES: feed() got all bytes.
  [[nodiscard]] std::optional<bool> has_good_checksum() const noexcept;

 private:
  [[nodiscard]] bool make_room(std::size_t bytes);
  void give_up(wire::wire_errc error);
  void take_checksum(std::span<const std::byte> bytes) noexcept;

  wire::message_header header_;
  std::array<std::byte, wire::limits::op_msg_head_bytes> head_{};
  std::shared_ptr<const settings> initial_settings_;
  wire::message_digest digest_;
  telemetry::memory_lease memory_;
  std::optional<wire::running_checksum> checksum_;
  std::uint32_t sent_checksum_ = 0;
  std::size_t at_ = 0;  ///< offset of the next byte in the message
};

}  // namespace scattergate::proxy
