#include "config/options/match_conditions.hpp"

#include <algorithm>
#include <vector>

#include "config/text/scalars.hpp"
#include "config/text/yaml_text.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/query_shape_hash.hpp"
#include "text/glob.hpp"

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

namespace_text::namespace_text(const wire::namespace_view& of) noexcept : of_(of) {
  put(of.database);
  put(".");
  put(of.collection);
}

void namespace_text::put(std::string_view part) noexcept {
  size_ += part.copy(text_.data() + size_, text_.size() - size_);
}

bool namespace_text::matches(std::string_view glob) const noexcept {
  /// The prefix of the collection that holds a time series' documents.
  constexpr std::string_view buckets = "system.buckets.";
  if (text::glob_matches(glob, view())) return true;
  if (!of_.collection.starts_with(buckets)) return false;
  const namespace_text series{{of_.database, of_.collection.substr(buckets.size())}};
  return text::glob_matches(glob, series.view());
}

void namespace_condition::read(const map_entry& entry, problem_log& problems) {
  read_words(entry, problems, [this](std::string_view text) -> text::result<void> {
    if (text.find_first_of(".*?") == text.npos) {
      return text::failure(
          "expected database.collection, in which * stands for any run of characters");
    }
    value = text;
    return {};
  });
}

void command_condition::read(const map_entry& entry, problem_log& problems) {
  read_words(entry, problems, [this](std::string_view text) -> text::result<void> {
    const routing::command_kind kind = routing::kind_of(text);
    if (kind == routing::command_kind::other) return text::failure("unknown command");
    value = kind;
    return {};
  });
}

std::string command_condition::show() const {
  return quoted_yaml(routing::name_of(*value));
}

std::string command_condition::why_never(const routing::catalog*) const {
  using routing::command_family;
  const command_family family = routing::family_of(*value);
  const bool is_asked =
      family != command_family::follows_cursor && family != command_family::not_routed;
  return is_asked ? "" : "rules don't apply to " + std::string{routing::name_of(*value)};
}

void routing_condition::read(const map_entry& entry, problem_log& problems) {
  read_words(entry, problems, [this](std::string_view text) -> text::result<void> {
    for (std::size_t i = 0; i < routing::routing_class_count; ++i) {
      const auto routing = static_cast<routing::routing_class>(i);
      if (label(routing) != text) continue;
      value = routing;
      return {};
    }
    return text::failure(
        "expected unsharded, single_shard, multi_shard, scatter_gather, not_routed or "
        "unknown");
  });
}

std::string routing_condition::show() const {
  return quoted_yaml(label(*value));
}

void missing_condition::read(const map_entry& entry, problem_log& problems) {
  for (const text_tree::node& field : members_of(entry.value, key, problems)) {
    if (!field.is_scalar() || field.text().empty()) {
      problems.add(field.line(), "'missing' must name shard key fields");
    } else {
      value.emplace_back(field.text());
    }
  }
  if (entry.value.is_null() || (entry.value.is_list() && entry.value.child_count() == 0)) {
    problems.add(entry.line,
                 "'missing' must name at least one shard key field; omit it to match any");
  }
}

bool missing_condition::matches(const routing::verdict& of) const noexcept {
  if (of.judged == nullptr) return false;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < of.judged->key.size(); ++i) {
    if (!of.misses(i)) continue;
    ++missing;
    if (std::ranges::find(value, of.judged->key[i].path) == value.end()) return false;
  }
  return missing == value.size();
}

void shape_condition::read(const map_entry& entry, problem_log& problems) {
  read_words(entry, problems, [this](std::string_view text) -> text::result<void> {
    value = parse_hash(text);
    if (!value) return text::failure("expected a shape hash: 16 hexadecimal digits");
    return {};
  });
}

std::string shape_condition::show() const {
  return quoted_yaml(routing::shape_hash_text(*value));
}

