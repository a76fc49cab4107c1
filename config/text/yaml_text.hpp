#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scattergate::config {

/// A text in double quotes, in which YAML can write every text.
[[nodiscard]] std::string quoted_yaml(std::string_view text);

/// A list of such texts, on one line.
[[nodiscard]] std::string yaml_list_of(const std::vector<std::string>& texts);

}  // namespace scattergate::config
