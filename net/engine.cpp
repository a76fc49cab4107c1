#include "net/engine.hpp"

#include <cerrno>
#include <system_error>
#include <thread>

#include <sys/eventfd.h>

#include "net/epoll_engine.hpp"
#include "net/ring_engine.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

std::unique_ptr<engine> make_engine(engine_kind kind, const wake_fds& wakes) {
  if (kind == engine_kind::io_uring) return std::make_unique<ring_engine>(wakes);
  return std::make_unique<epoll_engine>(wakes);
}

/// Makes the engine on a thread of its own: when the kernel dismantles a ring, it interrupts
/// the thread that made the ring, and a later receive with a timeout on that thread would fail.
text::result<void> try_engine(engine_kind kind) {
  text::result<void> tried;
  const auto attempt = [&] {
    try {
      const unique_fd wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
      const unique_fd wake_later{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
      static_cast<void>(make_engine(kind, {wake.get(), wake_later.get()}));
    } catch (const std::system_error& refused) {
      tried = text::failure(refused.what());
    }
  };
  try {
    std::thread{attempt}.join();
  } catch (const std::system_error& failed) {
    return text::failure(failed.what());
  }
  return tried;
}

}  // namespace scattergate::net
