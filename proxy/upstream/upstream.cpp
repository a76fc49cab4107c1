#include "proxy/upstream/upstream.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/asio_endpoint.hpp"
#include "net/failing_memory.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
namespace log = telemetry::log;
using boost::system::error_code;
using protocol = asio::generic::stream_protocol;

constexpr auto use_tuple = asio::as_tuple(asio::deferred);

/// The time limit for connecting to one address. Then a search tries the next one.
constexpr std::chrono::seconds address_time{2};

// In optimised builds g++ 12 warns wrongly about an inlined coroutine frame: it believes that
// Asio's operator delete doesn't match its allocation.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// Coroutines store their results through references instead of returning them: g++ 12 destroys
// some temporaries of a co_await expression twice, and closing a descriptor twice closes
// someone else's.

asio::awaitable<void> connect_to(const net::socket_address& address, upstream::found& into,
                                 error_code& why) {
  const auto executor = co_await asio::this_coro::executor;
  const auto socket = std::make_shared<protocol::socket>(executor);
  asio::steady_timer limit{executor, address_time};
  limit.async_wait([socket](const error_code& error) {
    error_code ignored;
    if (!error) socket->close(ignored);
  });
  const auto [failure] = co_await socket->async_connect(net::asio_endpoint(address), use_tuple);
  into.is_out_of_resources = net::is_out_of_resources(failure.value());
  const bool is_late = !socket->is_open() || failure == asio::error::operation_aborted;
  why = is_late ? error_code{asio::error::timed_out} : failure;
  if (why) co_return;
  socket->native_non_blocking(true);
  into.socket.reset(socket->release());
}

/// A name server's answer that a search waits for. Cancelling `timer` ends the wait.
struct answer_awaited {
  explicit answer_awaited(const asio::any_io_executor& executor)
      : timer(executor, asio::steady_timer::time_point::max()) {}
  asio::steady_timer timer;
  name_lookup::answer addresses;
};

asio::awaitable<void> resolve(upstream& upstream, const net::endpoint& name,
                              name_lookup::answer& addresses) {
  if (name.is_unix()) {
    addresses = std::vector{net::unix_address(name.path)};
    co_return;
  }
  const auto executor = co_await asio::this_coro::executor;
  const auto awaited = std::make_shared<answer_awaited>(executor);
  upstream.look_up(name, [awaited](name_lookup::answer found) {
    awaited->addresses = std::move(found);
    awaited->timer.cancel();
  });
  co_await awaited->timer.async_wait(use_tuple);
  addresses = std::move(awaited->addresses);
}

/// Counts why a name can't be reached, and appends the reason to the text `to`.
void note_failure(upstream& upstream, std::size_t index, telemetry::upstream_failure reason,
                  const std::string& why, std::string& to) {
  upstream.facts().upstreams[index].note(reason);
  if (!to.empty()) to += "; ";
  to += to_string(upstream.names()[index]) + ": " + why;
}

/// Connects to the first reachable address of the name `index` and pins it. If another target
/// was pinned meanwhile, connects to that one.
asio::awaitable<void> search_name(upstream& upstream, std::size_t index,
                                  upstream::found& result) {
  const net::endpoint& name = upstream.names()[index];
  name_lookup::answer addresses;
  co_await resolve(upstream, name, addresses);
  error_code error;
  if (!addresses) {
    note_failure(upstream, index, telemetry::upstream_failure::dns,
                 "the name can't be resolved: " + addresses.error().message(), result.why);
    co_return;
  }
  for (const auto& address : *addresses) {
    co_await connect_to(address, result, error);
    if (result.is_out_of_resources) co_return;
    if (!result.socket) continue;
    const upstream::target made{address, index};
    result.to = upstream.pin(made, result.why);
    if (result.to == made) co_return;
    result.socket.reset();
    co_await connect_to(result.to.address, result, error);
    break;
  }
  if (!result.socket) {
    note_failure(upstream, index, failure_of(error.value()), error.message(), result.why);
  }
}

asio::awaitable<void> search(upstream& upstream, std::shared_ptr<upstream::found> result) {
  if (const auto pinned = upstream.pinned()) {
    result->to = *pinned;
    error_code ignored;  // the search below tries the target's name again and reports its error
    co_await connect_to(pinned->address, *result, ignored);
    if (result->socket || result->is_out_of_resources) co_return;
    upstream.unpin(*pinned);
  }
  for (const bool wants_suspects : {false, true}) {
    for (std::size_t i = 0; i < upstream.names().size(); ++i) {
      if (upstream.is_suspect(i) != wants_suspects) continue;
      co_await search_name(upstream, i, *result);
      if (result->socket || result->is_out_of_resources) co_return;
    }
  }
}

#pragma GCC diagnostic pop

}  // namespace

telemetry::upstream_failure failure_of(int error) noexcept {
  using enum telemetry::upstream_failure;
  return error == ECONNREFUSED ? refused : error == ETIMEDOUT ? timeout : other;
}

std::optional<upstream::target> upstream::pinned() const {
  const std::lock_guard lock(mutex_);
  return pinned_;
}

int upstream::family() const {
  const std::lock_guard lock(mutex_);
  return last_pinned_ ? last_pinned_->address.family() : AF_INET;
}

bool upstream::must_leave(const target& mine) const {
  const std::lock_guard lock(mutex_);
  return pinned_ && *pinned_ != mine;
}

