#pragma once

#include <array>
#include <cstring>

#include "routing/shape/shape_writer.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::routing {

/// A field of a document whose fields are sorted by name. Its value may come from a document
/// sequence of the message (OP_MSG section of kind 1).
struct shape_writer::field {
  std::string_view name;
  wire::element value;
  // the position in the document; orders fields with the same name
  std::uint32_t position;
  bool is_plain;     // the shape contains the name unchanged; see is_plain_name()
  bool is_sequence;  // the value's bytes are the documents of a sequence
  form how;
};

/// Iterates over the items of an array or a document sequence.
class shape_writer::item_reader {
 public:
  /// `list`: an array or, if `is_sequence`, an element whose value is the bytes of a document
  /// sequence. The bytes must outlive this object.
  explicit item_reader(const wire::element& list, bool is_sequence = false) noexcept
      : array_(is_sequence ? wire::document_view{}
                           : list.as_container().value_or(wire::document_view{})),
        sequence_(is_sequence ? list.value() : std::span<const std::byte>{}),
        is_sequence_(is_sequence) {}

  /// Reads the next item; false at the end and at a broken item.
  [[nodiscard]] bool next(wire::element& item) noexcept {
    if (!is_sequence_) return array_.next(item);
    wire::document_view document;
    if (!sequence_.next(document)) return false;
    item = wire::element{{}, wire::bson_type::document, document.bytes()};
    return true;
  }

  /// Whether reading stopped at a broken item.
  [[nodiscard]] bool is_corrupt() const noexcept {
    return is_sequence_ ? sequence_.is_corrupt() : array_.is_corrupt();
  }

 private:
  wire::document_reader array_;
  wire::sequence_reader sequence_;
  bool is_sequence_;
};

/// Detects repetitions: items of a list, or fields with the same name, that have been written
/// with the same text. Stores the texts' hashes and positions, not the texts: add() needs the
/// remembered texts at the same positions in `written`.
class shape_writer::seen_items {
 public:
  /// `full`: the text is new, but there is no room to remember it.
  enum class answer : std::uint8_t { is_new, seen, full };

  /// Forgets all texts.
  void clear() noexcept { size_ = 0; }

  /// Looks up the text from `begin` to the end of `written`, and remembers it if it is new.
  [[nodiscard]] answer add(std::string_view written, std::size_t begin) noexcept {
    const std::string_view text = written.substr(begin);
    // The hash is keyed, so a client can't choose texts with equal hashes and make this slow.
    const std::uint64_t hash = wire::seeded_hash(text);
    for (std::size_t i = 0; i < size_; ++i) {
      const place& known = places_[i];
      if (known.hash == hash && written.substr(known.begin, known.bytes) == text) {
        return answer::seen;
      }
    }
    if (size_ == places_.size()) return answer::full;
    places_[size_++] = {hash, static_cast<std::uint32_t>(begin),
                        static_cast<std::uint32_t>(text.size())};
    return answer::is_new;
  }

 private:
  struct place {
    std::uint64_t hash;
    std::uint32_t begin;
    std::uint32_t bytes;
  };
  // Uninitialised on purpose: only the first size_ are read.
  std::array<place, shape_limits::distinct_items> places_;
  std::size_t size_ = 0;
};

}  // namespace scattergate::routing