bool comment_condition::matches(std::string_view of) const noexcept {
  return text::glob_matches(value, of);
}

void remote_condition::read(const map_entry& entry, problem_log& problems) {
  read_some(entry, "network",
            "expected an address or a network, such as 10.0.0.0/8, without bits beyond its "
            "prefix",
            problems, [this](std::string_view text) {
              const auto made = net::network::parse(text);
              if (made) value.push_back(*made);
              return made.has_value();
            });
}

std::string remote_condition::show() const {
  std::vector<std::string> texts;
  for (const net::network& one : value) texts.push_back(to_string(one));
  return yaml_list_of(texts);
}

bool remote_condition::matches(const sender& from) const noexcept {
  return from.remote != nullptr && std::ranges::any_of(value, [&](const auto& one) {
           return one.contains(*from.remote);
         });
}

void fanout_condition::read(const map_entry& entry, problem_log& problems) {
  read_words(entry, problems, [this](std::string_view text) -> text::result<void> {
    value = parse_fanout(text);
    if (!value) {
      return text::failure("expected a comparison with a number of shards, such as \">=4\"");
    }
    return {};
  });
}

std::string fanout_condition::show() const {
  return quoted_yaml(show_fanout(*value));
}

bool fanout_condition::covers(const fanout_condition& narrow, glob_budget&) const noexcept {
  if (!is_given()) return true;
  return narrow.is_given() && value->least <= narrow.value->least &&
         narrow.value->most <= value->most;
}

bool fanout_condition::meets(const fanout_condition& other, glob_budget&) const noexcept {
  if (!is_given() || !other.is_given()) return true;
  return std::max(value->least, other.value->least) <= std::min(value->most, other.value->most);
}

void query_shape_condition::read(const map_entry& entry, problem_log& problems) {
  read_some(entry, "hash", "expected the 64 hexadecimal digits that MongoDB prints", problems,
            [this](std::string_view text) {
              auto made = parse_query_shape(text);
              if (made) value.push_back(std::move(*made));
              return made.has_value();
            });
}

std::string query_shape_condition::show() const {
  return yaml_list_of(value);
}

bool query_shape_condition::matches(shape_names& of) const {
  return std::ranges::find(value, of.query_shape_hash()) != value.end();
}

std::string query_shape_condition::why_never(const routing::catalog* catalog) const {
  if (catalog == nullptr || routing::has_query_shape_hashes(*catalog)) return {};
  return "queryShapeHash requires MongoDB 8.0 to 9.0, which the catalog doesn't state";
}

std::optional<fanout_range> parse_fanout(std::string_view text) noexcept {
  const std::size_t sign_end = std::min(text.find_first_not_of("<>="), text.size());
  const std::string_view sign = text.substr(0, sign_end);
  std::string_view digits = text.substr(sign_end);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  const auto number = parse_count(digits);
  if (!number || *number >= fanout_range::any) return std::nullopt;
  const auto shards = static_cast<std::uint32_t>(*number);
  if (sign == ">=") return fanout_range{shards, fanout_range::any};
  if (sign == ">") return fanout_range{shards + 1, fanout_range::any};
  if (sign == "<=") return fanout_range{0, shards};
  if (sign == "<" && shards != 0) return fanout_range{0, shards - 1};
  if (sign.empty() || sign == "=" || sign == "==") return fanout_range{shards, shards};
  return std::nullopt;
}

std::string show_fanout(const fanout_range& range) {
  if (range.least == range.most) return std::to_string(range.least);
  if (range.most == fanout_range::any) return ">=" + std::to_string(range.least);
  return "<=" + std::to_string(range.most);
}

std::optional<std::string> parse_query_shape(std::string_view text) {
  constexpr std::size_t digits = 64;
  std::string hash{text};
  for (char& c : hash) {
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
    if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'))) return std::nullopt;
  }
  if (hash.size() != digits) return std::nullopt;
  return hash;
}

}  // namespace scattergate::config
