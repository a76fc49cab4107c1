#include "telemetry/audit/audit_writer.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include "routing/text/ci_commands.hpp"
#include "telemetry/audit/audit_line.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {

audit_writer::audit_writer(std::string file, std::size_t max_shapes, on_new_shape new_shape,
                           audit_totals& totals, condition_board* conditions)
    : ledger_(max_shapes),
      on_new_shape_(std::move(new_shape)),
      totals_(totals),
      conditions_(conditions),
      name_(file == "-" ? "standard output" : file) {
  if (file != "off") file_.emplace(std::move(file));
}

void audit_writer::add(const std::vector<shape_delta>& deltas) {
  for (const shape_delta& delta : deltas) {
    if (!delta.details->is_finding()) continue;
    account& to = ledger_.add(delta);
    if (ledger_.is_other(to))
      totals_.overflow.fetch_add(delta.count, std::memory_order_relaxed);
    if (to.has_line || to.awaits_line) continue;
    to.awaits_line = true;
    first_lines_.push_back(&to);
    note_shape(to);
  }
}

void audit_writer::write_first_lines(std::string_view local) {
  if (is_failing_ || first_lines_.empty() || !finish_tail()) return;
  const std::string envelope = local_json(local);
  for (account* each : first_lines_) {
    if (!write(*each, envelope)) return;
  }
  first_lines_.clear();
}

void audit_writer::write_all(std::string_view local) {
  is_failing_ = false;
  if (!finish_tail()) return;
  const std::string envelope = local_json(local);
  for (const auto& each : ledger_.accounts()) {
    if (!write(*each, envelope)) return;
  }
  first_lines_.clear();
}

void audit_writer::write_of(const std::unordered_set<std::uint64_t>& shape_hashes,
                            std::string_view local) {
  if (shape_hashes.empty() || is_failing_ || !finish_tail()) return;
  const std::string envelope = local_json(local);
  for (const auto& each : ledger_.accounts()) {
    if (!shape_hashes.contains(each->outstanding.details->shape_hash)) continue;
    if (!write(*each, envelope)) return;
  }
}

void audit_writer::give_back_quiet(std::chrono::nanoseconds quiet) {
  if (!first_lines_.empty()) return;  // a write has failed: lines are owed
  for (const auto& told : ledger_.give_back_quiet(finding_ledger::clock::now(), quiet)) {
    totals_.given_back.fetch_add(1, std::memory_order_relaxed);
    const auto shape = shapes_.find(told->shape_hash);
    if (shape != shapes_.end() && --shape->second == 0) shapes_.erase(shape);
  }
}

void audit_writer::reopen() {
  is_failing_ = false;
  if (file_ && !file_->reopen()) {
    log::write(log::severity::error, log::component::audit, 5001,
               "The audit log can't be opened anew; the old file stays in use");
  }
}

/// Writes the account's line where it owes one. False where that failed.
bool audit_writer::write(account& of, std::string_view local) {
  shape_delta& owed = of.outstanding;
  if (owed.count == 0) return true;
  if (!file_) {
    totals_.outstanding.fetch_sub(owed.count, std::memory_order_relaxed);
  } else {
    const std::string line = routing::without_ci_commands(
        audit_line(owed, local, std::chrono::system_clock::now()), routing::hash_in_json);
    const audit_file::outcome outcome = file_->write(line);
    if (outcome != audit_file::outcome::written) note_failure();
    if (outcome == audit_file::outcome::failed) return false;
    if (outcome == audit_file::outcome::cut) {
      tail_commands_ = owed.count;
      tail_bytes_ = line.size();
    } else {
      count_written(owed.count, line.size());
    }
  }
  of.has_line = true;
  std::shared_ptr<const shape_details> details = std::move(owed.details);
  owed = {};
  owed.details = std::move(details);
  return !is_failing_;
}

/// Writes the rest of a line that was cut. False where there is still something left of it.
bool audit_writer::finish_tail() {
  if (!file_ || !file_->has_tail()) return true;
  if (!file_->finish_tail()) {
    note_failure();
    return false;
  }
  if (tail_commands_ != 0) count_written(tail_commands_, tail_bytes_);
  tail_commands_ = 0;
  return true;
}

void audit_writer::note_failure() {
  is_failing_ = true;
  totals_.write_failures.fetch_add(1, std::memory_order_relaxed);
  if (conditions_ == nullptr) return;
  conditions_->raise(condition_kind::audit_failing, name_,
                     std::generic_category().message(file_->error()));
  is_told_ = true;
}

/// A whole line went through.
void audit_writer::note_success() {
  if (std::exchange(is_told_, false)) {
    conditions_->clear(condition_kind::audit_failing, name_);
  }
}

void audit_writer::count_written(std::uint64_t commands, std::size_t bytes) {
  note_success();
  totals_.lines.fetch_add(1, std::memory_order_relaxed);
  totals_.bytes.fetch_add(bytes, std::memory_order_relaxed);
  totals_.findings.fetch_add(commands, std::memory_order_relaxed);
  totals_.outstanding.fetch_sub(commands, std::memory_order_relaxed);
}

void audit_writer::note_shape(const account& of) {
  const shape_details& details = *of.outstanding.details;
  if (details.is_shared() || ++shapes_[details.shape_hash] != 1) return;
  if (on_new_shape_) on_new_shape_(details.database, details.collection);
}

}  // namespace scattergate::telemetry
