#include "routing/pattern/outline_hash.hpp"

#include <algorithm>

#include "wire/bson.hpp"
#include "wire/op_msg.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::routing {
namespace {

namespace layout = wire::op_msg_layout;

class outline {
 public:
  /// Hashes the fields of a document, and of the documents in it, `levels` deep.
  void take(wire::document_view document, int levels) noexcept {
    wire::document_reader reader{document};
    for (wire::element field; fields_left_ != 0 && reader.next(field); --fields_left_) {
      hash_ = wire::seeded_hash(field.key(), hash_ + static_cast<std::uint64_t>(field.type()));
      const auto inside = levels == 0 ? std::nullopt : field.as_document();
      if (inside) take(*inside, levels - 1);
      if (fields_left_ == 0) return;
    }
  }

  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0;
  int fields_left_ = 64;
};

/// Nested documents of an insert's documents don't matter.
int levels_in(std::span<const std::byte> identifier) noexcept {
  constexpr std::string_view documents = "documents";
  const bool is_insert = std::ranges::equal(
      identifier, std::as_bytes(std::span{documents.data(), documents.size()}));
  return is_insert ? 0 : 1;
}

}  // namespace

std::uint64_t outline_hash(std::span<const std::byte> sections) noexcept {
  outline made;
  if (sections.empty()) return 0;
  const auto body = wire::document_view::first_of(sections.subspan(layout::kind_bytes));
  if (!body) return 0;
  made.take(*body, 1);
  const auto rest = sections.subspan(layout::kind_bytes + body->size_bytes());
  if (rest.size() <= layout::sequence_name || rest.front() != wire::section_kind::sequence) {
    return made.hash();
  }
  const auto named = rest.subspan(layout::sequence_name);
  const auto name_end = std::ranges::find(named, std::byte{0});
  if (name_end == named.end()) return made.hash();
  const auto name = named.first(static_cast<std::size_t>(name_end - named.begin()));
  const auto first = wire::document_view::first_of(named.subspan(name.size() + 1));
  if (first) made.take(*first, levels_in(name));
  return made.hash();
}

}  // namespace scattergate::routing
