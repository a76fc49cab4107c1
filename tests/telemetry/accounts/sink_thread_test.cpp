#include "telemetry/accounts/sink_thread.hpp"

#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

/// A sink whose turns are scripted.
class scripted_sink : public sink {
 public:
  enum class how : std::uint8_t { idle, done, failed, throws, out_of_memory };

  outcome run_turn(bool is_last) override {
    ++turns;
    was_last = is_last;
    const auto soon = clock::now() + std::chrono::milliseconds{1};
    switch (next.load()) {
      case how::idle:
        return {.next = soon};
      case how::done:
        return {text::result<void>{}, soon};
      case how::failed:
        return {text::failure("a full disk"), soon};
      case how::throws:
        throw std::runtime_error("a bad line");
      case how::out_of_memory:
        break;
    }
    throw std::bad_alloc{};
  }

  std::atomic<how> next{how::idle};
  std::atomic<int> turns{0};
  std::atomic<bool> was_last{false};
};

class sink_thread_test : public ::testing::Test {
 protected:
  using how = scripted_sink::how;

  std::string active() const {
    const auto all = board_.snapshot();
    return all.empty() || !all[0].active ? "" : all[0].detail;
  }

  condition_board board_{[] {
                           return condition_board::moment{std::chrono::steady_clock::now(),
                                                          std::chrono::system_clock::now()};
                         },
                         [](const condition&, condition_phase) {}};
  std::atomic<std::uint64_t> failures_{0};
  scripted_sink sink_;
  sink_thread thread_{sink_,
                      {"test", condition_kind::state_failing, "a file", &board_, &failures_}};
};

TEST_F(sink_thread_test, raises_the_condition_while_turns_fail) {
  sink_.next = how::failed;
  thread_.start();
  EXPECT_TRUE(tests::eventually([&] { return active() == "a full disk"; }));
  EXPECT_TRUE(tests::eventually([&] { return failures_ > 2; }));
  sink_.next = how::idle;
  const int before = sink_.turns;
  EXPECT_TRUE(tests::eventually([&] { return sink_.turns > before + 2; }));
  EXPECT_EQ(active(), "a full disk");  // nothing says that it is well
  sink_.next = how::done;
  EXPECT_TRUE(tests::eventually([&] { return active().empty(); }));
}

TEST_F(sink_thread_test, takes_what_is_thrown_for_a_failure_and_goes_on) {
  sink_.next = how::throws;
  thread_.start();
  EXPECT_TRUE(tests::eventually([&] { return active() == "a bad line"; }));
  sink_.next = how::out_of_memory;
  thread_.wake();
  EXPECT_TRUE(tests::eventually([&] { return active() == "out of memory"; }));
  sink_.next = how::done;
  thread_.wake();
  EXPECT_TRUE(tests::eventually([&] { return active().empty(); }));
  EXPECT_EQ(failures_, 2U);
}

TEST_F(sink_thread_test, has_a_last_turn_and_tries_it_again_where_memory_fails) {
  thread_.start();
  EXPECT_TRUE(tests::eventually([&] { return sink_.turns > 0; }));
  sink_.next = how::out_of_memory;
  thread_.close();
  EXPECT_TRUE(sink_.was_last);
  EXPECT_EQ(failures_, 3U);
  thread_.close();
  EXPECT_EQ(failures_, 3U);
}

}  // namespace
}  // namespace scattergate::telemetry
