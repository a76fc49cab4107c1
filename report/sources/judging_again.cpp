#include "report/sources/judging_again.hpp"

namespace scattergate::report {

void judging_again::on_row(const digest::row& judged) {
  digest::row again = judged;
  note(again, judge_.judge_again(again));
  to_.on_row(again);
}

void judging_again::on_digest(const digest::table& judged) {
  to_.on_digest(judge_.judge_again(
      judged,
      [this](const digest::row& row, digest::second_judge::outcome came) { note(row, came); }));
}

void judging_again::on_request_digest(const digest::table& judged) {
  for (const digest::row* one : judged.ranked()) kept_.insert(one->shape_hash);
  to_.on_request_digest(judged);
}

void judging_again::note(const digest::row& judged, digest::second_judge::outcome came) {
  if (came == digest::second_judge::outcome::not_judged) kept_.insert(judged.shape_hash);
}

}  // namespace scattergate::report
