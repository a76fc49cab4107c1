#include "routing/catalog/chunk_list.hpp"

#include <algorithm>
#include <limits>

#include "wire/bson_writer.hpp"

namespace scattergate::routing {
namespace {

using problem = std::optional<std::string>;

problem field_problem(const key_field& expected, const wire::element& given) {
  if (given.key() != expected.path) {
    return "has " + std::string{given.key()} + " where the shard key has " + expected.path;
  }
  const bool is_end =
      given.type() == wire::bson_type::min_key || given.type() == wire::bson_type::max_key;
  if (expected.hashed && !is_end && !given.as_int64()) {
    return "gives the hashed field " + expected.path + " a value that isn't an integer";
  }
  return std::nullopt;
}

/// Whether every field of the encoded key is the one byte of MinKey or of MaxKey.
bool is_end_of_all(bytes_view key, bytes_view end, std::size_t fields) {
  return key.size() == fields &&
         std::ranges::all_of(key, [end](std::byte byte) { return byte == end.front(); });
}

}  // namespace

problem append_bound(const collection& of, wire::document_view bound,
                     std::vector<std::byte>& to) {
  wire::document_reader reader{bound};
  std::size_t position = 0;
  for (wire::element field; reader.next(field); ++position) {
    if (position == of.key.size()) return "has more fields than the shard key";
    if (auto wrong = field_problem(of.key[position], field)) return wrong;
    if (!append_encoded(to, field)) {
      return "has an unreadable value of " + of.key[position].path;
    }
  }
  if (reader.is_corrupt()) return "is broken BSON";
  if (position < of.key.size()) return "lacks the shard key field " + of.key[position].path;
  return std::nullopt;
}

std::string chunk_list::text(const bound& of) const {
  if (of.document.size == 0) return "(encoded)";
  return wire::relaxed_json_of(view(of.document));
}

std::string chunk_list::text(const chunk& of) const {
  return "chunk " + std::to_string(of.number) + " [" + text(of.min) + ", " + text(of.max) + ")";
}

problem chunk_list::append(const collection& of, wire::document_view from, bound& to) {
  to.document = {pool_.size(), from.size_bytes()};
  pool_.insert(pool_.end(), from.bytes().begin(), from.bytes().end());
  to.key.start = pool_.size();
  auto wrong = append_bound(of, from, pool_);
  to.key.size = pool_.size() - to.key.start;
  return wrong;
}

problem chunk_list::add(const collection& of, wire::document_view min, wire::document_view max,
                        std::uint32_t shard) {
  chunk given{{}, {}, shard, static_cast<std::uint32_t>(chunks_.size() + 1)};
  const std::size_t before = pool_.size();
  std::string what;
  if (auto wrong_min = append(of, min, given.min)) {
    what = "min " + text(given.min) + " " + *wrong_min;
  } else if (auto wrong_max = append(of, max, given.max)) {
    what = "max " + text(given.max) + " " + *wrong_max;
  } else if (compare_encoded(view(given.min.key), view(given.max.key)) >= 0) {
    what = "min " + text(given.min) + " isn't below max " + text(given.max);
  } else {
    chunks_.push_back(given);
    return std::nullopt;
  }
  pool_.resize(before);
  return "chunk " + std::to_string(given.number) + ": " + what;
}

void chunk_list::add_encoded(bytes_view min, bytes_view max, std::uint32_t shard) {
  const auto append_key = [this](bytes_view key) {
    const slice where{pool_.size(), key.size()};
    pool_.insert(pool_.end(), key.begin(), key.end());
    return bound{where, {}};
  };
  const bound low = append_key(min);
  const bound high = append_key(max);
  chunks_.push_back({low, high, shard, static_cast<std::uint32_t>(chunks_.size() + 1)});
}

problem chunk_list::check(const collection& of) {
  std::ranges::stable_sort(chunks_, [this](const chunk& left, const chunk& right) {
    return compare_encoded(view(left.min.key), view(right.min.key)) < 0;
  });
  const chunk& first = chunks_.front();
  const chunk& last = chunks_.back();
  if (!is_end_of_all(view(first.min.key), encoded_min_key(), of.key.size())) {
    return "gap: no chunk begins at MinKey; the first is " + text(first);
  }
  std::size_t bytes = first.min.key.size;
  for (std::size_t i = 1; i < chunks_.size(); ++i) {
    const chunk& one = chunks_[i - 1];
    const chunk& next = chunks_[i];
    const int order = compare_encoded(view(one.max.key), view(next.min.key));
    if (order > 0) return "overlap: " + text(one) + " and " + text(next);
    if (order < 0) return "gap: between " + text(one) + " and " + text(next);
    bytes += next.min.key.size;
  }
  if (!is_end_of_all(view(last.max.key), encoded_max_key(), of.key.size())) {
    return "gap: no chunk ends at MaxKey; the last is " + text(last);
  }
  if (bytes > std::numeric_limits<std::uint32_t>::max()) return "the bounds exceed 4 GiB";
  return std::nullopt;
}

chunk_map chunk_list::make() const {
  chunk_map made;
  made.offsets_.reserve(chunks_.size() + 1);
  made.owners_.reserve(chunks_.size());
  made.offsets_.push_back(0);
  for (const chunk& one : chunks_) {
    const bytes_view key = view(one.min.key);
    made.bounds_.insert(made.bounds_.end(), key.begin(), key.end());
    made.offsets_.push_back(static_cast<std::uint32_t>(made.bounds_.size()));
    made.owners_.push_back(one.shard);
  }
  made.bounds_.shrink_to_fit();
  return made;
}

}  // namespace scattergate::routing
