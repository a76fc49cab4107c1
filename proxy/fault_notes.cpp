#include "proxy/fault_notes.hpp"

#include <algorithm>
#include <utility>

#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::proxy {

fault* fault_notes::find(telemetry::condition_kind kind,
                         const telemetry::condition_subject& subject) noexcept {
  const auto found = std::find_if(noted_.begin(), noted_.end(), [&](const fault& each) {
    return each.kind == kind && each.subject == subject.name &&
           each.listener == subject.listener;
  });
  return found == noted_.end() ? nullptr : &*found;
}

void fault_notes::note(telemetry::condition_kind kind, telemetry::condition_subject subject,
                       std::string_view detail) {
  fault* known = find(kind, subject);
  if (known == nullptr && noted_.size() >= most) {
    subject = telemetry::condition_board::others;
    known = find(kind, subject);
  }
  if (known != nullptr) {
    ++known->count;
    known->detail = detail;
    return;
  }
  const fault first{kind, std::string{subject.name}, std::string{subject.listener},
                    std::string{detail}, 1};
  noted_.push_back(first);
  noted_.back().count = 0;
  report_({first});
}

void fault_notes::flush() {
  std::vector<fault> all = std::exchange(noted_, {});
  std::erase_if(all, [](const fault& each) { return each.count == 0; });
  if (!all.empty()) report_(std::move(all));
}

}  // namespace scattergate::proxy
