#include "telemetry/conditions/condition_board.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "text/utf8.hpp"

namespace scattergate::telemetry {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds other_cause_pause{5};
constexpr auto lines_time = 60s;
constexpr int most_lines = 10;  // per condition and lines_time
constexpr auto remember = 1h;

/// The maximum number of ended conditions to keep. most_subjects limits the active ones.
constexpr std::size_t most_ended = 200;

/// The maximum number of subjects among `others` whose occurrences are counted one by one.
constexpr std::size_t most_unlisted = 256;

constexpr std::size_t most_subject_bytes = 256;
constexpr std::size_t most_detail_bytes = 512;

std::string plain(std::string_view text, std::size_t most) {
  return text::to_plain(text::cut_utf8(text, most));
}

}  // namespace

condition_board::condition_board()
    : condition_board(
          [] {
            return moment{std::chrono::steady_clock::now(), std::chrono::system_clock::now()};
          },
          log_condition) {}

condition_board::condition_board(clock_source clock, line_writer write)
    : clock_(std::move(clock)), write_(std::move(write)) {}

/// Applies a change, then writes the log lines that are due after releasing the lock, because
/// the log may wait for its file.
template <typename Change>
void condition_board::change(Change change) {
  due_lines lines;
  {
    const std::lock_guard lock{mutex_};
    change(clock_(), lines);
  }
  for (const auto& [what, phase] : lines) write_(what, phase);
}

void condition_board::raise(condition_kind kind, const condition_subject& subject,
                            std::string_view detail, std::uint64_t count) {
  if (count == 0) return;
  change([&](const moment& at, due_lines& lines) {
    std::uint64_t all = count;
    entry& of = entry_of(kind, subject, all);
    meet(of, detail, all, at);
    add_due_line(of, at, lines);
  });
}

void condition_board::hold(condition_kind kind, const condition_subject& subject,
                           std::string_view detail) {
  change([&](const moment& at, due_lines& lines) {
    std::uint64_t count = 0;  // repetitions don't count, so they mustn't displace others
    entry& of = entry_of(kind, subject, count);
    const std::string cause = plain(detail, most_detail_bytes);
    if (of.what.active && of.what.detail == cause) {
      of.what.last = at.time;
      of.met = at.now;
    } else {
      meet(of, detail, 1, at);
    }
    add_due_line(of, at, lines);
  });
}

void condition_board::clear(condition_kind kind, const condition_subject& subject) {
  change([&](const moment& at, due_lines& lines) {
    entry* of = find_active(kind, subject);
    // This subject may be counted under `others`, which ends with the last named subject.
    if (of == nullptr && active_of(kind) == 1) of = find_active(kind, others);
    if (of == nullptr) return;
    of->what.last = at.time;
    end(*of, at);
    add_due_line(*of, at, lines);
  });
}

void condition_board::clear_all_but(condition_kind kind,
                                    const std::vector<condition_subject>& subjects) {
  std::vector<key> kept;
  for (const condition_subject& each : subjects) kept.push_back(key_of(kind, each));
  if (subjects.size() > most_subjects) kept.push_back(key_of(kind, others));
  change([&](const moment& at, due_lines& lines) {
    for (auto& [name, of] : entries_) {
      if (name.kind != kind || !of.what.active) continue;
      if (std::ranges::find(kept, name) != kept.end()) continue;
      of.what.last = at.time;
      end(of, at);
      add_due_line(of, at, lines);
    }
  });
}

void condition_board::tick() {
  change([&](const moment& at, due_lines& lines) {
    for (auto each = entries_.begin(); each != entries_.end();) {
      entry& of = each->second;
      const auto lapse = rules_of(of.what.kind).lapse;
      if (of.what.active && lapse.count() != 0 && at.now - of.met >= lapse) end(of, at);
      add_due_line(of, at, lines);
      const bool is_over = !of.what.active && at.now - of.ended >= remember;
      each = is_over ? entries_.erase(each) : std::next(each);
    }
    std::erase_if(unlisted_, [this](const auto& each) {
      return find_active(each.first.kind, others) == nullptr;
    });
  });
}

condition_board::kind_set condition_board::active_kinds() const {
  kind_set found;
  const std::lock_guard lock{mutex_};
  for (const auto& [name, of] : entries_) {
    if (of.what.active) found.set(static_cast<std::size_t>(name.kind));
  }
  return found;
}

std::vector<condition> condition_board::snapshot() const {
  std::vector<condition> all;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& [name, of] : entries_) all.push_back(of.what);
  }
  const auto rank = [](const condition& of) {
    return std::tuple{of.active, rules_of(of.kind).begins.severity, of.since};
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const condition& a, const condition& b) { return rank(a) > rank(b); });
  return all;
}

condition_board::key condition_board::key_of(condition_kind kind,
                                             const condition_subject& subject) {
  return {kind, plain(subject.name, most_subject_bytes),
          plain(subject.listener, most_subject_bytes)};
}

