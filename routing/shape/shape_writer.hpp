#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/scratch.hpp"
#include "routing/shape_form.hpp"
#include "wire/command.hpp"
#include "wire/work_budget.hpp"

/// The keywords of MongoDB that a shape keeps as strings. Any other string in the same position
/// is data, which the shape replaces.

/// Which form (shape_form.hpp) each part of a command has in the shape, depending on the part's
/// name and position (rules: docs/shapes.md).

namespace scattergate::routing {

/// The form of the argument `name` in the shapes of commands of this kind.
[[nodiscard]] form form_of_argument(command_kind kind, std::string_view name) noexcept;

/// The form of the field `name` in a document whose own form is `container`. REQUIRES:
/// `container` isn't form::arguments.
[[nodiscard]] form form_of_field(form container, std::string_view name) noexcept;

/// A position in which keywords may occur.
enum class word_place : std::uint8_t {
  direction,   ///< the kind of index in a key pattern: "hashed"
  meta,        ///< the operand of $meta: "textScore"
  locale,      ///< a collation's locale
  collation,   ///< a collation's other options: "upper"
  when_match,  ///< $merge's action for matching documents, or for other documents
};

/// Whether `text` is a keyword in this position.
[[nodiscard]] bool is_word(word_place place, std::string_view text) noexcept;

/// Whether a shape contains the dotted path `name` unchanged. False if a component is data: a
/// number, or an ObjectId or UUID in hex, as in documents that are maps keyed by IDs.
[[nodiscard]] bool is_plain_name(std::string_view name) noexcept;

/// Compares two names in the form in which a shape contains them, bytewise: negative, zero or
/// positive.
[[nodiscard]] int compare_names(std::string_view left, std::string_view right) noexcept;

/// Writes the JSON text of a shape into a borrowed buffer, up to a size limit. The first item
/// that doesn't fit is replaced by `"...":true` (in a list: `"..."`). After that, only closing
/// brackets are written, so the text is always valid JSON.
///
/// To write an item, call member() in an object or item() in a list. If it returns true, write
/// exactly one value: scalar(), name(), or open() ... close(). Thread-safety: one thread at a
/// time.
class shape_text {
 public:
  /// The smallest limit: it has room for a truncated shape.
  static constexpr std::size_t least_bytes = 128;

  /// REQUIRES: least_bytes <= limit <= buffer.size()
  shape_text(std::span<char> buffer, std::size_t limit) noexcept
      : buffer_(buffer), limit_(limit) {}

  /// Starts a member of an object; false if it doesn't fit and the text is now truncated.
  [[nodiscard]] bool member(std::string_view name) noexcept;
  /// Starts an item of a list; false if it doesn't fit and the text is now truncated.
  [[nodiscard]] bool item() noexcept;

  /// Writes an opening bracket: '{' or '['.
  void open(char bracket) noexcept;
  /// Writes a closing bracket: '}' or ']'. There is always room for it.
  void close(char bracket) noexcept;

  /// Writes a value that is neither an object nor a list. `json`: valid JSON of at most
  /// largest_scalar bytes.
  void scalar(std::string_view json) noexcept;

  /// Writes a name as a JSON string, with placeholders for data in the name (see
  /// is_plain_name()); "?string" if the name doesn't fit.
  void name(std::string_view text) noexcept;

  /// Truncates the text at the current position, where an item could start. `in_object`:
  /// whether the position is in an object, not in a list.
  void cut(bool in_object) noexcept;
  /// Whether the text was truncated.
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

  /// The text so far; a view into the buffer.
  [[nodiscard]] std::string_view text() const noexcept { return {buffer_.data(), size_}; }

  /// The position in text() at which the next item will begin, after a comma if there is a
  /// previous item.
  [[nodiscard]] std::size_t next_item() const noexcept {
    return size_ + (needs_comma_ ? 1 : 0);
  }

  /// The maximum size of the text, in bytes.
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  /// Changes the maximum size of the text, in bytes.
  void set_limit(std::size_t limit) noexcept;

  /// Whether the text fits into `limit` bytes, including its closing brackets.
  [[nodiscard]] bool fits(std::size_t limit) const noexcept;

  /// A state of the text, to which rewind() can return.
  struct place {
    std::size_t size;
    std::size_t depth;
    bool needs_comma;
    bool is_cut;
  };
  /// The current state, for rewind().
  [[nodiscard]] place here() const noexcept { return {size_, depth_, needs_comma_, is_cut_}; }
  /// Discards everything written since `earlier` was taken by here().
  void rewind(const place& earlier) noexcept;

  /// The maximum size of a scalar() value, in bytes.
  static constexpr std::size_t largest_scalar = 40;

