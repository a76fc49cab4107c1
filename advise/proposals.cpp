#include "advise/proposals.hpp"

#include <algorithm>

namespace scattergate::advise {
namespace {

/// Proposals contain only fields that at least this share of the commands pins.
constexpr double least_share = 0.01;

shard_key key_of(std::span<const field_values* const> fields) {
  shard_key made;
  bool is_hashed = false;
  for (const field_values* const one : fields) {
    const bool hashes = one->is_monotonic && !is_hashed;
    made.push_back({one->path, hashes});
    is_hashed |= hashes;
  }
  return made;
}

shard_key key_of(std::initializer_list<const field_values*> fields) {
  return key_of(std::span{fields.begin(), fields.size()});
}

/// A key of an index's first three fields; empty if one of these isn't among `fields`, or if
/// there are fewer.
shard_key start_of(const std::vector<std::string>& index,
                   const std::vector<const field_values*>& fields) {
  constexpr std::size_t length = 3;
  std::vector<const field_values*> chosen;
  for (std::size_t i = 0; i < std::min(index.size(), length); ++i) {
    const auto found = std::ranges::find(fields, index[i], &field_values::path);
    if (found != fields.end()) chosen.push_back(*found);
  }
  return chosen.size() == length ? key_of(chosen) : shard_key{};
}

/// A key can't contain both a document and a field within it.
bool overlap(const field_values* one, const field_values* other) {
  return is_same_or_parent(one->path, other->path);
}

}  // namespace

std::vector<shard_key> proposed_keys(const traffic& sent,
                                     std::span<const std::vector<std::string>> unique) {
  std::vector<const field_values*> fields;
  for (const field_values& one : sent.fields()) {
    if (one.pinned > 0 && one.pinned >= least_share * sent.counted().all)
      fields.push_back(&one);
  }
  std::ranges::stable_sort(fields, [](const field_values* a, const field_values* b) {
    return a->pinned > b->pinned;
  });
  if (fields.size() > most_proposed_fields) fields.resize(most_proposed_fields);
  std::vector<shard_key> made;
  for (const field_values* one : fields) made.push_back(key_of({one}));
  for (const field_values* one : fields) {
    for (const field_values* other : fields) {
      if (one == other || overlap(one, other)) continue;
      made.push_back(key_of({one, other}));
      // As a range, for queries that pin the first field and a range of the second.
      if (made.back().back().hashed) made.push_back({{one->path}, {other->path}});
    }
  }
  for (std::size_t a = 0; a < fields.size(); ++a) {
    for (std::size_t b = a + 1; b < fields.size(); ++b) {
      for (std::size_t c = b + 1; c < fields.size(); ++c) {
        const bool meet = overlap(fields[a], fields[b]) || overlap(fields[b], fields[c]) ||
                          overlap(fields[a], fields[c]);
        if (!meet) made.push_back(key_of({fields[a], fields[b], fields[c]}));
      }
    }
  }
  // A unique index must begin with the whole key, so only its own order of fields is possible.
  for (const std::vector<std::string>& index : unique) {
    if (auto key = start_of(index, fields); !key.empty()) made.push_back(std::move(key));
  }
  return made;
}

}  // namespace scattergate::advise
