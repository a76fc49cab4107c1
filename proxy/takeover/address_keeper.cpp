#include "proxy/takeover/address_keeper.hpp"

#include <stdexcept>
#include <utility>

#include <boost/system/system_error.hpp>
#include <fcntl.h>

#include "net/socket_address.hpp"

namespace scattergate::proxy {
namespace {

/// Calls `bind` and returns its result. If the address can't be bound, throws
/// std::runtime_error with a one-line reason.
template <typename Bind>
auto bind_or_explain(const net::endpoint& address, Bind bind) {
  try {
    return bind();
  } catch (const boost::system::system_error& failure) {
    throw std::runtime_error("cannot listen on " + to_string(address) + ": " +
                             failure.code().message());
  }
}

net::listening_socket as_listening(net::unique_fd socket) {
  net::endpoint bound = net::endpoint_of(net::local_of(socket.get()));
  return {std::move(bound), std::move(socket)};
}

}  // namespace

address_keeper::address_keeper(std::string handover_path)
    : handover_path_(std::move(handover_path)) {
  inherit_from_systemd(inherited_);
  is_activated_ = !inherited_.is_empty();
  if (!handover_path_.empty()) is_successor_ = predecessor_.ask(handover_path_, inherited_);
}

net::listening_socket address_keeper::open_admin(const net::endpoint& address) {
  auto taken = inherited_.take(address);
  const bool is_kept = is_from_systemd(taken);
  auto socket = taken.empty()
                    ? bind_or_explain(address, [&] { return net::listen_on(address); })
                    : as_listening(std::move(taken.front()));
  offer(address, socket.socket.get());
  if (!is_kept) admin_.push_back(socket.bound);
  return socket;
}

net::listener address_keeper::open(const net::endpoint& address, std::size_t workers) {
  net::listener opened;
  opened.sockets = inherited_.take(address);
  const bool is_kept = is_from_systemd(opened.sockets);
  if (opened.sockets.empty()) {
    opened = bind_or_explain(address, [&] { return net::bind_listener(address, workers); });
  } else {
    opened.bound = net::endpoint_of(net::local_of(opened.sockets.front().get()));
  }
  for (const auto& socket : opened.sockets) offer(address, socket.get());
  if (!is_kept) listeners_.push_back(opened.bound);
  return opened;
}

void address_keeper::offer(const net::endpoint& configured, int socket) {
  if (handover_path_.empty()) return;
  net::unique_fd duplicate{::fcntl(socket, F_DUPFD_CLOEXEC, 0)};
  if (!duplicate) throw std::runtime_error("cannot offer " + to_string(configured));
  offered_.push_back({to_string(configured), std::move(duplicate)});
}

void address_keeper::expect_successor(boost::asio::io_context& control,
                                      std::function<void()> on_successor) {
  if (is_successor_ && predecessor_.has_lost_to_another(handover_path_)) {
    throw std::runtime_error("another process has taken over through unix:" + handover_path_);
  }
  inherited_.close_rest();
  if (handover_path_.empty()) return;
  server_.emplace(handover_path_, offered_, control,
                  [this, on_successor = std::move(on_successor)] {
                    has_successor_ = true;
                    on_successor();
                  });
}

void address_keeper::stop_predecessor() {
  // The predecessor must drain only after expect_successor() has replaced its handover socket's
  // file: a predecessor that drains removes the file if it is still its own.
  if (is_successor_) predecessor_.stop();
}

void address_keeper::stop_offering() {
  if (!has_successor_)
    server_.reset();  // with a successor, the server has ended, and is the caller
  offered_.clear();
  if (has_successor_) return;
  // The sockets must still be open: another process may replace a file without a listener.
  for (const auto& address : listeners_) net::forget_address(address);
}

opened_sockets::opened_sockets(address_keeper& from, const config::options& options)
    : admin(from.open_admin(options.admin)) {
  if (options.admin_page_listen) admin.page = from.open_admin(*options.admin_page_listen);
  for (const auto& each : options.listeners) {
    listeners.push_back(from.open(each.listen, config::effective_threads(options)));
  }
}

void address_keeper::remove_admin_files() {
  if (has_successor_) return;
  for (const auto& address : admin_) net::forget_address(address);
}

}  // namespace scattergate::proxy
