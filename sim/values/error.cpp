#include "sim/values/error.hpp"

namespace scattergate::sim {

std::string code_name(errc code) {
  if (const auto name = wire::name_of(code); !name.empty()) return std::string{name};
  return "Location" + std::to_string(static_cast<std::int32_t>(code));
}

}  // namespace scattergate::sim
