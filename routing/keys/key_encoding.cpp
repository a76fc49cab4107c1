#include "routing/keys/key_encoding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "routing/keys/decimal128.hpp"
#include "wire/bson.hpp"
#include "wire/endian.hpp"

namespace scattergate::routing {

std::optional<code_with_scope> split_code_with_scope(const wire::element& value) noexcept {
  if (value.type() != wire::bson_type::code_with_scope) return std::nullopt;
  constexpr std::size_t head = 2 * sizeof(std::uint32_t);  // lengths of the whole and of the
                                                           // code
  const auto bytes = value.value();
  if (bytes.size() < head) return std::nullopt;
  if (wire::load_little<std::uint32_t>(bytes.data()) != bytes.size()) return std::nullopt;
  const std::size_t length = wire::load_little<std::uint32_t>(bytes.data() + head / 2);
  if (length == 0 || length > bytes.size() - head) return std::nullopt;
  const auto code = bytes.subspan(head, length);
  const auto scope = wire::document_view::from(bytes.subspan(head + length));
  if (code.back() != std::byte{0} || !scope) return std::nullopt;
  return code_with_scope{code, *scope};
}

nested_reader::nested_reader(const wire::element& root) noexcept {
  broken_ = !enter(root);
}

bool nested_reader::enter(const wire::element& value) noexcept {
  std::optional<wire::document_view> inner;
  if (value.type() == wire::bson_type::code_with_scope) {
    if (const auto parts = split_code_with_scope(value)) inner = parts->scope;
  } else {
    inner = value.as_container();
  }
  if (!inner || depth_ == levels_.size()) return false;
  std::construct_at(&levels_[depth_].open, *inner)->is_array = value.is_array();
  ++depth_;
  return true;
}

nested_reader::step nested_reader::next(wire::element& field) noexcept {
  if (pending_ && !enter(*pending_)) broken_ = true;
  pending_.reset();
  if (broken_) return step::broken;
  if (depth_ == 0) return step::done;
  level& innermost = levels_[depth_ - 1].open;
  if (!innermost.reader.next(field)) {
    if (innermost.reader.is_corrupt()) {
      broken_ = true;
      return step::broken;
    }
    --depth_;
    return depth_ == 0 ? step::done : step::closed;
  }
  field_in_array_ = innermost.is_array;
  if (is_nesting(field.type())) pending_ = field;
  return step::field;
}

namespace {

/// A key that orders numbers of all types by value: the number truncated to a double and, if
/// that isn't exact, its decimal digits (at most 34). Equal numbers have equal keys. Positive
/// and negative zero are equal. All NaNs are equal and precede other numbers (mongo:
/// base/compare_numbers.h).
struct number_key {
  std::uint64_t order = 0;  ///< sorts like the truncated double; NaN is 0
  bool exact = true;  ///< whether the double is exact; if so, the following members are unused
  bool negative = false;                         ///< whether the number is below zero
  int exponent = 0;                              ///< decimal128::normal_form::exponent
  decimal128::coefficient_type coefficient = 0;  ///< decimal128::normal_form::coefficient
};

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63U;

/// Maps doubles to unsigned numbers in the same order; for a negative double, complements the
/// magnitude.
std::uint64_t order_of(double magnitude, bool negative) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(magnitude) | sign_bit;
  return negative ? ~bits : bits;
}

number_key inexact(double truncated, const decimal128& value) noexcept {
  const auto normal = value.normalized();
  return {order_of(truncated, value.is_negative()), false, value.is_negative(), normal.exponent,
          normal.coefficient};
}

number_key number_key_of(double value) noexcept {
  if (std::isnan(value)) return {};
  const bool negative = value < 0;  // false for -0, which equals 0
  return {order_of(std::fabs(value), negative), true, negative, 0, 0};
}

number_key number_key_of(std::int64_t value) noexcept {
  const bool negative = value < 0;
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  const int excess =
      static_cast<int>(std::bit_width(magnitude)) - std::numeric_limits<double>::digits;
  if (excess <= 0 || std::countr_zero(magnitude) >= excess) {
    return {order_of(static_cast<double>(magnitude), negative), true, negative, 0, 0};
  }
  const auto shift = static_cast<unsigned>(excess);
  return inexact(static_cast<double>(magnitude >> shift << shift), {magnitude, negative});
}

number_key number_key_of(const decimal128& value) noexcept {
  switch (value.what()) {
    case decimal128::kind::not_a_number:
      return {};
    case decimal128::kind::infinite:
      return number_key_of(value.is_negative() ? -std::numeric_limits<double>::infinity()
                                               : std::numeric_limits<double>::infinity());
    case decimal128::kind::finite:
      break;
  }
  const auto [magnitude, exact] = value.truncate();
  if (!exact) return inexact(magnitude, value);
  return number_key_of(value.is_negative() ? -magnitude : magnitude);
}

using wire::bson_type;
using wire::element;

template <typename Unsigned>
std::byte* store_big(std::byte* to, Unsigned value) noexcept {
  for (std::size_t i = sizeof value; i-- > 0;) {
    *to++ = static_cast<std::byte>(value >> (8 * i));
  }
  return to;
}

std::byte* store_big(std::byte* to, std::uint64_t value) noexcept {
  wire::store_little(to, __builtin_bswap64(value));
  return to + sizeof value;
}

/// Appends to scratch memory. After a failure it writes nothing more.
class writer {
 public:
  explicit writer(scratch& memory) noexcept : memory_(memory), start_(memory.mark()) {}

