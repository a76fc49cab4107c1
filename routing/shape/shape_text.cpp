#include "routing/shape/shape_text.hpp"

#include <algorithm>
#include <cstring>

#include "text/json_text.hpp"

namespace scattergate::routing {

namespace {

constexpr std::string_view cut_member = ",\"...\":true";
constexpr std::string_view cut_item = ",\"...\"";

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_uuid(std::string_view text) noexcept {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

/// The placeholder for a path component that is data. `is_path`: the component begins with `$`,
/// which is kept.
std::string_view data(std::string_view shown, bool is_path) noexcept {
  return is_path ? shown : shown.substr(1);
}

/// The text that a shape has for one component of a dotted path.
std::string_view shown(std::string_view component) noexcept {
  const bool is_path = component.starts_with('$');
  const std::string_view name = component.substr(is_path ? 1 : 0);
  if (name.empty() || !is_hex(name.front())) return component;
  if (std::all_of(name.begin(), name.end(), is_digit)) return data("$?number", is_path);
  if (name.size() == 24 && std::all_of(name.begin(), name.end(), is_hex)) {
    return data("$?objectId", is_path);
  }
  return is_uuid(name) ? data("$?uuid", is_path) : component;
}

std::string_view first_component(std::string_view path) noexcept {
  return path.substr(0, path.find('.'));
}

/// Iterates over the text that a shape has for a name: its components, and the dots between
/// them.
class shown_name {
 public:
  explicit shown_name(std::string_view name) noexcept : rest_(name) {}

  /// The next piece; the name has ended if it is empty and at_end() is true.
  std::string_view next() noexcept {
    if (dot_is_due_) {
      dot_is_due_ = false;
      rest_.remove_prefix(1);
      component_is_due_ = true;
      return ".";
    }
    const std::string_view component = first_component(rest_);
    rest_.remove_prefix(component.size());
    dot_is_due_ = !rest_.empty();
    component_is_due_ = false;
    return shown(component);
  }
  [[nodiscard]] bool at_end() const noexcept { return !dot_is_due_ && !component_is_due_; }

 private:
  std::string_view rest_;
  bool dot_is_due_ = false;
  bool component_is_due_ = true;
};

}  // namespace

bool is_plain_name(std::string_view name) noexcept {
  for (;;) {
    const std::string_view component = first_component(name);
    if (shown(component).data() != component.data()) return false;
    if (component.size() == name.size()) return true;
    name.remove_prefix(component.size() + 1);
  }
}

int compare_names(std::string_view left, std::string_view right) noexcept {
  shown_name left_pieces{left};
  shown_name right_pieces{right};
  std::string_view a;
  std::string_view b;
  for (;;) {
    while (a.empty() && !left_pieces.at_end()) a = left_pieces.next();
    while (b.empty() && !right_pieces.at_end()) b = right_pieces.next();
    if (a.empty() || b.empty())
      return static_cast<int>(!a.empty()) - static_cast<int>(!b.empty());
    const std::size_t common = std::min(a.size(), b.size());
    const int order = std::memcmp(a.data(), b.data(), common);
    if (order != 0) return order;
    a.remove_prefix(common);
    b.remove_prefix(common);
  }
}

bool shape_text::member(std::string_view name) noexcept {
  return begin(true, name);
}

bool shape_text::item() noexcept {
  return begin(false, {});
}

bool shape_text::begin(bool in_object, std::string_view name) noexcept {
  if (is_cut_) return false;
  const place before = here();
  const bool is_written =
      (!needs_comma_ || put(",")) && (!in_object || (put_name(name) && put(":")));
  if (!is_written || size_ + largest_scalar + closing_bytes() > limit_) {
    rewind(before);
    cut(in_object);
    return false;
  }
  needs_comma_ = false;
  return true;
}

// begin() has reserved room for what the next four functions write.

void shape_text::open(char bracket) noexcept {
  buffer_[size_++] = bracket;
  ++depth_;
  needs_comma_ = false;
}

void shape_text::close(char bracket) noexcept {
  buffer_[size_++] = bracket;
  --depth_;
  needs_comma_ = true;
}

void shape_text::scalar(std::string_view json) noexcept {
  std::memcpy(buffer_.data() + size_, json.data(), json.size());
  size_ += json.size();
  needs_comma_ = true;
}

void shape_text::cut(bool in_object) noexcept {
  if (is_cut_) return;
  std::string_view mark = in_object ? cut_member : cut_item;
  if (!needs_comma_) mark.remove_prefix(1);
  scalar(mark);
  is_cut_ = true;
}

void shape_text::name(std::string_view text) noexcept {
  const place before = here();
  if (put_name(text) && fits(limit_)) {
    needs_comma_ = true;
    return;
  }
  rewind(before);
  scalar("\"?string\"");
}

void shape_text::set_limit(std::size_t limit) noexcept {
  limit_ = std::min(limit, buffer_.size());
}

bool shape_text::fits(std::size_t limit) const noexcept {
  return size_ + closing_bytes() <= limit;
}

void shape_text::rewind(const place& earlier) noexcept {
  size_ = earlier.size;
  depth_ = earlier.depth;
  needs_comma_ = earlier.needs_comma;
  is_cut_ = earlier.is_cut;
}

std::size_t shape_text::closing_bytes() const noexcept {
  return depth_ + cut_member.size();
}

bool shape_text::put(std::string_view text) noexcept {
  if (text.size() > limit_ - size_) return false;
  std::memcpy(buffer_.data() + size_, text.data(), text.size());
  size_ += text.size();
  return true;
}

bool shape_text::put_name(std::string_view name) noexcept {
  if (!put("\"")) return false;
  for (shown_name pieces{name}; !pieces.at_end();) {
    if (!put_escaped(pieces.next())) return false;
  }
  return put("\"");
}

bool shape_text::put_escaped(std::string_view text) noexcept {
  while (!text.empty()) {
    const text::json_piece piece = text::next_json_piece(text);
    if (!put(piece.text)) return false;
    text.remove_prefix(piece.consumed);
  }
  return true;
}

}  // namespace scattergate::routing
