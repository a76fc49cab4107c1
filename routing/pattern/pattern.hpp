#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "routing/catalog/catalog.hpp"
#include "routing/verdict.hpp"
#include "wire/bson.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::routing {

/// The maximum size of a pattern, in bytes; enough for a command with a dozen fields.
inline constexpr std::size_t max_pattern_bytes = 384;

/// The maximum size of a message that matches a pattern, in bytes. Judging the values of a
/// longer message might exhaust the scratch memory, which changes the verdict.
inline constexpr std::size_t max_patterned_message = 64UL * 1024;

/// Recognises OP_MSGs that differ from an original message only in values, so that the
/// original's verdict holds for them. A pattern is a small program that runs over a message's
/// bytes after the header. It compares the bytes, but skips the values that may differ; their
/// lengths may differ too. write_pattern() creates a pattern.
/// Example: pattern.cpp. Thread-safety: immutable.
class pattern {
 public:
  /// Whether `message` matches; false for an empty pattern. Validates the values that it skips
  /// as wire::document_reader does, so a matching message can be parsed if the original could.
  /// REQUIRES: the message's size is the length in its header.
  [[nodiscard]] bool matches(std::span<const std::byte> message) const noexcept;

 private:
  friend class pattern_writer;

  /// What to do with the next bytes of the message.
  enum class step : std::uint8_t {
    same,    ///< compare them with the pattern's: a count and that many bytes follow in the
             ///< pattern
    skip,    ///< skip them; the pattern's next byte is their number
    value,   ///< skip a BSON value; the pattern's next byte is its type
    binary,  ///< skip a binary value; the pattern's next byte is its subtype
    enter,   ///< enter a document: read its int32 length, which includes these 4 bytes
    leave,   ///< check that the document entered last ends here; reads nothing
  };
  static constexpr std::size_t max_depth = 5;

  std::size_t size_ = 0;  // before steps_, so that a short pattern is contiguous with it
  std::array<std::byte, max_pattern_bytes> steps_;
};

/// Writes a pattern to `to`, so that later messages that differ from `message` only in values
/// needn't be judged. Every message that matches the pattern has the verdict `made`, and the
/// shape of `message`. `bytes`: the bytes of `message`, with its header. `made`: the verdict on
/// `message` with the catalog `entries`.
///
/// Returns false if there is no pattern: other values might change the verdict (for example
/// because the chunks decide), or the command isn't supported. Supported are find, count,
/// distinct, findAndModify, and batches of one insert, update or delete, if their filters are
/// conjunctions of plain fields.
[[nodiscard]] bool write_pattern(const wire::op_msg& message, std::span<const std::byte> bytes,
                                 const verdict& made, const catalog& entries,
                                 pattern& to) noexcept;

/// Hashes a command without its values, to find the routing::pattern that its message matches.
/// Messages that match one pattern have the same hash, except if they differ in a document that
/// the pattern ignores. `sections`: the sections of an OP_MSG, beginning with the body. Returns
/// 0 if the body can't be read. The hash is keyed per process.
///
/// Hashes the names and types of at most 64 fields. These are the fields of the body, of the
/// first document in a document sequence directly after the body, and of the documents and
/// arrays directly in both. Documents and arrays in an inserted document are left out.
[[nodiscard]] std::uint64_t outline_hash(std::span<const std::byte> sections) noexcept;

}  // namespace scattergate::routing
