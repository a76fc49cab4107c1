#include "proxy/upstream/name_lookup.hpp"

#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "config/cluster/threads_left.hpp"
#include "proxy/process_signals.hpp"

namespace scattergate::proxy {

struct name_lookup::shared {
  std::mutex mutex;  // held while on_found is called
  handler on_found;  // null: cancelled, or called already

  void deliver(answer found) {
    const std::lock_guard lock(mutex);
    if (const handler done = std::exchange(on_found, nullptr)) done(std::move(found));
  }
};

name_lookup::name_lookup(const net::endpoint& name, handler on_found)
    : shared_(std::make_shared<shared>()) {
  shared_->on_found = std::move(on_found);
  try {
    std::thread{[name, shared = shared_] {
      block_process_signals();
      shared->deliver(net::resolve(name));
    }}.detach();
  } catch (const std::system_error& failure) {
    shared_->deliver(boost::system::error_code{failure.code()});
  }
}

name_lookup::~name_lookup() {
  const std::lock_guard lock(shared_->mutex);
  if (std::exchange(shared_->on_found, nullptr)) config::threads_left.fetch_add(1);
}

}  // namespace scattergate::proxy