  /// Memory for `count` more bytes, or null.
  [[nodiscard]] std::byte* extend(std::size_t count) noexcept {
    if (failed_) return nullptr;
    const std::size_t before = written_.size();
    failed_ = !memory_.extend(written_, count);
    return failed_ ? nullptr : written_.data() + before;
  }

  void put(std::uint8_t byte) noexcept {
    if (std::byte* to = extend(1)) *to = std::byte{byte};
  }

  void put(bytes_view bytes) noexcept {
    if (bytes.empty()) return;
    if (std::byte* to = extend(bytes.size())) std::memcpy(to, bytes.data(), bytes.size());
  }

  template <typename Unsigned>
  void put_big(Unsigned value) noexcept {
    if (std::byte* to = extend(sizeof value)) store_big(to, value);
  }

  void charge(std::size_t units) noexcept { memory_.work().charge(units); }

  /// Whether writing has failed, so that further writing is useless.
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }

  /// Returns the written bytes. On failure frees them and returns an empty view.
  [[nodiscard]] bytes_view finish(bool sound) noexcept {
    if (sound && !failed_) return written_;
    memory_.rewind(start_);
    return {};
  }

 private:
  scratch& memory_;
  std::size_t start_;
  std::span<std::byte> written_;
  bool failed_ = false;
};

// A number is encoded as its double in sortable form, then a byte that says whether the double
// is exact, then the rest if it isn't. The rest grows with the magnitude, so it is complemented
// for negative numbers.
constexpr std::uint8_t exact_tail = 0x80;
constexpr std::uint8_t above_tail = 0x81;
constexpr std::uint8_t below_tail = 0x7f;

void write(writer& to, const number_key& key) noexcept {
  if (key.exact) {
    if (std::byte* at = to.extend(9)) *store_big(at, key.order) = std::byte{exact_tail};
    return;
  }
  constexpr int bias = 0x4000;
  const std::uint64_t flip = key.negative ? ~std::uint64_t{0} : 0;
  std::byte* at = to.extend(27);
  if (at == nullptr) return;
  at = store_big(at, key.order);
  *at++ = std::byte{key.negative ? below_tail : above_tail};
  at = store_big(
      at, static_cast<std::uint16_t>(static_cast<std::uint64_t>(key.exponent + bias) ^ flip));
  at = store_big(at, static_cast<std::uint64_t>(key.coefficient >> 64U) ^ flip);
  store_big(at, static_cast<std::uint64_t>(key.coefficient) ^ flip);
}

/// Writes text, which may contain NULs, and a terminator that is less than any text.
void write_text(writer& to, std::string_view text) noexcept {
  for (;;) {
    const std::size_t clean = std::min(text.find('\0'), text.size());
    to.put(std::as_bytes(std::span{text.data(), clean}));
    if (clean == text.size() || to.has_failed()) break;
    to.put(std::uint8_t{0});
    to.put(std::uint8_t{0xff});
    text.remove_prefix(clean + 1);
  }
  to.put(std::uint8_t{0});
  to.put(std::uint8_t{0});
}

bool write_string(writer& to, bytes_view value) noexcept {
  constexpr std::size_t head = sizeof(std::uint32_t);
  if (value.size() <= head || value.back() != std::byte{0}) return false;
  if (wire::load_little<std::uint32_t>(value.data()) != value.size() - head) return false;
  const auto* text = reinterpret_cast<const char*>(value.data() + head);
  write_text(to, {text, value.size() - head - 1});
  return true;
}

bool write_binary(writer& to, bytes_view value) noexcept {
  constexpr std::size_t head = sizeof(std::uint32_t);
  if (value.size() <= head) return false;
  const auto length = wire::load_little<std::uint32_t>(value.data());
  if (length != value.size() - head - 1) return false;  // 1: the subtype
  to.put_big(length);
  to.put(value.subspan(head));
  return true;
}

