#include "digest/shape_command.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/placeholder.hpp"
#include "routing/command_kind.hpp"
#include "routing/shape/placeholder.hpp"
#include "routing/stages/stage.hpp"
#include "wire/bson.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::digest {
namespace {

/// The origin of a shape: MongoDB ($queryStats) or scattergate (docs/shapes.md).
enum class shape_source : std::uint8_t { server, scattergate };

/// Writes a shape as BSON, with made-up values in place of the placeholders. The values are
/// chosen so that the verdict never has fewer shards than any command with this shape would
/// ask; command_of_shape() lists the rules. The functions return false if no value can be made
/// up or if the nesting is too deep; the output is then invalid.
class shape_values {
 public:
  /// Writes to `to`, which must outlive this object. `who`: the origin of the shapes.
  shape_values(wire::bson_writer& to, shape_source who) : to_(to), source_(who) {}

  /// Writes one field of the shape.
  [[nodiscard]] bool fill_field(const wire::element& field) { return fill_field(field, {}, 0); }

  /// Writes a filter as the field `name`.
  [[nodiscard]] bool fill_filter(std::string_view name, wire::document_view shape) {
    return fill_filter(name, shape, 0);
  }

 private:
  /// How a filter uses a value.
  struct use {
    enum class size : std::uint8_t { low, middle, high };

    size of = size::middle;  ///< a lower bound is low and an upper bound is high, so that a
                             ///< value can match both
    bool is_negated = false;
    std::int32_t branch = 0;  ///< number of the $or branch, counted over all $or
    std::string_view field;

    [[nodiscard]] use turned() const noexcept;
  };

  /// The value, or the list of values, that a filter or an enclosing filter requires of a
  /// field. Values in the branches of an $or must not contradict it.
  struct pin {
    std::int32_t rank = 0;
    bool is_list = false;
  };
  using pinned_fields = std::vector<std::string>;
  [[nodiscard]] static use inside(std::string_view name, use outside);

  [[nodiscard]] std::int32_t rank_of(const use& purpose) const;
  [[nodiscard]] pinned_fields pin_all(wire::document_view filter, std::int32_t branch);
  void find_pins(wire::document_view filter, int level, std::map<std::string, bool>& found);
  static void find_pin(const wire::element& field, std::map<std::string, bool>& found);

  /// Writes conditions that hold together: a filter, or a branch of an $or.
  [[nodiscard]] bool fill_conjunction(wire::document_view filter, use purpose, int level);
  [[nodiscard]] bool fill(wire::document_view shape, use purpose, int level);
  [[nodiscard]] bool fill_field(const wire::element& field, use purpose, int level);
  [[nodiscard]] bool fill_filter(std::string_view name, wire::document_view shape, int level);
  [[nodiscard]] bool fill_plain(std::string_view name, wire::document_view filter, int level);
  [[nodiscard]] bool fill_list(std::string_view name, wire::document_view list, use purpose,
                               int level);
  [[nodiscard]] bool fill_projection(std::string_view name, wire::document_view shape,
                                     int level);
  [[nodiscard]] bool fill_value(const wire::element& field, use purpose);
  [[nodiscard]] bool write(std::string_view name, std::string_view type, use purpose);
  [[nodiscard]] bool write_mixed(std::int32_t rank);
  [[nodiscard]] bool write_list(std::string_view name, std::string_view type, use purpose);
  [[nodiscard]] bool write_one(std::string_view name, std::string_view type, use purpose,
                               std::int32_t rank);

