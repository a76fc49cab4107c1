#include "report/sources/rejudging_observer.hpp"

namespace scattergate::report {

void rejudging_observer::on_row(const digest::row& judged) {
  digest::row again = judged;
  note(again, judge_.judge_again(again));
  to_.on_row(again);
}

void rejudging_observer::on_digest(const digest::table& judged) {
  to_.on_digest(judge_.judge_again(
      judged, [this](const digest::row& row, digest::second_judge::outcome result) {
        note(row, result);
      }));
}

void rejudging_observer::on_request_digest(const digest::table& judged) {
  for (const digest::row* one : judged.ranked()) kept_.insert(one->shape_hash);
  to_.on_request_digest(judged);
}

void rejudging_observer::note(const digest::row& judged, digest::second_judge::outcome result) {
  if (result == digest::second_judge::outcome::not_judged) kept_.insert(judged.shape_hash);
}

}  // namespace scattergate::report
