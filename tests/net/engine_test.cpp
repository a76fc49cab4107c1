// Connections that an engine serves, as their peers see them: the same on each engine.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <poll.h>

#include "net/event_loop.hpp"
#include "net/transport.hpp"
#include "tests/net/certificate_file.hpp"
#include "tests/net/engines.hpp"
#include "tests/net/socket_pair.hpp"

namespace scattergate::net {
namespace {

using status = io_result::status;

/// Sends back what it receives, and reads on only when that was sent, as a session does.
class echo final : public event_loop::watcher {
 public:
  echo(event_loop& loop, unique_fd socket) : loop_(loop), socket_(std::move(socket)) {
    EXPECT_TRUE(loop_.watch(socket_, *this));
  }

  void secure(const tls_context& with) {
    socket_.begin_tls(with.accept_over(socket_.fd()));
    is_secured_ = false;
  }

  transport& socket() { return socket_; }
  bool is_open() const { return socket_.is_open(); }
  void stop_reading() { is_reading_ = false; }
  void read_on() {
    is_reading_ = true;
    go_on();
  }

  readiness seen;  ///< everything that was ever reported

 private:
  void on_ready(const readiness& now) override {
    seen = {seen.readable || now.readable, seen.writable || now.writable,
            seen.hung_up || now.hung_up, seen.failed || now.failed};
    if (now.readable || now.writable || socket_.is_tls()) go_on();
  }

  void go_on() {
    if (!is_secured_) {
      const auto result = socket_.handshake().what;
      if (result == status::blocked) return;
      if (result != status::done) return socket_.close();
      is_secured_ = true;
    }
    while (socket_.is_open() && step()) {
    }
  }

  bool step() {
    if (begin_ != end_) {
      const auto written = socket_.write({room_.data() + begin_, end_ - begin_});
      if (written.what == status::blocked) return false;
      if (written.what != status::done) return end();
      begin_ += written.bytes;
      return true;
    }
    if (!is_reading_) return false;
    const auto got = socket_.read(room_);
    if (got.what == status::blocked) return false;
    if (got.what != status::done) return end();
    begin_ = 0;
    end_ = got.bytes;
    return true;
  }

  bool end() {
    socket_.close_cleanly();
    return false;
  }

  event_loop& loop_;
  transport socket_;
  std::array<std::byte, 32'768> room_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_secured_ = true;
  bool is_reading_ = true;
};

/// Relays from one socket to another, in one direction. As a session does, it reads again
/// after a short read only when the loop says so.
class one_way {
 public:
  one_way(event_loop& loop, unique_fd from, unique_fd to)
      : from_(std::move(from)), to_(std::move(to)) {
    EXPECT_TRUE(loop.watch(from_, source_));
    EXPECT_TRUE(loop.watch(to_, sink_));
  }
  std::atomic<std::uint64_t> passed = 0;

 private:
  struct side final : event_loop::watcher {
    explicit side(one_way& relay) : of(relay) {}
    void on_ready(const readiness& now) override {
      if (now.readable && this == &of.source_) of.is_readable_ = true;
      if (now.readable || now.writable) of.go_on();
    }
    one_way& of;
  };

  void go_on() {
    for (;;) {
      if (begin_ == end_) {
        if (!is_readable_) return;
        const auto got = from_.read(room_);
        is_readable_ = got.what == status::done && got.bytes == room_.size();
        if (got.what != status::done) return;
        begin_ = 0;
        end_ = got.bytes;
      }
      const auto written = to_.write({room_.data() + begin_, end_ - begin_});
      if (written.what != status::done) return;
      begin_ += written.bytes;
      passed += written.bytes;
    }
  }

  side source_{*this};
  side sink_{*this};
  transport from_;
  transport to_;
  std::array<std::byte, 32'768> room_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_readable_ = true;
};

/// The loop runs on a thread of its own; the tests are the peers, whose sockets block.
class engine_test : public on_each_engine {
 protected:
  void SetUp() override {
    on_each_engine::SetUp();
    if (IsSkipped()) return;
    loop = std::make_unique<event_loop>(GetParam());
    thread = std::thread([this] { loop->run(); });
  }

  void TearDown() override {
    if (!loop) return;
    if (thread.joinable()) stop();
    echoes.clear();
    loop.reset();
  }

