#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "proxy/judging/long_work.hpp"
#include "proxy/judging/unpacker.hpp"
#include "proxy/settings.hpp"
#include "routing/shape/shape.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::proxy {

/// A complete message, parsed for judging: the message's command, or why it has none.
struct message_reading {
  wire::op_msg parsed;  ///< set if the message is a readable OP_MSG
  /// Whether the checksum is correct. Empty if the message isn't a readable OP_MSG, has no
  /// checksum, or is too large to verify the checksum in one step.
  std::optional<bool> has_good_checksum;
  /// The command, or why the message has none.
  wire::result<wire::command> command = wire::wire_errc::bad_bson;

  /// Parses an uncompressed message. Verifying a checksum uses up some of `work`. The result
  /// points into `message`.
  [[nodiscard]] static message_reading of(const wire::message_header& header,
                                          std::span<const std::byte> message,
                                          wire::work_budget& work) noexcept;
};

/// Computes the verdict and shape of a large message, on another thread than the worker's. The
/// inspector then applies the rules and counts the command on the worker's thread.
/// Thread-safety: one thread at a time.
class large_judgement final : public long_work {
 public:
  /// The maximum size, in bytes, of a message that is judged on the worker's own thread.
  /// Judging such a message takes 2 ms at most.
  static constexpr std::size_t max_bytes_on_worker = 64UL * 1024;

  /// `message`: the uncompressed message; must stay in place for this object's lifetime.
  /// `wire_bytes`: the number of bytes that the client has sent for this message, compressed
  /// or not; limits the work. `current`: the current settings. `own`: the block that contains
  /// `message`; null: another object owns the bytes.
  large_judgement(const wire::message_header& header, std::span<const std::byte> message,
                  std::size_t wire_bytes, std::shared_ptr<const settings> current,
                  budgeted_block own = nullptr)
      : header_(header),
        message_(message),
        own_(std::move(own)),
        work_(wire::work_budget::for_message(message.size(), wire_bytes)),
        initial_settings_(std::move(current)) {}

  [[nodiscard]] bool advance(judging_memory& memory) noexcept override;

  [[nodiscard]] const wire::message_header& header() const noexcept { return header_; }
  [[nodiscard]] std::span<const std::byte> message() const noexcept { return message_; }
  /// The settings by which the message is judged.
  [[nodiscard]] const std::shared_ptr<const settings>& initial_settings() const noexcept {
    return initial_settings_;
  }

  /// The parsed message. REQUIRES: the work has completed.
  [[nodiscard]] const message_reading& reading() const noexcept { return reading_; }
  /// The command's verdict; points into the memory passed to advance(). REQUIRES: the work has
  /// completed, and reading() has a command.
  [[nodiscard]] const routing::verdict& verdict() const noexcept { return verdict_; }
  /// The command's shape; points into the memory passed to advance(). REQUIRES: the work has
  /// completed, and reading() has a command.
  [[nodiscard]] const routing::hashed_shape& shape() const noexcept { return shape_; }
  /// The CPU time that judging took. REQUIRES: the work has completed.
  [[nodiscard]] std::chrono::nanoseconds took() const noexcept { return took_; }

 private:
  wire::message_header header_;
  std::span<const std::byte> message_;
  budgeted_block own_;
  wire::work_budget work_;
  std::shared_ptr<const settings> initial_settings_;
  message_reading reading_;
  routing::verdict verdict_;
  routing::hashed_shape shape_;
  std::chrono::nanoseconds took_{0};
};

}  // namespace scattergate::proxy
