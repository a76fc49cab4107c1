#include "proxy/worker_group.hpp"

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace scattergate::proxy {

const char* chosen_engine::name() const noexcept {
  return kind == net::engine_kind::io_uring ? "io_uring" : "epoll";
}

chosen_engine choose_engine(config::engine_choice configured) {
  if (configured == config::engine_choice::epoll)
    return {net::engine_kind::epoll, "configured"};
  const auto tried = net::try_engine(net::engine_kind::io_uring);
  const bool is_required = configured == config::engine_choice::io_uring;
  if (tried) return {net::engine_kind::io_uring, is_required ? "configured" : "available"};
  if (!is_required) return {net::engine_kind::epoll, tried.error().what};
  throw std::runtime_error("workers.engine is io_uring, which this system refuses (" +
                           tried.error().what + "): set it to auto or epoll");
}

worker_group::worker_group(boost::asio::io_context& control, const worker_dependencies& parts,
                           unsigned count, net::engine_kind engine)
    : control_(control) {
  worker_dependencies shared = parts;
  shared.strangers = &strangers_;
  for (unsigned i = 0; i < count; ++i) {
    workers_.push_back(std::make_unique<worker>("worker-" + std::to_string(i), shared, engine));
  }
}

worker_group::~worker_group() {
  // All threads must end before any worker is destroyed: a worker may hand over a connection to
  // another one.
  for (const auto& worker : workers_) worker->stop();
  join();
}

void worker_group::distribute(std::vector<net::unique_fd> sockets,
                              const worker::listener& from) {
  for (const auto& worker : workers_) worker->show_waits(*from.mongos);
  std::vector<worker*> takers;
  for (const auto& worker : workers_) takers.push_back(worker.get());
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    workers_[i % workers_.size()]->add_listener(std::move(sockets[i]), from, takers);
  }
}

void worker_group::start(const std::shared_ptr<const settings>& settings) {
  for (const auto& worker : workers_) worker->start(settings);
}

void worker_group::accept() {
  for (const auto& worker : workers_) worker->accept();
}

void worker_group::apply_settings(const std::shared_ptr<const settings>& settings,
                                  std::function<void()> on_used) {
  const auto used = after_all(std::move(on_used));
  for (const auto& worker : workers_) worker->apply_settings(settings, used);
}

void worker_group::note_catalog_read(std::uint64_t number) {
  for (const auto& worker : workers_) worker->note_catalog_read(number);
}

bool worker_group::flush_counts(std::chrono::steady_clock::time_point deadline) {
  struct flushing {
    std::mutex mutex;  // guards the members below
    std::condition_variable is_changed;
    std::size_t missing = 0;
    bool is_all = true;
  };
  const auto all = std::make_shared<flushing>();  // shared, because the wait may end first
  all->missing = workers_.size();
  for (const auto& worker : workers_) {
    worker->flush_counts([all](bool is_all) {
      const std::lock_guard lock{all->mutex};
      --all->missing;
      all->is_all = all->is_all && is_all;
      all->is_changed.notify_one();
    });
  }
  std::unique_lock lock{all->mutex};
  const bool has_ended =
      all->is_changed.wait_until(lock, deadline, [&all] { return all->missing == 0; });
  return has_ended && all->is_all;
}

void worker_group::stop_accepting(std::function<void()> on_stopped) {
  const auto stopped = after_all(std::move(on_stopped));
  for (const auto& worker : workers_) worker->stop_accepting(stopped);
}

void worker_group::drain(drain_mode mode, std::function<void()> on_drained) {
  const auto drained = after_all(std::move(on_drained));
  for (const auto& worker : workers_) worker->drain(mode, drained);
}

void worker_group::close_all() {
  for (const auto& worker : workers_) worker->close_all();
}

void worker_group::join() {
  for (const auto& worker : workers_) worker->join();
}

/// A callback that each worker calls once, on its own thread. After the last call, `next` runs
/// on control_.
std::function<void()> worker_group::after_all(std::function<void()> next) {
  return
      [this, missing = std::make_shared<std::size_t>(workers_.size()), next = std::move(next)] {
        boost::asio::post(control_, [missing, next] {
          if (--*missing == 0) next();
        });
      };
}

}  // namespace scattergate::proxy
