#include <cstdint>
#include <cstdlib>
#include <span>

#include "tests/support/guard.hpp"
#include "tests/support/rule_walks.hpp"

/// In any form, a scatter on db.orders is rejected by the rule for it. The input is the
/// decisions of tests/support/rule_walks.hpp.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scattergate;
  static tests::guard guard;
  const tests::rule_walk walk = tests::make_rule_walk(std::span{data, size});
  if (!guard.rejects(walk.message)) std::abort();
  return 0;
}
