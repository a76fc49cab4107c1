#include "text/json_writer.hpp"

#include <array>
#include <charconv>
#include <cstdio>

#include "text/json_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::text {

namespace {

void append_digits(std::string& to, auto value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  to.append(digits.data(), end);
}

}  // namespace

void json_writer::before_value() {
  if (needs_comma_) to_ += ',';
  needs_comma_ = true;
}

void json_writer::open(char bracket) {
  before_value();
  to_ += bracket;
  arrays_ = arrays_ << 1U | (bracket == '[' ? 1U : 0U);
  needs_comma_ = false;
}

void json_writer::end() {
  to_ += (arrays_ & 1U) != 0 ? ']' : '}';
  arrays_ >>= 1U;
  needs_comma_ = true;
}

void json_writer::name(std::string_view name) {
  text(name);
  to_ += ':';
  needs_comma_ = false;
}

void json_writer::text(std::string_view value) {
  before_value();
  append_json_string(to_, value);
}

void json_writer::raw(std::string_view json) {
  before_value();
  to_ += json;
}

void json_writer::signed_number(std::int64_t value) {
  before_value();
  append_digits(to_, value);
}

void json_writer::unsigned_number(std::uint64_t value) {
  before_value();
  append_digits(to_, value);
}

void json_writer::decimal(double value, int digits) {
  std::array<char, 400> text;  // the largest number has 309 digits before the point
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  raw({text.data(), static_cast<std::size_t>(length)});
}

void json_writer::time(std::chrono::system_clock::time_point value) {
  text(time_text(value));
}

void json_writer::texts(std::string_view name, std::span<const std::string> values) {
  array(name);
  for (const std::string& each : values) text(each);
  end();
}

void json_writer::time_or_null(
    std::string_view name, const std::optional<std::chrono::system_clock::time_point>& value) {
  this->name(name);
  value ? time(*value) : null();
}

}  // namespace scattergate::text
