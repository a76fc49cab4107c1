#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "proxy/judging/large_judgement.hpp"
#include "proxy/judging/long_work.hpp"
#include "tests/proxy/fixture.hpp"

namespace scattergate::proxy {
namespace {

using wire::limits::header_bytes;

std::shared_ptr<const settings> some_settings() {
  auto made = std::make_shared<settings>();
  made->catalog = small_catalog();
  return made;
}

large_judgement judgement_of(const bytes& message) {
  const auto header = *wire::parse_header(std::span{message}.first<header_bytes>());
  return {header, message, message.size(), some_settings()};
}

const bytes& scattered_message() {
  static const bytes message = request(1, scattered_find);
  return message;
}

TEST(long_work_thread, does_one_after_the_other_and_reports_each_time) {
  long_work_thread thread{"test"};
  for (int i = 0; i < 100; ++i) {
    large_judgement judged = judgement_of(scattered_message());
    std::latch is_made{1};
    std::thread::id by;
    thread.advance(judged, [&](bool is_over) {
      EXPECT_TRUE(is_over);
      by = std::this_thread::get_id();
      is_made.count_down();
    });
    is_made.wait();
    EXPECT_NE(by, std::this_thread::get_id());
    EXPECT_EQ(judged.verdict().routing, routing::routing_class::scatter_gather);
    EXPECT_NE(judged.shape().hash, 0U);
  }
}

/// Like a worker's loop: the next piece is requested before the thread has returned.
TEST(long_work_thread, may_be_asked_again_as_soon_as_it_reports) {
  long_work_thread thread{"test"};
  large_judgement first = judgement_of(scattered_message());
  large_judgement second = judgement_of(scattered_message());
  std::latch are_made{2};
  thread.advance(first, [&](bool) {
    thread.advance(second, [&](bool) { are_made.count_down(); });
    are_made.count_down();
  });
  are_made.wait();
  EXPECT_EQ(second.verdict().routing, routing::routing_class::scatter_gather);
}

TEST(long_work_thread, tries_again_to_report_what_memory_failed) {
  long_work_thread thread{"test"};
  large_judgement judged = judgement_of(scattered_message());
  std::latch is_called{1};
  int tries = 0;
  thread.advance(judged, [&](bool) {
    if (++tries < 3) throw std::bad_alloc{};
    is_called.count_down();
  });
  is_called.wait();
  EXPECT_EQ(tries, 3);
}

/// Works in the requested number of pieces; each returns whether more remains.
TEST(long_work_thread, does_no_more_than_a_piece_at_a_time) {
  struct of_three_pieces final : long_work {
    bool advance(judging_memory& /*memory*/) noexcept override { return ++done == 3; }
    int done = 0;
  } work;
  long_work_thread thread{"test"};
  for (int piece = 1; piece <= 3; ++piece) {
    std::latch is_done{1};
    thread.advance(work, [&](bool is_over) {
      EXPECT_EQ(is_over, piece == 3);
      is_done.count_down();
    });
    is_done.wait();
    EXPECT_EQ(work.done, piece);
  }
}

TEST(long_work_thread, ends_whatever_it_was_asked) {
  large_judgement judged = judgement_of(scattered_message());
  for (int i = 0; i < 100; ++i) {
    long_work_thread thread{"test"};
    thread.advance(judged, [](bool) {});
  }
  const long_work_thread never_asked{"test"};
}

}  // namespace
}  // namespace scattergate::proxy
