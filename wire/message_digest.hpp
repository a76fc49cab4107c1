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

namespace scattergate::wire {

/// Finds out whether an OP_MSG's sections are valid for a server that reads kind-2 sections
/// (security tokens) as NUL-terminated strings. Checks only where sections begin and end.
/// message_digest uses it while the bytes arrive.
class section_scan {
 public:
  /// A scan that ignores all bytes; is_whole() stays false.
  section_scan() = default;

  /// Starts in a section of kind 2. `at`: the offset of the section's text in the message.
  /// `end`: the offset after the message's last section.
  section_scan(std::size_t at, std::size_t end) noexcept
      : at_(at), end_(end), next_(part::text) {}

  /// Scans bytes that start at offset `at` of the message. Ignores bytes before the scan's
  /// start and after the last section.
  void feed(std::span<const std::byte> bytes, std::size_t at) noexcept;

  /// Whether all sections were valid, and the last section ended at the expected offset.
  [[nodiscard]] bool is_whole() const noexcept { return next_ == part::kind && at_ == end_; }

 private:
  /// The part of the message that the next byte belongs to.
  enum class part : std::uint8_t { kind, length, content, text, broken };

  void take(std::span<const std::byte>& bytes) noexcept;
  void take_length(std::byte next) noexcept;
  void take_text(std::span<const std::byte>& bytes) noexcept;

  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t content_rest_ = 0;
  std::uint32_t length_ = 0;
  std::uint32_t length_bits_ = 0;  ///< bits of length_ read so far
  part next_ = part::broken;
};

/// A part of commands that message_digest shortens, such as a new document. The part is in the
/// body, or in each item of a list such as `updates`.
struct digest_part {
  /// How a part is shortened.
  enum class kind : std::uint8_t {
    document,  ///< a new document: only relevant fields are kept (digest_rules::relevant)
    update,  ///< an update: relevant fields are kept; the values of other fields are shortened
  };
  /// The command's list, such as `updates`, whose items contain the part; empty: the body
  /// contains it.
  std::string_view list;
  std::string_view field;  ///< the field that is the part; empty: the whole item
  kind what;               ///< how the part is shortened
};

/// The parts of commands that message_digest shortens, and the fields that it keeps in them.
struct digest_rules {
  std::span<const digest_part> parts;  ///< the parts to shorten
  /// The relevant fields: the top-level fields of documents that a verdict may depend on, which
  /// are those of shard keys. Names, sorted.
  std::span<const std::string> relevant;
};

/// Shortens a large OP_MSG command to a smaller command while the bytes arrive, in pieces of
/// any size. Both commands get the same verdict (the prediction which shards mongos asks),
/// because the verdict doesn't depend on the data that is left out. Not related to the digest
/// of query shapes (digest/).
///
/// Keeps all bytes unchanged, except in the parts that digest_rules::parts names:
///   - A new document keeps only its relevant fields (digest_rules::relevant): those of shard
///     keys.
///   - An update keeps its relevant fields at any depth, also as paths such as `field.x`. Its
///     other fields are abridged: their values are shortened. A replacement document keeps only
///     the first of its other fields, and those whose names begin with `$`.
///
/// An abridged text or binary is cut to abridged_bytes. An abridged array keeps all texts and
/// the first abridged_items other items. Documents and arrays become empty if they are in a
/// replacement document or nested deeper than max_depth.
///
/// The items of a list may be in the body (the section of kind 0) or in sections of kind 1.
/// Drops sections of other kinds (wire/op_msg.hpp), except for telemetry of at most
/// max_telemetry_bytes.
class message_digest {
 public:
  /// The maximum size of an abridged text or binary, in bytes.
  static constexpr std::size_t abridged_bytes = 256;
  /// The maximum number of items of an abridged array, not counting texts.
  static constexpr std::uint32_t abridged_items = 3'000;
  /// The nesting depth beyond which documents and arrays are emptied.
  static constexpr std::size_t max_depth = 32;

  /// What the rules refer to must outlive this object.
  explicit message_digest(digest_rules rules) noexcept : rules_(rules) {}

  /// Processes the next bytes of the message; the first call's bytes begin with the header.
  /// Returns false, now and in all later calls, if the message is invalid; see error(). Doesn't
  /// allocate if reserve() has reserved at least the sizes of kept() and `bytes`, and
  /// slack_bytes.
  bool feed(std::span<const std::byte> bytes);

  /// Gives up the message: error() becomes `error`, and kept() empty. Frees the memory.
  void give_up(wire_errc error);

  /// Whether all feed() calls succeeded and give_up() wasn't called.
  [[nodiscard]] bool is_valid_so_far() const noexcept { return next_ != part::broken; }

