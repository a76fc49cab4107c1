#include "app/completion.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include <CLI/CLI.hpp>

#include "config/options/load.hpp"

namespace scattergate::app {
namespace {

/// A flag and its possible values.
struct flag {
  std::string name;  ///< "--catalog", "-o"
  std::string says;
  std::vector<std::string> values;  ///< fixed values
  bool takes_file = false;
  bool takes_something = false;
};

struct subcommand {
  std::string name;
  std::string says;
  std::vector<flag> flags;
};

bool is_word(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isupper(c) != 0 || std::isspace(c) != 0 || c == '.';
  });
}

/// Reads the values that a flag takes from their form in --help: "FILE|preset:NAME|mongos".
void read_type(std::string_view type, flag& to) {
  to.takes_something = !type.empty();
  while (!type.empty()) {
    const std::size_t end = std::min(type.find('|'), type.size());
    const std::string_view one = type.substr(0, end);
    type.remove_prefix(std::min(end + 1, type.size()));
    if (one == "preset:NAME") {
      for (const std::string& name : config::preset_names()) {
        to.values.push_back("preset:" + name);
      }
    } else if (one.starts_with("FILE")) {
      to.takes_file = true;
    } else if (is_word(one) && one != "-") {
      to.values.emplace_back(one);
    }
  }
}

/// The first clause of a description.
std::string brief(const std::string& text) {
  return text.substr(0, text.find_first_of(":;(["));
}

flag flag_of(const CLI::Option& option) {
  flag made;
  made.name = option.get_lnames().empty() ? "-" + option.get_snames().front()
                                          : "--" + option.get_lnames().front();
  made.says = brief(option.get_description());
  if (option.get_items_expected_max() != 0) read_type(option.get_type_name(), made);
  return made;
}

std::vector<subcommand> subcommands_of(const CLI::App& program) {
  std::vector<subcommand> found;
  for (const CLI::App* each : program.get_subcommands({})) {
    subcommand& made = found.emplace_back();
    made.name = each->get_name();
    made.says = brief(each->get_description());
    for (const CLI::Option* option : each->get_options()) {
      if (!option->get_positional()) made.flags.push_back(flag_of(*option));
    }
  }
  return found;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& one : words) text += (text.empty() ? "" : " ") + one;
  return text;
}

/// `text` in single quotes, which all three shells understand.
std::string in_shell_quotes(std::string_view text) {
  std::string made{"'"};
  for (const char c : text) made += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return made + "'";
}

template <typename Name>
std::string names_of(const std::vector<Name>& of) {
  std::vector<std::string> names;
  for (const Name& one : of) names.push_back(one.name);
  return joined(names);
}

std::string for_bash(const std::vector<subcommand>& all) {
  std::string text = R"(# scattergate completion bash
_scattergate() {
  # By the line: bash's own words end at each colon, and ours may have one.
  local line=${COMP_LINE:0:COMP_POINT} values='' files='' words
  read -ra words <<< "$line"
  [[ $line == *' ' ]] && words+=('')
  local word=${words[-1]} before=${words[-2]}
  COMPREPLY=()
  if ((${#words[@]} == 2)); then
    values=')" + names_of(all) +
                     R"( --help --version' files=no
  else
    case ${words[1]}:$before in
)";
  for (const subcommand& each : all) {
    for (const flag& one : each.flags) {
      if (!one.takes_something) continue;
      text += "      " + each.name + ":" + one.name +
              ") values=" + in_shell_quotes(joined(one.values)) +
              (one.takes_file ? " files=yes;;\n" : " files=no;;\n");
    }
  }
  text += R"(    esac
  fi
  if [[ -z $files && $word == -* ]]; then
    files=no
    case ${words[1]} in
)";
  for (const subcommand& each : all) {
    text += "      " + each.name + ") values=" + in_shell_quotes(names_of(each.flags)) + ";;\n";
  }
  return text + R"(    esac
  fi
  COMPREPLY=($(compgen -W "$values" -- "$word"))
  [[ $files != no ]] && COMPREPLY+=($(compgen -f -- "$word"))
  if [[ $word == *:* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
  fi
}
complete -o filenames -F _scattergate scattergate
)";
}

/// A flag in the syntax of zsh's _arguments. A description must not contain brackets, which
/// brief() ensures.
std::string for_zsh(const flag& one) {
  std::string text = one.name + "[" + one.says + "]";
  if (!one.takes_something) return text;
  const std::string words = joined(one.values);
  if (one.takes_file && words.empty()) return text + ":file:_files";
  if (one.takes_file) return text + ":value:_scattergate_value_or_file " + words;
  std::string escaped;
  for (const char c : words) escaped += c == ':' ? std::string{"\\:"} : std::string{c};
  return text + ":value:" + (words.empty() ? "" : "(" + escaped + ")");
}

std::string for_zsh(const std::vector<subcommand>& all) {
  std::string text = R"(#compdef scattergate
# scattergate completion zsh
_scattergate_value_or_file() {
  compadd -- "$@"
  _files
}
_scattergate() {
  if ((CURRENT == 2)); then
    local -a subcommands=(
)";
  for (const subcommand& each : all) {
    text += "      " + in_shell_quotes(each.name + ":" + each.says) + "\n";
  }
  text += R"(    )
    _describe subcommand subcommands
    return
  fi
  local subcommand=$words[2]
  shift words
  ((CURRENT--))
  case $subcommand in
)";
  for (const subcommand& each : all) {
    text += "    " + each.name + ") _arguments";
    for (const flag& one : each.flags)
      text += " \\\n      " + in_shell_quotes("*" + for_zsh(one));
    text += " \\\n      '*:file:_files';;\n";
  }
  return text + R"(  esac
}
if [[ $funcstack[1] == _scattergate ]]; then
  _scattergate "$@"
elif (($+functions[compdef])); then
  compdef _scattergate scattergate
fi
)";
}

std::string for_fish(const subcommand& each, const flag& one) {
  std::string text =
      "complete -c scattergate -n '__fish_seen_subcommand_from " + each.name + "'";
  text +=
      one.name.starts_with("--") ? " -l " + one.name.substr(2) : " -s " + one.name.substr(1);
  if (one.takes_something) text += one.takes_file ? " -r -F" : " -x";
  if (!one.values.empty()) text += " -a " + in_shell_quotes(joined(one.values));
  return text + " -d " + in_shell_quotes(one.says) + "\n";
}

std::string for_fish(const std::vector<subcommand>& all) {
  std::string text = "# scattergate completion fish\n";
  for (const subcommand& each : all) {
    text += "complete -c scattergate -n __fish_use_subcommand -f -a " + each.name + " -d " +
            in_shell_quotes(each.says) + "\n";
    for (const flag& one : each.flags) text += for_fish(each, one);
  }
  return text;
}

}  // namespace

std::optional<std::string> completion_for(std::string_view shell, const CLI::App& program) {
  const std::vector<subcommand> all = subcommands_of(program);
  if (shell == "bash") return for_bash(all);
  if (shell == "zsh") return for_zsh(all);
  if (shell == "fish") return for_fish(all);
  return std::nullopt;
}

}  // namespace scattergate::app
