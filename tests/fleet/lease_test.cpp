#include "fleet/lease.hpp"

#include <gtest/gtest.h>

#include "fleet/bson_parts.hpp"
#include "tests/fleet/simulated_server.hpp"

namespace scattergate::fleet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class lease_test : public ::testing::Test {
 protected:
  using standing = lease::standing;

  lease of(const std::string& uuid, const std::string& token) const {
    return lease{{"web-7", uuid, token, "of " + uuid}, lease::duration_for(seconds{1})};
  }
  /// By a clock that only these tests advance.
  standing renew(lease& of) { return of.renew(*database_, now_).value(); }
  void pass(milliseconds time) { now_ += time; }

  tests::simulated_server server_;
  std::unique_ptr<database> database_ = server_.open();
  lease::clock::time_point now_;
};

TEST_F(lease_test, lasts_for_three_intervals_and_at_least_a_minute) {
  EXPECT_EQ(lease::duration_for(seconds{1}), seconds{60});
  EXPECT_EQ(lease::duration_for(seconds{20}), seconds{60});
  EXPECT_EQ(lease::duration_for(seconds{21}), seconds{63});
}

TEST_F(lease_test, that_is_not_renewed_is_free_a_minute_after_it_was_seen) {
  lease first = of("one", "a");
  lease second = of("other", "b");
  EXPECT_EQ(renew(first), standing::held);
  pass(seconds{1'000});  // before the second has seen it: counts for nothing
  EXPECT_EQ(renew(second), standing::held_by_another);
  EXPECT_EQ(second.other(), "sidecar one, on the host of one");
  pass(milliseconds{59'999});
  EXPECT_EQ(renew(second), standing::held_by_another);
  pass(milliseconds{1});
  EXPECT_EQ(renew(second), standing::held);
  EXPECT_EQ(second.other(), "");
  // The first was only away. It learns that it has lost its name, and doesn't take it back.
  EXPECT_EQ(renew(first), standing::held_by_another);
  EXPECT_EQ(first.other(), "sidecar other, on the host of other");
  EXPECT_EQ(renew(second), standing::held);
}

TEST_F(lease_test, that_is_renewed_stays) {
  lease first = of("one", "a");
  lease second = of("other", "b");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(renew(first), standing::held);
    EXPECT_EQ(renew(second), standing::held_by_another);
    pass(seconds{59});
  }
  EXPECT_EQ(renew(second), standing::held_by_another);
  pass(seconds{1});
  EXPECT_EQ(renew(second), standing::held);
}

TEST_F(lease_test, passes_to_the_next_process_of_a_sidecar_at_once) {
  lease before = of("one", "a");
  lease after = of("one", "b");
  EXPECT_EQ(renew(before), standing::held);
  EXPECT_EQ(renew(after), standing::held);
  // Both run: one has a copy of the state file. The first doesn't take the lease back.
  EXPECT_EQ(renew(before), standing::held_by_another);
  EXPECT_EQ(before.other(),
            "another process with a copy of the state file, on the host of one");
  pass(seconds{60});
  EXPECT_EQ(renew(after), standing::held);
  EXPECT_EQ(renew(before), standing::held_by_another);
}

/// Replaces the lease by a document with this field.
void damage(database& in, std::string_view name, wire::bson_type type,
            std::span<const std::byte> value) {
  wire::bson_writer to;
  to.document("q", view_of(by_id("web-7")));
  to.open_document("u");
  to.raw(name, type, value);
  to.close();
  to.boolean("upsert", true);
  ASSERT_EQ(in.update(collections::leases, {to.take()}).value().matched, 1U);
}

TEST_F(lease_test, that_is_damaged_is_free_a_minute_after_it_was_seen) {
  const std::vector<std::byte> zero(8);
  for (const std::string_view name : {"token", "renewals", "other"}) {
    for (const auto type : {wire::bson_type::float64, wire::bson_type::date,
                            wire::bson_type::int64, wire::bson_type::null}) {
      damage(*database_, name, type,
             type == wire::bson_type::null ? std::vector<std::byte>{} : zero);
      lease one = of("one", "a");
      EXPECT_EQ(renew(one), standing::held_by_another);
      EXPECT_EQ(one.other(), "a damaged document in the collection leases");
      pass(seconds{60});
      EXPECT_EQ(renew(one), standing::held);
      EXPECT_EQ(renew(one), standing::held);
    }
  }
}

TEST_F(lease_test, that_is_given_up_is_free_at_once) {
  lease first = of("one", "a");
  lease second = of("other", "b");
  EXPECT_EQ(renew(first), standing::held);
  EXPECT_EQ(renew(second), standing::held_by_another);
  second.release(*database_);  // not its own
  EXPECT_EQ(renew(second), standing::held_by_another);
  first.release(*database_);
  EXPECT_EQ(renew(second), standing::held);
}

}  // namespace
}  // namespace scattergate::fleet
