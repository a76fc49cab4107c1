#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "config/options/options.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::proxy {

/// Counts the open client connections of all workers and listeners, in total and per host. A
/// host is a TCP client's address without the port, or the user who runs the client of a Unix
/// socket ("uid:1000"). Thread-safety: any thread.
class connection_counts {
 public:
  /// Counts a new connection from `host`. Returns false, and counts nothing, if a limit is
  /// reached.
  [[nodiscard]] bool admit(const std::string& host, const config::limit_options& limits) {
    const std::lock_guard lock(mutex_);
    if (total_ >= limits.connections) return false;
    std::size_t& of_host = by_host_[host];
    if (limits.connections_per_address != 0 && of_host >= limits.connections_per_address) {
      return false;
    }
    ++of_host;
    ++total_;
    return true;
  }

  /// Removes a connection from the counts. REQUIRES: admit() returned true for the connection.
  void leave(const std::string& host) {
    const std::lock_guard lock(mutex_);
    const auto found = by_host_.find(host);
    if (--found->second == 0) by_host_.erase(found);
    --total_;
  }

  /// The number of open client connections of all hosts.
  [[nodiscard]] std::size_t total() const {
    const std::lock_guard lock(mutex_);
    return total_;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::size_t, wire::seeded_text_hash, std::equal_to<>>
      by_host_;
  std::size_t total_ = 0;
};

}  // namespace scattergate::proxy
