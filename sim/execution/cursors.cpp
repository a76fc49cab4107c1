#include "sim/execution/cursors.hpp"

#include <algorithm>

#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

constexpr std::size_t max_batch_bytes = 16 * 1024 * 1024;

/// Beyond this number the oldest cursor is dropped.
constexpr std::size_t max_open_cursors = 10'000;

}  // namespace

array cursor_table::take(std::deque<document_ptr>& from, std::int64_t batch_size) {
  array batch;
  std::size_t bytes = 0;
  while (!from.empty() && (batch_size == 0 || std::ssize(batch) < batch_size)) {
    const std::size_t next = encoded_bytes(*from.front());
    if (!batch.empty() && bytes + next > max_batch_bytes) break;
    bytes += next;
    batch.emplace_back(*from.front());
    from.pop_front();
  }
  return batch;
}

document cursor_table::open(const std::string& ns, std::vector<document_ptr> results,
                            std::int64_t batch_size, bool single_batch) {
  std::deque<document_ptr> rest{std::make_move_iterator(results.begin()),
                                std::make_move_iterator(results.end())};
  array batch = batch_size == 0 ? array{} : take(rest, batch_size);
  std::int64_t id = 0;
  if (!single_batch && (!rest.empty() || batch_size == 0)) {
    id = ++last_id_;
    open_.emplace(id, waiting{ns, std::move(rest)});
    if (open_.size() > max_open_cursors) open_.erase(open_.begin());
  }
  return {{"firstBatch", std::move(batch)}, {"id", id}, {"ns", ns}};
}

document cursor_table::next(std::int64_t id, const std::string& ns, std::int64_t batch_size) {
  const auto at = open_.find(id);
  if (at == open_.end() || at->second.ns != ns) {
    throw command_failure(errc::cursor_not_found,
                          "cursor id " + std::to_string(id) + " not found");
  }
  array batch = take(at->second.rest, batch_size);
  if (at->second.rest.empty()) {
    open_.erase(at);
    id = 0;
  }
  return {{"nextBatch", std::move(batch)}, {"id", id}, {"ns", ns}};
}

bool cursor_table::kill(std::int64_t id) {
  return open_.erase(id) != 0;
}

}  // namespace scattergate::sim
