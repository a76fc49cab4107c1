#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scattergate::config {

/// `text` in double quotes, which can express every text in YAML.
[[nodiscard]] std::string quoted_yaml(std::string_view text);

/// A list of quoted texts, on one line.
[[nodiscard]] std::string yaml_list_of(const std::vector<std::string>& texts);

}  // namespace scattergate::config
