#include "app/suggestion.hpp"

#include <span>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "text/names.hpp"

namespace scattergate::app {
namespace {

std::vector<std::string> names_of_subcommands(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* each : program.get_subcommands({})) names.push_back(each->get_name());
  return names;
}

std::vector<std::string> names_of_flags(const CLI::App& of) {
  std::vector<std::string> names;
  for (const CLI::Option* option : of.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string line_for(std::string_view written, const std::vector<std::string>& names) {
  const std::string_view meant = text::nearest(written, {names.begin(), names.end()});
  if (meant.empty() || meant == written) return {};
  return "Did you mean " + std::string{meant} + "?\n";
}

}  // namespace

std::string suggestion_for(const CLI::App& program, int argc, char** argv) {
  const std::span arguments{argv, static_cast<std::size_t>(argc)};
  const CLI::App* inside = &program;
  for (const char* argument : arguments.subspan(arguments.empty() ? 0 : 1)) {
    const std::string_view written{argument};
    if (written == "--") return {};  // the rest belongs to another command
    std::string line;
    if (written.starts_with("--")) {
      line = line_for(written.substr(0, written.find('=')), names_of_flags(*inside));
    } else if (inside == &program) {
      const auto named = program.get_subcommands(
          [&](const CLI::App* each) { return each->get_name() == written; });
      if (named.empty()) return line_for(written, names_of_subcommands(program));
      inside = named.front();
    }
    if (!line.empty()) return line;
  }
  return {};
}

}  // namespace scattergate::app
