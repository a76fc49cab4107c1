#include "proxy/faults/fault_reports.hpp"

#include <algorithm>
#include <utility>

#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::proxy {

fault* fault_reports::find(telemetry::condition_kind kind,
                           const telemetry::condition_subject& subject) noexcept {
  const auto found = std::find_if(noted_.begin(), noted_.end(), [&](const fault& each) {
    return each.kind == kind && each.subject == subject.name &&
           each.listener == subject.listener;
  });
  return found == noted_.end() ? nullptr : &*found;
}

void fault_reports::note(telemetry::condition_kind kind, telemetry::condition_subject subject,
                         std::string_view detail) {
  if (fault* const known = find(kind, subject)) {
    ++known->count;
    known->detail = detail;
    return;
  }
  if (noted_.size() < most) return note_first(kind, subject, detail);
  fault displaced{kind, std::string{subject.name}, std::string{subject.listener},
                  std::string{detail}, 1};
  if (fault* const rare = next_rare()) std::swap(*rare, displaced);
  if (displaced.count == 0) return;
  constexpr std::string_view others = telemetry::condition_board::others;
  if (fault* const shared = find(displaced.kind, others)) {
    ++shared->count;
    shared->detail = std::move(displaced.detail);
  } else {
    note_first(displaced.kind, others, displaced.detail);
  }
}

/// Reports a fault at once, and expects repetitions.
void fault_reports::note_first(telemetry::condition_kind kind,
                               telemetry::condition_subject subject, std::string_view detail) {
  const fault first{kind, std::string{subject.name}, std::string{subject.listener},
                    std::string{detail}, 1};
  noted_.push_back(first);
  noted_.back().count = 0;
  report_({first});
}

/// A fault with at most one occurrence to report, each time another one; null: there is none.
fault* fault_reports::next_rare() noexcept {
  for (std::size_t i = 0; i < most; ++i) {
    fault& each = noted_[next_++ % most];
    if (each.count <= 1) return &each;
  }
  return nullptr;
}

void fault_reports::flush() {
  std::vector<fault> all = std::exchange(noted_, {});
  std::erase_if(all, [](const fault& each) { return each.count == 0; });
  if (!all.empty()) report_(std::move(all));
}

}  // namespace scattergate::proxy
