#include "routing/keys/nested_reader.hpp"

#include <memory>

#include "wire/endian.hpp"

namespace scattergate::routing {

std::optional<code_with_scope> split_code_with_scope(const wire::element& value) noexcept {
  if (value.type() != wire::bson_type::code_with_scope) return std::nullopt;
  constexpr std::size_t head = 2 * sizeof(std::uint32_t);  // lengths of the whole and of the
                                                           // code
  const auto bytes = value.value();
  if (bytes.size() < head) return std::nullopt;
  if (wire::load_little<std::uint32_t>(bytes.data()) != bytes.size()) return std::nullopt;
  const std::size_t length = wire::load_little<std::uint32_t>(bytes.data() + head / 2);
  if (length == 0 || length > bytes.size() - head) return std::nullopt;
  const auto code = bytes.subspan(head, length);
  const auto scope = wire::document_view::from(bytes.subspan(head + length));
  if (code.back() != std::byte{0} || !scope) return std::nullopt;
  return code_with_scope{code, *scope};
}

nested_reader::nested_reader(const wire::element& root) noexcept {
  broken_ = !enter(root);
}

bool nested_reader::enter(const wire::element& value) noexcept {
  std::optional<wire::document_view> inner;
  if (value.type() == wire::bson_type::code_with_scope) {
    if (const auto parts = split_code_with_scope(value)) inner = parts->scope;
  } else {
    inner = value.as_container();
  }
  if (!inner || depth_ == levels_.size()) return false;
  std::construct_at(&levels_[depth_].open, *inner)->is_array = value.is_array();
  ++depth_;
  return true;
}

nested_reader::step nested_reader::next(wire::element& field) noexcept {
  if (pending_ && !enter(*pending_)) broken_ = true;
  pending_.reset();
  if (broken_) return step::broken;
  if (depth_ == 0) return step::done;
  level& innermost = levels_[depth_ - 1].open;
  if (!innermost.reader.next(field)) {
    if (innermost.reader.is_corrupt()) {
      broken_ = true;
      return step::broken;
    }
    --depth_;
    return depth_ == 0 ? step::done : step::closed;
  }
  field_in_array_ = innermost.is_array;
  if (is_nesting(field.type())) pending_ = field;
  return step::field;
}

}  // namespace scattergate::routing
