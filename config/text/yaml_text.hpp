#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scattergate::config {

/// Formats `text` as a YAML scalar in double quotes, which can express every text.
[[nodiscard]] std::string quoted_yaml(std::string_view text);

/// Formats a YAML list of quoted texts, on one line.
[[nodiscard]] std::string yaml_list_of(const std::vector<std::string>& texts);

}  // namespace scattergate::config
