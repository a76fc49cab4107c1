#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"
#include "wire/bson_stream.hpp"
#include "wire/error.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"
#include "wire/section_scan.hpp"

namespace scattergate::wire {

/// The name of an OP_MSG's command, as its beginning tells. Nothing where the body is neither
/// the first section nor stands behind telemetry alone, or `start` is too short.
[[nodiscard]] std::optional<std::string_view> name_of_command(
    std::span<const std::byte> start) noexcept;

/// A part of a command of which a digest doesn't keep everything.
struct digest_part {
  enum class kind : std::uint8_t {
    document,  ///< a new document: only its wanted fields are kept
    update,    ///< an update: wanted fields and what tells its form are kept, the rest abridged
  };
  std::string_view list;  ///< the list of the command that has it in each item; empty: the body
  std::string_view field;  ///< its name there; empty: it is the item
  kind what;
};

/// What a digest may leave out.
struct digest_rules {
  std::span<const digest_part> parts;
  std::span<const std::string> wanted;  ///< names of top-level fields of documents, sorted
};

/// Follows an OP_MSG command while its bytes stream past, in whatever pieces they come, and
/// keeps a smaller one, which whoever judges by the wanted fields judges alike.
///
/// Everything is kept as it is but for the parts that the rules name:
///   - of a document only the wanted fields;
///   - of an update the wanted fields (`wanted.x` is one too), at any depth; of a replacement
///     one more, emptied, and those that begin with `$`; of others all, but texts and binaries
///     only up to abridged_bytes, of an array only the first abridged_items and all texts, and
///     nothing of what is nested deeper than max_depth.
///
/// The items of a list may stand in the body or in sections of kind 1. Of the other kinds
/// (wire/op_msg.hpp) telemetry of at most max_telemetry_bytes is kept.
class message_digest {
 public:
  static constexpr std::size_t abridged_bytes = 256;
  static constexpr std::uint32_t abridged_items = 3'000;
  static constexpr std::size_t max_depth = 32;

  /// The rules must live as long.
  explicit message_digest(digest_rules rules) noexcept : rules_(rules) {}

  /// Takes the next bytes, from the header on. False once the message can't be followed, as it
  /// breaks BSON's or OP_MSG's rules: see error(). It stays so. No heap where reserve() made
  /// room for kept(), these bytes and slack_bytes.
  bool feed(std::span<const std::byte> bytes);

  /// Follows the message no further, for this reason, and gives back the memory.
  void give_up(wire_errc error);

  /// Whether no feed() has been false, and nobody gave up.
  [[nodiscard]] bool is_followed() const noexcept { return next_ != part::broken; }

  /// Why it isn't whole, at its end.
  [[nodiscard]] wire_errc error() const noexcept { return error_; }

  /// Whether the message has ended where its header said, and all of it was followed.
  [[nodiscard]] bool is_whole() const noexcept { return next_ == part::end; }

  /// What has been kept so far, from the header on; when it is whole, the smaller command: an
  /// OP_MSG without checksum.
  [[nodiscard]] std::span<const std::byte> kept() const noexcept { return kept_; }
  /// The smaller command's header. REQUIRES: is_whole().
  [[nodiscard]] message_header header() const noexcept;

  /// How many steps all feed() together took: what following the message costs beside the
  /// bytes that are copied.
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  /// What kept() may grow by beside the bytes that a feed() is given.
  static constexpr std::size_t slack_bytes = 64;
  /// Makes room for kept() to become so long, in bytes; false where there is no memory for it.
  [[nodiscard]] bool reserve(std::size_t bytes);

 private:
  /// What the next byte is part of.
  enum class part : std::uint8_t {
    message_head,  ///< header and flagBits
    section_kind,
    section_size,
    section_name,
    other_size,  ///< of a section of kind 3, or of one that we don't know
    token_head,  ///< the first bytes of a section of kind 2, of which its form isn't clear
    token_text,
    document,  ///< the body, or one of a sequence
    content,   ///< of a section that is kept or left out as it is
    checksum,
    end,
    broken,
  };

  /// What becomes of a value.
  enum class fate : std::uint8_t { kept, abridged, left_out };

  /// A document that is open.
  struct frame {
    enum class kind : std::uint8_t {
      body,
      list,         ///< an array, or its section, that some rule is about
      statement,    ///< an item of it
      document,     ///< a digest_part of that kind
      replacement,  ///< an update of which no operator has been seen
      pipeline,     ///< an update that is an array
      nested,       ///< an update of operators, or somewhere inside an update
    };
    kind is = kind::body;
    bool is_array = false;
    std::uint32_t room = 0;   ///< how many unwanted fields of an update are still to be kept
    std::size_t kept_at = 0;  ///< where its length stands in kept_
  };