std::shared_ptr<const upstream::target> upstream::shared(const target& used) {
  const std::lock_guard lock(mutex_);
  if (!shared_ || *shared_ != used) shared_ = std::make_shared<const target>(used);
  return shared_;
}

upstream::target upstream::pin(const target& candidate, std::string_view why) {
  std::unique_lock lock(mutex_);
  if (pinned_) return *pinned_;
  const auto left = switch_to(candidate);
  const std::string reason = left ? why_left(*left, why) : std::string{};
  lock.unlock();
  log_change(left, candidate.name, reason);
  return candidate;
}

void upstream::fail_over(const target& from, const target& to, std::string_view why) {
  std::unique_lock lock(mutex_);
  if (pinned_ && *pinned_ != from) return;
  const auto left = switch_to(to);
  lock.unlock();
  troubles_.note_reached();
  log_change(left, to.name, why);
}

/// Pins a target. Returns the index of the name that was in use before, if it is another one;
/// at the start, the first name counts as in use.
std::optional<std::size_t> upstream::switch_to(const target& chosen) {
  if (last_pinned_ && *last_pinned_ != chosen) facts_.failovers.fetch_add(1);
  const std::size_t before = last_pinned_ ? last_pinned_->name : 0;
  pinned_ = last_pinned_ = chosen;
  facts_.active = chosen.name;
  return before == chosen.name ? std::nullopt : std::optional{before};
}

/// Why a search has left the name `name`. `why`: the names that the search couldn't reach. A
/// search that found another mongos first hasn't tried a name whose health check had failed.
std::string upstream::why_left(std::size_t name, std::string_view why) const {
  const auto found = suspects_.find(name);
  const std::string shown = to_string(names_[name]) + ": ";
  if (found == suspects_.end() || why.find(shown) != why.npos) return std::string{why};
  return shown + found->second + (why.empty() ? "" : "; ") + std::string{why};
}

void upstream::log_change(std::optional<std::size_t> from, std::size_t to,
                          std::string_view why) const {
  if (!from) return;
  log::write(
      log::severity::warning, log::component::proxy, 1011,
      "Switched from a failed mongos to another; connections to the failed one are closed",
      {{"from", to_string(names_[*from])},
       {"to", to_string(names_[to])},
       {"why", std::string{why}}});
}

void upstream::note_timeout(std::chrono::seconds waited) {
  asio::post(control_, [this, waited] {
    if (pinned() || is_one_well()) return;
    troubles_.note_unreachable(
        "no connection within " + std::to_string(waited.count()) + " seconds", 1);
  });
}

void upstream::unpin(const target& unreachable) {
  const std::lock_guard lock(mutex_);
  if (pinned_ != unreachable) return;
  pinned_.reset();
  facts_.active = telemetry::listener_facts::no_upstream;
}

/// Whether a mongos has passed its last health check.
bool upstream::is_one_well() const {
  return std::ranges::any_of(facts_.upstreams, [](const telemetry::upstream_facts& one) {
    return one.health.load() == telemetry::upstream_health::up;
  });
}

void upstream::suspect(std::size_t name, std::string why) {
  const std::lock_guard lock(mutex_);
  if (why.empty()) {
    suspects_.erase(name);
  } else {
    suspects_.insert_or_assign(name, std::move(why));
  }
}

bool upstream::is_suspect(std::size_t name) const {
  const std::lock_guard lock(mutex_);
  return suspects_.contains(name);
}

void upstream::look_up(const net::endpoint& name, name_lookup::handler on_found) {
  lookup_ = std::make_unique<name_lookup>(name, [this, on_found = std::move(on_found)](
                                                    name_lookup::answer addresses) {
    asio::post(control_, [on_found, addresses = std::move(addresses)] { on_found(addresses); });
  });
}

void upstream::connect(found_handler on_found) {
  asio::post(control_, [this, on_found = std::move(on_found)]() mutable {
    waiting_.push_back(std::move(on_found));
    if (waiting_.size() > 1) return;
    const bool has_begun = net::done_unless_memory_fails([this] {
      const auto result = std::make_shared<found>();
      asio::co_spawn(
          control_, search(*this, result),
          [this, result](const std::exception_ptr&) { deliver(std::move(*result)); });
    });
    if (!has_begun) waiting_.clear();  // the sessions' connect timeout ends their wait
  });
}

void upstream::deliver(found result) {
  auto waiting = std::exchange(waiting_, {});
  if (!result.socket && !result.is_out_of_resources) {
    troubles_.note_unreachable(result.why, waiting.size());
  }
  const found_handler first = std::move(waiting.front());
  waiting.erase(waiting.begin());
  for (found_handler& on_found : waiting) {
    if (result.socket) {
      follow(result.to, std::move(on_found));
    } else {
      on_found({{}, result.to, result.is_out_of_resources, {}});
    }
  }
  first(std::move(result));
}

void upstream::follow(const target& to, found_handler on_found) {
  const auto result = std::make_shared<found>();
  result->to = to;
  const auto ignored = std::make_shared<error_code>();  // the next search reports the error
  asio::co_spawn(control_, connect_to(result->to.address, *result, *ignored),
                 [on_found = std::move(on_found), result, ignored](const std::exception_ptr&) {
                   on_found(std::move(*result));
                 });
}

}  // namespace scattergate::proxy
