#include "config/options/condition_kinds.hpp"

#include "config/options/condition_reader.hpp"
#include "config/text/yaml_text.hpp"

namespace scattergate::config {
namespace {

void read_any_words(const map_entry& entry, problem_log& problems, std::string& to) {
  read_words(entry, problems,
             [&](std::string_view text) { return to = text, text::result<void>{}; });
}

}  // namespace

void exact_text::read(const map_entry& entry, problem_log& problems) {
  read_any_words(entry, problems, value);
}

std::string exact_text::show() const {
  return quoted_yaml(value);
}

template <texts Of>
void glob_text<Of>::read(const map_entry& entry, problem_log& problems) {
  read_any_words(entry, problems, value);
}

template <texts Of>
std::string glob_text<Of>::show() const {
  return quoted_yaml(value);
}

template struct glob_text<texts::any>;
template struct glob_text<texts::with_a_dot>;

std::string set_of_names::show() const {
  return yaml_list_of(value);
}

bool set_of_names::is_same_as(const set_of_names& other) const {
  const auto is_in = [](const std::vector<std::string>& names) {
    return [&names](const std::string& name) { return std::ranges::count(names, name) != 0; };
  };
  return std::ranges::all_of(value, is_in(other.value)) &&
         std::ranges::all_of(other.value, is_in(value));
}

}  // namespace scattergate::config
