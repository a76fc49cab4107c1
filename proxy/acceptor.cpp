#include "proxy/acceptor.hpp"

#include <cerrno>
#include <utility>

#include <sys/socket.h>

namespace scattergate::proxy {
namespace {

/// The maximum number of connections accepted in a row. Then open connections get their turn.
constexpr int max_accepts_in_a_row = 64;

/// Whether an error of accept4() concerns one connection, which is already gone, and not the
/// listening socket.
bool is_of_the_connection(int error) {
  return error == ECONNABORTED || error == EINTR || error == EPROTO || error == EPERM;
}

}  // namespace

acceptor::acceptor(net::unique_fd listening, net::event_loop& loop,
                   telemetry::worker_metrics& metrics, reserver reserve, on_accept accepted)
    : listening_(std::move(listening)),
      loop_(loop),
      metrics_(metrics),
      reserve_(std::move(reserve)),
      accepted_(std::move(accepted)) {}

acceptor::~acceptor() = default;

void acceptor::start() {
  is_resting_ = !loop_.watch_listener(listening_.get(), *this);
}

void acceptor::pause() {
  if (!listening_ || is_resting_) return;
  metrics_.accept_failures.add();
  loop_.unwatch_listener(listening_.get(), *this);
  reserved_.reset();
  is_resting_ = true;
}

void acceptor::resume() {
  if (is_resting_) start();
}

void acceptor::stop() {
  if (!listening_) return;
  loop_.unwatch_listener(listening_.get(), *this);
  listening_.reset();
  reserved_.reset();
  is_resting_ = false;
}

void acceptor::on_ready(const net::event_loop::readiness&) {
  for (int i = 0; i < max_accepts_in_a_row && listening_ && !is_resting_; ++i) {
    if (loop_.meter().is_turn_over()) return;  // the loop calls again while connections wait
    loop_.meter().charge(net::work_meter::accept_cost);
    if (!reserved_) reserved_ = reserve_();
    if (!reserved_) return pause();
    net::unique_fd connection{
        ::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (connection) {
      accepted_({std::move(connection), std::move(reserved_)});
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (!is_of_the_connection(errno)) {
      pause();
    }
  }
}

}  // namespace scattergate::proxy
