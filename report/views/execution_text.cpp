#include "report/views/execution_text.hpp"

#include <utility>

#include "digest/finding.hpp"
#include "digest/number_text.hpp"

namespace scattergate::report {
namespace {

using digest::with_commas;

std::string times(std::uint64_t count) {
  return with_commas(count) + " x ";
}

std::string errors_text_of(std::uint64_t count, const digest::text_counts& of) {
  if (count == 0) return {};
  const std::string names = counted_text(of);
  return with_commas(count) + (names.empty() ? "" : " (" + names + ")");
}

std::string each_and_most(const digest::amounts& of, const std::string& what) {
  if (of.commands == 0) return {};
  return with_commas(of.total / of.commands) + what + ", " + with_commas(of.most) + " at most";
}

}  // namespace

std::string counted_text(const digest::text_counts& of) {
  std::string text;
  for (const auto& one : of.ranked()) {
    text += (text.empty() ? "" : ", ") + times(one.commands) + one.text;
  }
  if (of.others() != 0) text += (text.empty() ? "" : ", ") + times(of.others()) + "others";
  return text;
}

std::string fanouts_text(const digest::row& of) {
  if (of.fanouts.all().size() < 2) return {};
  std::string text;
  for (const auto& one : of.fanouts.all()) {
    text += (text.empty() ? "" : ", ") + times(one.commands) + with_commas(one.shards) +
            (one.shards == 1 ? " shard" : " shards");
  }
  return text;
}

std::string errors_text(const digest::row& of) {
  return errors_text_of(of.errors, of.run.errors);
}

std::string errors_text(const digest::table& of) {
  return errors_text_of(of.all().errors, errors_of(of));
}

digest::text_counts errors_of(const digest::table& of) {
  digest::text_counts all;
  for (const digest::row* one : of.ranked(digest::ranking::errors)) {
    if (one->errors == 0) break;
    all.add(one->run.errors);
  }
  return all;
}

std::string accepted_text(const digest::row& of) {
  const std::uint64_t accepted = digest::accepted_count(of);
  if (accepted == 0) return {};
  std::string text = accepted < of.count
                         ? with_commas(accepted) + " of " + with_commas(of.count) + " commands"
                         : "all " + with_commas(of.count) + " commands";
  const char* separator = ", by ";
  for (const auto& one : of.run.accepted_by.ranked()) {
    if (!one.text.empty()) text += std::exchange(separator, "; ") + one.text;
  }
  return text;
}

std::string docs_text(const digest::row& of) {
  return each_and_most(of.run.docs_examined, " examined by each");
}

std::string replies_text(const digest::row& of) {
  return each_and_most(of.run.reply_bytes, " bytes each");
}

}  // namespace scattergate::report