  wire::bson_writer& to_;
  shape_source source_;
  std::int32_t branches_ = 0;
  std::map<std::string, std::vector<pin>, std::less<>> pins_;  ///< by field; the innermost
                                                               ///< filter's last
};

using wire::bson_writer;
using wire::document_view;
using wire::element;

constexpr int most_filter_levels = 64;

/// The only field of a document; std::nullopt if it hasn't exactly one.
std::optional<element> only_field(document_view of) {
  wire::document_reader reader{of};
  element first;
  element second;
  if (!reader.next(first) || reader.next(second) || reader.is_corrupt()) return std::nullopt;
  return first;
}

bool is_logical(std::string_view name) {
  return name == "$and" || name == "$or" || name == "$nor";
}

/// A condition on a field: an operator with its argument; the operator is empty for a plain
/// value.
struct predicate {
  std::string_view op;
  element argument;
  bool is_missing = false;  ///< {$exists: false}
};
using predicates = std::vector<predicate>;

/// The opposite of the condition inside a $not; std::nullopt if no operator expresses it.
std::optional<predicate> opposite(document_view negated) {
  const auto inside = only_field(negated);
  if (!inside) return std::nullopt;
  if (inside->key() == "$eq") return predicate{"$ne", *inside};
  if (inside->key() == "$in") return predicate{"$nin", *inside};
  if (inside->key() == "$exists") return predicate{"$exists", *inside, true};
  return std::nullopt;
}

predicates predicates_of(const element& field) {
  const bool is_of_documents = field.key().starts_with('$');  // $expr, $text, ...
  const auto condition = is_of_documents ? std::nullopt : field.as_document();
  if (!condition || condition->is_empty()) return {{{}, field}};
  predicates all;
  wire::document_reader reader{*condition};
  for (element one; reader.next(one);) {
    if (!one.key().starts_with('$')) return {{{}, field}};
    const auto negated = one.key() == "$not" ? one.as_document() : std::nullopt;
    const auto plain = negated ? opposite(*negated) : std::nullopt;
    all.push_back(plain ? *plain : predicate{one.key(), one});
  }
  if (reader.is_corrupt()) return {{{}, field}};
  return all;
}

/// The conditions on each field, in order.
using fields = std::vector<std::pair<std::string_view, predicates>>;

/// Merges the members of an $and into the fields of one document; std::nullopt if a field would
/// have the same operator twice.
std::optional<fields> merged(document_view list) {
  fields all;
  std::map<std::string_view, std::size_t> places;
  std::set<std::pair<std::string_view, std::string_view>> known;
  wire::document_reader reader{list};
  for (element member; reader.next(member);) {
    const auto inside = member.as_document();
    const auto field = inside ? only_field(*inside) : std::nullopt;
    if (!field) return std::nullopt;
    const std::string_view name = field->key();
    const auto [place, is_new] = places.try_emplace(name, all.size());
    if (is_new) all.emplace_back(name, predicates{});
    predicates& of = all[place->second].second;
    for (const predicate& one : predicates_of(*field)) {
      const bool can_share = !one.op.empty() && (of.empty() || !of.front().op.empty());
      if (!known.emplace(name, one.op).second || (!is_new && !can_share)) return std::nullopt;
      of.push_back(one);
    }
  }
  if (all.empty() || reader.is_corrupt()) return std::nullopt;
  return all;
}

class filter_writer {
 public:
  [[nodiscard]] bool write(document_view filter, int level) {
    if (level == most_filter_levels) return false;
    const auto only = only_field(filter);
    const auto list = only && only->key() == "$and" ? only->as_array() : std::nullopt;
    if (const auto together = list ? merged(*list) : std::nullopt) {
      return std::all_of(together->begin(), together->end(), [&](const auto& field) {
        return write_field(field.first, field.second, level);
      });
    }
    wire::document_reader reader{filter};
    for (element field; reader.next(field);) {
      if (!write_field(field.key(), predicates_of(field), level)) return false;
    }
    return !reader.is_corrupt();
  }

  bson_writer to;

 private:
  [[nodiscard]] bool write_field(std::string_view name, const predicates& all, int level) {
    const element& first = all.front().argument;
    const auto branches = is_logical(name) ? first.as_array() : std::nullopt;
    if (branches) return write_branches(name, *branches, level);
    if (all.size() == 1 && (all.front().op.empty() || is_equality(all.front()))) {
      to.copy(name, first);
      return true;
    }
    to.open_document(name);
    for (const predicate& one : all) {
      if (!write_predicate(one, level)) return false;
    }
    to.close();
    return true;
  }

  /// Whether the condition equals a plain value. {$eq: /x/} doesn't: it differs from /x/.
  [[nodiscard]] static bool is_equality(const predicate& one) {
    return one.op == "$eq" && one.argument.as_string() != "?regex";
  }