  // The message's frame: message_digest.cpp.
  [[nodiscard]] bool gather(std::span<const std::byte>& bytes, std::size_t wanted);
  [[nodiscard]] bool take_section_name(std::span<const std::byte>& bytes);
  void take_part(std::span<const std::byte>& bytes);
  void take_number(std::uint32_t number);
  void on_message_head();
  void on_section_kind(std::byte kind);
  void on_section_size(std::size_t size);
  void on_section_name();
  void begin_content(std::size_t bytes, bool is_kept);
  void take_content(std::span<const std::byte>& bytes);
  void follow(frame::kind kind);
  void follow_document(std::span<const std::byte>& bytes);
  void end_section();
  void end_message();

  // Sections that aren't the command: message_digest_sections.cpp.
  void on_other_kind(std::byte kind);
  void on_other_size(std::size_t size);
  void on_token();
  void on_token_head();
  void take_token_text(std::span<const std::byte>& bytes);

  // What is kept of the fields, as stream_ tells of them: message_digest_fields.cpp.
  friend class bson_stream<max_depth>;
  void begin_document(std::uint32_t length);
  void begin_field();
  void take_name(std::span<const std::byte> piece) { keep(piece); }
  [[nodiscard]] bool enters();
  [[nodiscard]] bool take_length(std::uint32_t length);
  void take_value(std::span<const std::byte> piece);
  void end_value();
  void end_document();

  [[nodiscard]] bool on_argument();
  [[nodiscard]] bool on_update_field();
  [[nodiscard]] bool enter(frame::kind kind) noexcept;
  [[nodiscard]] bool pass(fate what);
  [[nodiscard]] frame::kind kind_of_item() const noexcept;
  [[nodiscard]] frame::kind kind_of(digest_part::kind kind) const noexcept;
  [[nodiscard]] static std::uint32_t room_of(const frame& opened) noexcept;
  void finish_abridged();

  void keep(std::span<const std::byte> bytes);
  void keep_byte(std::byte byte);
  void keep_number(std::size_t number);
  void patch_length(std::size_t at) noexcept;
  [[nodiscard]] std::string_view kept_name() const noexcept;
  [[nodiscard]] const digest_part* part_at(std::string_view field) const noexcept;
  [[nodiscard]] std::string_view list_called(std::string_view name) const noexcept;
  [[nodiscard]] bool is_wanted(std::string_view path) const noexcept;
  void fail(wire_errc error = wire_errc::bad_bson) noexcept {
    next_ = part::broken;
    // Behind a section whose frame is a guess, an error means that the guess was wrong.
    error_ = has_unknown_ ? wire_errc::unknown_section : error;
  }

  digest_rules rules_;
  std::vector<std::byte> kept_;
  std::array<std::byte, 20> gathered_{};  ///< of the part that the last bytes broke off in
  std::size_t gathered_size_ = 0;
  bson_stream<max_depth> stream_;  ///< through the document under way
  std::array<frame, max_depth> open_{};
  std::size_t depth_ = 0;
  frame::kind opening_ = frame::kind::body;  ///< what the document that comes next is
  bool opening_is_array_ = false;
  std::string_view list_;  ///< the list of the command that is open, by its part; else empty
  std::size_t at_ = 0;     ///< offset of the next byte in the message
  std::size_t message_end_ = 0;
  std::size_t sections_end_ = 0;  ///< offset behind the last section
  std::size_t section_end_ = 0;   ///< of the kind-1 section that is open, else 0
  std::size_t section_kept_at_ = 0;
  std::size_t field_at_ = 0;   ///< where the field under way stands in kept_
  std::size_t kept_rest_ = 0;  ///< so many more bytes of the value under way are kept
  fate fate_ = fate::kept;     ///< of that value
  std::size_t content_rest_ = 0;
  bool keeps_content_ = false;
  part next_ = part::message_head;
  std::byte kind_{};  ///< of the section under way
  std::size_t sections_ = 0;
  bool has_body_ = false;
  bool has_telemetry_ = false;
  bool has_unknown_ = false;          ///< a kind whose frame had to be guessed
  std::optional<token_form> tokens_;  ///< from the first on
  std::uint64_t steps_ = 0;
  section_scan otherwise_;  ///< the message with tokens as texts, while they are documents here
  wire_errc error_ = wire_errc::bad_bson;  ///< also where the message just ends too soon
};

}  // namespace scattergate::wire
