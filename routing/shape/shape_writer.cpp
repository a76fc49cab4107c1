#include "routing/shape/shape_writer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "routing/command_kind.hpp"
#include "routing/shape/shape_items.hpp"

namespace scattergate::routing {

namespace {

/// Whether an argument has the same meaning as if it were absent.
bool is_void(form how, const wire::element& value) noexcept {
  switch (how) {
    case form::left_out:
      return true;
    case form::flag:
      return !value.is_truthy();
    case form::bound:
      return value.as_int64() == 0;
    case form::filter:
    case form::ordered:
    case form::projection:
    case form::hint:
    case form::collation: {
      const auto document = value.as_container();
      return document && document->is_empty();
    }
    default:
      return false;
  }
}

bool is_argument_list(form container) noexcept {
  return container == form::arguments || container == form::statement;
}

}  // namespace

void shape_writer::write_command(const wire::element& first, wire::document_view body,
                                 const wire::sequence_range& sequences) noexcept {
  const command_kind kind = kind_of(first.key());
  if (is_sensitive(kind) || family_of(kind) == command_family::follows_cursor) {
    out_.scalar("{}");
    return;
  }
  if (kind == command_kind::explain) {
    write_explained(first);
    return;
  }
  kind_ = kind;
  // A label that several commands share doesn't identify the command, so the first field is
  // written, too.
  write_arguments(is_group(kind) ? std::string_view{} : first.key(), body, sequences);
}

void shape_writer::write_explained(const wire::element& explain) noexcept {
  if (!enter()) return;
  out_.open('{');
  wire::element inner;
  if (const auto body = explain.as_document()) {
    wire::document_reader reader{*body};
    const command_kind kind = reader.next(inner) ? kind_of(inner.key()) : command_kind::other;
    const std::string_view name = is_group(kind) ? inner.key() : name_of(kind);
    if (!body->is_empty() && out_.member(name)) write_command(inner, *body, {});
  }
  out_.close('}');
  budget_.leave();
}

void shape_writer::write_arguments(std::string_view but, wire::document_view body,
                                   const wire::sequence_range& sequences) noexcept {
  if (!enter()) return;
  out_.open('{');
  const std::size_t mark = memory_.mark();
  const std::size_t open_before = open_fields_;
  const auto fields = gather(but, body, sequences);
  for (const field& each : fields) {
    if (each.name == "nsInfo") remember_namespaces(item_reader{each.value, each.is_sequence});
  }
  write_fields(form::arguments, fields);
  open_fields_ = open_before;
  memory_.rewind(mark);
  out_.close('}');
  budget_.leave();
}

void shape_writer::write_sorted(form container, const wire::element& document) noexcept {
  if (!enter()) return;
  out_.open('{');
  const std::size_t mark = memory_.mark();
  const std::size_t open_before = open_fields_;
  const auto view = document.as_container();
  write_fields(container, gather({}, view.value_or(wire::document_view{}), {}));
  open_fields_ = open_before;
  memory_.rewind(mark);
  out_.close('}');
  budget_.leave();
}

std::span<shape_writer::field> shape_writer::gather(
    std::string_view but, wire::document_view document,
    const wire::sequence_range& sequences) noexcept {
  std::span<field> fields;
  const auto add = [&](std::string_view name, const wire::element& value, bool is_sequence) {
    const bool may_open =
        open_fields_ < shape_limits::sorted_fields && spend_node() && work_.spend(name.size());
    const auto position = static_cast<std::uint32_t>(fields.size());
    if (!may_open || !memory_.extend(fields)) return out_.cut(true);
    fields.back() = {name, value, position, is_plain_name(name), is_sequence, form::literal};
    ++open_fields_;
  };
  wire::document_reader reader{document};
  for (wire::element each; !out_.is_cut() && reader.next(each);) {
    if (but.empty() || each.key() != but) add(each.key(), each, false);
  }
  if (reader.is_corrupt()) out_.cut(true);
  for (auto it = sequences.begin(); it != sequences.end() && !out_.is_cut(); ++it) {
    add(it->identifier, {it->identifier, wire::bson_type::array, it->documents}, true);
  }
  return fields;
}

void shape_writer::write_fields(form container, std::span<field> fields) noexcept {
  const auto order = [](const field& left, const field& right) {
    return left.is_plain && right.is_plain ? left.name.compare(right.name)
                                           : compare_names(left.name, right.name);
  };
  if (!spend_sorting(fields)) return out_.cut(true);
  fields = shown_of(container, fields);
  std::sort(fields.begin(), fields.end(), [&](const field& left, const field& right) {
    const int by_name = order(left, right);
    return by_name != 0 ? by_name < 0 : left.position < right.position;
  });
  seen_items seen;
  bool is_repeated = false;
  for (std::size_t i = 0; i < fields.size() && !out_.is_cut(); ++i) {
    if (!is_repeated) seen.clear();
    const bool repeats = std::exchange(
        is_repeated, i + 1 < fields.size() && order(fields[i], fields[i + 1]) == 0);
    write_field(fields[i], repeats || is_repeated ? &seen : nullptr);
  }
}

/// Moves the fields that the shape contains to the front, and determines their forms. Half of a
/// command's arguments only control how it runs; these aren't sorted.
std::span<shape_writer::field> shape_writer::shown_of(form container,
                                                      std::span<field> fields) const noexcept {
  std::size_t count = 0;
  for (field& each : fields) {
    each.how = container == form::arguments ? form_of_argument(kind_, each.name)
                                            : form_of_field(container, each.name);
    const bool is_absent = is_argument_list(container) ? is_void(each.how, each.value)
                                                       : each.how == form::left_out;
    if (!is_absent) fields[count++] = each;
  }
  return fields.first(count);
}

// Writes one field. A name may occur several times: in a conjunction, or as two keys of a map
// that the shape writes identically. Fields with identical texts are written once. `seen`: null
// if the name occurs once.
void shape_writer::write_field(const field& each, seen_items* seen) noexcept {
  const shape_text::place before = out_.here();
  const std::size_t begin = out_.next_item();
  if (!out_.member(each.name)) return;
  if (!each.is_sequence) {
    write(each.how, each.value);
  } else if (each.how == form::statements) {
    write_distinct(form::statement, item_reader{each.value, true});
  } else {
    out_.scalar(each.how == form::documents ? "\"?documents\"" : "\"?array<?object>\"");
  }
  if (out_.is_cut()) return;
  const bool is_paid = work_.spend(out_.text().size() - begin);
  const auto answer =
      seen == nullptr ? seen_items::answer::is_new : seen->add(out_.text(), begin);
  if (answer != seen_items::answer::is_new) out_.rewind(before);
  if (!is_paid) return out_.cut(true);
  if (answer == seen_items::answer::full) out_.cut(true);
}

void shape_writer::write_in_order(form each, const wire::element& container) noexcept {
  if (!enter()) return;
  const bool is_list = container.is_array();
  out_.open(is_list ? '[' : '{');
  wire::document_reader reader{container.as_container().value_or(wire::document_view{})};
  for (wire::element item; !out_.is_cut() && reader.next(item);) {
    if (!spend_node()) {
      out_.cut(!is_list);
    } else if (is_list ? out_.item() : out_.member(item.key())) {
      write(each, item);
    }
  }
  if (reader.is_corrupt()) out_.cut(!is_list);
  out_.close(is_list ? ']' : '}');
  budget_.leave();
}

void shape_writer::write_distinct(form each, item_reader&& items) noexcept {
  if (!enter()) return;
  out_.open('[');
  seen_items seen;
  std::size_t looked_at = 0;
  for (wire::element item; !out_.is_cut() && items.next(item);) {
    if (++looked_at > shape_limits::compared_items || work_.is_low()) break;
    if (spend_node()) {
      write_if_new(each, item, seen);
    } else {
      out_.cut(false);
    }
  }
  if (items.is_corrupt()) out_.cut(false);
  out_.close(']');
  budget_.leave();
}

// Writes an item of a list unless an equal one was written. A statement may use the room of a
// whole shape, so that a hundred equal statements are recognised as one, however long they are.
// Lists within a statement share the remaining room: a second attempt at each level would
// double the work each time.
void shape_writer::write_if_new(form each, const wire::element& item,
                                seen_items& seen) noexcept {
  const shape_text::place before = out_.here();
  const std::size_t begin = out_.next_item();
  const std::size_t limit = out_.limit();
  const bool widens = each == form::statement;
  if (widens) out_.set_limit(2 * limit);
  if (out_.item()) write(each, item);
  out_.set_limit(limit);
  if (out_.is_cut() && !widens) return;
  work_.charge(out_.text().size() - begin);
  const auto answer = seen.add(out_.text(), begin);
  if (answer == seen_items::answer::is_new && out_.fits(limit)) return;
  out_.rewind(before);
  if (answer == seen_items::answer::full) out_.cut(false);
  if (answer == seen_items::answer::is_new && out_.item()) write(each, item);
}

void shape_writer::remember_namespaces(item_reader&& namespaces) noexcept {
  const auto names = memory_.allocate<std::string_view>(shape_limits::named_namespaces);
  std::size_t size = 0;
  wire::element item;
  while (size < names.size() && namespaces.next(item)) {
    const auto info = item.as_container();
    if (info && !work_.spend(info->size_bytes())) break;
    const auto ns = info ? wire::find_field(*info, "ns") : std::nullopt;
    names[size++] = ns ? ns->as_string() : std::string_view{};
  }
  namespaces_ = names.first(size);
}

/// Spends the cost of reading a field or item and writing its type; false if the budget is
/// spent.
bool shape_writer::spend_node() noexcept {
  constexpr std::size_t units = 20;
  return budget_.spend_node() && work_.spend(units);
}

/// Spends the cost of sorting fields; false if the budget is spent. Each name is compared about
/// log2(number of fields) times; names with data in them are compared piece by piece. Spent
/// beforehand, because half-sorted fields are useless.
bool shape_writer::spend_sorting(std::span<const field> fields) noexcept {
  constexpr std::size_t of_comparison = 10;
  constexpr std::size_t plain_bytes_per_unit = 8;
  constexpr std::size_t units_per_shown_byte = 4;
  std::size_t once = 0;
  for (const field& each : fields) {
    once += of_comparison + (each.is_plain ? each.name.size() / plain_bytes_per_unit
                                           : each.name.size() * units_per_shown_byte);
  }
  return work_.spend(once * static_cast<std::size_t>(std::bit_width(fields.size() | 1U) - 1));
}

bool shape_writer::enter() noexcept {
  if (budget_.enter()) return true;
  out_.scalar("\"?deep\"");
  return false;
}

}  // namespace scattergate::routing
