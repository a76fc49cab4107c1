#include "net/transport.hpp"

#include <thread>
#include <vector>

#include <openssl/ssl.h>

#include "tests/net/certificate_file.hpp"
#include "tests/net/socket_pair.hpp"

namespace scattergate::net {
namespace {

using status = io_result::status;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

std::string text_of(std::span<const std::byte> bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

class plain_transport : public testing::Test {
 protected:
  socket_pair pair;
  transport ours{std::move(pair.ours)};
  std::array<std::byte, 64> room{};
};

TEST_F(plain_transport, reads_what_is_there_and_then_is_blocked) {
  EXPECT_EQ(ours.read(room).what, status::blocked);
  send_all(pair.theirs.get(), "hello");
  const auto got = ours.read(room);
  ASSERT_EQ(got.what, status::done);
  EXPECT_EQ(text_of(room, got.bytes), "hello");
  EXPECT_EQ(ours.read(room).what, status::blocked);
}

TEST_F(plain_transport, shows_the_first_byte_without_reading_it) {
  std::byte first{};
  EXPECT_EQ(ours.peek(first).what, status::blocked);
  send_all(pair.theirs.get(), "hello");
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(ours.peek(first).what, status::done);
    EXPECT_EQ(first, std::byte{'h'});
  }
  EXPECT_EQ(ours.read(room).bytes, 5U);
  pair.theirs.reset();
  EXPECT_EQ(ours.peek(first).what, status::ended);
}

TEST_F(plain_transport, writes_until_the_peer_reads_no_more_and_goes_on_when_it_does) {
  const std::vector<std::byte> large(1 << 20);
  std::size_t written = 0;
  io_result last;
  while ((last = ours.write(std::span{large}.subspan(written))).what == status::done) {
    written += last.bytes;
    ASSERT_LT(written, large.size());
  }
  EXPECT_EQ(last.what, status::blocked);
  EXPECT_GT(written, 0U);
  std::size_t received = 0;
  while (received < written) received += receive(pair.theirs.get(), 65'536).size();
  EXPECT_EQ(ours.write(large).what, status::done);
}

TEST_F(plain_transport, can_be_ended_in_one_direction_alone) {
  ours.end_writes();
  EXPECT_EQ(receive(pair.theirs.get()), "");
  send_all(pair.theirs.get(), "still");
  EXPECT_EQ(ours.read(room).bytes, 5U);
  ::shutdown(pair.theirs.get(), SHUT_WR);
  EXPECT_EQ(ours.read(room).what, status::ended);
}

TEST_F(plain_transport, fails_to_write_to_who_has_gone) {
  pair.theirs.reset();
  EXPECT_EQ(ours.write(bytes_of("x")).what, status::failed);
}

TEST_F(plain_transport, closes_behind_what_was_written_though_bytes_came_unread) {
  send_all(pair.theirs.get(), std::string(60'000, 'x'));
  EXPECT_EQ(ours.write(bytes_of("last words")).what, status::done);
  ours.close_cleanly();
  EXPECT_FALSE(ours.is_open());
  EXPECT_EQ(receive(pair.theirs.get()), "last words");
  EXPECT_EQ(receive(pair.theirs.get()), "");
  ours.close_cleanly();  // once is enough
}

/// The other end of a TLS connection, by OpenSSL alone.
class tls_transport : public testing::Test {
 protected:
  tls_transport() {
    ours.begin_tls(context->accept_over(ours.fd()));
    peer.reset(SSL_new(their_context.get()));
    SSL_set_fd(peer.get(), pair.theirs.get());
    SSL_set_connect_state(peer.get());
  }

  /// Both sides by turns, so the peer's must not block.
  void shake_hands() {
    ::fcntl(pair.theirs.get(), F_SETFL, O_NONBLOCK);
    io_result mine;
    int his = 0;
    for (int i = 0; i < 100 && (mine.what != status::done || his != 1); ++i) {
      if (his != 1) his = SSL_do_handshake(peer.get());
      if (mine.what != status::done) mine = ours.handshake();
    }
    ASSERT_EQ(mine.what, status::done);
    ASSERT_EQ(his, 1);
  }

  struct context_deleter {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  };

  certificate_file certificate;
  std::shared_ptr<const tls_context> context =
      tls_context::for_clients({certificate.path(), {}, {}}).value();
  std::unique_ptr<SSL_CTX, context_deleter> their_context{SSL_CTX_new(TLS_client_method())};
  socket_pair pair;
  transport ours{std::move(pair.ours)};
  ssl_handle peer;
  std::array<std::byte, 64> room{};
};

TEST(tls_context, refuses_names_that_no_certificate_could_be_checked_for) {
  const auto context = tls_context::for_upstream({}).value();
  socket_pair pair;
  for (const char* name : {"localhost", "127.0.0.1", "::1"}) {
    EXPECT_TRUE(context->check_name(name)) << name;
    EXPECT_NE(context->connect_over(pair.ours.get(), name), nullptr) << name;
  }
  for (const std::string& name : {std::string{}, std::string(256, 'a')}) {
    EXPECT_FALSE(context->check_name(name)) << name;
    EXPECT_EQ(context->connect_over(pair.ours.get(), name), nullptr) << name;
  }
  upstream_tls_options options;
  options.server_name = std::string(256, 'a');
  EXPECT_FALSE(tls_context::for_upstream(options));
}

/// New keys without end: each read ends after one, so that the reader can do something else.
TEST_F(tls_transport, reads_one_record_at_a_time_that_is_not_for_us) {
  shake_hands();
  while (ours.read(room).what == status::done) {
  }
  constexpr int many = 50;
  for (int i = 0; i < many; ++i) {
    ASSERT_EQ(SSL_key_update(peer.get(), SSL_KEY_UPDATE_NOT_REQUESTED), 1);
    ASSERT_EQ(SSL_do_handshake(peer.get()), 1);
  }
  ASSERT_EQ(SSL_write(peer.get(), "ping", 4), 4);
  int reads = 0;
  io_result got;
  while ((got = ours.read(room)).what == status::done && got.bytes == 0) ++reads;
  ASSERT_EQ(got.what, status::done);
  EXPECT_EQ(text_of(room, got.bytes), "ping");
  EXPECT_GE(reads, many);
  EXPECT_EQ(ours.read(room).what, status::blocked);
}

TEST_F(tls_transport, carries_bytes_both_ways) {
  shake_hands();
  EXPECT_TRUE(ours.is_tls());
  ASSERT_EQ(SSL_write(peer.get(), "ping", 4), 4);
  const auto got = ours.read(room);
  ASSERT_EQ(got.what, status::done);
  EXPECT_EQ(text_of(room, got.bytes), "ping");
  EXPECT_EQ(ours.read(room).what, status::blocked);
  ASSERT_EQ(ours.write(bytes_of("pong")).bytes, 4U);
  std::array<char, 8> answer{};
  EXPECT_EQ(SSL_read(peer.get(), answer.data(), answer.size()), 4);
}

TEST_F(tls_transport, writes_again_from_elsewhere_what_was_blocked) {
  shake_hands();
  std::string sent(4 << 20, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7 % 251);
  std::string received;
  std::array<char, 16'384> piece{};
  std::size_t written = 0;
  while (received.size() < sent.size()) {
    const std::string copy = sent.substr(written);  // each time at another address
    if (!copy.empty()) {
      const auto now = ours.write(bytes_of(copy));
      ASSERT_NE(now.what, status::failed) << ours.tls_failure();
      if (now.what == status::done) written += now.bytes;
    }
    for (int size = 1; size > 0;) {
      size = SSL_read(peer.get(), piece.data(), static_cast<int>(piece.size()));
      if (size > 0) received.append(piece.data(), static_cast<std::size_t>(size));
    }
  }
  EXPECT_EQ(received, sent);
}

TEST_F(tls_transport, ends_without_a_close_notify_too) {
  shake_hands();
  ASSERT_EQ(SSL_write(peer.get(), "bye", 3), 3);
  (void)receive(pair.theirs.get());  // session tickets: closing on unread bytes is a reset
  pair.theirs.reset();
  EXPECT_EQ(ours.read(room).bytes, 3U);
  EXPECT_EQ(ours.read(room).what, status::ended);
}

TEST_F(tls_transport, says_that_nothing_more_will_come) {
  shake_hands();
  ours.end_writes();
  std::array<char, 8> nothing{};
  EXPECT_LE(SSL_read(peer.get(), nothing.data(), nothing.size()), 0);
  EXPECT_EQ(SSL_get_error(peer.get(), 0), SSL_ERROR_ZERO_RETURN);
}

TEST_F(tls_transport, refuses_a_peer_that_speaks_something_else) {
  send_all(pair.theirs.get(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(ours.handshake().what, status::failed);
  EXPECT_STRNE(ours.tls_failure(), "");
  ours.close_cleanly();
}

TEST_F(tls_transport, waits_for_a_handshake_that_stops_half_way) {
  EXPECT_EQ(ours.handshake().what, status::blocked);
  send_all(pair.theirs.get(), std::string_view{"\x16\x03\x01\x00\xc8\x01", 6});
  EXPECT_EQ(ours.handshake().what, status::blocked);
  pair.theirs.reset();
  EXPECT_EQ(ours.handshake().what, status::ended);
}

}  // namespace
}  // namespace scattergate::net
