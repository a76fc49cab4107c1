#include <gtest/gtest.h>

#include "config/driver/driver_process.hpp"

/// The main() of test programs that use mongo_client, whose driver process is the program
/// again.
int main(int argc, char** argv) {
  if (const auto served = scattergate::config::serve_driver_if_asked(argc, argv)) {
    return *served;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
