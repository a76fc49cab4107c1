#include "wire/trace_context.hpp"

#include <algorithm>
#include <charconv>

namespace scattergate::wire {
namespace {

constexpr std::size_t traceparent_bytes = 55;
constexpr std::size_t trace_at = 3;
constexpr std::size_t trace_digits = 32;
constexpr std::size_t parent_at = trace_at + trace_digits + 1;
constexpr std::size_t parent_digits = 16;
constexpr std::size_t trace_flags_at = parent_at + parent_digits + 1;
constexpr int hexadecimal = 16;

/// REQUIRES: at most 16 hex digits.
std::uint64_t number_of(std::string_view digits) noexcept {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, hexadecimal);
  return number;
}

bool is_lower_hex(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/// Whether `count` hex digits start at `at`, followed by a dash or the end.
bool has_digits(std::string_view text, std::size_t at, std::size_t count) noexcept {
  const std::string_view digits = text.substr(at, count);
  return std::ranges::all_of(digits, is_lower_hex) &&
         (text.size() == at + count || text[at + count] == '-');
}

bool is_zero(std::string_view digits) noexcept {
  return std::ranges::all_of(digits, [](char c) { return c == '0'; });
}

}  // namespace

bool is_traceparent(std::string_view text) noexcept {
  if (text.size() < traceparent_bytes) return false;
  const std::string_view version = text.substr(0, 2);
  return has_digits(text, 0, 2) && has_digits(text, trace_at, trace_digits) &&
         has_digits(text, parent_at, parent_digits) && has_digits(text, trace_flags_at, 2) &&
         version != "ff" && (version != "00" || text.size() == traceparent_bytes) &&
         !is_zero(text.substr(trace_at, trace_digits)) &&
         !is_zero(text.substr(parent_at, parent_digits));
}

trace_id trace_id_of(std::string_view traceparent) noexcept {
  if (!is_traceparent(traceparent)) return {};
  constexpr std::size_t half = trace_digits / 2;
  return {number_of(traceparent.substr(trace_at, half)),
          number_of(traceparent.substr(trace_at + half, half)),
          number_of(traceparent.substr(trace_flags_at, 2)) % 2 != 0};
}

std::string trace_id_text(const trace_id& trace) {
  std::string text(trace_digits, '0');
  constexpr std::size_t half = trace_digits / 2;
  const auto write = [&text](std::uint64_t number, std::size_t end) {
    constexpr std::string_view hex = "0123456789abcdef";
    for (; number != 0; number >>= 4U) text[--end] = hex[number & 0xFU];
  };
  write(trace.high, half);
  write(trace.low, trace_digits);
  return text;
}

std::string_view traceparent_of(document_view telemetry) noexcept {
  if (telemetry.size_bytes() > max_telemetry_bytes) return {};
  const auto otel = find_field(telemetry, "otel");
  const auto context = otel ? otel->as_document() : std::nullopt;
  const auto found = context ? find_field(*context, "traceparent") : std::nullopt;
  if (!found || !found->is_string() || !is_traceparent(found->as_string())) return {};
  return found->as_string().substr(0, traceparent_bytes);
}

}  // namespace scattergate::wire