  [[nodiscard]] bool write_predicate(const predicate& one, int level) {
    if (one.is_missing) {
      to.boolean(one.op, false);
      return true;
    }
    const auto types = one.op == "$type" ? one.argument.as_array() : std::nullopt;
    if (const auto type = types ? only_field(*types) : std::nullopt) {
      to.copy(one.op, *type);
      return true;
    }
    const auto inside = one.op == "$elemMatch" ? one.argument.as_document() : std::nullopt;
    const auto field = inside ? only_field(*inside) : std::nullopt;
    // Conditions on values keep their operators; conditions on documents are filters.
    if (!field || (field->key().starts_with('$') && !is_logical(field->key()))) {
      to.copy(one.op, one.argument);
      return true;
    }
    to.open_document(one.op);
    if (!write(*inside, level + 1)) return false;
    to.close();
    return true;
  }

  [[nodiscard]] bool write_branches(std::string_view name, document_view list, int level) {
    to.open_array(name);
    wire::document_reader reader{list};
    for (element branch; reader.next(branch);) {
      const auto filter = branch.as_document();
      if (!filter) return false;
      to.open_document(branch.key());
      if (!write(*filter, level + 1)) return false;
      to.close();
    }
    to.close();
    return !reader.is_corrupt();
  }
};

/// Converts a filter of $queryStats to an equivalent filter as applications write it. MongoDB
/// has parsed and serialised the filter (mongo: matcher/expression_*.cpp, serialize()); this
/// function does the reverse:
/// - {$and: [{a: {$eq: 1}}, {b: {$eq: 2}}]} → {a: 1, b: 2}, even if the application wrote an
///   $and;
/// - {a: {$not: {$eq: 1}}} → {a: {$ne: 1}}, and the same for $nin and {$exists: false}.
/// Keeps placeholders. Returns std::nullopt if the filter is invalid or nested too deep.
std::optional<std::vector<std::byte>> plain_filter(document_view parsed) {
  filter_writer made;
  if (!made.write(parsed, 0)) return std::nullopt;
  return made.to.take();
}

using wire::bson_type;

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

std::string_view text_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field && field->is_string() ? field->as_string() : std::string_view{};
}

/// Writes a field other than the command's name. Variables of `let` get the value "$$NOW",
/// which is unknown before execution, because it is unknown which of them are equal.
bool write_argument(const element& field, shape_values& values, bson_writer& to) {
  const auto document = field.as_document();
  const bool is_filter = document && routing::is_filter_field(field.key());
  if (is_filter) return values.fill_filter(field.key(), *document);
  if (!document || field.key() != "let") return values.fill_field(field);
  to.open_document("let");
  wire::document_reader reader{*document};
  for (element variable; reader.next(variable);) to.text(variable.key(), "$$NOW");
  to.close();
  return !reader.is_corrupt();
}

enum class part { command, statement };

/// Writes all arguments of the command, or all arguments of its only statement.
bool write_arguments(document_view shape, part of, bool is_batch, bson_writer& to) {
  shape_values values{to, shape_source::server};
  wire::document_reader reader{shape};
  for (element field; reader.next(field);) {
    if (field.key() == "cmdNs" || field.key() == "command") continue;
    const bool is_of_statement = is_batch && field.key() != "let";
    if (is_of_statement != (of == part::statement)) continue;
    if (!write_argument(field, values, to)) return false;
  }
  return !reader.is_corrupt();
}

bool write_statement(std::string_view list, document_view shape, bson_writer& to) {
  to.open_array(list);
  to.open_document("0");
  const bool is_good = write_arguments(shape, part::statement, true, to);
  to.close();
  to.close();
  return is_good;
}

