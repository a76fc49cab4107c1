#include "proxy/engine_choice.hpp"

#include <stdexcept>

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

}  // namespace scattergate::proxy
