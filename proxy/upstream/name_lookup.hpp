#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <boost/system/result.hpp>

#include "net/endpoint.hpp"
#include "net/socket_address.hpp"

namespace scattergate::proxy {

/// Resolves a name on its own thread, because getaddrinfo() can't be interrupted and may block
/// for long. Thread-safety: construct and destroy on one thread.
class name_lookup {
 public:
  /// The addresses in the resolver's order, or why there are none.
  using answer = boost::system::result<std::vector<net::socket_address>>;
  using handler = std::function<void(answer)>;

  /// Calls `on_found` once, on the new thread (or on this one if none can be created), unless
  /// this object is destroyed first.
  name_lookup(const net::endpoint& name, handler on_found);

  /// Doesn't wait for the thread; config::threads_left counts the thread until it ends.
  ~name_lookup();

  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

 private:
  struct shared;
  std::shared_ptr<shared> shared_;  // shared with the thread
};

}  // namespace scattergate::proxy
