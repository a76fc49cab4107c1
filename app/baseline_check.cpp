#include "app/baseline_check.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::app {

baseline_check::baseline_check(const baseline_flags& given, report::fail_on otherwise)
    : given_(given),
      fail_on_(otherwise),
      today_(text::day_of(std::chrono::system_clock::now())) {}

std::vector<text::problem> baseline_check::load() {
  if (given_.fail_on) {
    const auto named = report::fail_on_named(*given_.fail_on);
    if (!named) {
      return {{"--fail-on", "expected new, any or never, not '" + *given_.fail_on + "'"}};
    }
    fail_on_ = *named;
  }
  // --write-baseline keeps the reasons and authors of the old file; at its first use, there is
  // no old file.
  std::error_code error;
  const bool is_there = given_.write && std::filesystem::exists(*given_.write, error);
  const auto& from = given_.file ? given_.file : given_.write;
  if (!from || (!given_.file && !is_there)) return {};
  auto loaded = config::load_baseline(*from);
  accepted_ = std::move(loaded.value);
  return loaded.problems;
}

text::result<void> baseline_check::write(const digest::table& found) {
  if (!given_.write) return {};
  accepted_ = report::renewed(accepted_, found, today_);
  const std::string made = *given_.write + ".new";
  std::ofstream file{made, std::ios::binary | std::ios::trunc};
  file << to_yaml(accepted_);
  file.close();
  if (file && std::rename(made.c_str(), given_.write->c_str()) == 0) return {};
  text::problem failed{*given_.write, std::string{"can't be written: "} + std::strerror(errno)};
  std::error_code error;
  std::filesystem::remove(made, error);
  return failed;
}

const report::baseline_comparison* baseline_check::compare(const digest::table& found) {
  compared_.emplace(accepted_, found, today_, given_.file || given_.write);
  const bool is_asked_for = given_.file || given_.write || fail_on_ != report::fail_on::never;
  return is_asked_for ? &*compared_ : nullptr;
}

namespace {

std::string counted(std::size_t count, const std::string& what) {
  const std::string number = count == 0 ? "no" : std::to_string(count);
  return number + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string baseline_check::in_words() const {
  using report::baseline_state;
  const std::size_t accepted = compared_->count(baseline_state::accepted);
  const std::size_t unaccepted = compared_->unaccepted();
  const std::string file = given_.write ? *given_.write : given_.file.value_or("");
  std::string text;
  if (unaccepted != 0) {
    text = counted(unaccepted, "new finding");
    if (accepted != 0) text += " (" + std::to_string(accepted) + " accepted)";
  } else {
    text = counted(accepted, "finding");
    if (accepted != 0) text += accepted == 1 ? ", accepted" : ", all accepted";
    if (accepted != 0 && !file.empty()) text += " by " + file;
  }
  if (fails() && fail_on_ == report::fail_on::any) {
    text += ", and --fail-on any accepts none: follow the advice after \"do\"";
  } else if (fails()) {
    text += ": follow the advice after \"do\", or accept with --write-baseline " +
            (file.empty() ? "FILE" : file);
  } else if (unaccepted != 0) {
    text += ", allowed by --fail-on never";
  }
  const std::size_t absent = compared_->count(baseline_state::absent);
  if (absent != 0 && !given_.write) {
    text += "; " + std::to_string(absent) + " accepted but not seen: --write-baseline " + file +
            " removes them";
  }
  return text;
}

bool baseline_check::fails() const {
  return compared_ && compared_->fails(fail_on_);
}

}  // namespace scattergate::app
