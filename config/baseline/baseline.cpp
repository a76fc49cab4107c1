#include "config/baseline/baseline.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_set>

#include "config/text/input.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/scalars.hpp"
#include "config/text/text_readers.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

constexpr std::size_t max_baseline_bytes = 32UL << 20;
constexpr std::size_t max_text_bytes = 16'384;  // limit for one value; a shape has 8 KiB at
                                                // most

struct text_key {
  std::string_view name;
  std::string accepted_shape::*to;
};
constexpr std::array<text_key, 6> text_keys = {{
    {"namespace", &accepted_shape::name_space},
    {"command", &accepted_shape::command},
    {"reason", &accepted_shape::reason},
    {"shape", &accepted_shape::shape},
    {"why", &accepted_shape::why},
    {"by", &accepted_shape::by},
}};

struct day_key {
  std::string_view name;
  std::optional<text::day> accepted_shape::*to;
};
constexpr std::array<day_key, 2> day_keys = {{
    {"until", &accepted_shape::until},
    {"since", &accepted_shape::since},
}};

const std::vector<std::string_view> keys_of_baseline = {"schemaVersion", "accepted"};

const std::vector<std::string_view> keys_of_entry = {
    "shapeHash", "namespace", "command", "reason", "shape", "why", "by", "until", "since"};

/// Reads one baseline's tree.
class reader {
 public:
  explicit reader(problem_log& problems) : problems_(problems) {}

  baseline read(const text_tree::node& root) {
    bool has_accepted = false;
    const auto entries = entries_of(root, "a baseline", problems_);
    if (reject_foreign(entries, "a baseline", keys_of_baseline, problems_)) return {};
    for (const map_entry& entry : entries) {
      if (entry.key == "schemaVersion") {
        read_version(entry);
      } else if (entry.key == "accepted") {
        has_accepted = true;
        read_accepted(entry);
      } else {
        report_unknown(entry, "a baseline", keys_of_baseline, problems_);
      }
    }
    if (!has_accepted) problems_.add(root.line(), "accepted is missing");
    return std::move(made_);
  }

 private:
  void read_version(const map_entry& entry) {
    std::string text;
    if (read_text(entry, text, problems_) && text != "1") {
      problems_.add(entry.line, "schemaVersion: expected 1, not " + text::in_quotes(text));
    }
  }

  void read_accepted(const map_entry& list) {
    for (const text_tree::node& one : members_of(list.value, "accepted", problems_)) {
      if (made_.accepted.size() == max_accepted) {
        problems_.add(one.line(), "more than " + std::to_string(max_accepted) + " shapes");
        return;
      }
      if (problems_.is_full()) return;
      made_.accepted.push_back(read_shape(one));
    }
  }

  accepted_shape read_shape(const text_tree::node& value) {
    accepted_shape made;
    bool has_hash = false;
    for (const map_entry& entry : entries_of(value, "an accepted shape", problems_)) {
      if (entry.key == "shapeHash") {
        has_hash = true;
        read_hash(entry, made);
      } else if (!read_known(entry, made)) {
        report_unknown(entry, "an accepted shape", keys_of_entry, problems_);
      }
    }
    if (!has_hash) problems_.add(value.line(), "an accepted shape needs its shapeHash");
    return made;
  }

  void read_hash(const map_entry& entry, accepted_shape& to) {
    std::string text;
    if (!read_text(entry, text, problems_)) return;
    const auto hash = parse_hash(text);
    if (!hash) {
      problems_.add(entry.line,
                    "shapeHash: expected 16 hexadecimal digits, not " + text::in_quotes(text));
    } else if (!hashes_.insert(*hash).second) {
      problems_.add(entry.line, "shape " + text + " is accepted twice");
    } else {
      to.shape_hash = *hash;
    }
  }

  /// Reads a known key; false if the key is unknown. A key without a value counts as absent,
  /// because to_yaml() writes such keys for people to fill in.
  bool read_known(const map_entry& entry, accepted_shape& to) {
    const auto named = [&](const auto& one) { return one.name == entry.key; };
    const auto* const text = std::ranges::find_if(text_keys, named);
    const auto* const date = std::ranges::find_if(day_keys, named);
    if (text == text_keys.end() && date == day_keys.end()) return false;
    std::string value;
    if (entry.value.is_null() || !read_text(entry, value, problems_)) return true;
    if (value.size() > max_text_bytes) {
      problems_.add(entry.line, std::string{entry.key} + " is longer than " +
                                    std::to_string(max_text_bytes) + " bytes");
    } else if (text != text_keys.end()) {
      to.*(text->to) = std::move(value);
    } else if (to.*(date->to) = text::parse_day(value); !(to.*(date->to))) {
      problems_.add(entry.line, std::string{entry.key} +
                                    ": expected a day such as 2027-01-31, not " +
                                    text::in_quotes(value));
    }
    return true;
  }

  problem_log& problems_;
  baseline made_;
  std::unordered_set<std::uint64_t> hashes_;
};

/// Formats a text for YAML: plain if nothing in it is special; in single quotes, which keep
/// JSON legible, if it is ASCII; otherwise with escapes.
std::string yaml_text(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto is_safe = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || std::string_view{"_./-"}.find(c) < 4;
  };
  if (text.empty()) return {};
  const bool is_plain = is_letter(text.front()) && std::ranges::all_of(text, is_safe);
  if (is_plain && text != "null") return std::string{text};
  std::string quoted;
  if (!std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; })) {
    text::append_json_string(quoted, text);
    return quoted;
  }
  for (const char c : text) quoted += c == '\'' ? "''" : std::string{c};
  return "'" + quoted + "'";
}

std::string entry_line(std::string_view key, const std::string& value) {
  return "    " + std::string{key} + (value.empty() ? ":" : ": ") + value + "\n";
}

void sort(baseline& of) {
  std::ranges::sort(of.accepted, {}, [](const accepted_shape& one) {
    return std::tie(one.name_space, one.command, one.shape_hash);
  });
}

}  // namespace

loaded_baseline read_baseline(const std::string& name, std::string_view text) {
  problem_log problems{name};
  loaded_baseline loaded;
  const auto parsed = parse_yaml(text);
  if (!parsed) {
    problems.add(parsed.error());
  } else if (!parsed->is_empty()) {
    loaded.value = reader{problems}.read(parsed->root());
  }
  loaded.problems = problems.take();
  sort(loaded.value);
  return loaded;
}

loaded_baseline load_baseline(const std::string& file) {
  const auto content = read_file(file, max_baseline_bytes);
  if (content) return read_baseline(file, *content);
  return {{}, {content.error()}};
}

std::string to_yaml(baseline of) {
  sort(of);
  std::string text =
      "# Shapes that scatter and are accepted anyway. scattergate rewrites this file\n"
      "# (--write-baseline) and keeps why, by and until, which are for people to fill in.\n"
      "schemaVersion: 1\n";
  text += of.accepted.empty() ? "accepted: []\n" : "accepted:\n";
  for (const accepted_shape& one : of.accepted) {
    text += "  - shapeHash: " + yaml_text(routing::shape_hash_text(one.shape_hash)) + "\n";
    for (const text_key& key : text_keys) text += entry_line(key.name, yaml_text(one.*key.to));
    for (const day_key& key : day_keys) {
      const auto& named = one.*key.to;
      text += entry_line(key.name, named ? text::show_day(*named) : std::string{});
    }
  }
  return text;
}

}  // namespace scattergate::config
