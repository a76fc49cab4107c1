#include "wire/error.hpp"

#include <string>

namespace scattergate::wire {
namespace {

// Boost's base has a public destructor that isn't virtual; nobody deletes a category through
// it.
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
  switch (error) {
    case wire_errc::bad_length:
      return "bad_length";
    case wire_errc::unknown_opcode:
      return "unknown_opcode";
    case wire_errc::truncated:
      return "truncated";
    case wire_errc::tls_hello:
      return "tls_hello";
    case wire_errc::not_tls:
      return "not_tls";
    case wire_errc::short_message:
      return "short_message";
    case wire_errc::unknown_flags:
      return "unknown_flags";
    case wire_errc::unknown_section:
      return "unknown_section";
    case wire_errc::bad_section:
      return "bad_section";
    case wire_errc::body_count:
      return "body_count";
    case wire_errc::bad_bson:
      return "bad_bson";
    case wire_errc::too_deep:
      return "too_deep";
    case wire_errc::too_many_nodes:
      return "too_many_nodes";
    case wire_errc::empty_command:
      return "empty_command";
    case wire_errc::duplicate_field:
      return "duplicate_field";
    case wire_errc::compressed:
      return "compressed";
    case wire_errc::unknown_compressor:
      return "unknown_compressor";
    case wire_errc::bad_compression:
      return "bad_compression";
    case wire_errc::compression_ratio:
      return "compression_ratio";
    case wire_errc::legacy_opcode:
      return "legacy_opcode";
    case wire_errc::unexpected_opcode:
      return "unexpected_opcode";
    case wire_errc::too_large:
      return "too_large";
  }
  return "unknown";
}

}  // namespace scattergate::wire
