#include "sim/query/matcher.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <boost/regex.hpp>

#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"
#include "sim/values/path.hpp"

// A filter is parsed into nested functions. A `predicate` tests one value, a `condition` a
// whole document. parse_filter() at the end is the entry.
namespace scattergate::sim {
namespace {

using condition = std::function<bool(const document&)>;
/// Gets a null pointer if the field is missing.
using value_test = std::function<bool(const value*)>;

/// Deeper logic is rejected; the wire's own limit on nesting isn't far above.
constexpr int max_filter_depth = 100;
/// PCRE's own limit in MongoDB is 16 KiB; a test cluster needs less.
constexpr std::size_t max_pattern_bytes = 4096;
constexpr std::size_t word_bits = 64;

struct predicate {
  value_test test;
  bool looks_into_arrays = true;  ///< an array also passes if one of its members does

  [[nodiscard]] bool passes(const value* candidate) const {
    if (test(candidate)) return true;
    const auto* members = looks_into_arrays ? as<array>(candidate) : nullptr;
    return members != nullptr &&
           std::ranges::any_of(*members, [this](const value& each) { return test(&each); });
  }
};

const array& array_operand(std::string_view name, const value& operand) {
  const auto* members = operand.as<array>();
  if (members == nullptr) refuse(std::string{name} + " needs an array");
  return *members;
}

/// Since 8.0 null no longer stands for undefined.
bool is_null_or_missing(const value* candidate) {
  return candidate == nullptr || candidate->is<null>();
}

predicate equality(const value& operand) {
  if (operand.is<undefined>()) refuse("cannot compare to undefined");
  if (operand.is<null>()) return {&is_null_or_missing};
  return {[operand](const value* candidate) {
    return candidate != nullptr && is_equal(*candidate, operand);
  }};
}

bool is_nan(const value& number) {
  return number.is_number() && std::isnan(number.as_long_double());
}

/// A comparison covers only its operand's type, except for MinKey and MaxKey.
predicate comparison(const value& operand, bool wants_less, bool or_equal) {
  if (operand.is<undefined>()) refuse("cannot compare to undefined");
  if (operand.is<regex>()) refuse("Can't have RegEx as arg to a comparison");
  return {[=](const value* candidate) {
    if (operand.is<null>()) return or_equal && is_null_or_missing(candidate);
    if (candidate == nullptr) return false;
    const bool is_same_rank =
        canonical_rank(candidate->type()) == canonical_rank(operand.type());
    if (!is_same_rank && !operand.is<min_key>() && !operand.is<max_key>()) return false;
    const auto order = compare(*candidate, operand);
    if (order == 0) return or_equal;
    if (is_same_rank && (is_nan(*candidate) || is_nan(operand))) return false;
    return wants_less ? order < 0 : order > 0;
  }};
}

/// Also matches a value that is the same regular expression.
predicate regex_match(const regex& operand) {
  if (operand.pattern.size() > max_pattern_bytes) refuse("Regular expression is too long");
  const auto has = [&operand](char option) {
    return operand.options.find(option) != std::string::npos;
  };
  boost::regex_constants::syntax_option_type flags = boost::regex::perl;
  if (has('i')) flags |= boost::regex::icase;
  flags |= has('s') ? boost::regex::mod_s : boost::regex::no_mod_s;
  if (!has('m')) flags |= boost::regex::no_mod_m;
  if (has('x')) flags |= boost::regex::mod_x;
  boost::regex compiled;
  try {
    compiled.assign(operand.pattern, flags);
  } catch (const std::runtime_error& bad) {
    refuse(51091, std::string{"Regular expression is invalid: "} + bad.what());
  }
  return {[operand, compiled](const value* candidate) {
    if (const auto* same = as<regex>(candidate)) {
      return same->pattern == operand.pattern && same->options == operand.options;
    }
    const auto* text = as<std::string>(candidate);
    try {
      return text != nullptr && boost::regex_search(*text, compiled);
    } catch (const std::runtime_error& too_complex) {
      refuse(too_complex.what());
    }
  }};
}

bool is_operator_like(const value& each) {
  const auto* inner = each.as<document>();
  return inner != nullptr && !inner->empty() && inner->front().name.starts_with('$') &&
         inner->front().name != "$ref" && inner->front().name != "$id" &&
         !(inner->has("$ref") && inner->has("$id"));
}

predicate membership(const array& operands) {
  array sorted;
  std::vector<predicate> tests;
  for (const value& each : operands) {
    if (const auto* pattern = each.as<regex>()) {
      tests.push_back(regex_match(*pattern));
    } else if (is_operator_like(each)) {
      refuse("cannot nest $ under $in");
    } else if (each.is<null>() || each.is<undefined>()) {
      tests.push_back(equality(each));
    } else {
      sorted.push_back(each);
    }
  }
  std::ranges::sort(sorted, value_less{});
  return {[=](const value* candidate) {
    return (candidate != nullptr &&
            std::ranges::binary_search(sorted, *candidate, value_less{})) ||
           std::ranges::any_of(
               tests, [candidate](const predicate& each) { return each.test(candidate); });
  }};
}

predicate type_match(const value& operand) {
  return {[types = types_of(operand)](const value* candidate) {
    return candidate != nullptr && std::ranges::find(types, candidate->type()) != types.end();
  }};
}

predicate size_match(const value& operand) {
  const std::int64_t size = operand.as_int64();
  if (!operand.is_number() || size < 0) refuse("$size must be a whole number, not negative");
  return {[size](const value* candidate) {
            const auto* members = as<array>(candidate);
            return members != nullptr && std::ssize(*members) == size;
          },
          false};
}

predicate modulo(const value& operand) {
  const auto* both = operand.as<array>();
  if (both == nullptr || both->size() != 2 || !(*both)[0].is_number())
    refuse("malformed mod, needs to be [divisor, remainder]");
  const std::int64_t divisor = (*both)[0].as_int64();
  const std::int64_t remainder = (*both)[1].as_int64();
  if (divisor == 0) refuse("divisor cannot be 0");
  return {[=](const value* candidate) {
    if (candidate == nullptr || !candidate->is_number()) return false;
    if (!std::isfinite(candidate->as_long_double())) return false;
    // The least int64 % -1 overflows; everything is a multiple of 1.
    return remainder == (divisor == -1 ? 0 : candidate->as_int64() % divisor);
  }};
}

/// Bits by position. Binary data has its own length; a number is extended with its sign.
bool has_bit(const value& candidate, std::size_t position) {
  if (const auto* bytes = candidate.as<binary>()) {
    const std::size_t at = position / 8;
    if (at >= bytes->bytes.size()) return false;
    return ((static_cast<unsigned char>(bytes->bytes[at]) >> (position % 8)) & 1U) != 0;
  }
  const auto word = static_cast<std::uint64_t>(candidate.as_int64());
  return ((word >> std::min(position, word_bits - 1)) & 1U) != 0;
}

/// Whether it is an integral number or binary data.
bool has_bits(const value& candidate) {
  const long double number = candidate.as_long_double();
  return candidate.is<binary>() || (candidate.is_number() && std::trunc(number) == number &&
                                    std::abs(number) < 9223372036854775808.0L);
}

/// The positions in a mask: a list of them, or the bits set in a number or binary data.
std::vector<std::size_t> positions_of(const value& mask) {
  std::vector<std::size_t> out;
  if (const auto* list = mask.as<array>()) {
    for (const value& each : *list) {
      if (!has_bits(each) || each.as_int64() < 0)
        refuse("bit positions must be whole, not negative");
      out.push_back(static_cast<std::size_t>(each.as_int64()));
    }
    return out;
  }
  if (!has_bits(mask) || (mask.is_number() && mask.as_int64() < 0)) {
    refuse(errc::failed_to_parse,
           "a bit mask is an array, a number that isn't negative, or binary");
  }
  const auto* bytes = mask.as<binary>();
  const std::size_t count = bytes == nullptr ? word_bits : bytes->bytes.size() * 8;
  for (std::size_t i = 0; i < count; ++i) {
    if (has_bit(mask, i)) out.push_back(i);
  }
  return out;
}

predicate bit_match(const value& mask, bool wants_set, bool wants_all) {
  return {[=, positions = positions_of(mask)](const value* candidate) {
    if (candidate == nullptr || !has_bits(*candidate)) return false;
    const auto suits = [&](std::size_t position) {
      return has_bit(*candidate, position) == wants_set;
    };
    return wants_all ? std::ranges::all_of(positions, suits)
                     : std::ranges::any_of(positions, suits);
  }};
}

/// The predicate of an operator on one value.
predicate operator_test(std::string_view name, const value& operand) {
  if (name == "$eq") return equality(operand);
  if (name == "$lt") return comparison(operand, true, false);
  if (name == "$lte") return comparison(operand, true, true);
  if (name == "$gt") return comparison(operand, false, false);
  if (name == "$gte") return comparison(operand, false, true);
  if (name == "$in") return membership(array_operand(name, operand));
  if (name == "$exists") return {[](const value* found) { return found != nullptr; }, false};
  if (name == "$type") return type_match(operand);
  if (name == "$size") return size_match(operand);
  if (name == "$mod") return modulo(operand);
  if (name == "$bitsAllSet") return bit_match(operand, true, true);
  if (name == "$bitsAnySet") return bit_match(operand, true, false);
  if (name == "$bitsAllClear") return bit_match(operand, false, true);
  if (name == "$bitsAnyClear") return bit_match(operand, false, false);
  refuse("unknown operator: " + std::string{name} + see_limits);
}

condition all_of(std::vector<condition> parts) {
  return [parts = std::move(parts)](const document& candidate) {
    return std::ranges::all_of(parts, [&](const condition& each) { return each(candidate); });
  };
}

condition any_of(std::vector<condition> parts) {
  return [parts = std::move(parts)](const document& candidate) {
    return std::ranges::any_of(parts, [&](const condition& each) { return each(candidate); });
  };
}

condition negate(condition part) {
  return [part = std::move(part)](const document& candidate) { return !part(candidate); };
}

condition on_path(std::string_view path, predicate test) {
  return [path = split_path(path), test = std::move(test)](const document& candidate) {
    auto visit = [&test](const value* leaf) { return test.passes(leaf); };
    return visit_path(candidate, path, visit);
  };
}

/// Passes a share of the documents, at random.
condition sample(const value& operand) {
  if (!operand.is_number()) refuse("argument to $sampleRate must be a numeric type");
  const double rate = operand.as_double();
  const bool is_share = rate >= 0 && rate <= 1;
  if (!is_share) refuse("numeric argument to $sampleRate must be in [0, 1]");
  return [rate](const document&) {
    constexpr double values = 256;
    return static_cast<unsigned char>(random_bytes(1).front()) < rate * values;
  };
}

/// The parser's depth, and the variables of `$expr`.
struct place {
  int depth;
  const variables& names;
  [[nodiscard]] place below() const { return {depth + 1, names}; }
};

condition parse_filter(const document& filter, const place& at);
condition parse_operators(std::string_view path, const document& operators, const place& at);

document wrapped(const value& member) {
  document out;
  out.append("member", member);
  return out;
}

/// Passes if one member passes everything. The operand is a filter on documents, or a document
/// of operators on the member itself, which is then stored under a made-up name.
predicate element_match(const value& operand, const place& at) {
  const auto* inner = operand.as<document>();
  if (inner == nullptr) refuse("$elemMatch needs an Object");
  const std::string first = inner->empty() ? "" : inner->front().name;
  const bool on_values = is_operator_document(operand) && first != "$and" && first != "$or" &&
                         first != "$nor" && first != "$expr";
  return {[on_values, filter = parse_filter(on_values ? wrapped(operand) : *inner, at.below())](
              const value* candidate) {
            const auto* members = as<array>(candidate);
            return members != nullptr && std::ranges::any_of(*members, [&](const value& each) {
                     const auto* content = each.as<document>();
                     return on_values ? filter(wrapped(each))
                                      : content != nullptr && filter(*content);
                   });
          },
          false};
}

condition parse_all(std::string_view path, const value& operand, const place& at) {
  std::vector<condition> parts;
  for (const value& each : array_operand("$all", operand)) {
    const auto* inner = each.as<document>();
    if (const auto* pattern = each.as<regex>()) {
      parts.push_back(on_path(path, regex_match(*pattern)));
    } else if (inner != nullptr && inner->size() == 1 && inner->has("$elemMatch")) {
      parts.push_back(on_path(path, element_match(inner->front().content, at)));
    } else {
      parts.push_back(on_path(path, equality(each)));
    }
  }
  // $all of nothing matches nothing.
  return parts.empty() ? any_of({}) : all_of(std::move(parts));
}

regex regex_of(const document& operators) {
  regex out;
  const value& operand = *operators.find("$regex");
  if (const auto* given = operand.as<regex>()) {
    out = *given;
  } else if (const auto* text = operand.as<std::string>()) {
    out.pattern = *text;
  } else {
    refuse("$regex has to be a string");
  }
  if (operators.has("$options")) {
    const auto* text = operators.find_as<std::string>("$options");
    if (text == nullptr) refuse("$options has to be a string");
    out.options = *text;
  }
  return out;
}

condition parse_not(std::string_view path, const value& operand, const place& at) {
  if (const auto* pattern = operand.as<regex>()) {
    return negate(on_path(path, regex_match(*pattern)));
  }
  const auto* inner = operand.as<document>();
  if (inner == nullptr) refuse("$not needs a regex or a document");
  if (inner->empty()) refuse("$not cannot be empty");
  return negate(parse_operators(path, *inner, at.below()));
}

condition parse_operator(std::string_view path, const field& each, const document& operators,
                         const place& at) {
  const std::string& name = each.name;
  const value& operand = each.content;
  if (name == "$ne") {
    if (operand.is<regex>()) refuse("Can't have regex as arg to $ne.");
    return negate(on_path(path, equality(operand)));
  }
  if (name == "$nin") return negate(on_path(path, operator_test("$in", operand)));
  if (name == "$not") return parse_not(path, operand, at);
  if (name == "$all") return parse_all(path, operand, at);
  if (name == "$elemMatch") return on_path(path, element_match(operand, at));
  if (name == "$regex") return on_path(path, regex_match(regex_of(operators)));
  condition out = on_path(path, operator_test(name, operand));
  return name == "$exists" && !operand.is_truthy() ? negate(std::move(out)) : out;
}

condition parse_operators(std::string_view path, const document& operators, const place& at) {
  if (at.depth > max_filter_depth) refuse("Filter is nested too deep");
  std::vector<condition> parts;
  for (const field& each : operators) {
    if (each.name == "$options") {
      if (!operators.has("$regex")) refuse("$options needs a $regex");
    } else {
      parts.push_back(parse_operator(path, each, operators, at));
    }
  }
  return all_of(std::move(parts));
}

std::vector<condition> parse_branches(const field& each, const place& at) {
  const auto* branches = each.content.as<array>();
  if (branches == nullptr) refuse(each.name + " argument must be an array");
  if (branches->empty()) refuse("$and/$or/$nor must be a nonempty array");
  std::vector<condition> parts;
  for (const value& branch : *branches) {
    const auto* inner = branch.as<document>();
    if (inner == nullptr) refuse("$or/$and/$nor entries need to be full objects");
    parts.push_back(parse_filter(*inner, at.below()));
  }
  return parts;
}

condition parse_field(const field& each, const place& at) {
  const std::string& name = each.name;
  if (name == "$and") return all_of(parse_branches(each, at));
  if (name == "$or") return any_of(parse_branches(each, at));
  if (name == "$nor") return negate(any_of(parse_branches(each, at)));
  if (name == "$expr") {
    return [computed = expression{each.content, at.names}](const document& candidate) {
      return computed.evaluate(candidate).is_truthy();
    };
  }
  if (name == "$sampleRate") return sample(each.content);
  if (name == "$alwaysFalse") return any_of({});
  if (name == "$comment" || name == "$alwaysTrue") return all_of({});
  if (name == "$where")
    refuse("$where needs JavaScript, and isn't supported" + std::string{see_limits});
  if (name.starts_with('$')) refuse("unknown top level operator: " + name + see_limits);
  if (is_operator_document(each.content)) {
    return parse_operators(name, *each.content.as<document>(), at);
  }
  const auto* pattern = each.content.as<regex>();
  return on_path(name, pattern != nullptr ? regex_match(*pattern) : equality(each.content));
}

condition parse_filter(const document& filter, const place& at) {
  if (at.depth > max_filter_depth) refuse("Filter is nested too deep");
  std::vector<condition> parts;
  for (const field& each : filter) parts.push_back(parse_field(each, at));
  return parts.size() == 1 ? std::move(parts.front()) : all_of(std::move(parts));
}

}  // namespace

bool is_operator_document(const value& operand) noexcept {
  const auto* inner = operand.as<document>();
  if (inner == nullptr || inner->empty()) return false;
  const std::string& first = inner->front().name;
  // A document with both fields is a DBRef (mongo: expression_parser.cpp, isDBRefDocument).
  if (inner->has("$ref") && inner->has("$id")) return false;
  return first.starts_with('$') && first != "$ref" && first != "$id" && first != "$db";
}

matcher::matcher(const document& filter, const variables& names)
    : matches_(parse_filter(filter, place{0, names})) {}

}  // namespace scattergate::sim
