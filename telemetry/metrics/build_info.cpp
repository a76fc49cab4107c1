#include "telemetry/metrics/build_info.hpp"

#include <boost/version.hpp>

namespace scattergate::telemetry {

build_info this_build() noexcept {
  // SCATTERGATE_VERSION is the version in the top CMakeLists.txt.
#ifdef __clang__
  return {SCATTERGATE_VERSION, __VERSION__, BOOST_LIB_VERSION};
#else
  return {SCATTERGATE_VERSION, "gcc " __VERSION__, BOOST_LIB_VERSION};
#endif
}

}  // namespace scattergate::telemetry
