#include "advise/proposals.hpp"

#include <algorithm>

namespace scattergate::advise {
namespace {

/// Fields that a smaller share of commands pins aren't proposed.
constexpr double least_share = 0.01;

shard_key key_of(std::initializer_list<const field_values*> fields) {
  shard_key made;
  bool is_hashed = false;
  for (const field_values* const one : fields) {
    const bool hashes = one->is_monotonic && !is_hashed;
    made.push_back({one->path, hashes});
    is_hashed |= hashes;
  }
  return made;
}

/// A key can't contain both a document and a field within it.
bool overlap(const field_values* one, const field_values* other) {
  return is_same_or_parent(one->path, other->path);
}

}  // namespace

std::vector<shard_key> proposed_keys(const traffic& in) {
  std::vector<const field_values*> fields;
  for (const field_values& one : in.fields()) {
    if (one.pinned > 0 && one.pinned >= least_share * in.counted().all) fields.push_back(&one);
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
      // Queries can use a range of it where they pin the first field.
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
  return made;
}

}  // namespace scattergate::advise
