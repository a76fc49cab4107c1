#include <algorithm>
#include <array>
#include <initializer_list>

#include "routing/keys/key_encoding.hpp"

namespace scattergate::routing {
namespace {

/// A short encoding as a constant.
struct literal {
  std::array<std::byte, 24> bytes{};
  std::size_t size = 0;

  [[nodiscard]] bytes_view view() const noexcept { return {bytes.data(), size}; }
};

constexpr literal make(canonical_type type, std::initializer_list<int> rest = {}) {
  literal made;
  made.bytes[made.size++] = static_cast<std::byte>(type);
  for (const int value : rest) made.bytes[made.size++] = static_cast<std::byte>(value);
  return made;
}

constexpr literal make_run(canonical_type type, int value, std::size_t count) {
  literal made = make(type);
  for (; count > 0; --count) made.bytes[made.size++] = static_cast<std::byte>(value);
  return made;
}

using enum canonical_type;

struct bracket_ends {
  canonical_type type;
  literal least;
  literal greatest;
};

constexpr literal least_object = make(object, {0});
constexpr literal least_array = make(array, {0});
constexpr literal least_binary = make(binary, {0, 0, 0, 0, 0});
constexpr literal least_object_id = make_run(object_id, 0, 12);
constexpr literal least_regex = make(regex, {0, 0});
// Size 17, then its value: the length of "", "", an ObjectId of zeros.
constexpr literal least_db_pointer = [] {
  literal made = make(db_pointer, {0, 0, 0, 17, 1, 0, 0, 0, 0});
  made.size += 12;
  return made;
}();
constexpr literal least_code = make(code, {0, 0});
constexpr literal least_code_with_scope = make(code_with_scope, {0, 0, 0});

// A number ends with the exact tail (key_encoding.cpp).
constexpr literal not_a_number = make(number, {0, 0, 0, 0, 0, 0, 0, 0, 0x80});
constexpr literal minus_infinity =
    make(number, {0x00, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80});
constexpr literal infinity = make(number, {0xff, 0xf0, 0, 0, 0, 0, 0, 0, 0x80});

constexpr std::array<bracket_ends, 16> brackets{{
    {min_key, make(min_key), make(min_key)},
    {undefined, make(undefined), make(undefined)},
    {null, make(null), make(null)},
    {number, not_a_number, infinity},
    {string, make(string, {0, 0}), least_object},
    {object, least_object, least_array},
    {array, least_array, least_binary},
    {binary, least_binary, least_object_id},
    {object_id, least_object_id, make_run(object_id, 255, 12)},
    {boolean, make(boolean, {0}), make(boolean, {1})},
    {date, make_run(date, 0, 8), make_run(date, 255, 8)},
    {timestamp, make_run(timestamp, 0, 8), make_run(timestamp, 255, 8)},
    {regex, least_regex, least_db_pointer},
    {db_pointer, least_db_pointer, least_code},
    {code, least_code, least_code_with_scope},
    {code_with_scope, least_code_with_scope, make(max_key)},
}};

constexpr bracket_ends of_max_key{max_key, make(max_key), make(max_key)};

const bracket_ends& ends_of(canonical_type type) noexcept {
  const auto* found = std::ranges::find(brackets, type, &bracket_ends::type);
  return found == brackets.end() ? of_max_key : *found;
}

}  // namespace

bytes_view encoded_least_of(canonical_type type) noexcept {
  return ends_of(type).least.view();
}

bytes_view encoded_greatest_of(canonical_type type) noexcept {
  return ends_of(type).greatest.view();
}

bool is_greatest_within(canonical_type type) noexcept {
  return encoded_greatest_of(type).front() == static_cast<std::byte>(type);
}

bytes_view encoded_minus_infinity() noexcept {
  return minus_infinity.view();
}

}  // namespace scattergate::routing
