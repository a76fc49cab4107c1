#include "telemetry/audit/audit_writer.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include "telemetry/audit/audit_line.hpp"
#include "telemetry/log/log.hpp"
#include "telemetry/patient_write.hpp"
#include "text/printable.hpp"

namespace scattergate::telemetry {

audit_writer::audit_writer(std::string file, finding_ledger& of, audit_totals& totals)
    : ledger_(of), totals_(totals) {
  if (file != "off") file_.emplace(std::move(file));
}

text::result<void> audit_writer::write_due(std::string_view local) {
  if (is_failing_) return {};
  if (auto finished = finish_tail(); !finished) return finished;
  std::string envelope;
  for (auto* due = ledger_.first_due(); due != nullptr; due = ledger_.first_due()) {
    if (envelope.empty()) envelope = local_json(local);
    if (auto written = write(*due, envelope); !written) return written;
    ledger_.pop_due();
  }
  return {};
}

text::result<void> audit_writer::write_all(std::string_view local) {
  is_failing_ = false;
  if (auto written = write_due(local); !written) return written;
  const std::string envelope = local_json(local);
  for (std::size_t i = 0; auto* const each = ledger_.at(i); ++i) {
    if (auto written = write(*each, envelope); !written) return written;
  }
  return {};
}

void audit_writer::reopen() {
  is_failing_ = false;
  if (file_ && !file_->reopen()) {
    log::write(log::severity::error, log::component::audit, 5001,
               "The audit log can't be reopened; the old file stays in use");
  }
}

/// Writes the finding's line if it has outstanding counts.
text::result<void> audit_writer::write(finding_ledger::finding& of, std::string_view local) {
  shape_delta& owed = of.owed;
  if (owed.count == 0) return {};
  text::result<void> written;
  if (!file_) {
    totals_.outstanding.fetch_sub(owed.count, std::memory_order_relaxed);
  } else {
    std::string line = text::ci_safe(audit_line(owed, local, std::chrono::system_clock::now()),
                                     text::ci_syntax::json);
    const std::size_t bytes = line.size();
    const audit_file::outcome outcome = file_->write(std::move(line));
    if (outcome != audit_file::outcome::written) written = failed();
    if (outcome == audit_file::outcome::failed) return written;
    if (outcome == audit_file::outcome::cut) {
      tail_commands_ = owed.count;
      tail_bytes_ = bytes;
    } else {
      count_written(owed.count, bytes);
    }
  }
  owed = {};
  return written;
}

/// Writes the rest of a partly written line.
text::result<void> audit_writer::finish_tail() {
  if (!file_ || !file_->has_tail()) return {};
  if (!file_->finish_tail()) return failed();
  if (tail_commands_ != 0) count_written(tail_commands_, tail_bytes_);
  tail_commands_ = 0;
  return {};
}

/// Records that a write failed or was short; returns the reason.
text::problem audit_writer::failed() {
  is_failing_ = true;
  return text::failure(write_failure_text(file_->error()));
}

void audit_writer::count_written(std::uint64_t commands, std::size_t bytes) noexcept {
  totals_.lines.fetch_add(1, std::memory_order_relaxed);
  totals_.bytes.fetch_add(bytes, std::memory_order_relaxed);
  totals_.commands.fetch_add(commands, std::memory_order_relaxed);
  totals_.outstanding.fetch_sub(commands, std::memory_order_relaxed);
}

}  // namespace scattergate::telemetry
