#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <boost/system/result.hpp>

#include "net/endpoint.hpp"
#include "net/socket_address.hpp"

namespace scattergate::proxy {

/// The addresses of a name, asked for on a thread of its own: nothing cuts getaddrinfo() short,
/// and while a name server is silent it takes longer than anybody may have to wait.
/// Thread-safety: construct and destroy from one thread.
class name_lookup {
 public:
  /// The addresses in order, or why there are none.
  using answer = boost::system::result<std::vector<net::socket_address>>;
  using handler = std::function<void(answer)>;

  /// `on_found` is called once, on that thread (or here, where there is none to be had), unless
  /// this has been destroyed by then.
  name_lookup(const net::endpoint& name, handler on_found);

  /// Leaves the thread to itself; config::threads_left tells of it where it hasn't ended.
  ~name_lookup();

  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

 private:
  struct shared;
  std::shared_ptr<shared> shared_;  // with the thread
};

}  // namespace scattergate::proxy
