#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <boost/system/result.hpp>

#include "net/endpoint.hpp"
#include "net/socket_address.hpp"

namespace scattergate::proxy {

/// Resolves a host name on a thread of its own, because getaddrinfo() may block for a long
/// time and can't be interrupted. Thread-safety: construct and destroy it on one thread.
class name_lookup {
 public:
  /// The addresses in the resolver's order, or the resolver's error.
  using answer = boost::system::result<std::vector<net::socket_address>>;
  /// Receives the result of the lookup.
  using handler = std::function<void(answer)>;

  /// Calls `on_found` once, on the new thread, unless this object is destroyed first. If no
  /// thread can be created, calls `on_found` with an error in this constructor.
  name_lookup(const net::endpoint& name, handler on_found);

  /// Doesn't wait for the thread. If the thread is still running, counts it in
  /// config::threads_left.
  ~name_lookup();

  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

 private:
  struct shared;
  std::shared_ptr<shared> shared_;  // shared with the thread
};

}  // namespace scattergate::proxy
