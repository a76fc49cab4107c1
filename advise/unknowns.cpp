#include "advise/unknowns.hpp"

#include <chrono>

#include "digest/number_text.hpp"

namespace scattergate::advise {
namespace {

/// The least period of the traffic for reliable advice: a day less an hour, because a day's
/// traffic may begin a bit late and end early.
constexpr std::chrono::hours least_window{23};

std::string count_text(double commands) {
  return digest::with_commas(static_cast<std::uint64_t>(commands + 0.5));
}

class unknown_list {
 public:
  void add(bool is_so, const std::string& what, const std::string& what_to_do) {
    if (is_so) texts_.push_back(what + ": " + what_to_do);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
};

void add_of_sources(const input_gaps& gaps, unknown_list& to) {
  to.add(
      gaps.is_findings_only,
      "an audit log has findings only, so commands that go to one shard are unknown",
      "use the proxy's state file (state: {file: PATH}), its admin address, or mongos's log");
  to.add(
      gaps.has_several_salts,
      "the sources' sketches have different salts, so they aren't added up; only those of the "
      "salt with the most requests are used",
      "give the proxies copies of one salt_file");
  to.add(gaps.threshold.has_value(),
         "only slow commands were logged" +
             (gaps.threshold ? ", from " + std::to_string(gaps.threshold->count()) + " ms on"
                             : std::string{}),
         "log all with db.setProfilingLevel(0, {slowms: -1}) on mongos, or use the proxy");
  to.add(gaps.truncated != 0,
         count_text(static_cast<double>(gaps.truncated)) + " log lines were truncated",
         "capture packets, or raise mongos's maxLogSizeKB");
  to.add(gaps.redacted != 0,
         count_text(static_cast<double>(gaps.redacted)) + " entries have no values or names",
         "disable redactClientLogData or transformIdentifiers, or capture packets");
  to.add(gaps.evicted_rows != 0, "shapes were evicted from a full table",
         "raise the proxy's audit.max_shapes, or pass --collection");
}

/// Sketches must have counted at least this share of the commands to be representative.
constexpr double least_sketched = 0.9;

void add_of_values(const traffic& sent, const input_gaps& gaps, double sketched,
                   unknown_list& to) {
  const traffic::sums& sums = sent.counted();
  const double without = sums.all - sums.whole - sums.not_logged;
  const std::string how_many = count_text(without) + " of " + count_text(sums.all);
  const bool has_statistics = sketched > 0;
  to.add(without > 0 && !has_statistics && !gaps.has_fleet,
         how_many + " commands have no values, so they don't show a hot key",
         "use mongos's log with all commands or a packet capture, or enable advise: {sketch: "
         "on} and pass the proxy's address or state file");
  to.add(
      without > 0 && !has_statistics && gaps.has_fleet,
      how_many +
          " commands have no values, so they don't show a hot key; a fleet's database has "
          "no sketches",
      "enable advise: {sketch: on, salt_file: PATH} on the sidecars, each with a copy of one "
      "salt file, and pass their addresses or state files instead of the database");
  to.add(has_statistics && sketched < least_sketched * without,
         "the sketches have the values of only " + count_text(sketched) + " requests, for " +
             count_text(without) + " commands",
         "sketch for the whole period: advise: {sketch: on, salt_file: PATH} keeps sketches "
         "across restarts");
  to.add(
      sums.not_logged > 0,
      "the statements of " + count_text(sums.not_logged) + " batches of writes weren't logged",
      "capture packets, or use the proxy's state file");
  to.add(sums.not_judged > 0,
         "of " + count_text(sums.not_judged) +
             " commands it is unknown how another key would route them",
         "use complete commands: mongos's log or a packet capture");
  to.add(sums.inserts_without_documents > 0 && !has_statistics,
         "the documents of " + count_text(sums.inserts_without_documents) +
             " inserts aren't known",
         "capture packets");
}

void add_of_times(const traffic& sent, unknown_list& to) {
  const traffic::sums& sums = sent.counted();
  // Batches whose statements weren't logged have a separate sentence.
  const double timeless = sums.all - sums.timed - sums.not_logged;
  to.add(timeless > 0,
         count_text(timeless) + " of " + count_text(sums.all) + " commands have no time, so " +
             (sums.timed == 0 ? "nothing is held out to test a key on"
                              : "they aren't in the held-out part"),
         "use mongos's log or a packet capture, which have times");
  to.add(sums.all < least_commands,
         "too little traffic (" + count_text(sums.all) + " commands)",
         "record at least " + count_text(least_commands) + " of a usual day");
  const bool is_long = sent.from() && sent.to() && *sent.to() - *sent.from() >= least_window;
  to.add(!is_long, "the period is shorter than a day, or unknown",
         "record at least a day, with its quiet hours and nightly jobs");
}

}  // namespace

std::vector<std::string> unknowns_of(const traffic& sent, const input_gaps& gaps,
                                     const known_facts& of) {
  unknown_list to;
  if (sent.counted().all == 0) {
    to.add(true, "the sources have no command on it",
           "use sources that have some, or check the name");
  }
  add_of_sources(gaps, to);
  add_of_values(sent, gaps, of.sketched, to);
  add_of_times(sent, to);
  to.add(!of.are_indexes_known, "its unique indexes are unknown; a key may forbid them",
         "pass --indexes FILE with the output of getIndexes(), or --catalog mongos");
  to.add(
      of.estimated_share > 0,
      "how many shards " +
          digest::percent(static_cast<std::uint64_t>(of.estimated_share * 1e6), 1'000'000) +
          " of the commands ask is an estimate for some keys, because their values are unknown",
      "use complete commands");
  return to.take();
}

}  // namespace scattergate::advise