/// Writes a field with a JSON value. False if a shape can't have this value: null, a number
/// that isn't an int32, or a name with a NUL.
bool write_json(std::string_view name, const boost::json::value& from, bson_writer& to) {
  if (name.find('\0') != name.npos) return false;
  if (const auto* text = from.if_string()) {
    to.text(name, std::string_view{text->data(), text->size()});
  } else if (const auto* flag = from.if_bool()) {
    to.boolean(name, *flag);
  } else if (const auto* number = from.if_int64()) {
    to.int32(name, static_cast<std::int32_t>(*number));
    return *number == static_cast<std::int32_t>(*number);
  } else if (const auto* list = from.if_array()) {
    to.open_array(name);
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!write_json(std::to_string(i), (*list)[i], to)) return false;
    }
    to.close();
  } else if (const auto* object = from.if_object()) {
    to.open_document(name);
    for (const auto& [key, value] : *object) {
      if (!write_json({key.data(), key.size()}, value, to)) return false;
    }
    to.close();
  } else {
    return false;
  }
  return true;
}

/// Converts a shape's text to BSON, including its placeholders; std::nullopt if it is
/// incomplete.
std::optional<std::vector<std::byte>> bson_of(std::string_view shape) {
  // Truncated, or a substitute for statements that weren't logged.
  if (shape.find("\"...\"") != shape.npos || shape.starts_with(R"({"statements":)")) {
    return std::nullopt;
  }
  constexpr unsigned most_depth = 100;
  boost::system::error_code failed;
  boost::json::parse_options options;
  options.max_depth = most_depth;
  const auto parsed = boost::json::parse({shape.data(), shape.size()}, failed, {}, options);
  if (failed || !parsed.is_object()) return std::nullopt;
  bson_writer made;
  for (const auto& [key, value] : parsed.get_object()) {
    if (!write_json({key.data(), key.size()}, value, made)) return std::nullopt;
  }
  return made.take();
}

/// Writes an insert's list of documents, with one empty document, because their content is
/// unknown.
void write_documents(std::string_view name, bson_writer& to) {
  to.open_array(name);
  to.open_document("0");
  to.close();
  to.close();
}

/// Whether the shapes of commands of this kind have everything that decides their routing.
bool shape_decides_routing(routing::command_kind kind) noexcept {
  const auto family = routing::family_of(kind);
  const bool is_on_collection =
      family == routing::command_family::routed || family == routing::command_family::by_nature;
  return is_on_collection && !routing::is_group(kind) &&
         routing::facts_of(kind).holds != routing::batch_items::operations;
}

}  // namespace

std::optional<std::vector<std::byte>> command_of_row(const row& of) {
  if (!shape_decides_routing(routing::kind_of(of.command))) return std::nullopt;
  if (of.name_space().find('\0') != std::string::npos) return std::nullopt;
  const auto shape = bson_of(of.what.shape_json);
  if (!shape) return std::nullopt;
  bson_writer made;
  of.collection.starts_with("$cmd") ? made.int32(of.command, 1)
                                    : made.text(of.command, of.collection);
  shape_values values{made, shape_source::scattergate};
  wire::document_reader reader{*document_view::from(*shape)};
  for (element field; reader.next(field);) {
    if (field.as_string() == "?documents") {
      write_documents(field.key(), made);
    } else if (!write_argument(field, values, made)) {
      return std::nullopt;
    }
  }
  made.text("$db", of.database);
  return made.take();
}

std::optional<std::vector<std::byte>> command_of_shape(document_view shape) {
  const auto on = wire::find_field(shape, "cmdNs");
  const auto ns = on ? on->as_document() : std::nullopt;
  const std::string_view name = text_in(shape, "command");
  if (!ns || name.empty()) return std::nullopt;
  const std::string_view collection = text_in(*ns, "coll");
  bson_writer made;
  collection.starts_with("$cmd") ? made.int32(name, 1) : made.text(name, collection);
  bool is_good = true;
  const routing::command_facts& facts = routing::facts_of(routing::kind_of(name));
  if (facts.holds == routing::batch_items::statements) {
    is_good = write_statement(facts.batch, shape, made) &&
              write_arguments(shape, part::command, true, made);
  } else if (facts.holds != routing::batch_items::documents) {
    is_good = write_arguments(shape, part::command, false, made);
  }
  if (!is_good) return std::nullopt;
  made.text("$db", text_in(*ns, "db"));
  return made.take();
}

}  // namespace scattergate::digest