  void stop() {
    loop->stop();
    thread.join();
  }

  /// Runs `task` on the loop, and waits for it.
  template <typename Task>
  void on_loop(Task task) {
    std::atomic<bool> is_done = false;
    loop->post([&] {
      task();
      is_done = true;
      is_done.notify_one();
    });
    is_done.wait(false);
  }

  echo& serve(unique_fd socket, const tls_context* with = nullptr) {
    echo* made = nullptr;
    on_loop([&] {
      loop->make_room_for(echoes.size() + 1);
      echoes.push_back(std::make_unique<echo>(*loop, std::move(socket)));
      made = echoes.back().get();
      if (with != nullptr) made->secure(*with);
    });
    return *made;
  }

  std::unique_ptr<event_loop> loop;
  std::thread thread;
  std::vector<std::unique_ptr<echo>> echoes;
};
INSTANTIATE_TEST_SUITE_P(, engine_test, all_engines(), name_of_engine);

std::string some_bytes(std::size_t size, unsigned seed) {
  std::minstd_rand random{seed};
  std::string bytes(size, '\0');
  for (char& each : bytes) each = static_cast<char>(random());
  return bytes;
}

/// Everything until the end of the stream or `limit` bytes.
std::string receive_all(int fd, std::size_t limit) {
  std::string all;
  while (all.size() < limit) {
    const std::string some = receive(fd, std::min<std::size_t>(limit - all.size(), 65'536));
    if (some.empty()) break;
    all += some;
  }
  return all;
}

/// Sends on a second thread, so that neither side waits for the other.
std::string exchange(int fd, const std::string& sent) {
  std::thread sending([&] {
    for (std::size_t at = 0; at < sent.size();) {
      const auto size = ::send(fd, sent.data() + at, sent.size() - at, MSG_NOSIGNAL);
      if (size <= 0) return;
      at += static_cast<std::size_t>(size);
    }
  });
  std::string received = receive_all(fd, sent.size());
  sending.join();
  return received;
}

TEST_P(engine_test, carries_messages_of_all_sizes_in_any_order) {
  tcp_pair pair;
  serve(std::move(pair.ours));
  std::mt19937 random{7};
  constexpr std::array<std::size_t, 9> sizes = {1,     180,    359,     1'144,    4'096,
                                                4'160, 40'000, 300'000, 3'000'000};
  for (unsigned i = 0; i < 600; ++i) {
    const bool is_large = i % 10 == 9;
    const std::size_t size = sizes[random() % (is_large ? sizes.size() : 4)];
    const std::string sent = some_bytes(size, i);
    ASSERT_TRUE(exchange(pair.theirs.get(), sent) == sent) << i << ": " << size;
  }
}

TEST_P(engine_test, carries_what_is_pipelined_over_a_unix_socket) {
  socket_pair pair;
  serve(std::move(pair.ours));
  const std::string sent = some_bytes(2'000'000, 3);
  std::thread sending([&] {
    for (std::size_t at = 0; at < sent.size(); at += 500) {
      send_all(pair.theirs.get(), std::string_view{sent}.substr(at, 500));
    }
  });
  const std::string received = receive_all(pair.theirs.get(), sent.size());
  sending.join();
  EXPECT_TRUE(received == sent);
}

TEST_P(engine_test, serves_many_at_once) {
  constexpr std::size_t many = 200;
  std::vector<tcp_pair> pairs(many);
  for (auto& pair : pairs) serve(std::move(pair.ours));
  for (unsigned round = 0; round < 30; ++round) {
    const std::string sent = some_bytes(round % 7 == 6 ? 20'000 : 300, round);
    for (const auto& pair : pairs) send_all(pair.theirs.get(), sent);
    for (const auto& pair : pairs) {
      ASSERT_TRUE(receive_all(pair.theirs.get(), sent.size()) == sent) << round;
    }
  }
}

/// They would hold all of a ring's buffers if they could.
TEST_P(engine_test, serves_others_while_many_do_not_read_what_they_got) {
  constexpr std::size_t many = 100;
  std::vector<tcp_pair> idle(many);
  std::vector<echo*> stopped;
  for (auto& pair : idle) {
    stopped.push_back(&serve(std::move(pair.ours)));
    for (int i = 0; i < 4; ++i) ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
  }
  on_loop([&] {
    for (echo* each : stopped) each->stop_reading();
  });
  const std::string unread = some_bytes(60'000, 5);
  for (auto& pair : idle) send_all(pair.theirs.get(), unread);
  tcp_pair busy;
  serve(std::move(busy.ours));
  for (unsigned i = 0; i < 100; ++i) {
    const std::string sent = some_bytes(300, i);
    ASSERT_TRUE(exchange(busy.theirs.get(), sent) == sent) << i;
  }
  on_loop([&] {
    for (echo* each : stopped) each->read_on();
  });
  for (auto& pair : idle) {
    ASSERT_TRUE(receive_all(pair.theirs.get(), unread.size()) == unread);
  }
}

TEST_P(engine_test, stops_reading_from_who_reads_nothing) {
  tcp_pair pair;
  serve(std::move(pair.ours));
  for (int i = 0; i < 4; ++i) ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
  ::fcntl(pair.theirs.get(), F_SETFL, O_NONBLOCK);
  const std::string piece = some_bytes(65'536, 1);
  std::string sent;
  pollfd writable{pair.theirs.get(), POLLOUT, 0};
  while (::poll(&writable, 1, 300) == 1) {
    const auto size = ::send(pair.theirs.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
    ASSERT_GT(size, 0);
    sent.append(piece, 0, static_cast<std::size_t>(size));
    ASSERT_LT(sent.size(), 256'000'000U);
  }
  ::fcntl(pair.theirs.get(), F_SETFL, 0);
  EXPECT_TRUE(receive_all(pair.theirs.get(), sent.size()) == sent);
}

TEST_P(engine_test, goes_on_when_a_sink_reads_that_had_not) {
  tcp_pair source;
  tcp_pair sink;
  std::unique_ptr<one_way> relay;
  on_loop([&] {
    relay = std::make_unique<one_way>(*loop, std::move(source.ours), std::move(sink.ours));
  });
  const std::string sent = some_bytes(60'000'000, 4);
  std::thread sending([&] {
    for (std::size_t at = 0; at < sent.size();) {
      const auto size =
          ::send(source.theirs.get(), sent.data() + at, sent.size() - at, MSG_NOSIGNAL);
      if (size <= 0) return;
      at += static_cast<std::size_t>(size);
    }
  });
  for (std::uint64_t before = 1; before != relay->passed || before == 0;) {
    before = relay->passed;
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  }
  EXPECT_LT(relay->passed, sent.size());
  EXPECT_TRUE(receive_all(sink.theirs.get(), sent.size()) == sent);
  sending.join();
  on_loop([&] { relay.reset(); });
}

/// A watcher that reads everything and counts, and notes that it may write again.
struct reader final : event_loop::watcher {
  explicit reader(unique_fd of) : socket(std::move(of)) {}
  void on_ready(const readiness& now) override {
    is_writable = is_writable || now.writable;
    std::array<std::byte, 1'000> room;
    for (io_result got; (got = socket.read(room)).what == status::done;) read += got.bytes;
  }
  transport socket;
  std::atomic<std::size_t> read = 0;
  std::atomic<bool> is_writable = false;
};

TEST_P(engine_test, reports_room_to_write_though_small_messages_came_meanwhile) {
  for (const std::size_t piece : {1'000UL, 30'000UL}) {
    for (const int before : {0, 4}) {
      tcp_pair pair;
      reader served{std::move(pair.ours)};
      on_loop([&] { ASSERT_TRUE(loop->watch(served.socket, served)); });
      std::size_t sent = 0;
      const auto send_small = [&](int often) {
        for (int i = 0; i < often; ++i) {
          send_all(pair.theirs.get(), "ping");
          sent += 4;
          while (served.read != sent) on_loop([] {});
        }
      };
      send_small(before);
      std::size_t written = 0;
      on_loop([&] { served.is_writable = false; });
      for (bool is_blocked = false; !is_blocked;) {
        on_loop([&] {
          const std::string bytes(piece, 'x');
          io_result last;
          while ((last = served.socket.write(std::as_bytes(std::span{bytes}))).what ==
                 status::done) {
            written += last.bytes;
          }
          served.is_writable = false;
        });
        // Linux delays an acknowledgement by at most 200 ms.
        for (int i = 0; i < 300 && !served.is_writable; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        for (int turns = 0; turns < 2; ++turns) on_loop([] {});  // the loop may be late
        is_blocked = !served.is_writable;
      }
      send_small(5);
      EXPECT_FALSE(served.is_writable);
      EXPECT_EQ(receive_all(pair.theirs.get(), written).size(), written);
      while (!served.is_writable) on_loop([] {});
      on_loop([&] { served.socket.close(); });
    }
  }
}

TEST_P(engine_test, ends_behind_the_last_byte_where_the_peer_has_ended) {
  for (const std::size_t size : {5UL, 3'000UL, 2'000'000UL}) {
    for (const int before : {0, 4}) {
      tcp_pair pair;
      serve(std::move(pair.ours));
      for (int i = 0; i < before; ++i) {
        ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
      }
      const std::string sent = some_bytes(size, 9);
      std::thread sending([&] {
        std::size_t at = 0;
        while (at < size) {
          const auto some =
              ::send(pair.theirs.get(), sent.data() + at, size - at, MSG_NOSIGNAL);
          if (some <= 0) break;
          at += static_cast<std::size_t>(some);
        }
        ::shutdown(pair.theirs.get(), SHUT_WR);
      });
      EXPECT_TRUE(receive_all(pair.theirs.get(), size + 1) == sent) << size << before;
      sending.join();
    }
  }
}

TEST_P(engine_test, closes_behind_what_was_written_though_bytes_came_unread) {
  for (const int before : {0, 4}) {
    tcp_pair pair;
    echo& served = serve(std::move(pair.ours));
    for (int i = 0; i < before; ++i) {
      ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
    }
    on_loop([&] { served.stop_reading(); });
    send_all(pair.theirs.get(), some_bytes(10'000, 2));
    on_loop([&] {
      EXPECT_EQ(served.socket().write(std::as_bytes(std::span{"last words", 10})).bytes, 10U);
      served.socket().close_cleanly();
      EXPECT_FALSE(served.is_open());
    });
    EXPECT_EQ(receive_all(pair.theirs.get(), 100), "last words");
  }
}

TEST_P(engine_test, sends_what_was_written_before_the_loop_ended) {
  tcp_pair pair;
  echo& served = serve(std::move(pair.ours));
  for (int i = 0; i < 4; ++i) ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
  on_loop([&] {
    EXPECT_EQ(served.socket().write(std::as_bytes(std::span{"last words", 10})).bytes, 10U);
    served.socket().close_cleanly();
    loop->stop();
  });
  thread.join();
  EXPECT_EQ(receive_all(pair.theirs.get(), 100), "last words");
}

TEST_P(engine_test, sends_the_rest_of_a_large_message_before_the_turn_ends) {
  tcp_pair pair;
  echo& served = serve(std::move(pair.ours));
  for (int i = 0; i < 4; ++i) ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
  const timeval patience{10, 0};
  ::setsockopt(pair.theirs.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const std::string large = some_bytes(16'384, 7), rest = some_bytes(120, 8);
  on_loop([&] {
    for (const std::string& each : {large, rest}) {
      const auto written = served.socket().write(std::as_bytes(std::span{each}));
      ASSERT_EQ(written.bytes, each.size());
    }
    EXPECT_TRUE(receive_all(pair.theirs.get(), large.size() + rest.size()) == large + rest);
  });
  EXPECT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
}

TEST_P(engine_test, ends_one_direction_alone) {
  tcp_pair pair;
  echo& served = serve(std::move(pair.ours));
  for (int i = 0; i < 4; ++i) ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
  on_loop([&] {
    EXPECT_EQ(served.socket().write(std::as_bytes(std::span{"bye", 3})).bytes, 3U);
    served.socket().end_writes();
  });
  EXPECT_EQ(receive_all(pair.theirs.get(), 100), "bye");
  ::shutdown(pair.theirs.get(), SHUT_WR);
  for (bool is_open = true; is_open;) {
    on_loop([&] { is_open = served.is_open(); });
  }
}

TEST_P(engine_test, resets_where_unsent_bytes_are_dropped) {
  tcp_pair pair;
  echo& served = serve(std::move(pair.ours));
  for (int i = 0; i < 4; ++i) ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
  on_loop([&] {
    const std::string piece = some_bytes(4'000, 1);
    while (served.socket().write(std::as_bytes(std::span{piece})).what == status::done) {
    }
    served.socket().drop_unsent();
    served.socket().close();
  });
  char one = 0;
  ssize_t got = 1;
  while (got > 0) got = ::recv(pair.theirs.get(), &one, 1, 0);
  EXPECT_EQ(got, -1);
  EXPECT_EQ(errno, ECONNRESET);
}

TEST_P(engine_test, reports_a_reset_while_nothing_is_read) {
  for (const int before : {0, 4}) {
    tcp_pair pair;
    echo& served = serve(std::move(pair.ours));
    for (int i = 0; i < before; ++i) {
      ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
    }
    on_loop([&] { served.stop_reading(); });
    const linger at_once{1, 0};
    ::setsockopt(pair.theirs.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    pair.theirs.reset();
    for (bool has_failed = false; !has_failed;) {
      on_loop([&] { has_failed = served.seen.failed; });
    }
    EXPECT_TRUE(served.seen.hung_up);
  }
}

TEST_P(engine_test, reports_an_end_while_nothing_is_read) {
  tcp_pair pair;
  echo& served = serve(std::move(pair.ours));
  for (int i = 0; i < 4; ++i) ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
  on_loop([&] { served.stop_reading(); });
  pair.theirs.reset();
  for (bool hung_up = false; !hung_up;) {
    on_loop([&] { hung_up = served.seen.hung_up; });
  }
}

/// The kernel interrupts the thread whose ring it dismantles: this test's has made none.
TEST_P(engine_test, does_not_interrupt_who_has_tried_it) {
  std::thread trying([] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(try_engine(GetParam()));
      socket_pair pair;
      const timeval patience{0, 20'000};
      ::setsockopt(pair.theirs.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      char nothing = 0;
      EXPECT_EQ(::recv(pair.theirs.get(), &nothing, 1, 0), -1);
      EXPECT_EQ(errno, EAGAIN);
    }
  });
  trying.join();
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_P(engine_test, releases_descriptors_of_what_was_closed) {
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 30; ++i) {
    tcp_pair pair;
    echo& served = serve(std::move(pair.ours));
    for (int j = 0; j < i % 5; ++j) ASSERT_EQ(exchange(pair.theirs.get(), "ping"), "ping");
    on_loop([&] { served.socket().close(); });
    EXPECT_EQ(receive(pair.theirs.get()), "");
  }
  while (open_descriptors() != before) on_loop([] {});
}

TEST_P(engine_test, carries_tls) {
  const certificate_file certificate;
  const auto context = tls_context::for_clients({certificate.path(), {}, {}}).value();
  SSL_CTX* const theirs = SSL_CTX_new(TLS_client_method());
  tcp_pair pair;
  serve(std::move(pair.ours), context.get());
  SSL* const peer = SSL_new(theirs);
  SSL_set_fd(peer, pair.theirs.get());
  ASSERT_EQ(SSL_connect(peer), 1);
  for (unsigned i = 0; i < 200; ++i) {
    const std::string sent = some_bytes(i % 20 == 19 ? 100'000 : 300, i);
    ASSERT_EQ(SSL_write(peer, sent.data(), static_cast<int>(sent.size())),
              static_cast<int>(sent.size()));
    std::string received(sent.size(), '\0');
    for (std::size_t at = 0; at < received.size();) {
      const int size =
          SSL_read(peer, received.data() + at, static_cast<int>(received.size() - at));
      ASSERT_GT(size, 0) << i;
      at += static_cast<std::size_t>(size);
    }
    ASSERT_TRUE(received == sent) << i;
  }
  EXPECT_EQ(SSL_shutdown(peer), 0);
  char nothing = 0;
  EXPECT_LE(SSL_read(peer, &nothing, 1), 0);
  EXPECT_EQ(SSL_get_error(peer, 0), SSL_ERROR_ZERO_RETURN);
  SSL_free(peer);
  SSL_CTX_free(theirs);
}

}  // namespace
}  // namespace scattergate::net
