#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/header.hpp"

namespace scattergate::wire {

/// What a reply told about its command.
struct reply_facts {
  std::int64_t cursor_id = 0;  ///< `cursor.id`; 0 where there is none or it is exhausted
  std::int32_t code = 0;       ///< `code` of a failure
  std::int32_t conversation = 0;  ///< `conversationId` of a SASL exchange
  bool readable = false;       ///< an OP_MSG or OP_REPLY whose first document was walked to its end
  bool ok = false;             ///< `ok` was 1
  bool sasl_done = false;      ///< `done: true`, the end of a SASL exchange
  bool is_speculative = false;  ///< these two are those of a `speculativeAuthenticate` in it
  bool more_to_come = false;   ///< a further reply follows without a request (exhaust)

  friend bool operator==(const reply_facts&, const reply_facts&) = default;
};

/// Scans one reply while it streams by: takes its bytes in pieces of any size, keeps none of
/// them, skips batches by their length. One pass over the top level, `cursor` and
/// `speculativeAuthenticate`; a few dozen bytes of state. A reply that can't be read leaves `readable` false, it never fails.
/// Thread-safety: one thread.
class reply_scanner {
 public:
  /// Begins a reply of which `header` was read; feed what follows the header.
  void begin(const message_header& header) noexcept;

  /// Takes the next bytes of the reply's payload.
  void feed(std::span<const std::byte> bytes) noexcept;

  /// The same as begin() and feed(), for a reply that is there as a whole: most are, and to
  /// read one takes less than to scan it. Tells as much of every sound reply.
  void read(const message_header& header, std::span<const std::byte> message) noexcept;

  [[nodiscard]] const reply_facts& facts() const noexcept { return facts_; }

 private:
  enum class state : std::uint8_t {
    flags, kind, reply_head, document_length, type, name, value_length, number, regex, skip, done,
  };
  /// Which document's fields are read: the reply's own, or those of one inside it.
  enum class level : std::uint8_t { top, cursor, speculative };

  [[nodiscard]] bool read_fields(document_view fields) noexcept;
  [[nodiscard]] bool enters(std::string_view field) noexcept;
  const std::byte* gather(std::span<const std::byte>& bytes) noexcept;
  void take(const std::byte* value) noexcept;
  void take_head(const std::byte* value) noexcept;
  void take_name(std::span<const std::byte>& bytes) noexcept;
  void take_regex(std::span<const std::byte>& bytes) noexcept;
  void take_length(std::uint32_t length) noexcept;
  void take_number(const std::byte* value) noexcept;
  void begin_value() noexcept;
  void begin_document(std::uint32_t length) noexcept;
  void end_document() noexcept;
  void pass_over(std::span<const std::byte>& bytes) noexcept;
  void need(state next, std::uint32_t bytes) noexcept;
  void skip(std::uint64_t bytes) noexcept;
  [[nodiscard]] bool pay(std::uint64_t bytes) noexcept;
  [[nodiscard]] bool is_wanted_number(bson_type type, std::string_view field) const noexcept;
  void note_number(bson_type type, std::string_view field, const std::byte* value) noexcept;
  [[nodiscard]] std::string_view name() const noexcept;

  static constexpr std::size_t longest_name = 23;  ///< holds every name we look for

  reply_facts facts_;
  std::uint32_t left_ = 0;        ///< bytes of the document being walked that nobody claimed yet
  std::uint32_t outer_left_ = 0;  ///< inside another: those of the top level behind it
  std::uint32_t skip_ = 0;        ///< bytes to pass over
  std::array<std::byte, 20> held_{};  ///< a fixed-size value cut by the end of a piece
  std::array<char, longest_name> name_{};
  std::uint8_t held_size_ = 0;
  std::uint8_t wanted_ = 0;     ///< size of the fixed-size value that comes next
  std::uint8_t name_size_ = 0;  ///< longest_name + 1: longer than any we look for
  std::uint8_t type_ = 0;       ///< of the current field
  std::uint8_t regex_parts_ = 0;
  level level_ = level::top;
  state state_ = state::done;
};

}  // namespace scattergate::wire
