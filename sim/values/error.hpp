#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/values/value.hpp"
#include "wire/server_error.hpp"

namespace scattergate::sim {

using errc = wire::server_errc;

/// The server's name of a code; `LocationNNN`, as in mongod, for a code without a name.
[[nodiscard]] std::string code_name(errc code);

/// A failed command: thrown where the error is found, caught once, in the dispatcher (or per
/// statement of a batch). The simulator is a test tool with deep call chains; the daemon uses
/// results instead.
class command_failure : public std::runtime_error {
 public:
  command_failure(errc code, const std::string& message, document details = {})
      : std::runtime_error(message), code_(code), details_(std::move(details)) {}

  /// With the code's name in the simulated version, where versions differ.
  command_failure(errc code, const char* name, const std::string& message)
      : std::runtime_error(message), code_(code), name_(name) {}

  [[nodiscard]] errc code() const noexcept { return code_; }
  [[nodiscard]] std::string name() const { return name_.empty() ? code_name(code_) : name_; }

  /// Further fields of the error, such as keyPattern and keyValue.
  [[nodiscard]] const document& details() const noexcept { return details_; }

 private:
  errc code_;
  std::string name_;
  document details_;
};

}  // namespace scattergate::sim
