#pragma once

#include <string>

#include <gtest/gtest.h>

#include "net/event_loop.hpp"

namespace scattergate::net {

/// A base for tests that run with each engine of the event loop (epoll, io_uring). A test is
/// skipped if the kernel doesn't support the engine.
class on_each_engine : public testing::TestWithParam<engine_kind> {
 protected:
  void SetUp() override {
    const auto tried = try_engine(GetParam());
    if (!tried) GTEST_SKIP() << to_string(tried.error());
  }
};

/// The engine's name, for the names of tests.
inline std::string name_of_engine(const testing::TestParamInfo<engine_kind>& engine) {
  return engine.param == engine_kind::epoll ? "epoll" : "io_uring";
}

/// All engines, for INSTANTIATE_TEST_SUITE_P.
inline auto all_engines() {
  return testing::Values(engine_kind::epoll, engine_kind::io_uring);
}

}  // namespace scattergate::net
