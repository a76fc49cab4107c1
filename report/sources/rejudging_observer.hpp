#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "digest/second_judge.hpp"
#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Judges earlier results again by the report's catalog, and passes everything on to another
/// observer. Earlier results are those of a proxy or of a saved report. A row has the commands
/// of one shape (a command without its values). Rows that can't be judged again keep their
/// verdict; see kept().
class rejudging_observer final : public observer {
 public:
  /// `to`: receives everything; must outlive this object.
  rejudging_observer(std::shared_ptr<const routing::catalog> catalog, observer& to)
      : judge_(std::move(catalog)), to_(to) {}

  void on_command(const observation& seen) override { to_.on_command(seen); }
  void on_given(observation&& seen) override { to_.on_given(std::move(seen)); }
  void on_row(const digest::row& judged) override;
  void on_digest(const digest::table& judged) override;
  /// Passes on a digest (a table of rows) of shard requests without judging it again, and
  /// records all its shapes in kept(). Judging again would be wrong: the number of shard
  /// requests per command depends on where the chunks were at that time.
  void on_request_digest(const digest::table& judged) override;
  void on_skipped(skip_reason why) override { to_.on_skipped(why); }

  /// Hashes of shapes that keep their earlier verdict.
  [[nodiscard]] const std::set<std::uint64_t>& kept() const noexcept { return kept_; }

 private:
  void note(const digest::row& judged, digest::second_judge::outcome result);

  digest::second_judge judge_;
  observer& to_;
  std::set<std::uint64_t> kept_;
};

}  // namespace scattergate::report