bool write_regex(writer& to, bytes_view value) noexcept {
  const std::string_view text{reinterpret_cast<const char*>(value.data()), value.size()};
  const std::size_t pattern = text.find('\0');
  if (pattern == text.npos || text.find('\0', pattern + 1) + 1 != text.size()) return false;
  to.put(value);  // both parts already end with a NUL
  return true;
}

bool write_db_pointer(writer& to, bytes_view value) noexcept {
  to.put_big(static_cast<std::uint32_t>(value.size()));
  to.put(value);
  return true;
}

/// The number in `value`; std::nullopt if its size is wrong.
std::optional<number_key> read_number(bson_type type, bytes_view value) noexcept {
  switch (type) {
    case bson_type::int32:
      if (value.size() != 4) return std::nullopt;
      return number_key_of(std::int64_t{wire::load_little<std::int32_t>(value.data())});
    case bson_type::int64:
      if (value.size() != 8) return std::nullopt;
      return number_key_of(wire::load_little<std::int64_t>(value.data()));
    case bson_type::float64:
      if (value.size() != 8) return std::nullopt;
      return number_key_of(wire::load_little<double>(value.data()));
    default:
      if (value.size() != 16) return std::nullopt;
      return number_key_of(decimal128{value.first<16>()});
  }
}

/// The cost of encoding a decimal, in units of wire::work_budget: it is compared exactly with a
/// double, which takes multi-word arithmetic for exponents far from zero.
std::size_t price_of_decimal(bytes_view value) noexcept {
  if (value.size() != 16) return 0;
  constexpr std::uint64_t bias = 6176;
  const auto exponent =
      (wire::load_little<std::uint64_t>(value.data() + 8) >> 49U & 0x3fffU) - bias;
  const bool is_near = exponent + 40 <= 80;  // unsigned, so an exponent below -40 becomes a
                                             // huge number
  return is_near ? 150 : 3000;
}

/// Writes a value without its type byte; of a nested value, only the part that precedes its
/// fields.
bool write_value(writer& to, const element& field) noexcept {
  const bytes_view value = field.value();
  switch (canonical_type_of(field.type())) {
    case canonical_type::number: {
      if (field.type() == bson_type::decimal128) to.charge(price_of_decimal(value));
      const auto key = read_number(field.type(), value);
      if (key) write(to, *key);
      return key.has_value();
    }
    case canonical_type::object_id:
      to.put(value);
      return value.size() == 12;
    case canonical_type::string:
    case canonical_type::code:
      return write_string(to, value);
    case canonical_type::boolean:
      to.put(value);
      return value.size() == 1;
    case canonical_type::date:
      if (value.size() != 8) return false;
      to.put_big(wire::load_little<std::uint64_t>(value.data()) ^ (std::uint64_t{1} << 63U));
      return true;
    case canonical_type::timestamp:
      if (value.size() != 8) return false;
      to.put_big(wire::load_little<std::uint64_t>(value.data()));
      return true;
    case canonical_type::binary:
      return write_binary(to, value);
    case canonical_type::regex:
      return write_regex(to, value);
    case canonical_type::db_pointer:
      return write_db_pointer(to, value);
    case canonical_type::code_with_scope: {
      const auto parts = split_code_with_scope(field);
      if (!parts) return false;
      const auto* code = reinterpret_cast<const char*>(parts->code.data());
      write_text(to, {code, parts->code.size() - 1});
      return true;
    }
    default:  // types such as null have no value; documents and arrays consist of their fields
      return true;
  }
}

constexpr std::uint8_t nested_end = 0;

/// The type byte within documents and arrays. There 0 is the terminator, so the least type gets
/// another byte.
std::uint8_t nested_type_byte(canonical_type type) noexcept {
  const auto byte = static_cast<std::uint8_t>(type);
  return type <= canonical_type::undefined ? static_cast<std::uint8_t>(byte + 1) : byte;
}

/// Writes the fields of a document, array or scope: the type, name (not in arrays) and value of
/// each, in the order in which MongoDB compares them (mongo: BSONElement::woCompare).
[[gnu::noinline]] bool write_nested(writer& to, const element& root) noexcept {
  nested_reader reader{root};
  for (element field;;) {
    switch (reader.next(field)) {
      case nested_reader::step::broken:
        return false;
      case nested_reader::step::done:
        to.put(nested_end);
        return true;
      case nested_reader::step::closed:
        to.put(nested_end);
        continue;
      case nested_reader::step::field:
        break;
    }
    to.put(nested_type_byte(canonical_type_of(field.type())));
    if (!reader.is_in_array()) {
      to.put(std::as_bytes(std::span{field.key()}));
      to.put(std::uint8_t{0});
    }
    if (!write_value(to, field) || to.has_failed()) return false;
  }
}

