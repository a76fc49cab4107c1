#pragma once

#include <cstdint>
#include <memory>

#include "digest/table.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/sources/observation.hpp"
#include "tests/fuzz/judging.hpp"

/// Shared by the fuzz targets that read a report's sources, such as logs.
namespace scattergate::fuzz {

/// Judges and counts a source's commands, as the report does. Aborts the program if a count or
/// a duration is impossible.
class checked_reading final : public report::observer {
 public:
  void on_command(const report::observation& seen) override {
    ++commands;
    require(!seen.duration || seen.duration->count() >= 0);
    builder_.on_command(seen);
  }
  void on_digest(const digest::table&) override {}
  void on_row(const digest::row& judged) override {
    ++rows;
    builder_.on_row(judged);
  }
  void on_skipped(report::skip_reason why) override {
    ++skipped;
    builder_.on_skipped(why);
  }

  /// Checks that the counts of the rows add up to the totals, and that the JSON view can print
  /// them. Call it after reading.
  void check() const;

  std::uint64_t commands = 0;  ///< number of calls of on_command()
  std::uint64_t rows = 0;      ///< number of calls of on_row()
  std::uint64_t skipped = 0;   ///< number of calls of on_skipped()

 private:
  static const std::shared_ptr<const routing::catalog>& catalog() {
    static const auto made = make_catalog({8, 0});
    return made;
  }

  digest::table table_{8};  // so few that rows are evicted
  report::digest_builder builder_{catalog(), table_};
};

}  // namespace scattergate::fuzz
