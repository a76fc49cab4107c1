#include "report/sources/command_fields.hpp"

#include <algorithm>
#include <array>

namespace scattergate::report {

bool is_ignored_field(std::string_view field) noexcept {
  static constexpr std::array<std::string_view, 14> names = {
      "$clusterTime",     "$configServerState",
      "$configTime",      "$topologyTime",
      "$audit",           "$client",
      "$readPreference",  "lsid",
      "shardVersion",     "databaseVersion",
      "runtimeConstants", "mayBypassWriteBlocking",
      "apiVersion",       "clientOperationKey"};
  return std::find(names.begin(), names.end(), field) != names.end();
}

}  // namespace scattergate::report
