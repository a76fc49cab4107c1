#pragma once

#include <csignal>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "fleet/database.hpp"
#include "sim/server.hpp"

namespace scattergate::tests {

/// A simulated cluster for the fleet's database. Listens on a free port, and runs on a thread
/// of this process. Only one may exist at a time, because the destructor stops it by raising
/// SIGTERM.
class simulated_server {
 public:
  simulated_server() {
    std::promise<std::string> bound;
    auto address = bound.get_future();
    thread_ = std::thread{[this, bound = std::move(bound)]() mutable {
      sim::serve(simulator_, "127.0.0.1:0", {},
                 [&bound](const std::string& at) { bound.set_value(at); });
    }};
    address_ = address.get();
  }
  ~simulated_server() {
    std::raise(SIGTERM);
    thread_.join();
  }
  simulated_server(const simulated_server&) = delete;
  simulated_server& operator=(const simulated_server&) = delete;

  /// The connection string.
  [[nodiscard]] std::string uri() const { return "mongodb://" + address_ + "/"; }

  /// Connects to the fleet's database. Throws std::runtime_error on failure.
  [[nodiscard]] std::unique_ptr<fleet::database> open() const {
    auto opened = fleet::database::open(uri(), "fleet", std::chrono::seconds{10});
    if (!opened) throw std::runtime_error(opened.error().text);
    return *std::move(opened);
  }

 private:
  sim::simulator simulator_{2};
  std::string address_;
  std::thread thread_;
};

}  // namespace scattergate::tests
