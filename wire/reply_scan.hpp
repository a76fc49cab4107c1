#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/bson_stream.hpp"
#include "wire/header.hpp"

namespace scattergate::wire {

/// The facts that reply_scanner extracts from a server's reply.
struct reply_facts {
  std::int64_t cursor_id = 0;     ///< `cursor.id`; 0 if absent or exhausted
  std::int32_t code = 0;          ///< the error's `code`; 0 if absent
  std::int32_t conversation = 0;  ///< `conversationId` of a SASL exchange; 0 if absent
  bool readable = false;   ///< the reply is an OP_MSG or OP_REPLY, and its first document was
                           ///< read to the end
  bool ok = false;         ///< the command has succeeded (`ok` is 1)
  bool sasl_done = false;  ///< `done: true`, the end of a SASL exchange
  /// Whether `sasl_done` and `conversation` are from the field `speculativeAuthenticate` of a
  /// hello's reply. If not, they are from the reply's top level.
  bool is_speculative = false;
  bool more_to_come = false;  ///< another reply to the same request follows (exhaust)

  friend bool operator==(const reply_facts&, const reply_facts&) = default;
};

/// Extracts reply_facts from a server's reply while the reply's bytes arrive, in pieces of any
/// size. Doesn't store the bytes, and skips a cursor's batch without reading its documents. If
/// the reply is invalid, reply_facts::readable stays false. Thread-safety: one thread at a
/// time.
class reply_scanner {
 public:
  /// Starts a reply with this header. Pass the bytes after the header to feed().
  void begin(const message_header& header) noexcept;

  /// Scans the next bytes of the reply, after its header.
  void feed(std::span<const std::byte> bytes) noexcept;

  /// Scans `message`, a complete reply with its header, instead of begin() and feed(). For a
  /// valid reply, the facts are the same, but the cost is lower.
  void read(const message_header& header, std::span<const std::byte> message) noexcept;

  /// The facts found so far; complete once all bytes were scanned.
  [[nodiscard]] const reply_facts& facts() const noexcept { return facts_; }

 private:
  /// The part that the next byte belongs to.
  enum class part : std::uint8_t { head, document, done };
  /// The document whose fields are read: the reply's own, or one inside it.
  enum class level : std::uint8_t { top, cursor, speculative };
  /// Nesting levels that are read: the reply's document, and one document inside it.
  static constexpr std::size_t levels = 2;

  [[nodiscard]] bool read_fields(document_view fields) noexcept;
  [[nodiscard]] bool enters(std::string_view field) noexcept;
  [[nodiscard]] bool take_head() noexcept;
  [[nodiscard]] bool hold(std::span<const std::byte>& bytes, std::size_t size) noexcept;
  [[nodiscard]] bool is_fact(bson_type type, std::string_view field) const noexcept;
  void note_number(bson_type type, std::string_view field, const std::byte* value) noexcept;
  [[nodiscard]] std::string_view name() const noexcept;

  // The visitor's functions, called by stream_.
  friend class bson_stream<levels>;
  void begin_document(std::uint32_t) noexcept {}
  void begin_field() noexcept { name_size_ = 0; }
  void take_name(std::span<const std::byte> piece) noexcept;
  [[nodiscard]] bool enters() noexcept;
  [[nodiscard]] bool take_length(std::uint32_t length) const noexcept;
  void take_value(std::span<const std::byte> piece) noexcept;
  void end_value() noexcept;
  void end_document() noexcept { level_ = level::top; }

  static constexpr std::size_t longest_name = 23;  ///< holds every name the scanner looks for

  reply_facts facts_;
  bson_stream<levels> stream_;
  std::array<std::byte, 20> held_{};  ///< bytes so far of the head, or of a number to extract
  std::array<char, longest_name> name_{};
  std::uint8_t held_size_ = 0;
  std::uint8_t head_size_ = 0;
  /// longest_name + 1 means: longer than every name that the scanner looks for.
  std::uint8_t name_size_ = 0;
  bool is_fact_ = false;  ///< the current value is a number to extract
  level level_ = level::top;
  part next_ = part::done;
};

}  // namespace scattergate::wire
