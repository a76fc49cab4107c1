#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "proxy/memory_budget.hpp"
#include "proxy/settings.hpp"
#include "wire/error.hpp"
#include "wire/header.hpp"
#include "wire/message_digest.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {

/// A large request that is passed on while it comes in, and what is kept of it meanwhile. The
/// memory for that comes out of the budget as it is needed; where there is no more, nothing
/// further is kept.
/// Thread-safety: one thread.
class streamed_request {
 public:
  /// REQUIRES: the header of an OP_MSG, and flags that were sent with it.
  streamed_request(const wire::message_header& header, std::uint32_t flags,
                   wire::digest_rules rules, memory_budget& memory,
                   std::shared_ptr<const settings> current)
      : header_(header),
        digest_(std::move(rules)),
        memory_(memory),
        begun_under_(std::move(current)) {
    if ((flags & wire::msg_flag::checksum_present) != 0) checksum_.emplace();
  }

  /// Takes the next bytes, from the header on. REQUIRES: no more than the header says.
  void take(std::span<const std::byte> bytes);

  /// The request's header.
  [[nodiscard]] const wire::message_header& header() const noexcept { return header_; }
  [[nodiscard]] const wire::message_digest& digest() const noexcept { return digest_; }
  /// The settings that its digest's rules come from.
  [[nodiscard]] const std::shared_ptr<const settings>& begun_under() const noexcept {
    return begun_under_;
  }
  /// Why the digest isn't whole, when all of the request was taken.
  [[nodiscard]] wire::wire_errc error() const noexcept { return error_; }

  /// Whether the request was what its checksum says; nothing where it has none.
  /// REQUIRES: all of it was taken.
  [[nodiscard]] std::optional<bool> has_good_checksum() const noexcept;

 private:
  [[nodiscard]] bool make_room(std::size_t bytes);
  void give_up(wire::wire_errc error);
  void take_checksum(std::span<const std::byte> bytes) noexcept;

  wire::message_header header_;
  wire::message_digest digest_;
  memory_budget& memory_;
  std::shared_ptr<const settings> begun_under_;
  std::optional<budget_share> share_;
  std::optional<wire::running_checksum> checksum_;
  std::uint32_t sent_checksum_ = 0;
  wire::wire_errc error_ = wire::wire_errc::bad_bson;  ///< until another is found
  std::size_t at_ = 0;  ///< offset of the next byte in the message
};

}  // namespace scattergate::proxy
