#include "report/sources/selection.hpp"

#include "text/glob.hpp"
#include "wire/command.hpp"

namespace scattergate::report {

/// Why commands with these times are skipped; std::nullopt if a part of their time is selected.
std::optional<skip_reason> selection::why_skipped(const time& first, const time& last) {
  if (!choice_.since && !choice_.until) return std::nullopt;
  if (!first || !last) return skip_reason::without_time;
  const bool is_before = choice_.since && *last < *choice_.since;
  const bool is_behind = choice_.until && *first >= *choice_.until;
  if (is_before || is_behind) return skip_reason::not_chosen;
  const bool begins_before = choice_.since && *first < *choice_.since;
  const bool ends_behind = choice_.until && *last >= *choice_.until;
  if (begins_before || ends_behind) ++partly_;
  return std::nullopt;
}

bool selection::is_of_other_namespace(std::string_view name_space) const {
  return !choice_.name_space.empty() && !text::glob_matches(choice_.name_space, name_space);
}

/// A command that can't be read has no namespace; the next observer reports it.
bool selection::is_of_other_namespace(const observation& seen) const {
  if (choice_.name_space.empty()) return false;
  const auto body = wire::document_view::from(seen.command);
  if (!body) return false;
  const auto command = wire::command_of(*body);
  return command && is_of_other_namespace(command->ns().full_name());
}

void selection::on_command(const observation& seen) {
  if (choice_.is_judged) return on_skipped(skip_reason::not_judged);
  if (is_of_other_namespace(seen)) return on_skipped(skip_reason::not_chosen);
  if (const auto why = why_skipped(seen.first ? seen.first : seen.at, seen.at)) {
    return on_skipped(*why);
  }
  to_.on_command(seen);
}

std::optional<skip_reason> selection::why_skipped(const digest::row& judged) {
  if (is_of_other_namespace(judged.name_space())) return skip_reason::not_chosen;
  return why_skipped(judged.first_seen, judged.last_seen);
}

void selection::on_row(const digest::row& judged) {
  if (const auto why = why_skipped(judged)) return on_skipped(*why);
  to_.on_row(judged);
}

void selection::on_request_digest(const digest::table& judged) {
  if (!choice_.is_part()) return to_.on_request_digest(judged);
  digest::table chosen{judged.max_rows()};
  for (const digest::row* one : judged.ranked()) {
    if (const auto why = why_skipped(*one)) {
      on_skipped(*why);
    } else {
      chosen.add(*one);
    }
  }
  to_.on_request_digest(chosen);
}

/// Counts without a row have neither time nor namespace, so a selection leaves them out.
void selection::on_digest(const digest::table& judged) {
  if (!choice_.is_part()) return to_.on_digest(judged);
  std::uint64_t in_rows = 0;
  for (const digest::row* one : judged.ranked()) {
    in_rows += one->count;
    on_row(*one);
  }
  if (in_rows < judged.all().commands) on_skipped(skip_reason::not_chosen);
}

}  // namespace scattergate::report