/// The entry of this subject, added if necessary; that of `others` if there are too many
/// subjects. `count`: the occurrences to count; becomes larger if the subject was among
/// `others` and now gets an entry of its own.
condition_board::entry& condition_board::entry_of(condition_kind kind,
                                                  const condition_subject& subject,
                                                  std::uint64_t& count) {
  key name = key_of(kind, subject);
  if (const auto known = entries_.find(name);
      known != entries_.end() && known->second.what.active)
    return known->second;
  if (active_of(kind) >= most_subjects && !displaces(name, count)) {
    name = {kind, std::string{others}, {}};
  }
  const auto [place, is_new] = entries_.try_emplace(name);
  if (is_new) {
    place->second.what.kind = kind;
    place->second.what.subject = name.subject;
    place->second.what.listener = name.listener;
    make_room();
  }
  return place->second;
}

/// Whether a subject without an entry has occurred more than twice as often as the rarest
/// active one of its kind; then removes that one's entry. So the subjects with the most
/// occurrences have entries, although clients can invent subjects, and few log lines are
/// written.
bool condition_board::displaces(const key& name, std::uint64_t& count) {
  if (unlisted_.size() >= most_unlisted && !unlisted_.contains(name)) {
    unlisted_.erase(
        std::ranges::min_element(unlisted_, {}, [](const auto& each) { return each.second; }));
  }
  const std::uint64_t earlier = std::exchange(unlisted_[name], unlisted_[name] + count);
  auto rarest = entries_.end();
  entry* rest = nullptr;
  for (auto each = entries_.begin(); each != entries_.end(); ++each) {
    if (each->first.kind != name.kind || !each->second.what.active) continue;
    if (each->first.subject == others) {
      rest = &each->second;
    } else if (rarest == entries_.end() ||
               each->second.what.count < rarest->second.what.count) {
      rarest = each;
    }
  }
  if (rest == nullptr || rarest == entries_.end() ||
      earlier + count <= 2 * rarest->second.what.count) {
    return false;
  }
  condition& shared = rest->what;
  shared.count += rarest->second.what.count;
  shared.count -= std::min(shared.count, earlier);
  count += earlier;
  entries_.erase(rarest);
  unlisted_.erase(name);
  return true;
}

std::size_t condition_board::active_of(condition_kind kind) const {
  return static_cast<std::size_t>(std::count_if(
      entries_.begin(), entries_.end(),
      [&](const auto& each) { return each.first.kind == kind && each.second.what.active; }));
}

condition_board::entry* condition_board::find_active(condition_kind kind,
                                                     const condition_subject& subject) {
  const auto found = entries_.find(key_of(kind, subject));
  return found != entries_.end() && found->second.what.active ? &found->second : nullptr;
}

void condition_board::meet(entry& of, std::string_view detail, std::uint64_t count,
                           const moment& at) {
  if (!of.what.active) {
    of.what.active = true;
    turns_.fetch_add(1, std::memory_order_relaxed);
    of.what.since = at.time;
    of.what.count = of.logged_count = 0;
  }
  of.what.detail = plain(detail, most_detail_bytes);
  of.what.count += count;
  of.what.last = at.time;
  of.met = at.now;
}

void condition_board::end(entry& of, const moment& at) {
  of.what.active = false;
  turns_.fetch_add(1, std::memory_order_relaxed);
  of.ended = at.now;
}

/// Forgets the condition that ended first, if there are too many. Keeps an entry that was just
/// added: it has no occurrences yet.
void condition_board::make_room() {
  auto oldest = entries_.end();
  std::size_t ended = 0;
  for (auto each = entries_.begin(); each != entries_.end(); ++each) {
    const entry& of = each->second;
    if (of.what.active || of.what.count == 0) continue;
    ++ended;
    if (oldest == entries_.end() || of.ended < oldest->second.ended) oldest = each;
  }
  if (ended > most_ended) entries_.erase(oldest);
}

/// Adds the condition's log line if it is due, unless it has reached its limit of lines per
/// minute.
void condition_board::add_due_line(entry& of, const moment& at, due_lines& lines) {
  const condition_rules& rules = rules_of(of.what.kind);
  const bool is_turn = of.what.active != of.is_logged_active;
  if (!is_turn) {
    if (!of.what.active || of.what.count == of.logged_count) return;
    const auto other_pause = std::min(rules.pause, other_cause_pause);
    const auto pause = of.what.detail == of.logged_detail ? rules.pause : other_pause;
    if (at.now - of.logged_at < pause) return;
  }
  if (of.lines == 0 || at.now - of.minute >= lines_time) {
    of.minute = at.now;
    of.lines = 0;
  }
  if (of.lines >= most_lines && rules.pause.count() != 0) return;
  ++of.lines;
  const condition_phase phase = !of.what.active ? condition_phase::ends
                                : is_turn       ? condition_phase::begins
                                                : condition_phase::goes_on;
  of.logged_at = at.now;
  of.is_logged_active = of.what.active;
  of.logged_count = of.what.count;
  of.logged_detail = of.what.detail;
  lines.emplace_back(of.what, phase);
}

}  // namespace scattergate::telemetry
