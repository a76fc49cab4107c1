#pragma once

#include <string>
#include <string_view>

namespace scattergate::tests {

/// Makes JSON of different libbson versions equal: returns `json` with one space in each empty
/// document and array. libbson 1.23 writes two spaces there, libbson 1.30 one.
inline std::string single_spaced(std::string json) {
  for (const std::string_view empty : {"{  }", "[  ]"}) {
    for (auto at = json.find(empty); at != std::string::npos; at = json.find(empty, at)) {
      json.erase(at + 1, 1);
    }
  }
  return json;
}

}  // namespace scattergate::tests
