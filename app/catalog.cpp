#include <cstdio>
#include <string_view>

#include "app/subcommands.hpp"
#include "config/input.hpp"

namespace scattergate::app {

int print_catalog(const std::string& source) {
  const auto loaded = config::load_catalog(source);
  if (const int status = report(loaded.problems); status != 0) return status;
  constexpr std::string_view preset = "preset:";
  if (source.starts_with(preset)) {
    const std::string_view text = config::preset_text(source.substr(preset.size()));
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  const config::file_content content = config::read_file(source, config::max_catalog_bytes);
  if (!content.error.empty()) return report({{source, content.error}});
  std::fwrite(content.text.data(), 1, content.text.size(), stdout);
  return 0;
}

}  // namespace scattergate::app
