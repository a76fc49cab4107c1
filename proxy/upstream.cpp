#include "proxy/upstream.hpp"

#include <string>
#include <tuple>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

asio::awaitable<error_code> connect_to(tcp::socket& socket, const upstream::address& address) {
  error_code error;
  if (socket.is_open()) socket.close(error);
  const auto [failure] = co_await socket.async_connect(address, asio::as_tuple(asio::deferred));
  co_return failure;
}

/// Whether trying the next address makes no sense: the caller has given up.
bool is_final(const error_code& failure) {
  return !failure || failure == asio::error::operation_aborted;
}

asio::awaitable<error_code> connect_by_name(tcp::socket& socket, upstream& upstream,
                                            const config::endpoint& name) {
  tcp::resolver resolver(socket.get_executor());
  const auto [unresolved, results] = co_await resolver.async_resolve(
      name.host, std::to_string(name.port), asio::as_tuple(asio::deferred));
  error_code failure = unresolved;
  for (const auto& result : results) {
    failure = co_await connect_to(socket, result.endpoint());
    if (failure == asio::error::operation_aborted) break;
    if (failure) continue;
    const auto pinned = upstream.pin(result.endpoint());
    if (pinned == result.endpoint()) break;
    co_return co_await connect_to(socket, pinned);  // another worker was faster
  }
  co_return failure;
}

}  // namespace

std::optional<upstream::address> upstream::pinned() const {
  const std::lock_guard lock(mutex_);
  return pinned_;
}

upstream::address upstream::pin(const address& candidate) {
  const std::lock_guard lock(mutex_);
  if (!pinned_) pinned_ = candidate;
  return *pinned_;
}

void upstream::unpin(const address& unreachable) {
  const std::lock_guard lock(mutex_);
  if (pinned_ == unreachable) pinned_.reset();
}

asio::awaitable<error_code> connect(tcp::socket& socket, upstream& upstream) {
  error_code failure;
  if (const auto pinned = upstream.pinned()) {
    failure = co_await connect_to(socket, *pinned);
    if (is_final(failure)) co_return failure;
    upstream.unpin(*pinned);
  }
  for (const auto& name : upstream.names()) {
    failure = co_await connect_by_name(socket, upstream, name);
    if (is_final(failure)) break;
  }
  co_return failure;
}

}  // namespace scattergate::proxy
