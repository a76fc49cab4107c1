#include "telemetry/shapes/running_tests.hpp"

#include "text/utf8.hpp"

namespace scattergate::telemetry {
namespace {

std::string plain(std::string_view text) {
  return text::to_plain(text::cut_utf8(text, running_tests::most_text));
}

}  // namespace

void running_tests::begin(std::string_view worker, std::string_view test) {
  const std::lock_guard lock(mutex_);
  if (by_worker_.size() >= most_workers && !by_worker_.contains(worker)) return;
  by_worker_.insert_or_assign(plain(worker), plain(test));
}

void running_tests::end(std::string_view worker) {
  const std::lock_guard lock(mutex_);
  by_worker_.erase(plain(worker));
}

std::string running_tests::find(std::string_view app_name) const {
  const std::lock_guard lock(mutex_);
  if (const auto own = by_worker_.find(app_name); own != by_worker_.end()) return own->second;
  std::string all;
  for (const auto& [worker, test] : by_worker_) {
    if (all.size() >= most_text) break;
    all += (all.empty() ? "" : " | ") + test;
  }
  return std::string{text::cut_utf8(all, most_text)};
}

}  // namespace scattergate::telemetry
