#include "telemetry/advice/advice_service.hpp"

#include <algorithm>
#include <exception>

#include "advise/advice_json.hpp"
#include "advise/advice_words.hpp"
#include "advise/advisor.hpp"
#include "advise/sketched_values.hpp"
#include "net/failing_memory.hpp"
#include "telemetry/log/log.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::chrono::milliseconds least_rest{100};

std::shared_ptr<const advice_service::answer> plain(advice_service::state is) {
  auto made = std::make_shared<advice_service::answer>();
  made->is = is;
  made->at = std::chrono::system_clock::now();
  return made;
}

/// A copy of what advice needs of a row: its namespace, command, shape, count and times.
digest::row core_of(const digest::row& one) {
  digest::row made;
  made.database = one.database;
  made.collection = one.collection;
  made.command = one.command;
  made.shape_hash = one.shape_hash;
  made.what.shape_json = one.what.shape_json;
  made.count = one.count;
  made.first_seen = one.first_seen;
  made.last_seen = one.last_seen;
  return made;
}

/// The rows of one collection, copied while the digest is locked.
struct copied_rows {
  digest::table table{advice_service::most_shapes};
  std::size_t rows = 0;
  std::size_t bytes = 0;

  [[nodiscard]] bool is_too_much() const noexcept {
    return rows > advice_service::most_shapes || bytes > advice_service::most_shape_bytes;
  }
};

}  // namespace

advice_service::~advice_service() {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const advice_service::answer> advice_service::ask(
    const std::string& name_space) {
  const std::lock_guard lock{mutex_};
  std::erase_if(kept_,
                [now = clock::now()](const kept_answer& one) { return one.until < now; });
  const auto found = std::ranges::find(kept_, name_space, &kept_answer::name_space);
  if (found != kept_.end()) return found->made;
  if (std::ranges::find(waiting_, name_space) != waiting_.end()) return plain(state::computing);
  if (waiting_.size() == most_waiting) return plain(state::busy);
  if (!thread_.joinable()) thread_ = std::thread{[this] { run(); }};
  waiting_.push_back(name_space);
  wake_.notify_one();
  return plain(state::computing);
}

void advice_service::run() noexcept {
  log::begin_thread("advice");
  std::unique_lock lock{mutex_};
  while (!is_ending_) {
    wake_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (is_ending_) return;
    const auto start = clock::now();
    (void)net::done_unless_memory_fails([&] {
      const std::string name_space = waiting_.front();
      lock.unlock();
      auto made = made_for(name_space);
      lock.lock();
      keep(name_space, std::move(made));
    });
    if (!lock.owns_lock()) lock.lock();
    waiting_.pop_front();
    const auto rest = std::max<clock::duration>(clock::now() - start, least_rest);
    wake_.wait_for(lock, rest, [this] { return is_ending_; });
  }
}

/// Caches an answer. Evicts the oldest answers if the cache is full.
void advice_service::keep(const std::string& name_space, std::shared_ptr<const answer> made) {
  const auto longest = made->is == state::not_seen ? not_seen_for : kept_for;
  kept_.push_back({name_space, std::move(made), clock::now() + longest});
  const auto is_too_much = [this] {
    std::size_t bytes = 0;
    for (const kept_answer& one : kept_) bytes += one.made->bytes();
    return bytes > most_kept_bytes || kept_.size() > most_kept;
  };
  while (is_too_much()) kept_.pop_front();
}

std::shared_ptr<const advice_service::answer> advice_service::made_for(
    const std::string& name_space) const {
  try {
    auto made = std::make_shared<answer>(compute(name_space));
    made->at = std::chrono::system_clock::now();
    return made;
  } catch (const std::exception&) {
    return plain(state::failed);
  }
}

/// A copy of a collection's sketches; null if there are none.
std::unique_ptr<const digest::collection_sketches> advice_service::sketches_of(
    const std::string& name_space) const {
  const auto name = wire::namespace_view::of(name_space);
  if (sketches_ == nullptr || !name) return nullptr;
  std::unique_ptr<digest::collection_sketches> made;
  sketches_->read([&](const digest::sketch_set& all) {
    const auto* const found = all.find(name->database, name->collection);
    if (found == nullptr) return;
    made = std::make_unique<digest::collection_sketches>(std::string{name->database},
                                                         std::string{name->collection});
    made->add(*found);
  });
  return made;
}

advice_service::answer advice_service::compute(const std::string& name_space) const {
  const auto catalog = catalog_();
  copied_rows copied;
  advise::input_gaps gaps;
  digest_.read_table([&](const digest::table& table) {
    gaps.evicted_rows = table.evicted_rows();
    for (const digest::row* one : table.ranked()) {
      if (!advise::concerns(*catalog, *one, name_space)) continue;
      ++copied.rows;
      copied.bytes += one->what.shape_json.size();
      if (copied.is_too_much()) return;
      copied.table.add(core_of(*one));
    }
  });
  if (copied.rows == 0) return {.is = state::not_seen};
  if (copied.is_too_much()) return {.is = state::too_much};
  const advise::known_indexes none;
  const auto sketches = sketches_of(name_space);
  const advise::evidence evidence{
      copied.table, *catalog, nullptr, &none, advise::statistics_in(sketches.get()), gaps};
  advise::question asked;
  asked.name_space = name_space;
  const advise::advice made = advise::advise(evidence, asked);
  answer done{.is = state::done, .json = advise::advice_json(made)};
  if (done.json.size() > most_answer_bytes) return {.is = state::too_much};
  advise::append_advice_html(done.html, made, most_answer_bytes);
  return done;
}

}  // namespace scattergate::telemetry
