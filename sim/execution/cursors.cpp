#include "sim/execution/cursors.hpp"

#include <array>
#include <charconv>
#include <iterator>

#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

constexpr std::size_t max_batch_bytes = 16 * 1024 * 1024;

/// Beyond this number the oldest cursor is dropped.
constexpr std::size_t max_open_cursors = 10'000;

array take(std::deque<document_ptr>& from, std::int64_t batch_size) {
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

bool is_live(const open_cursor& of) {
  return !of.rest.empty() || (of.stream && !of.stream->ended);
}

/// The reply's field `cursor`. A change stream's client continues from the last event of the
/// batch, or if no more wait, from where the stream is.
document reply_of(const open_cursor& of, const char* name, array batch, std::int64_t id) {
  document token;
  if (of.stream && of.rest.empty()) token = resume_token(of.stream->position);
  if (of.stream && !of.rest.empty() && !batch.empty()) {
    const value* last = batch.back().as<document>()->find("_id");
    if (last != nullptr && last->is<document>()) token = *last->as<document>();
  }
  document out{{name, std::move(batch)}, {"id", id}, {"ns", of.ns}};
  if (!token.empty()) out.append("postBatchResumeToken", std::move(token));
  return out;
}

}  // namespace

document resume_token(timestamp position) {
  constexpr std::size_t digits = 8;
  std::string data;
  for (const std::uint32_t part : {position.seconds, position.increment}) {
    std::array<char, digits> hex{};
    const char* end = std::to_chars(hex.data(), hex.data() + digits, part, 16).ptr;
    const auto used = static_cast<std::size_t>(end - hex.data());
    data.append(digits - used, '0').append(hex.data(), used);
  }
  return {{"_data", std::move(data)}};
}

document cursor_table::open(const std::string& ns, std::vector<document_ptr> results,
                            std::int64_t batch_size, bool single_batch,
                            std::optional<change_stream> stream) {
  open_cursor made{
      ns,
      {std::make_move_iterator(results.begin()), std::make_move_iterator(results.end())},
      std::move(stream)};
  array batch = batch_size == 0 ? array{} : take(made.rest, batch_size);
  const bool stays = !single_batch && (batch_size == 0 || is_live(made));
  const std::int64_t id = stays ? ++last_id_ : 0;
  document reply = reply_of(made, "firstBatch", std::move(batch), id);
  if (stays) open_.emplace(id, std::move(made));
  if (open_.size() > max_open_cursors) open_.erase(open_.begin());
  return reply;
}

open_cursor& cursor_table::named(std::int64_t id, const std::string& ns) {
  const auto at = open_.find(id);
  if (at == open_.end() || at->second.ns != ns)
    refuse(errc::cursor_not_found, "cursor id " + std::to_string(id) + " not found");
  return at->second;
}

document cursor_table::next(std::int64_t id, const std::string& ns, std::int64_t batch_size) {
  open_cursor& of = named(id, ns);
  array batch = take(of.rest, batch_size);
  document reply = reply_of(of, "nextBatch", std::move(batch), is_live(of) ? id : 0);
  if (!is_live(of)) open_.erase(id);
  return reply;
}

bool cursor_table::kill(std::int64_t id) {
  return open_.erase(id) != 0;
}

}  // namespace scattergate::sim
