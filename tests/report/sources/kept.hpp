#pragma once

#include <map>
#include <vector>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// An observer of a report's source. Keeps the commands and rows that the source delivers, and
/// counts skipped parts by reason. Ignores whole digests.
class kept final : public observer {
 public:
  void on_command(const observation& seen) override { commands.push_back(seen); }
  void on_digest(const digest::table&) override {}
  void on_row(const digest::row& judged) override { rows.push_back(judged); }
  void on_skipped(skip_reason why) override { ++skipped[why]; }

  std::vector<observation> commands;
  std::vector<digest::row> rows;
  std::map<skip_reason, int> skipped;
};

}  // namespace scattergate::report
