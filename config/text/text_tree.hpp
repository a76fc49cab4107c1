#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace scattergate::config {

/// The kind of a text_tree's node.
enum class node_kind : std::uint8_t { scalar, list, map };

/// A parsed YAML or JSON text. It consists of scalars (kept as text), lists, and maps, whose
/// entries keep their order and may repeat. All nodes are in one vector in the order of the
/// text: so a file of millions of values takes twenty bytes per value in addition to the text.
/// Thread-safety: immutable once built.
class text_tree {
 public:
  class node;
  class child_iterator;

  /// The outermost value. REQUIRES: !is_empty().
  [[nodiscard]] node root() const noexcept;
  /// Whether the text had no value.
  [[nodiscard]] bool is_empty() const noexcept { return nodes_.empty(); }

 private:
  friend class tree_builder;
  struct raw {
    std::uint32_t text = 0;  // where the scalar's text starts
    std::uint32_t size = 0;  // a scalar's bytes; otherwise the number of children
    std::uint32_t next = 0;  // the position after this node and its descendants
    std::uint32_t line = 0;
    node_kind kind = node_kind::scalar;
    bool plain = false;
  };
  std::vector<raw> nodes_;
  std::string text_;
};

/// One value of a text_tree: a handle, valid as long as the tree. Thread-safety: immutable.
class text_tree::node {
 public:
  [[nodiscard]] node_kind kind() const noexcept { return raw_().kind; }
  [[nodiscard]] bool is_scalar() const noexcept { return kind() == node_kind::scalar; }
  [[nodiscard]] bool is_list() const noexcept { return kind() == node_kind::list; }
  [[nodiscard]] bool is_map() const noexcept { return kind() == node_kind::map; }

  /// Whether the scalar was written without quotes, so that it may be a number, a boolean or
  /// null.
  [[nodiscard]] bool is_plain() const noexcept { return raw_().plain; }

  /// Whether the value is empty, or `~` or `null` without quotes.
  [[nodiscard]] bool is_null() const noexcept;

  /// A scalar's text; empty for a list or map.
  [[nodiscard]] std::string_view text() const noexcept;

  /// The line of the value in the text, from 1.
  [[nodiscard]] std::uint32_t line() const noexcept { return raw_().line; }

  /// The number of members of a list, or of keys and values of a map together; 0 for a scalar.
  [[nodiscard]] std::uint32_t child_count() const noexcept {
    return is_scalar() ? 0 : raw_().size;
  }
  /// The first child: a member of a list, or a key of a map. A scalar has no children.
  [[nodiscard]] child_iterator begin() const noexcept;
  [[nodiscard]] child_iterator end() const noexcept;

 private:
  friend class text_tree;
  friend class child_iterator;
  node(const text_tree* tree, std::uint32_t position) noexcept
      : tree_(tree), position_(position) {}
  [[nodiscard]] const raw& raw_() const noexcept { return tree_->nodes_[position_]; }

  const text_tree* tree_;
  std::uint32_t position_;
};

/// Iterates over the children of a node. The children of a map are alternately its keys and
/// values.
class text_tree::child_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = node;
  using difference_type = std::ptrdiff_t;
  using pointer = const node*;
  using reference = node;

  [[nodiscard]] node operator*() const noexcept { return at_; }
  child_iterator& operator++() noexcept {
    at_.position_ = at_.raw_().next;
    return *this;
  }
  child_iterator operator++(int) noexcept {
    const child_iterator before = *this;
    ++*this;
    return before;
  }
  [[nodiscard]] bool operator==(const child_iterator& other) const noexcept {
    return at_.position_ == other.at_.position_;
  }

 private:
  friend class node;
  explicit child_iterator(node at) noexcept : at_(at) {}
  node at_;
};

/// Builds a text_tree from a parser's events, in the order of the text. Limits the number of
/// nodes.
class tree_builder {
 public:
  /// The maximum number of nodes: far above any real file or command; limits a parser's memory
  /// to about 200 MB.
  static constexpr std::size_t max_nodes = 8'000'000;

  /// Adds a scalar to the list or map that was opened last, or as the outermost value. `plain`:
  /// the scalar has no quotes. Returns false if the number of nodes exceeds max_nodes, or all
  /// texts together exceed 4 GiB. The parser must then stop.
  [[nodiscard]] bool scalar(std::string_view text, bool plain, std::size_t line);
  /// Begins a list or map; the nodes that follow, up to close(), are its children. Returns
  /// false if the number of nodes exceeds max_nodes. The parser must then stop.
  [[nodiscard]] bool open(node_kind kind, std::size_t line);
  /// Ends the list or map that was opened last.
  void close();

  /// The number of open lists and maps.
  [[nodiscard]] std::size_t depth() const noexcept { return open_.size(); }
  [[nodiscard]] text_tree finish();  ///< returns the tree, and starts an empty one

 private:
  [[nodiscard]] bool append(node_kind kind, std::size_t line);

  text_tree tree_;
  std::vector<std::uint32_t> open_;
};

}  // namespace scattergate::config
