#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "session_model.hpp"

/// A whole session, without its sockets: for all bytes of a client and a mongos, in any pieces
/// and order, and with any other event between them, session_model's promises hold. The input
/// is a script: an event's number, its arguments, the next event.
namespace {

using scattergate::fuzz::session_model;

/// Reads the script; zeros after its end.
class script {
 public:
  explicit script(std::span<const std::uint8_t> bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
  std::uint8_t next() noexcept {
    if (rest_.empty()) return 0;
    const std::uint8_t byte = rest_.front();
    rest_ = rest_.subspan(1);
    return byte;
  }
  std::span<const std::byte> next_bytes() noexcept {
    const std::size_t size = next();
    const auto taken = rest_.first(std::min<std::size_t>(size, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return std::as_bytes(taken);
  }

 private:
  std::span<const std::uint8_t> rest_;
};

/// One request, or, now and then, so many at once that the bound on pending ones is reached: as
/// a rule of the kind that is judged soonest, as they are most of what a script takes.
void ask(session_model& session, std::uint8_t which, std::uint8_t id, std::uint8_t how) {
  constexpr std::uint8_t ping = 2;
  constexpr std::uint8_t crowd = 255;
  if (how != crowd) return session.client_asks(which, id, 1);
  session.client_asks(id == crowd ? which : ping, id, 1100);
}

void play_one(script& from, session_model& session) {
  switch (from.next() % 11) {
    case 0:
      return session.client_sends(from.next_bytes());
    case 1: {
      const auto which = from.next();
      const auto id = from.next();
      return ask(session, which, id, from.next());
    }
    case 2: {  // a request that arrives in two pieces
      const auto which = from.next();
      const auto id = from.next();
      return session.client_asks_in_pieces(which, id, from.next());
    }
    case 3:
      return session.mongos_sends(from.next_bytes());
    case 4: {
      const auto which = from.next();
      const auto id = from.next();
      return session.mongos_answers(which, id, from.next());
    }
    case 5:
      return session.mongos_answers_next(from.next(), from.next());
    case 6:
      return session.mongos_answers_all();
    case 7:
      return session.use_rules(from.next());
    case 8:
      return session.refuse_to_hold();
    case 9:
      return session.hold_replies_back((from.next() & 1U) != 0);
    case 10:
      return session.pass_time(from.next());
    default:
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  session_model session;
  script from{{data, size}};
  while (!from.is_at_end() && session.is_open()) play_one(from, session);
  session.end();
  return 0;
}
