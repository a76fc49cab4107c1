#include "config/options/accepted_rules.hpp"

#include <filesystem>

#include "config/baseline/baseline.hpp"
#include "config/text/problem_log.hpp"
#include "routing/shape/shape.hpp"
#include "text/problem.hpp"

namespace scattergate::config {
namespace {

/// The rule that accepts a shape. The hash covers the namespace, too, but matching the
/// namespace first avoids hashing commands on other collections.
rule rule_of(const accepted_shape& from, const std::string& file) {
  rule made;
  made.written.place = file;
  made.name = "accepted-" + routing::shape_hash_text(from.shape_hash);
  made.match.name_space = from.name_space;
  made.match.shape = from.shape_hash;
  made.action = rule_action::accept;
  made.why = from.why;
  made.by = from.by;
  made.until = from.until;
  return made;
}

}  // namespace

bool names_baseline(const text_tree::node& member) {
  return member.is_map() && member.child_count() == 2 && (*member.begin()).text() == "accepted";
}

std::vector<rule> read_accepted(const text_tree::node& member, problem_log& problems) {
  std::vector<rule> rules;
  for (const map_entry& entry : entries_of(member, "a rule", problems)) {
    std::string file;
    if (!read_text(entry, file, problems)) return rules;
    const auto path = std::filesystem::path{problems.file()}.parent_path() / file;
    problems.note_file(path.string());
    const loaded_baseline loaded = load_baseline(path.string());
    for (const text::problem& one : loaded.problems) problems.add_at(one.where, one.what);
    for (const accepted_shape& one : loaded.value.accepted) {
      rules.push_back(rule_of(one, path.string()));
    }
  }
  return rules;
}

}  // namespace scattergate::config
