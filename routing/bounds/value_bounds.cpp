#include "routing/bounds/value_bounds.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "routing/bounds/argument_types.hpp"
#include "routing/keys/hash.hpp"
#include "routing/keys/key_encoding.hpp"
#include "wire/endian.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

namespace {

/// Whether a `|` may split the pattern into alternatives. Like mongos, counts every `|` after
/// two or more backslashes as one that does (mongo: query/analyze_regex.cpp,
/// stringMayHaveUnescapedPipe).
bool may_have_alternatives(std::string_view pattern) noexcept {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '|') continue;
    const bool is_escaped = i > 0 && pattern[i - 1] == '\\';
    const bool is_escape_escaped = i > 1 && pattern[i - 2] == '\\';
    if (!is_escaped || is_escape_escaped) return true;
  }
  return false;
}

bool is_alphanumeric(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Reads the literal characters at the beginning of a pattern. If the pattern is extended
/// (option x), its spaces and comments match nothing.
class prefix_reader {
 public:
  prefix_reader(std::string_view pattern, bool is_extended, std::span<char> room) noexcept
      : pattern_(pattern), room_(room), is_extended_(is_extended) {}

  std::string_view read() noexcept {
    while (at_ < pattern_.size() && step(pattern_[at_++])) {
    }
    return {room_.data(), size_};
  }

 private:
  /// Reads one item; false at the end of the literal part.
  bool step(char c) noexcept {
    if (c == '*' || c == '?') {  // makes the previous character optional
      if (size_ > 0) --size_;
      return false;
    }
    if (c == '\\') return escape();
    if (std::string_view{"^$.[()+{"}.find(c) != std::string_view::npos) return false;
    if (is_extended_ && c == '#') return false;  // a comment
    if (!is_extended_ || !is_space(c)) put(c);
    return true;
  }

  bool escape() noexcept {
    if (at_ == pattern_.size()) return false;
    const char c = pattern_[at_++];
    if (c == 'Q') {
      quoted();
      return true;
    }
    if (is_alphanumeric(c)) return false;  // a character class, an assertion or a reference
    put(c);
    return true;
  }

  /// Reads the literal text in \Q...\E, which may end at the end of the pattern.
  void quoted() noexcept {
    const std::size_t end = pattern_.find("\\E", at_);
    const std::string_view text = pattern_.substr(at_, end - at_);
    for (const char c : text) put(c);
    at_ = end == std::string_view::npos ? pattern_.size() : end + 2;
  }

  void put(char c) noexcept { room_[size_++] = c; }

  std::string_view pattern_;
  std::span<char> room_;
  bool is_extended_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

/// Looks for errors because of which no version of PCRE compiles a pattern.
class pattern_check {
 public:
  explicit pattern_check(std::string_view pattern) noexcept : pattern_(pattern) {}

  [[nodiscard]] bool is_malformed() noexcept {
    while (at_ < pattern_.size() && step(pattern_[at_++])) {
    }
    return !gave_up_ && (is_wrong_ || depth_ > 0);
  }

 private:
  /// Reads one item; false if the result is known.
  bool step(char c) noexcept {
    const bool has_item = has_item_;
    has_item_ = c != '(' && c != '|';
    switch (c) {
      case '\\':
        return escape();
      case '[':
        return bracket();
      case '(':
        ++depth_;
        gave_up_ = at_ < pattern_.size() && (pattern_[at_] == '?' || pattern_[at_] == '*');
        return !gave_up_;
      case ')':
        is_wrong_ = depth_-- == 0;
        return !is_wrong_;
      case '*':
      case '+':
      case '?':
        is_wrong_ = !has_item;
        return has_item;
      default:
        return true;
    }
  }

  bool escape() noexcept {
    is_wrong_ = at_ == pattern_.size();
    if (is_wrong_) return false;
    const char c = pattern_[at_++];
    gave_up_ = c == 'Q' || c == 'c';  // the following text is literal
    return !gave_up_;
  }

  /// Reads [...]. A ] at its beginning is a literal.
  bool bracket() noexcept {
    if (at_ < pattern_.size() && pattern_[at_] == '^') ++at_;
    if (at_ < pattern_.size() && pattern_[at_] == ']') ++at_;
    while (at_ < pattern_.size() && pattern_[at_] != ']') {
      const char c = pattern_[at_++];
      gave_up_ |= c == '[';  // perhaps a named class such as [:alpha:]
      if (c == '\\' && !escape()) return false;
    }
    is_wrong_ = at_ == pattern_.size();
    ++at_;
    return !is_wrong_ && !gave_up_;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool has_item_ = false;  ///< there is an item that a quantifier can repeat
  bool is_wrong_ = false;
  bool gave_up_ = false;
};

using wire::bson_type;
using wire::element;

bool is_not_a_number(bytes_view encoded) noexcept {
  return compare_encoded(encoded, encoded_least_of(canonical_type::number)) == 0;
}

/// Exact bounds, whose complement is the bounds of the negation.
field_bounds invertible(interval_set set) noexcept {
  return {set, reason::none, true, false};
}

bytes_view undefined_value() noexcept {
  return encoded_least_of(canonical_type::undefined);
}

/// The bounds if encoding a value failed: because memory ran out, or the value is corrupt.
field_bounds unencodable(const scratch& memory) noexcept {
  return field_bounds::nothing_known(memory.is_exhausted() ? reason::not_indexable
                                                           : reason::unreadable);
}

/// The bounds of an equality with one of several values, given by their encodings.
field_bounds points(std::span<const bytes_view> values, scratch& memory) noexcept {
  for (const bytes_view value : values) {
    if (value.empty()) return unencodable(memory);
  }
  const auto room = memory.allocate<interval>(values.size());
  if (room.empty()) return field_bounds::nothing_known(reason::not_indexable);
  for (std::size_t i = 0; i < values.size(); ++i) room[i] = interval{values[i], values[i]};
  return invertible(interval_set::of_many(room, memory));
}

field_bounds equal_to_null(const field_rules& rules, scratch& memory) noexcept {
  const bytes_view null = rules.hashed ? encode_int64(hash_of_null(), memory) : encoded_null();
  if (!rules.null_means_undefined) return invertible(interval_set::point(null, memory));
  const bytes_view undefined =
      rules.hashed ? encode_for(element{"", bson_type::undefined, {}}, true, memory)
                   : undefined_value();
  return points(std::array{undefined, null}, memory);
}

/// The bounds of an equality with an array: the array, and its first member (undefined if it is
/// empty), because an index contains the members of arrays.
field_bounds equal_to_array(const element& value, scratch& memory) noexcept {
  const auto members = value.as_array();
  if (!members) return unencodable(memory);
  wire::document_reader reader{*members};
  element first;
  const bool has_first = reader.next(first);
  const bytes_view by_member = has_first ? encode(first, memory) : undefined_value();
  field_bounds found = points(std::array{encode(value, memory), by_member}, memory);
  found.invertible = false;
  return found;
}

/// The encoding of text as a BSON string; empty if the scratch memory is exhausted.
bytes_view encode_text(std::string_view text, scratch& memory) noexcept {
  const auto room = memory.allocate<std::byte>(sizeof(std::uint32_t) + text.size() + 1);
  if (room.empty()) return {};
  wire::store_little(room.data(), static_cast<std::uint32_t>(text.size() + 1));
  std::ranges::copy(std::as_bytes(std::span{text}), room.begin() + sizeof(std::uint32_t));
  room.back() = std::byte{0};
  return encode(element{"", bson_type::string, room}, memory);
}

/// The encoding of the regex as a value: a regex in a filter also matches an equal regex.
bytes_view encode_regex(const regex_parts& regex, scratch& memory) noexcept {
  const auto room = memory.allocate<std::byte>(regex.pattern.size() + regex.options.size() + 2);
  if (room.empty()) return {};
  auto to = room.begin();
  for (const std::string_view part : {regex.pattern, regex.options}) {
    to = std::ranges::copy(std::as_bytes(std::span{part}), to).out;
    *to++ = std::byte{0};
  }
  return encode(element{"", bson_type::regex, room}, memory);
}

/// The range of texts that begin with `prefix`: [prefix, the least text after all of these).
interval beginning_with(std::string_view prefix, scratch& memory) noexcept {
  const bytes_view low = encode_text(prefix, memory);
  const auto next = memory.allocate<char>(prefix.size());
  if (next.empty()) return {};
  std::ranges::copy(prefix, next.begin());
  ++next.back();  // UTF-8 has no byte 255
  return {low, encode_text({next.data(), next.size()}, memory), true, false};
}

bool is_upper(field_operator op) noexcept {
  return op == field_operator::lt || op == field_operator::lte;
}
bool is_strict(field_operator op) noexcept {
  return op == field_operator::lt || op == field_operator::gt;
}

/// The range of a comparison: the values on one side of `limit`. If `bracketed`, only those of
/// the limit's type.
interval side_of(field_operator op, canonical_type type, bytes_view limit,
                 bool bracketed) noexcept {
  if (is_upper(op)) {
    bytes_view low = encoded_min_key();
    if (bracketed) {
      low = type == canonical_type::number ? encoded_minus_infinity() : encoded_least_of(type);
    }
    return {low, limit, true, !is_strict(op)};
  }
  if (!bracketed) return {limit, encoded_max_key(), !is_strict(op), true};
  return {limit, encoded_greatest_of(type), !is_strict(op), is_greatest_within(type)};
}

/// The bounds of a comparison with an array. An index also contains the members of arrays, so
/// mongos scans values of all types on that side. It starts at the array or at its first
/// member, whichever gives the wider range (mongo: buildBoundsForQueryElementForLT, -GT).
field_bounds beside_array(field_operator op, const element& value, bytes_view limit,
                          scratch& memory) noexcept {
  const auto members = value.as_array();
  if (!members) return unencodable(memory);
  wire::document_reader reader{*members};
  element first;
  if (!reader.next(first)) {
    if (reader.is_corrupt()) return unencodable(memory);
    if (!is_upper(op)) return field_bounds::nothing_known(reason::not_indexable);
  } else if (!first.is_array()) {
    const bytes_view by_member = encode(first, memory);
    if (by_member.empty()) return unencodable(memory);
    const bool further = is_upper(op) == (compare_encoded(by_member, limit) > 0);
    if (further) limit = by_member;
  }
  const interval side =
      is_upper(op) ? interval{encoded_min_key(), limit} : interval{limit, encoded_max_key()};
  return {interval_set::of(side, memory), reason::none, false, false};
}

}  // namespace

filter_fault fault_of(const regex_parts& regex, server_version version) noexcept {
  constexpr server_version rejects_options{5, 1};
  constexpr std::string_view known_options = "ilmsux";
  bool is_extended = false;
  for (const char option : regex.options) {
    if (known_options.find(option) == std::string_view::npos && version >= rejects_options) {
      return filter_fault::bad_pattern_option;
    }
    is_extended |= option == 'x';
  }
  const bool is_bad = !is_extended && pattern_check{regex.pattern}.is_malformed();
  return is_bad ? filter_fault::bad_pattern : filter_fault::none;
}

std::optional<regex_parts> regex_of(const wire::element& value) noexcept {
  const auto bytes = value.value();
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t last = text.find('\0', end + 1);
  if (last == std::string_view::npos) return std::nullopt;
  return regex_parts{text.substr(0, end), text.substr(end + 1, last - end - 1)};
}

std::string_view literal_prefix(const regex_parts& regex, scratch& memory) noexcept {
  std::string_view pattern = regex.pattern;
  bool multiline_is_fine = false;
  if (pattern.starts_with("\\A")) {
    multiline_is_fine = true;
    pattern.remove_prefix(2);
  } else if (pattern.starts_with('^')) {
    pattern.remove_prefix(1);
  } else {
    return {};
  }
  bool is_extended = false;
  for (const char option : regex.options) {
    is_extended |= option == 'x';
    // Option s only affects dots. With any other option, even u, mongos uses no prefix (mongo:
    // query/analyze_regex.cpp, getRegexPrefixMatch).
    const bool harmless =
        option == 's' || option == 'x' || (option == 'm' && multiline_is_fine);
    if (!harmless) return {};
  }
  if (pattern.empty() || may_have_alternatives(pattern)) return {};
  const std::span<char> room = memory.allocate<char>(pattern.size());
  if (room.empty()) return {};
  return prefix_reader{pattern, is_extended, room}.read();
}

bool is_collatable(bson_type type) noexcept {
  return type == bson_type::string || type == bson_type::symbol ||
         type == bson_type::document || type == bson_type::array;
}

bytes_view encode_for(const element& value, bool hashed, scratch& memory) noexcept {
  if (!hashed) return encode(value, memory);
  // The cost of MD5, which is higher for nested values, because these are hashed field by
  // field.
  constexpr std::size_t hash_units = 120;
  const std::size_t bytes = value.value().size();
  memory.work().charge(hash_units + (is_nesting(value.type()) ? 8 * bytes : 2 * bytes));
  if (memory.work().is_low()) return memory.fail_allocation();
  const auto hash = hash_of(value);
  return hash ? encode_int64(*hash, memory) : bytes_view{};
}

field_bounds equal_to(const element& value, const field_rules& rules,
                      scratch& memory) noexcept {
  if (!rules.simple_collation && is_collatable(value.type())) {
    return field_bounds::nothing_known(reason::collation);
  }
  if (value.type() == bson_type::null) return equal_to_null(rules, memory);
  if (value.is_array()) return equal_to_array(value, memory);
  const bytes_view point = encode_for(value, rules.hashed, memory);
  if (point.empty()) return unencodable(memory);
  return invertible(interval_set::point(point, memory));
}

field_bounds hashing_to(const element& hash, const field_rules& rules,
                        scratch& memory) noexcept {
  if (!rules.hashed) return field_bounds::nothing_known(reason::not_indexable);
  const bytes_view point = encode(hash, memory);
  if (point.empty()) return unencodable(memory);
  return {interval_set::point(point, memory), reason::none, false, false};
}

field_bounds compared_to(field_operator op, const element& value, bool bracketed,
                         const field_rules& rules, scratch& memory) noexcept {
  if (rules.hashed) return field_bounds::nothing_known(reason::range_on_hashed);
  if (!rules.simple_collation && is_collatable(value.type())) {
    return field_bounds::nothing_known(reason::collation);
  }
  const bool is_below_max = is_upper(op) && value.type() == bson_type::max_key;
  const bool is_above_min = !is_upper(op) && value.type() == bson_type::min_key;
  if (bracketed && (is_below_max || is_above_min)) {
    // 4.4 ignores the end that the comparison excludes (mongo: planner_ixselect.cpp,
    // isGTMinKey).
    const bool is_all = !is_strict(op) || rules.is_before_5_0;
    return {interval_set::full(), reason::none, is_all, false};
  }

  if (bracketed && value.type() == bson_type::null) {
    return is_strict(op) ? invertible(interval_set{}) : equal_to_null(rules, memory);
  }

  const bytes_view limit = encode(value, memory);
  if (limit.empty()) return unencodable(memory);
  if (bracketed && value.is_array()) return beside_array(op, value, limit, memory);
  if (bracketed && value.is_number() && is_not_a_number(limit)) {
    return invertible(is_strict(op) ? interval_set{} : interval_set::point(limit, memory));
  }
  interval side = side_of(op, canonical_type_of(value.type()), limit, bracketed);
  // In an expression a missing field, which is stored as null, is less than null (mongo:
  // query/compiler/optimizer/index_bounds_builder/index_bounds_builder.cpp at a9a9338,
  // INTERNAL_EXPR_LT).
  const bool finds_missing = !bracketed && is_upper(op) && value.type() == bson_type::null;
  side.includes_high |= finds_missing;
  return invertible(interval_set::of(side, memory));
}

bool excludes_only_end(field_operator op, const element& operand) noexcept {
  return (op == field_operator::lt && operand.type() == bson_type::max_key) ||
         (op == field_operator::gt && operand.type() == bson_type::min_key);
}

field_bounds bounds_of_excluded_end(const element& operand, const field_rules& rules,
                                    scratch& memory) noexcept {
  if (rules.hashed) return field_bounds::nothing_known(reason::range_on_hashed);
  if (rules.is_before_5_0) return {interval_set{}, reason::negation, true, true};
  return equal_to(operand, rules, memory);
}

field_bounds with_unknown_date(field_operator op, const field_rules& rules,
                               scratch& memory) noexcept {
  if (rules.hashed) return field_bounds::nothing_known(reason::range_on_hashed);
  interval dates{encoded_least_of(canonical_type::date),
                 encoded_greatest_of(canonical_type::date)};
  if (is_upper(op)) {
    dates.low = encoded_min_key();
  } else if (op != field_operator::eq) {
    dates.high = encoded_max_key();
  }
  return {interval_set::of(dates, memory), reason::none, false, false};
}

field_bounds matching_regex(const regex_parts& regex, const field_rules& rules,
                            scratch& memory) noexcept {
  if (rules.hashed) return field_bounds::nothing_known(reason::range_on_hashed);
  constexpr std::size_t regex_units = 40;
  memory.work().charge(regex_units + 2 * (regex.pattern.size() + regex.options.size()));
  const auto room = memory.allocate<interval>(2);
  if (room.empty()) return field_bounds::nothing_known(reason::not_indexable);
  const std::string_view prefix = literal_prefix(regex, memory);
  room[0] = prefix.empty() ? interval{encoded_least_of(canonical_type::string),
                                      encoded_greatest_of(canonical_type::string), true, false}
                           : beginning_with(prefix, memory);
  const bytes_view itself = encode_regex(regex, memory);
  room[1] = interval{itself, itself};
  return {interval_set::of_many(room, memory), reason::not_indexable, false, false};
}

field_bounds existing(bool exists, const field_rules& rules, scratch& memory) noexcept {
  if (!exists) {
    field_rules plain = rules;
    plain.null_means_undefined = false;  // a missing field is always stored as null
    field_bounds missing = equal_to_null(plain, memory);
    missing.invertible = false;  // a field that exists with value null has the same key
    return missing;
  }
  return {interval_set::full(), reason::not_indexable, false, false};
}

field_bounds any_number(const field_rules& rules, scratch& memory) noexcept {
  if (rules.hashed) return field_bounds::nothing_known(reason::range_on_hashed);
  return {interval_set::bracket(canonical_type::number, memory), reason::none, false, false};
}

field_bounds negated(const field_bounds& bounds, const field_rules& rules,
                     scratch& memory) noexcept {
  // The set must be exact: the complement of a set that is too wide would be too narrow.
  if (rules.hashed || !bounds.invertible || memory.is_exhausted()) {
    const bool is_collation = bounds.cause == reason::collation;
    return field_bounds::nothing_known(is_collation ? reason::collation : reason::negation);
  }
  return {bounds.set.complement(memory), reason::negation, true, !bounds.is_complement,
          bounds.uses_index};
}

namespace {

struct type_alias {
  std::string_view name;
  std::int64_t code;
  canonical_type type;
};

/// MongoDB's names and numbers of BSON types (MongoDB's manual, "$type").
constexpr auto aliases = [] {
  using enum canonical_type;
  return std::to_array<type_alias>({
      {"double", 1, number},
      {"string", 2, string},
      {"object", 3, object},
      {"array", 4, array},
      {"binData", 5, binary},
      {"undefined", 6, undefined},
      {"objectId", 7, object_id},
      {"bool", 8, boolean},
      {"date", 9, date},
      {"null", 10, null},
      {"regex", 11, regex},
      {"dbPointer", 12, db_pointer},
      {"javascript", 13, code},
      {"symbol", 14, string},
      {"javascriptWithScope", 15, code_with_scope},
      {"int", 16, number},
      {"timestamp", 17, timestamp},
      {"long", 18, number},
      {"decimal", 19, number},
      {"maxKey", 127, max_key},
      {"minKey", -1, min_key},
      {"number", -2, number},  // only as a name
  });
}();
constexpr std::int64_t name_only = -2;

/// The cost of looking up a type, in units of work_budget.
constexpr std::size_t alias_units = 60;

const type_alias* find_alias(const element& type) noexcept {
  if (type.is_string()) {
    for (const type_alias& alias : aliases) {
      if (alias.name == type.as_string()) return &alias;
    }
    return nullptr;
  }
  const auto code = integer_of(argument::type_code, type);
  for (const type_alias& alias : aliases) {
    if (code && *code != name_only && alias.code == *code) return &alias;
  }
  return nullptr;
}

/// Collects the ranges of the types that a $type names.
struct type_collector {
  std::array<interval, aliases.size()> brackets;
  std::size_t count = 0;
  bool has_array = false;

  /// False if MongoDB has no such type.
  bool add(const element& named) noexcept {
    const type_alias* alias = find_alias(named);
    if (alias == nullptr) return false;
    has_array |= alias->type == canonical_type::array;
    for (std::size_t i = 0; i < count; ++i) {
      if (brackets[i].low.data() == encoded_least_of(alias->type).data()) return true;
    }
    brackets[count++] =
        interval{encoded_least_of(alias->type), encoded_greatest_of(alias->type), true,
                 is_greatest_within(alias->type)};
    return true;
  }
};

/// Reads the operand of $type; returns its fault.
filter_fault collect_types(const element& types, type_collector& to,
                           wire::work_budget& work) noexcept {
  const auto list = types.as_array();
  if (!list) return to.add(types) ? filter_fault::none : filter_fault::refused;
  wire::metered_reader reader{*list, work};
  for (element one; reader.next(one);) {
    work.charge(alias_units);
    if (!to.add(one)) return filter_fault::refused;
  }
  if (reader.is_corrupt()) return filter_fault::unreadable;
  return to.count > 0 ? filter_fault::none : filter_fault::refused;
}

}  // namespace

filter_fault fault_of_type(const element& types, wire::work_budget& work) noexcept {
  type_collector found;
  return collect_types(types, found, work);
}

field_bounds of_type(const element& types, const field_rules& rules, scratch& memory) noexcept {
  if (rules.hashed) return field_bounds::nothing_known(reason::range_on_hashed);
  type_collector found;
  (void)collect_types(types, found, memory.work());
  // The index has an array's members instead of the array, so all types are possible.
  if (found.has_array) return {interval_set::full(), reason::not_indexable, false, false};
  const auto room = memory.allocate<interval>(found.count);
  if (room.empty()) return field_bounds::nothing_known(reason::not_indexable);
  std::ranges::copy(std::span{found.brackets}.first(found.count), room.begin());
  return {interval_set::of_many(room, memory), reason::none, false, false};
}

}  // namespace scattergate::routing