 private:
  [[nodiscard]] bool begin(bool in_object, std::string_view name) noexcept;
  [[nodiscard]] std::size_t closing_bytes() const noexcept;
  [[nodiscard]] bool put(std::string_view text) noexcept;
  [[nodiscard]] bool put_name(std::string_view name) noexcept;
  [[nodiscard]] bool put_escaped(std::string_view text) noexcept;

  std::span<char> buffer_;
  std::size_t limit_;
  std::size_t size_ = 0;
  std::size_t depth_ = 0;  // open brackets
  bool needs_comma_ = false;
  bool is_cut_ = false;
};

/// The limits of a shape (docs/shapes.md, "Bounds").
namespace shape_limits {
inline constexpr std::uint32_t depth = 20;  ///< levels of nesting; deeper values become "?deep"
inline constexpr std::size_t sorted_fields = 2048;  ///< fields of all sorted documents that are
                                                    ///< open at the same time
inline constexpr std::size_t distinct_items = 64;   ///< different items of one batch or $or
inline constexpr std::size_t typed_items = 1000;  ///< items of a list whose types are compared
inline constexpr std::size_t compared_items = 10'000;  ///< items of one batch or $or that are
                                                       ///< read
inline constexpr std::size_t named_namespaces = 64;    ///< namespaces of one bulkWrite that are
                                                       ///< named
/// The work budget for writing a shape, in units of wire::work_budget: about 4 ms. It is
/// separate from the budget for classifying the command, so that equal commands always have
/// equal shapes.
inline constexpr std::int64_t work = 2'000'000;
}  // namespace shape_limits

/// Writes the shape of a command to a shape_text. Truncates the text if one of shape_limits is
/// exceeded or the scratch memory is exhausted. Thread-safety: one thread at a time.
class shape_writer {
 public:
  /// `out` and `memory` must outlive this object.
  shape_writer(shape_text& out, scratch& memory) noexcept : out_(out), memory_(memory) {}

  /// Writes the shape of a command. `first`: the first field of `body`, whose name is the
  /// command's name. `sequences`: the message's document sequences.
  void write_command(const wire::element& first, wire::document_view body,
                     const wire::sequence_range& sequences) noexcept;

  /// Whether the text was truncated because the work budget ran out.
  [[nodiscard]] bool has_given_up() const noexcept { return work_.is_spent(); }

 private:
  struct field;
  class item_reader;
  class seen_items;

  void write_explained(const wire::element& explain) noexcept;

  void write(form how, const wire::element& value) noexcept;
  void write_simple(form how, const wire::element& value) noexcept;
  void write_list(form how, const wire::element& value) noexcept;
  void write_literal(const wire::element& value) noexcept;
  void write_list_type(const wire::element& list) noexcept;
  void write_predicate(const wire::element& value) noexcept;
  [[nodiscard]] bool is_constant_list(const wire::element& list) noexcept;
  void write_expression(const wire::element& value) noexcept;
  void write_projection(const wire::element& value) noexcept;
  void write_update(form how, const wire::element& value) noexcept;
  void write_key(form how, const wire::element& value) noexcept;
  void write_collation(const wire::element& value) noexcept;
  void write_strength(const wire::element& value) noexcept;
  void write_word(word_place place, const wire::element& value) noexcept;
  void write_flag(const wire::element& value) noexcept;
  void write_names(const wire::element& value) noexcept;
  void write_target(const wire::element& value) noexcept;

  void write_sorted(form container, const wire::element& document) noexcept;
  void write_arguments(std::string_view but, wire::document_view body,
                       const wire::sequence_range& sequences) noexcept;
  void write_fields(form container, std::span<field> fields) noexcept;
  void write_field(const field& each, seen_items* seen) noexcept;
  [[nodiscard]] std::span<field> shown_of(form container,
                                          std::span<field> fields) const noexcept;
  void write_in_order(form each, const wire::element& container) noexcept;
  void write_distinct(form each, item_reader&& items) noexcept;
  void write_if_new(form each, const wire::element& item, seen_items& seen) noexcept;

  [[nodiscard]] std::span<field> gather(std::string_view but, wire::document_view document,
                                        const wire::sequence_range& sequences) noexcept;
  void remember_namespaces(item_reader&& namespaces) noexcept;
  [[nodiscard]] bool enter() noexcept;
  [[nodiscard]] bool spend_node() noexcept;
  [[nodiscard]] bool spend_sorting(std::span<const field> fields) noexcept;

  shape_text& out_;
  scratch& memory_;
  wire::inspect_budget budget_{wire::limits::inspect_nodes, shape_limits::depth};
  wire::work_budget work_{shape_limits::work};
  command_kind kind_ = command_kind::other;  // the kind of the command being written
  std::size_t open_fields_ = 0;  // the number of fields in sorted documents that are open
  std::span<std::string_view> namespaces_;  // the namespaces in a bulkWrite's nsInfo, by index
};

}  // namespace scattergate::routing
