#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "routing/scratch.hpp"
#include "routing/shape/shape_rules.hpp"
#include "routing/shape/shape_text.hpp"
#include "routing/shape/shape_words.hpp"
#include "wire/command.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

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
