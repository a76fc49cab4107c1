#include "sim/execution/stored.hpp"

#include <utility>

namespace scattergate::sim {
namespace {

/// A bucket without the given measurement; null if it was the last.
document_ptr rest_of(const collection& of, const document& bucket,
                     const stored_document& which) {
  auto left = of.series->without(bucket, which.row);
  return left ? std::make_shared<const document>(std::move(*left)) : nullptr;
}

/// The document that remains after removing `which`; null if none remains.
document_ptr left_behind(context& at, const collection& of, const stored_document& which) {
  if (which.row.empty()) return nullptr;
  // An earlier statement of the same command may have changed the bucket.
  const document_ptr now = at.all.data.store_of(which.where, of)->get(which.id, at.unit);
  return now == nullptr ? nullptr : rest_of(of, *now, which);
}

}  // namespace

std::vector<stored_document> find_stored(context& at, const collection& of, shard_index shard,
                                         const document& filter, const matcher& match,
                                         bool is_raw, std::size_t limit) {
  const auto documents = at.all.data.store_of(shard, of);
  std::vector<stored_document> out;
  if (!of.series || is_raw) {
    for (auto& [id, content] : documents->find(filter, match, at.unit, limit)) {
      out.push_back({shard, id, std::move(content)});
    }
    return out;
  }
  static const matcher everything{document{}};
  for (const auto& [id, bucket] : documents->find({}, everything, at.unit)) {
    for (time_series::row& each : of.series->rows_of(*bucket)) {
      if (!match.matches(each.measurement)) continue;
      out.push_back({shard, id, std::make_shared<const document>(std::move(each.measurement)),
                     std::move(each.number)});
      if (limit != 0 && out.size() == limit) return out;
    }
  }
  return out;
}

document form_to_store(const collection& of, document content, bool is_raw) {
  if (!of.series) return content;
  if (!is_raw) return of.series->bucket_of(content);
  of.series->check_bucket(content);
  return content;
}

void remove_stored(context& at, const collection& of, const stored_document& which) {
  const auto source = at.all.data.store_of(which.where, of);
  if (document_ptr left = left_behind(at, of, which)) {
    source->replace(which.id, std::move(left), at.unit);
  } else {
    source->remove(which.id, at.unit);
  }
}

void replace_stored(context& at, const collection& of, const stored_document& which,
                    document stored, shard_index to) {
  auto after = std::make_shared<const document>(std::move(stored));
  const auto source = at.all.data.store_of(which.where, of);
  const bool stays = to == which.where && left_behind(at, of, which) == nullptr;
  if (stays) {
    source->replace(which.id, std::move(after), at.unit);
    return;
  }
  at.all.data.store_of(to, of)->insert(std::move(after), at.unit);
  remove_stored(at, of, which);
}

}  // namespace scattergate::sim
