#include "config/mongosh/shell_value.hpp"

#include <algorithm>

namespace scattergate::config {
namespace {

bool add_to(tree_builder& tree, const shell_value& value) {
  if (value.kind == node_kind::scalar) {
    return tree.scalar(value.text, value.is_plain, value.line);
  }
  if (!tree.open(value.kind, value.line)) return false;
  for (std::size_t i = 0; i < value.members.size(); ++i) {
    if (value.is_map() && !tree.scalar(value.keys[i], false, value.line)) return false;
    if (!add_to(tree, value.members[i])) return false;
  }
  tree.close();
  return true;
}

}  // namespace

shell_value shell_value::plain(std::string text) {
  shell_value made;
  made.text = std::move(text);
  return made;
}

shell_value shell_value::quoted(std::string text) {
  shell_value made = plain(std::move(text));
  made.is_plain = false;
  return made;
}

shell_value shell_value::list(std::vector<shell_value> members) {
  shell_value made;
  made.kind = node_kind::list;
  made.members = std::move(members);
  return made;
}

shell_value shell_value::map(std::vector<std::pair<std::string, shell_value>> entries) {
  shell_value made;
  made.kind = node_kind::map;
  for (auto& [key, value] : entries) made.set(key, std::move(value));
  return made;
}

const shell_value* shell_value::find(std::string_view key) const noexcept {
  const auto at = std::find(keys.begin(), keys.end(), key);
  return at == keys.end() ? nullptr : &members[static_cast<std::size_t>(at - keys.begin())];
}

void shell_value::set(std::string_view key, shell_value value) {
  const auto at = std::find(keys.begin(), keys.end(), key);
  if (at != keys.end()) {
    members[static_cast<std::size_t>(at - keys.begin())] = std::move(value);
    return;
  }
  keys.emplace_back(key);
  members.push_back(std::move(value));
}

std::size_t shell_value::size_bytes() const noexcept {
  std::size_t sum = sizeof(shell_value) + text.size();
  for (const std::string& key : keys) sum += sizeof(std::string) + key.size();
  for (const shell_value& member : members) sum += member.size_bytes();
  return sum;
}

std::size_t shell_value::depth() const noexcept {
  std::size_t deepest = 0;
  for (const shell_value& member : members) deepest = std::max(deepest, member.depth());
  return deepest + 1;
}

parse_result<bson_bytes> shell_value::to_bson() const {
  tree_builder tree;
  if (!add_to(tree, *this)) return parse_problem{line, "too many values"};
  return bson_of(tree.finish().root());
}

}  // namespace scattergate::config
