#include "wire/error.hpp"

#include <string>

#include "wire/label_table.hpp"

namespace scattergate::wire {
namespace {

using enum wire_errc;

constexpr label_table<wire_errc, 1> labels{{
    {bad_length, "bad_length"},
    {unknown_opcode, "unknown_opcode"},
    {truncated, "truncated"},
    {http_request, "http_request"},
    {tls_hello, "tls_hello"},
    {not_tls, "not_tls"},
    {short_message, "short_message"},
    {unknown_flags, "unknown_flags"},
    {unknown_section, "unknown_section"},
    {bad_section, "bad_section"},
    {body_count, "body_count"},
    {bad_bson, "bad_bson"},
    {too_deep, "too_deep"},
    {too_many_nodes, "too_many_nodes"},
    {empty_command, "empty_command"},
    {duplicate_field, "duplicate_field"},
    {compressed, "compressed"},
    {unknown_compressor, "unknown_compressor"},
    {bad_compression, "bad_compression"},
    {compression_ratio, "compression_ratio"},
    {legacy_opcode, "legacy_opcode"},
    {unexpected_opcode, "unexpected_opcode"},
    {hidden_arguments, "hidden_arguments"},
    {too_large, "too_large"},
}};

// Boost's base has a public non-virtual destructor; no category is deleted through it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/// Thread-safety: immutable.
class category_of_wire final : public boost::system::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "scattergate.wire"; }
  [[nodiscard]] std::string message(int value) const override {
    return std::string{label(static_cast<wire_errc>(value))};
  }
};

#pragma GCC diagnostic pop

}  // namespace

const boost::system::error_category& wire_category() noexcept {
  static const category_of_wire category;
  return category;
}

boost::system::error_code make_error_code(wire_errc error) noexcept {
  return {static_cast<int>(error), wire_category()};
}

std::string_view label(wire_errc error) noexcept {
  const std::string_view known = labels[error];
  return known.empty() ? "unknown" : known;
}

}  // namespace scattergate::wire
