#include "proxy/worker.hpp"

#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "telemetry/log.hpp"

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// How often findings are handed over and deadlines looked at.
constexpr std::chrono::seconds housekeeping_interval{1};

/// How long accepting rests where the process has run out of file descriptors or memory.
constexpr std::chrono::milliseconds accept_pause{100};

}  // namespace

worker::worker(std::string name, const shared_parts& parts)
    : name_(std::move(name)),
      parts_(parts),
      metrics_(parts.metrics.add_worker()),
      findings_(parts.max_shapes),
      inspector_(metrics_, findings_, parts.audit, parts.metrics.facts()),
      blocks_(parts.memory) {}

worker::~worker() {
  join();
}

void worker::add_listener(acceptor listener, upstream& upstream) {
  ports_.push_back(std::make_unique<port>(std::move(listener), upstream));
}

void worker::start(std::shared_ptr<const settings> settings) {
  inspector_.use(std::move(settings));
  for (const auto& opened : ports_) accept(*opened);
  keep_house();
  thread_ = std::thread([this] { run(); });
}

void worker::run() {
  telemetry::log::set_thread_name(name_);
  context_.run();
}

void worker::use(std::shared_ptr<const settings> settings) {
  asio::post(context_, [this, settings = std::move(settings)]() mutable {
    inspector_.use(std::move(settings));
  });
}

void worker::accept(port& from) {
  from.listening.async_accept([this, &from](const error_code& error, session::socket socket) {
    if (error == asio::error::operation_aborted || is_draining_) return;
    if (error) return accept_later(from);
    on_accepted(from, std::move(socket));
    accept(from);
  });
}

void worker::accept_later(port& from) {
  metrics_.accept_failures.add();
  from.retry.expires_after(accept_pause);
  from.retry.async_wait([this, &from](const error_code& error) {
    if (!error && !is_draining_) accept(from);
  });
}

void worker::on_accepted(port& from, session::socket socket) {
  metrics_.connections_accepted.add();
  error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return metrics_.count_closed(telemetry::close_reason::client_error);
  if (parts_.connections.fetch_add(1) >= parts_.max_connections) {
    parts_.connections.fetch_sub(1);
    return metrics_.count_closed(telemetry::close_reason::limit);
  }
  metrics_.connections_open.add();
  auto opened = std::make_shared<session>(std::move(socket), remote.address().to_string(),
                                          from.mongos, static_cast<session_host&>(*this));
  sessions_.emplace(opened.get(), opened);
  opened->start();
}

void worker::on_closed(session& closed) {
  metrics_.connections_open.sub();
  parts_.connections.fetch_sub(1);
  sessions_.erase(&closed);
  if (is_draining_ && sessions_.empty()) {
    asio::post(context_, [this] { end_if_drained(); });
  }
}

void worker::keep_house() {
  housekeeping_.expires_after(housekeeping_interval);
  housekeeping_.async_wait([this](const error_code& error) {
    if (error) return;
    inspector_.flush_findings();
    for_each_session([now = clock::now()](session& s) { s.check_upstream(now); });
    keep_house();
  });
}

template <typename Action>
void worker::for_each_session(Action action) {
  std::vector<std::shared_ptr<session>> all;  // closing changes sessions_
  all.reserve(sessions_.size());
  for (const auto& [key, session] : sessions_) all.push_back(session);
  for (const auto& session : all) action(*session);
}

void worker::drain(std::function<void()> on_drained) {
  asio::post(context_, [this, on_drained = std::move(on_drained)]() mutable {
    is_draining_ = true;
    on_drained_ = std::move(on_drained);
    error_code ignored;
    for (const auto& opened : ports_) {
      opened->listening.close(ignored);
      opened->retry.cancel();
    }
    for_each_session([](session& s) { s.drain(); });
    end_if_drained();
  });
}

void worker::end_if_drained() {
  if (!sessions_.empty() || !on_drained_) return;
  housekeeping_.cancel();
  inspector_.flush_findings();
  std::exchange(on_drained_, nullptr)();
}

void worker::close_all() {
  asio::post(context_, [this] {
    for_each_session([](session& s) { s.close(telemetry::close_reason::drained); });
  });
}

void worker::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace scattergate::proxy
