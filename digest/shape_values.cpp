#include "digest/shape_values.hpp"

#include <array>
#include <optional>

#include "digest/placeholder.hpp"
#include "digest/plain_filter.hpp"
#include "routing/shape/placeholder.hpp"
#include "routing/stages/stage.hpp"

namespace scattergate::digest {
namespace {

using wire::bson_type;
using wire::bson_writer;
using wire::document_view;
using wire::element;

constexpr int most_shape_levels = 64;

bool is_projection(std::string_view name) {
  return name == "projection" || routing::stage_of(name).shape == routing::form::projection;
}

/// The first rank for values of one branch.
std::int32_t first_rank(std::int32_t branch) {
  constexpr std::int32_t first = 1'000;
  constexpr std::int32_t apart = 4;
  return first + branch * apart;
}

/// The path of the first field in an operator's list of arguments, such as ["$a", 5]; empty if
/// there is none.
std::string_view path_in(document_view list) {
  wire::document_reader reader{list};
  for (element member; reader.next(member);) {
    const std::string_view text = member.is_string() ? member.as_string() : std::string_view{};
    if (text.starts_with('$') && !text.starts_with("$$")) return text.substr(1);
  }
  return {};
}

void write_any_regex(std::string_view name, bson_writer& to) {
  constexpr std::array anywhere = {std::byte{'a'}, std::byte{0}, std::byte{0}};
  to.raw(name, bson_type::regex, anywhere);
}

void write_code(std::string_view name, bson_writer& to) {
  constexpr std::array code = {std::byte{2}, std::byte{0},   std::byte{0},
                               std::byte{0}, std::byte{'1'}, std::byte{0}};
  to.raw(name, bson_type::code, code);
}

}  // namespace

std::int32_t shape_values::rank_of(const use& purpose) const {
  constexpr std::int32_t low = 1;
  constexpr std::int32_t high = 2'000'000'000;
  if (purpose.of != use::size::middle) {
    return (purpose.of == use::size::low) != purpose.is_negated ? low : high;
  }
  const auto pinned = pins_.find(purpose.field);
  const bool is_pinned = pinned != pins_.end() && !pinned->second.empty();
  return (is_pinned ? pinned->second.back().rank : first_rank(purpose.branch)) +
         (purpose.is_negated ? 2 : 0);
}

/// Adds to `found` the fields for which the filter has an equality (false) or only a list of
/// alternatives (true).
void shape_values::find_pins(document_view filter, int level,
                             std::map<std::string, bool>& found) {
  if (level == most_shape_levels) return;
  wire::document_reader reader{filter};
  for (element field; reader.next(field);) {
    const auto inside = field.as_container();
    if (inside && field.key() == "$and") {
      wire::document_reader members{*inside};
      for (element member; members.next(member);) {
        if (const auto one = member.as_document()) find_pins(*one, level + 1, found);
      }
    } else if (inside && field.key() == "$expr") {
      find_pins(*inside, level + 1, found);
    } else {
      find_pin(field, found);
    }
  }
}

void shape_values::find_pin(const element& field, std::map<std::string, bool>& found) {
  const std::string_view name = field.key();
  const auto inside = field.as_container();
  if (name == "$eq" && inside) {  // in an expression: ["$a", ...]
    found[std::string{path_in(*inside)}] = false;
  } else if (name.starts_with('$')) {
    return;
  } else if (!inside || wire::find_field(*inside, "$eq")) {
    found[std::string{name}] = false;
  } else if (wire::find_field(*inside, "$in")) {
    found.emplace(name, true);
  }
}

shape_values::pinned_fields shape_values::pin_all(document_view filter, std::int32_t branch) {
  std::map<std::string, bool> found;
  find_pins(filter, 0, found);
  pinned_fields pinned;
  for (const auto& [name, is_list] : found) {
    std::vector<pin>& around = pins_[name];
    if (around.empty()) {
      around.push_back({first_rank(branch), is_list});
    } else if (around.back().is_list && !is_list) {
      around.push_back({around.back().rank + branch % 2, false});  // one of the list's values
    } else {
      continue;
    }
    pinned.push_back(name);
  }
  return pinned;
}

bool shape_values::fill_conjunction(document_view filter, use purpose, int level) {
  const pinned_fields pinned =
      purpose.is_negated ? pinned_fields{} : pin_all(filter, purpose.branch);
  const bool is_good = fill(filter, purpose, level);
  for (const std::string& name : pinned) pins_[name].pop_back();
  return is_good;
}

shape_values::use shape_values::use::turned() const noexcept {
  use other = *this;
  if (of != size::middle) other.of = of == size::low ? size::high : size::low;
  return other;
}

/// How an operator uses the values after it.
shape_values::use shape_values::inside(std::string_view name, use outside) {
  if (!name.starts_with('$')) return outside;
  use made = outside;
  made.of = use::size::middle;
  if (name == "$gt" || name == "$gte") made.of = use::size::low;
  if (name == "$lt" || name == "$lte") made.of = use::size::high;
  if (name == "$not" || name == "$nor" || name == "$ne" || name == "$nin") {
    made.is_negated = !outside.is_negated;
  }
  return made;
}

bool shape_values::fill(document_view shape, use purpose, int level) {
  if (level >= most_shape_levels) return false;
  wire::document_reader reader{shape};
  for (element field; reader.next(field);) {
    use each = purpose;
    if (!field.key().starts_with('$')) each.field = field.key();
    if (!fill_field(field, each, level)) return false;
  }
  return !reader.is_corrupt();
}

bool shape_values::fill_filter(std::string_view name, document_view shape, int level) {
  if (source_ == shape_source::scattergate) return fill_plain(name, shape, level);
  const auto plain = plain_filter(shape);
  const auto filter = plain ? document_view::from(*plain) : std::nullopt;
  return filter && fill_plain(name, *filter, level);
}

bool shape_values::fill_plain(std::string_view name, document_view filter, int level) {
  to_.open_document(name);
  const bool is_good = fill_conjunction(filter, {}, level + 1);
  to_.close();
  return is_good;
}

bool shape_values::fill_field(const element& field, use purpose, int level) {
  const std::string_view name = field.key();
  const auto container = field.as_container();
  if (!container) return fill_value(field, inside(name, purpose));
  const bool is_list = field.is_array();
  const bool is_statements = source_ == shape_source::scattergate && name == "q";
  const bool is_match = routing::stage_of(name).shape == routing::form::filter;
  if (!is_list && (is_match || is_statements)) {
    return fill_filter(name, *container, level);
  }
  if (!is_list && is_projection(name)) return fill_projection(name, *container, level);
  is_list ? to_.open_array(name) : to_.open_document(name);
  const bool is_good = is_list ? fill_list(name, *container, purpose, level)
                               : fill(*container, inside(name, purpose), level + 1);
  to_.close();
  return is_good;
}

bool shape_values::fill_list(std::string_view name, document_view list, use purpose,
                             int level) {
  if (level >= most_shape_levels) return false;
  use inner = inside(name, purpose);
  if (const auto path = path_in(list); !path.empty()) inner.field = path;
  bool is_first = true;
  wire::document_reader reader{list};
  for (element member; reader.next(member);) {
    use each = is_first ? inner.turned() : inner;  // {$gt: [5, "$a"]} is an upper bound
    is_first = false;
    const auto branch = name == "$or" ? member.as_document() : std::nullopt;
    if (!branch) {
      if (!fill_field(member, each, level + 1)) return false;
      continue;
    }
    each.branch = ++branches_;
    to_.open_document(member.key());
    if (!fill_conjunction(*branch, each, level + 2)) return false;
    to_.close();
  }
  return !reader.is_corrupt();
}

/// Writes a projection. Omits `_id: true` unless it is the only field, because MongoDB reports
/// it for every projection that doesn't exclude `_id`.
bool shape_values::fill_projection(std::string_view name, document_view shape, int level) {
  if (level >= most_shape_levels) return false;
  to_.open_document(name);
  std::size_t written = 0;
  std::optional<element> id;
  wire::document_reader reader{shape};
  for (element field; reader.next(field);) {
    if (field.key() == "_id" && field.type() == bson_type::boolean && field.is_truthy()) {
      id = field;
      continue;
    }
    if (!fill_field(field, {}, level + 1)) return false;
    ++written;
  }
  if (written == 0 && id) to_.copy(*id);
  to_.close();
  return !reader.is_corrupt();
}

bool shape_values::fill_value(const element& field, use purpose) {
  const std::string_view name = field.key();
  const std::string_view text = field.is_string() ? field.as_string() : std::string_view{};
  if (text == "[]") {
    to_.open_array(name);
    to_.close();
  } else if (!text.starts_with('?')) {
    to_.copy(field);
  } else if (name == "$exists") {
    to_.boolean(name, true);  // $exists: false is reported as $not
  } else if (name == "$options") {
    to_.text(name, "i");
  } else if (name == "$type") {
    return false;
  } else {
    return write(name, text, purpose);
  }
  return true;
}

bool shape_values::write(std::string_view name, std::string_view type, use purpose) {
  constexpr std::string_view list = routing::placeholder_list;
  if (type.starts_with(list) && type.ends_with('>')) {
    return write_list(name, type.substr(list.size(), type.size() - list.size() - 1), purpose);
  }
  return write_one(name, type, purpose, rank_of(purpose));
}

/// Writes the members of a list of mixed types. The types are unknown, so it gets two values of
/// each.
bool shape_values::write_mixed(std::int32_t rank) {
  constexpr std::array types = {"?number",    "?string", "?objectId", "?date",   "?binData",
                                "?timestamp", "?object", "?minKey",   "?maxKey", "?null"};
  int number = 0;
  for (const std::string_view type : types) {
    for (const std::int32_t each : {rank, rank + 1}) {
      if (!write_placeholder(std::to_string(number++), type, each, to_)) return false;
    }
  }
  to_.boolean(std::to_string(number++), true);
  to_.boolean(std::to_string(number++), false);
  write_any_regex(std::to_string(number), to_);
  return true;
}

bool shape_values::write_list(std::string_view name, std::string_view type, use purpose) {
  const std::int32_t rank = rank_of(purpose);
  bool is_good = true;
  to_.open_array(name);
  if (type.empty()) {
    is_good = write_mixed(rank);
  } else {
    is_good = write_one("0", type, purpose, rank) && write_one("1", type, purpose, rank + 1);
  }
  to_.close();
  return is_good;
}

bool shape_values::write_one(std::string_view name, std::string_view type, use purpose,
                             std::int32_t rank) {
  if (type == "?regex") {
    write_any_regex(name, to_);
  } else if (type == "?javascript") {
    write_code(name, to_);
  } else if (type == "?object") {  // with unknown fields
    to_.open_document(name);
    to_.int32("?", rank);
    to_.close();
  } else if (type == "?bool") {
    const bool is_odd = (rank / 4 % 2 != 0) != (rank % 2 != 0);  // differs from the next branch
    to_.boolean(name, is_odd != purpose.is_negated);
  } else {
    return write_placeholder(name, type, rank, to_);
  }
  return true;
}

}  // namespace scattergate::digest
