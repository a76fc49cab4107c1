#include "telemetry/audit/audit_writer.hpp"

#include <map>
#include <new>

#include <gtest/gtest.h>

#include "tests/support/allocation_counter.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

TEST(audit_writer, any_allocation_may_fail_and_each_line_is_written_once) {
  bool has_struck = true;
  std::size_t granted = 0;
  for (; has_struck; ++granted) {
    const tests::temporary_folder folder;
    audit_totals totals;
    finding_ledger ledger{10, {}, totals};
    audit_writer writer{folder.file("a"), ledger, totals};
    for (std::uint64_t shape = 1; shape <= 3; ++shape) {
      ledger.add(tests::sample_delta(shape, shape));
    }
    {
      const scattergate::tests::allocation_failure failing{granted};
      try {
        static_cast<void>(writer.write_due("127.0.0.1:27117"));
        static_cast<void>(writer.write_all("127.0.0.1:27117"));
      } catch (const std::bad_alloc&) {
      }
      has_struck = failing.has_struck();
    }
    ledger.add(tests::sample_delta(10, 1));
    static_cast<void>(writer.write_all("127.0.0.1:27117"));
    std::map<std::string, std::int64_t> counts;
    for (const auto& line : tests::read_json_lines(folder.file("a"))) {
      const auto& param = line.at("param");
      counts[param.at("shapeHash").as_string().c_str()] += param.at("count").as_int64();
    }
    const std::map<std::string, std::int64_t> expected{
        {"0000000000000001", 11}, {"0000000000000002", 2}, {"0000000000000003", 3}};
    EXPECT_EQ(counts, expected) << granted;
    EXPECT_EQ(totals.outstanding, 0U);
    EXPECT_EQ(totals.commands, 16U);
  }
  EXPECT_GT(granted, 20U);
}

}  // namespace
}  // namespace scattergate::telemetry
