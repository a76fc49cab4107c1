#include "config/text/text_tree.hpp"

#include <limits>
#include <utility>

namespace scattergate::config {

text_tree::node text_tree::root() const noexcept {
  return {this, 0};
}

bool text_tree::node::is_null() const noexcept {
  if (!is_scalar() || !is_plain()) return false;
  const std::string_view written = text();
  return written.empty() || written == "~" || written == "null" || written == "Null" ||
         written == "NULL";
}

std::string_view text_tree::node::text() const noexcept {
  if (!is_scalar()) return {};
  return std::string_view{tree_->text_}.substr(raw_().text, raw_().size);
}

text_tree::child_iterator text_tree::node::begin() const noexcept {
  return child_iterator{node{tree_, is_scalar() ? raw_().next : position_ + 1}};
}

text_tree::child_iterator text_tree::node::end() const noexcept {
  return child_iterator{node{tree_, raw_().next}};
}

bool tree_builder::append(node_kind kind, std::size_t line) {
  if (tree_.nodes_.size() == max_nodes) return false;
  text_tree::raw made;
  made.kind = kind;
  made.line = static_cast<std::uint32_t>(line);
  made.next = static_cast<std::uint32_t>(tree_.nodes_.size() + 1);
  if (!open_.empty()) ++tree_.nodes_[open_.back()].size;
  tree_.nodes_.push_back(made);
  return true;
}

bool tree_builder::scalar(std::string_view text, bool plain, std::size_t line) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max() - tree_.text_.size())
    return false;
  if (!append(node_kind::scalar, line)) return false;
  text_tree::raw& made = tree_.nodes_.back();
  made.plain = plain;
  made.text = static_cast<std::uint32_t>(tree_.text_.size());
  made.size = static_cast<std::uint32_t>(text.size());
  tree_.text_ += text;
  return true;
}

bool tree_builder::open(node_kind kind, std::size_t line) {
  if (!append(kind, line)) return false;
  open_.push_back(static_cast<std::uint32_t>(tree_.nodes_.size() - 1));
  return true;
}

void tree_builder::close() {
  tree_.nodes_[open_.back()].next = static_cast<std::uint32_t>(tree_.nodes_.size());
  open_.pop_back();
}

text_tree tree_builder::finish() {
  open_.clear();
  return std::exchange(tree_, text_tree{});
}

}  // namespace scattergate::config
