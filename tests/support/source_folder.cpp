#include "tests/support/source_folder.hpp"

namespace scattergate::tests {

std::filesystem::path source_folder() {
  return SCATTERGATE_SOURCE_DIR;
}

}  // namespace scattergate::tests
