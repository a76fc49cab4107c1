#include "proxy/upstream/upstream.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/failing_memory.hpp"

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using protocol = asio::generic::stream_protocol;

constexpr auto use_tuple = asio::as_tuple(asio::deferred);

/// How long one address may take to be connected to before the next is tried.
constexpr std::chrono::seconds address_time{2};

// In optimised builds g++ 12 takes a coroutine frame that it has inlined for memory of another
// kind than Asio's operator delete frees.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// What a coroutine finds goes where it is told, rather than being returned: g++ 12 destroys
// some temporaries of a co_await expression twice, and a descriptor that is closed twice is
// somebody else's the second time.

asio::awaitable<void> connect_to(const net::socket_address& address, upstream::found& into) {
  const auto executor = co_await asio::this_coro::executor;
  const auto socket = std::make_shared<protocol::socket>(executor);
  asio::steady_timer limit{executor, address_time};
  limit.async_wait([socket](const error_code& error) {
    error_code ignored;
    if (!error) socket->close(ignored);
  });
  const auto [failure] = co_await socket->async_connect(address, use_tuple);
  into.is_out_of_resources = net::is_out_of_resources(failure.value());
  if (failure || !socket->is_open()) co_return;
  socket->native_non_blocking(true);
  into.socket.reset(socket->release());
}

/// What one search waits for.
struct answer_awaited {
  explicit answer_awaited(const asio::any_io_executor& executor)
      : came(executor, asio::steady_timer::time_point::max()) {}
  asio::steady_timer came;
  std::vector<net::socket_address> addresses;
};

asio::awaitable<void> resolve(upstream& upstream, const net::endpoint& name,
                              std::vector<net::socket_address>& addresses) {
  if (name.is_unix()) {
    addresses.push_back(net::unix_address(name.path));
    co_return;
  }
  const auto executor = co_await asio::this_coro::executor;
  const auto awaited = std::make_shared<answer_awaited>(executor);
  upstream.look_up(name, [awaited](std::vector<net::socket_address> found) {
    awaited->addresses = std::move(found);
    awaited->came.cancel();
  });
  co_await awaited->came.async_wait(use_tuple);
  addresses = std::move(awaited->addresses);
}

/// Connects to the first address of the name `index` that can be reached, or to what has been
/// pinned meanwhile.
asio::awaitable<void> search_name(upstream& upstream, std::size_t index,
                                  upstream::found& result) {
  std::vector<net::socket_address> addresses;
  co_await resolve(upstream, upstream.names()[index], addresses);
  for (const auto& address : addresses) {
    co_await connect_to(address, result);
    if (result.is_out_of_resources) co_return;
    if (!result.socket) continue;
    const upstream::target made{address, index};
    result.to = upstream.pin(made);
    if (result.to == made) co_return;
    result.socket.reset();
    co_await connect_to(result.to.address, result);
    co_return;
  }
}

asio::awaitable<void> search(upstream& upstream, std::shared_ptr<upstream::found> result) {
  if (const auto pinned = upstream.pinned()) {
    result->to = *pinned;
    co_await connect_to(pinned->address, *result);
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

std::optional<upstream::target> upstream::pinned() const {
  const std::lock_guard lock(mutex_);
  return pinned_;
}

upstream::target upstream::pin(const target& candidate) {
  const std::lock_guard lock(mutex_);
  if (!pinned_) use(candidate);
  return *pinned_;
}

void upstream::go_over(const target& from, const target& to) {
  const std::lock_guard lock(mutex_);
  if (!pinned_ || *pinned_ == from) use(to);
}

void upstream::use(const target& chosen) {
  if (last_pinned_ && *last_pinned_ != chosen) facts_.failovers.fetch_add(1);
  pinned_ = last_pinned_ = chosen;
  facts_.active = chosen.name;
}

void upstream::unpin(const target& unreachable) {
  const std::lock_guard lock(mutex_);
  if (pinned_ != unreachable) return;
  pinned_.reset();
  facts_.active = telemetry::listener_facts::no_upstream;
}

void upstream::suspect(std::size_t name, bool is_ill) {
  const std::lock_guard lock(mutex_);
  if (is_ill) {
    suspects_.insert(name);
  } else {
    suspects_.erase(name);
  }
}

bool upstream::is_suspect(std::size_t name) const {
  const std::lock_guard lock(mutex_);
  return suspects_.contains(name);
}

void upstream::look_up(const net::endpoint& name, name_lookup::handler on_found) {
  lookup_ = std::make_unique<name_lookup>(
      name, [this, on_found = std::move(on_found)](std::vector<net::socket_address> addresses) {
        asio::post(control_, [on_found, addresses = std::move(addresses)] {
          on_found(addresses);
        });
      });
}

void upstream::find(found_handler on_found) {
  asio::post(control_, [this, on_found = std::move(on_found)]() mutable {
    waiting_.push_back(std::move(on_found));
    if (waiting_.size() > 1) return;
    const bool has_begun = net::done_unless_memory_fails([this] {
      const auto result = std::make_shared<found>();
      asio::co_spawn(control_, search(*this, result),
                     [this, result](const std::exception_ptr&) { tell(std::move(*result)); });
    });
    if (!has_begun) waiting_.clear();  // their time to connect runs out
  });
}

void upstream::tell(found result) {
  auto waiting = std::exchange(waiting_, {});
  const found_handler first = std::move(waiting.front());
  waiting.erase(waiting.begin());
  for (found_handler& on_found : waiting) {
    if (result.socket) {
      follow(result.to, std::move(on_found));
    } else {
      on_found({{}, result.to, result.is_out_of_resources});
    }
  }
  first(std::move(result));
}

void upstream::follow(const target& to, found_handler on_found) {
  const auto result = std::make_shared<found>();
  result->to = to;
  asio::co_spawn(control_, connect_to(result->to.address, *result),
                 [on_found = std::move(on_found), result](const std::exception_ptr&) {
                   on_found(std::move(*result));
                 });
}

}  // namespace scattergate::proxy