/// The cost of encoding a value, in units of wire::work_budget. Nested values are written field
/// by field.
std::size_t price_of(const element& value) noexcept {
  constexpr std::size_t scalar_units = 20;
  const std::size_t bytes = value.value().size();
  return scalar_units + (is_nesting(value.type()) ? 8 * bytes : bytes / 2);
}

constexpr std::array min_key_bytes{std::byte{0}};
constexpr std::array max_key_bytes{std::byte{255}};
constexpr std::array null_bytes{std::byte{5}};

}  // namespace

canonical_type canonical_type_of(wire::bson_type type) noexcept {
  switch (type) {
    case bson_type::min_key:
      return canonical_type::min_key;
    case bson_type::undefined:
      return canonical_type::undefined;
    case bson_type::null:
      return canonical_type::null;
    case bson_type::float64:
    case bson_type::int32:
    case bson_type::int64:
    case bson_type::decimal128:
      return canonical_type::number;
    case bson_type::string:
    case bson_type::symbol:
      return canonical_type::string;
    case bson_type::document:
      return canonical_type::object;
    case bson_type::array:
      return canonical_type::array;
    case bson_type::binary:
      return canonical_type::binary;
    case bson_type::object_id:
      return canonical_type::object_id;
    case bson_type::boolean:
      return canonical_type::boolean;
    case bson_type::date:
      return canonical_type::date;
    case bson_type::timestamp:
      return canonical_type::timestamp;
    case bson_type::regex:
      return canonical_type::regex;
    case bson_type::db_pointer:
      return canonical_type::db_pointer;
    case bson_type::code:
      return canonical_type::code;
    case bson_type::code_with_scope:
      return canonical_type::code_with_scope;
    case bson_type::max_key:
      break;
  }
  return canonical_type::max_key;
}

bytes_view encode(const wire::element& value, scratch& memory) noexcept {
  memory.work().charge(price_of(value));
  writer to{memory};
  to.put(static_cast<std::uint8_t>(canonical_type_of(value.type())));
  bool sound = write_value(to, value);
  if (sound && is_nesting(value.type())) sound = write_nested(to, value);
  return to.finish(sound);
}

bytes_view encode_int64(std::int64_t value, scratch& memory) noexcept {
  writer to{memory};
  to.put(static_cast<std::uint8_t>(canonical_type::number));
  write(to, number_key_of(value));
  return to.finish(true);
}

bytes_view encoded_min_key() noexcept {
  return min_key_bytes;
}
bytes_view encoded_max_key() noexcept {
  return max_key_bytes;
}
bytes_view encoded_null() noexcept {
  return null_bytes;
}

bool are_equal_numbers(const element& left, const element& right,
                       wire::work_budget& work) noexcept {
  if (!left.is_number() || !right.is_number()) return false;
  for (const element* each : {&left, &right}) {
    const bool is_decimal = each->type() == bson_type::decimal128;
    work.charge(is_decimal ? price_of_decimal(each->value()) : 1);
  }
  if (work.is_spent()) return false;
  const auto a = read_number(left.type(), left.value());
  const auto b = read_number(right.type(), right.value());
  if (!a || !b || a->order != b->order || a->exact != b->exact) return false;
  return a->exact || (a->negative == b->negative && a->exponent == b->exponent &&
                      a->coefficient == b->coefficient);
}

bool append_encoded(std::vector<std::byte>& to, const wire::element& value) {
  // No value grows more than fourfold: a NUL in a string doubles, an int32 in an array grows
  // from 7 bytes to 10, an int64 from 11 to 28.
  std::vector<std::byte> block(64 + 4 * value.value().size());
  scratch memory{block};
  const bytes_view encoded = encode(value, memory);
  to.insert(to.end(), encoded.begin(), encoded.end());
  return !encoded.empty();
}

int compare_encoded(bytes_view left, bytes_view right) noexcept {
  // Most encodings already differ in their heads, which are compared without a call.
  const std::uint64_t left_head = head_of(left);
  const std::uint64_t right_head = head_of(right);
  if (left_head != right_head) return left_head < right_head ? -1 : 1;
  const std::size_t common = std::min(left.size(), right.size());
  const int order = common == 0 ? 0 : std::memcmp(left.data(), right.data(), common);
  if (order != 0) return order;
  return left.size() == right.size() ? 0 : (left.size() < right.size() ? -1 : 1);
}

}  // namespace scattergate::routing