  /// Why is_whole() is false. REQUIRES: is_whole() is false, and either all bytes were passed
  /// to feed(), or is_valid_so_far() is false.
  [[nodiscard]] wire_errc error() const noexcept { return error_; }

  /// Whether the complete message was processed without an error.
  [[nodiscard]] bool is_whole() const noexcept { return next_ == part::end; }

  /// The bytes kept so far, including the header. Once is_whole() is true: the smaller command,
  /// an OP_MSG without checksum.
  [[nodiscard]] std::span<const std::byte> kept() const noexcept { return kept_; }
  /// The header of the smaller command. REQUIRES: is_whole().
  [[nodiscard]] message_header header() const noexcept;

  /// The number of parsing steps of all feed() calls, as a measure of the cost. Copying the
  /// kept bytes isn't included.
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  /// The maximum number of bytes by which kept() may exceed the bytes passed to feed().
  static constexpr std::size_t slack_bytes = 64;
  /// Reserves memory for `bytes` bytes of kept(). Returns false if memory has run out.
  [[nodiscard]] bool reserve(std::size_t bytes);

 private:
  /// The part of the message that the next byte belongs to.
  enum class part : std::uint8_t {
    message_head,  ///< header and flagBits
    section_kind,
    section_size,
    section_name,
    other_size,  ///< the length of a section of kind 3 or of an unknown kind
    token_head,  ///< the first bytes of a section of kind 2 whose form isn't known yet
    token_text,
    document,  ///< the body, or a document of a sequence
    content,   ///< the rest of a section that is kept or dropped as a whole
    checksum,
    end,
    broken,
  };

  /// The treatment of a value.
  enum class treatment : std::uint8_t { kept, abridged, left_out };

  /// An open document.
  struct frame {
    enum class kind : std::uint8_t {
      body,
      list,         ///< a list that a rule names: an array or a section
      statement,    ///< an item of a list, unless the item is a digest_part
      document,     ///< a digest_part of kind `document`
      replacement,  ///< an update in which no operator has been seen
      pipeline,     ///< an update that is an array
      nested,       ///< an update with operators, or a document or array inside an update
    };
    kind is = kind::body;
    bool is_array = false;
    std::uint32_t room = 0;   ///< how many irrelevant fields of an update may still be kept
    std::size_t kept_at = 0;  ///< where the document's length is in kept_
  };

  // The message's frame: message_digest.cpp.
  [[nodiscard]] bool gather(std::span<const std::byte>& bytes, std::size_t size);
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

  // The choice of the fields to keep; called by stream_: message_digest_fields.cpp.
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
  [[nodiscard]] bool pass(treatment what);
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
  [[nodiscard]] bool is_relevant(std::string_view path) const noexcept;
  void fail(wire_errc error = wire_errc::bad_bson) noexcept {
    next_ = part::broken;
    // After a section whose frame was guessed, the cause of an error may be that the guess is
    // wrong.
    error_ = has_unknown_ ? wire_errc::unknown_section : error;
  }

  digest_rules rules_;
  std::vector<std::byte> kept_;
  std::array<std::byte, 20> gathered_{};  ///< the bytes so far of a part that was split
  std::size_t gathered_size_ = 0;
  bson_stream<max_depth> stream_;  ///< parses the current document
  std::array<frame, max_depth> open_{};
  std::size_t depth_ = 0;
  frame::kind opening_ = frame::kind::body;  ///< the kind of the next document to begin
  bool opening_is_array_ = false;
  /// The list whose items are being read, as digest_part::list; empty if none.
  std::string_view list_;
  std::size_t at_ = 0;  ///< offset of the next byte in the message
  std::size_t message_end_ = 0;
  std::size_t sections_end_ = 0;  ///< offset after the last section
  std::size_t section_end_ = 0;   ///< end of the open kind-1 section; 0 if none is open
  std::size_t section_kept_at_ = 0;
  std::size_t field_at_ = 0;               ///< where the current field is in kept_
  std::size_t kept_rest_ = 0;              ///< how many more bytes of the current value to keep
  treatment treatment_ = treatment::kept;  ///< how the current value is treated
  std::size_t content_rest_ = 0;
  bool keeps_content_ = false;
  part next_ = part::message_head;
  std::byte kind_{};  ///< kind of the current section
  std::size_t sections_ = 0;
  bool has_body_ = false;
  bool has_telemetry_ = false;
  bool has_unknown_ = false;          ///< there was a section whose length had to be guessed
  std::optional<token_form> tokens_;  ///< the form of kind-2 sections; set by the first
  std::uint64_t steps_ = 0;
  section_scan otherwise_;  ///< reads tokens as texts while this class reads them as documents
  wire_errc error_ = wire_errc::bad_bson;  ///< bad_bson also stands for an incomplete message
};

}  // namespace scattergate::wire
