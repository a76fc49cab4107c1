#include "net/engine.hpp"

#include <cerrno>
#include <system_error>

#include <sys/eventfd.h>

#include "net/epoll_engine.hpp"
#include "net/ring_engine.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

std::unique_ptr<engine> make_engine(engine_kind kind, int wake) {
  if (kind == engine_kind::io_uring) return std::make_unique<ring_engine>(wake);
  return std::make_unique<epoll_engine>(wake);
}

text::result<void> try_engine(engine_kind kind) {
  try {
    const unique_fd wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    static_cast<void>(make_engine(kind, wake.get()));
    return {};
  } catch (const std::system_error& refused) {
    return text::failure(refused.what());
  }
}

}  // namespace scattergate::net
