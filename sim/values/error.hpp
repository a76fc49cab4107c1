#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/values/value.hpp"
#include "wire/server_error.hpp"

namespace scattergate::sim {

using errc = wire::server_errc;

/// MongoDB's name of an error code, such as "BadValue"; "Location" and the number if the code
/// has no name.
[[nodiscard]] inline std::string code_name(errc code) {
  if (const auto name = wire::name_of(code); !name.empty()) return std::string{name};
  return "Location" + std::to_string(static_cast<std::int32_t>(code));
}

/// The exception for a failed command. simulator::run() catches it and makes an error reply. A
/// command with several statements catches it for each statement. Unlike the daemon, the
/// simulator uses exceptions, because it is a test tool with deep call chains.
class command_failure : public std::runtime_error {
 public:
  /// `details`: further fields of the error reply, such as keyPattern.
  command_failure(errc code, const std::string& message, document details = {})
      : std::runtime_error(message), code_(code), details_(std::move(details)) {}

  /// `name`: the code's name in the simulated version, for codes whose name differs between
  /// versions.
  command_failure(errc code, const char* name, const std::string& message)
      : std::runtime_error(message), code_(code), name_(name) {}

  /// The error code.
  [[nodiscard]] errc code() const noexcept { return code_; }
  /// The name of the error code, such as "BadValue".
  [[nodiscard]] std::string name() const { return name_.empty() ? code_name(code_) : name_; }

  /// Further fields of the error reply, such as keyPattern and keyValue.
  [[nodiscard]] const document& details() const noexcept { return details_; }

 private:
  errc code_;
  std::string name_;
  document details_;
};

/// The end of a message about something that the simulator doesn't support.
inline constexpr const char* see_limits = " (what scattergate-sim supports: docs/simulator.md)";

/// Throws command_failure (command_not_supported) for a feature that MongoDB has and the
/// simulator hasn't. `what`: the feature's name.
[[noreturn]] inline void refuse_unsupported(const std::string& what) {
  throw command_failure(errc::command_not_supported, what + " isn't supported" + see_limits);
}

/// Throws command_failure with the message `why`.
[[noreturn]] inline void refuse(errc code, const std::string& why) {
  throw command_failure(code, why);
}
/// Throws command_failure with the message `why` and a code without a name.
[[noreturn]] inline void refuse(int code, const std::string& why) {
  refuse(static_cast<errc>(code), why);
}
/// Throws command_failure (bad_value) with the message `why`.
[[noreturn]] inline void refuse(const std::string& why) {
  refuse(errc::bad_value, why);
}

/// The function with this name in a table of pairs (name, function); null if there is none.
template <typename Table>
[[nodiscard]] auto find_function(const Table& functions, std::string_view name) noexcept ->
    typename Table::value_type::second_type {
  for (const auto& [known, function] : functions) {
    if (known == name) return function;
  }
  return nullptr;
}

}  // namespace scattergate::sim
