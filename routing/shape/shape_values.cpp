#include <array>

#include "routing/shape/placeholder.hpp"
#include "routing/shape/shape_items.hpp"
#include "routing/shape/shape_writer.hpp"

namespace scattergate::routing {

namespace {

/// The name of the first field; empty if there is none.
std::string_view first_name(const wire::element& document) noexcept {
  const auto view = document.as_container();
  wire::element first;
  if (view && wire::document_reader{*view}.next(first)) return first.key();
  return {};
}

/// Whether an embedded document consists of operators, and isn't a literal. A DBRef is a
/// literal.
bool holds_operators(const wire::element& value) noexcept {
  if (!value.is_document()) return false;
  const std::string_view name = first_name(value);
  return name.starts_with('$') && name != "$ref" && name != "$id" && name != "$db";
}

bool is_field_path(const wire::element& value) noexcept {
  return value.is_string() && value.as_string().starts_with('$');
}

/// The sign of any number: the top bit of its last byte. REQUIRES: a number.
bool is_negative(const wire::element& number) noexcept {
  return (number.value().back() & std::byte{0x80}) != std::byte{0};
}

/// A JSON string: `before`, `inside` and `after`, where `before` and `after` include the
/// quotes.
class quoted {
 public:
  quoted(std::string_view before, std::string_view inside, std::string_view after) noexcept {
    for (const std::string_view part : {before, inside, after}) {
      size_ += part.copy(text_.data() + size_, part.size());
    }
  }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, shape_text::largest_scalar> text_;
  std::size_t size_ = 0;
};

/// The placeholder of each type; the index is the type's byte.
constexpr auto names_by_type = [] {
  using enum wire::bson_type;
  std::array<std::string_view, 256> table;
  table.fill("?unknown");
  for (auto one = placeholders.rbegin(); one != placeholders.rend(); ++one) {
    table[static_cast<std::size_t>(one->type)] = one->name;
  }
  for (const auto number : {float64, int64, decimal128}) {
    table[static_cast<std::size_t>(number)] = table[static_cast<std::size_t>(int32)];
  }
  return table;
}();

}  // namespace

std::string_view placeholder_of(wire::bson_type type) noexcept {
  return names_by_type[static_cast<std::size_t>(type)];
}

void shape_writer::write(form how, const wire::element& value) noexcept {
  switch (how) {
    case form::filter:
    case form::stage:
    case form::statement:
    case form::facets:
      return value.is_document() ? write_sorted(how, value) : write_literal(value);
    case form::predicate:
      return write_predicate(value);
    case form::expression:
      return write_expression(value);
    case form::projection:
      return write_projection(value);
    case form::update:
    case form::update_fields:
    case form::renames:
    case form::operator_operand:
      return write_update(how, value);
    case form::pipeline:
    case form::filters:
    case form::statements:
      return write_list(how, value);
    case form::options:
      return value.is_document() ? write_sorted(how, value) : write_expression(value);
    case form::names:
      return write_names(value);
    case form::collation:
      return write_collation(value);
    case form::ordered:
    case form::hint:
      return write_key(how, value);
    default:
      return write_simple(how, value);
  }
}

void shape_writer::write_simple(form how, const wire::element& value) noexcept {
  switch (how) {
    case form::flag:
      return out_.scalar("true");
    case form::meta:
      return write_word(word_place::meta, value);
    case form::locale:
      return write_word(word_place::locale, value);
    case form::strength:
      return write_strength(value);
    case form::merge_action:
      return value.is_array() ? write_in_order(form::stage, value)
                              : write_word(word_place::when_match, value);
    case form::one_or_all:
      return out_.scalar(value.is_number() && value.is_truthy() ? "1" : "0");
    case form::target:
      return write_target(value);
    case form::documents:
      return out_.scalar("\"?documents\"");
    case form::document:
      return out_.scalar("\"?document\"");
    default:
      return write_literal(value);
  }
}

void shape_writer::write_list(form how, const wire::element& value) noexcept {
  if (!value.is_array()) return write_literal(value);
  if (how == form::pipeline) return write_in_order(form::stage, value);
  write_distinct(how == form::filters ? form::filter : form::statement, item_reader{value});
}

void shape_writer::write_literal(const wire::element& value) noexcept {
  if (value.is_document()) return write_in_order(form::literal, value);
  if (value.is_array()) return write_list_type(value);
  out_.scalar(quoted{"\"", placeholder_of(value.type()), "\""}.text());
}

// Writes "?array<?number>" if all items have the same type, otherwise "?array<>".
void shape_writer::write_list_type(const wire::element& list) noexcept {
  std::string_view type;
  item_reader items{list};
  wire::element item;
  for (std::size_t i = 0; i < shape_limits::typed_items && items.next(item); ++i) {
    const std::string_view its = placeholder_of(item.type());
    if (!spend_node() || (!type.empty() && its != type)) {
      type = {};
      break;
    }
    type = its;
  }
  out_.scalar(quoted{"\"?array<", type, ">\""}.text());
}

void shape_writer::write_predicate(const wire::element& value) noexcept {
  return holds_operators(value) ? write_sorted(form::filter, value) : write_literal(value);
}

void shape_writer::write_expression(const wire::element& value) noexcept {
  if (is_field_path(value)) return out_.name(value.as_string());
  if (value.is_document()) return write_sorted(form::expression, value);
  if (value.is_array() && !is_constant_list(value))
    return write_in_order(form::expression, value);
  write_literal(value);
}

// Whether a list in an expression is a constant: it contains only scalars. Other lists are
// lists of arguments.
bool shape_writer::is_constant_list(const wire::element& list) noexcept {
  item_reader items{list};
  wire::element item;
  for (std::size_t i = 0; i < shape_limits::typed_items && items.next(item); ++i) {
    if (!spend_node()) return true;
    if (item.is_document() || item.is_array() || is_field_path(item)) return false;
  }
  return true;
}

void shape_writer::write_projection(const wire::element& value) noexcept {
  if (value.is_number() || value.type() == wire::bson_type::boolean) return write_flag(value);
  if (value.is_document() && !holds_operators(value)) {
    return write_sorted(form::projection, value);
  }
  write_expression(value);
}

void shape_writer::write_update(form how, const wire::element& value) noexcept {
  if (how == form::update) {
    if (value.is_array()) return write_in_order(form::stage, value);
    if (holds_operators(value)) return write_sorted(how, value);
    return value.is_document() ? out_.scalar("\"?document\"") : write_literal(value);
  }
  if (!value.is_document()) return write_literal(value);
  if (how == form::operator_operand && !holds_operators(value))
    return out_.scalar("\"?object\"");
  write_sorted(how, value);
}

void shape_writer::write_key(form how, const wire::element& value) noexcept {
  constexpr std::string_view every_collection_has = "_id_";
  if (how == form::hint && value.is_string()) {
    return value.as_string() == every_collection_has ? out_.name(every_collection_has)
                                                     : write_literal(value);
  }
  if (value.is_document()) {
    return write_in_order(holds_operators(value) ? form::meta : form::ordered, value);
  }
  if (!value.is_number()) return write_word(word_place::direction, value);
  if (!value.is_truthy()) return write_literal(value);
  out_.scalar(is_negative(value) ? "-1" : "1");
}

void shape_writer::write_collation(const wire::element& value) noexcept {
  if (value.is_document()) return write_sorted(form::collation, value);
  if (value.type() == wire::bson_type::boolean) return write_flag(value);
  write_word(word_place::collation, value);
}

void shape_writer::write_strength(const wire::element& value) noexcept {
  constexpr std::string_view strengths = "12345";
  const auto number = value.as_int64();
  if (!number || *number < 1 || *number > 5) return write_literal(value);
  out_.scalar(strengths.substr(static_cast<std::size_t>(*number) - 1, 1));
}

/// Writes a string if it is a keyword of MongoDB, otherwise the value's type.
void shape_writer::write_word(word_place place, const wire::element& value) noexcept {
  if (!value.is_string() || !is_word(place, value.as_string())) return write_literal(value);
  out_.name(value.as_string());
}

void shape_writer::write_flag(const wire::element& value) noexcept {
  out_.scalar(value.is_truthy() ? "true" : "false");
}

void shape_writer::write_names(const wire::element& value) noexcept {
  if (value.is_string()) return out_.name(value.as_string());
  if (value.is_document()) return write_sorted(form::options, value);
  if (value.is_array()) return write_in_order(form::names, value);
  write_literal(value);
}

void shape_writer::write_target(const wire::element& value) noexcept {
  const auto index = value.as_int64();
  const bool is_known =
      index && *index >= 0 && static_cast<std::uint64_t>(*index) < namespaces_.size();
  if (!is_known) return write_literal(value);
  out_.name(namespaces_[static_cast<std::size_t>(*index)]);
}

}  // namespace scattergate::routing
