#include "tests/sim/agreement/explained.hpp"

namespace scattergate::sim {

bool is_explained(std::string_view) {
  return false;
}

}  // namespace scattergate::sim
