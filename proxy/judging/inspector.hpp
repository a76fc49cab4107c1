#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "net/work_meter.hpp"
#include "proxy/judging/command_taps.hpp"
#include "proxy/judging/judged_subject.hpp"
#include "proxy/judging/large_judgement.hpp"
#include "proxy/judging/long_work.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/judging/rejection.hpp"
#include "proxy/judging/request_accounting.hpp"
#include "proxy/judging/request_view.hpp"
#include "proxy/judging/rule_decisions.hpp"
#include "proxy/judging/shape_notes.hpp"
#include "proxy/judging/streamed_request.hpp"
#include "proxy/judging/throttling.hpp"
#include "proxy/judging/unpacker.hpp"
#include "proxy/judging/unread_requests.hpp"
#include "proxy/judging/verdict_memo.hpp"
#include "proxy/judging/verdict_notes.hpp"
#include "proxy/judging/x509_guard.hpp"
#include "proxy/settings.hpp"
#include "proxy/sketching/sketch_notes.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "telemetry/accounts/account.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/shapes/shape_table.hpp"
#include "text/time_text.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// Measures the duration of every 16th of many short runs. Assumes that the runs between take
/// as long as the last measured run. Measuring each run would make the runs a tenth slower.
class sampled_timer {
 public:
  using clock = std::chrono::steady_clock;

  /// Starts a run.
  void start() noexcept {
    is_timing_ = runs_++ % runs_per_sample == 0;
    if (is_timing_) started_ = clock::now();
  }

  /// Ends the run. Returns its duration, measured or assumed.
  [[nodiscard]] std::chrono::nanoseconds stop() noexcept {
    if (std::exchange(is_timing_, false)) sample_ = clock::now() - started_;
    return sample_;
  }

 private:
  static constexpr std::uint32_t runs_per_sample = 16;

  clock::time_point started_;
  std::chrono::nanoseconds sample_{0};
  std::uint32_t runs_ = 0;
  bool is_timing_ = false;
};

/// The parts of the worker and the daemon that an inspector uses. They must outlive the
/// inspector.
struct inspector_surroundings {
  telemetry::worker_metrics& metrics;  ///< the worker's counters
  telemetry::shape_table& shapes;      ///< the worker's counts by shape
  telemetry::account& account;         ///< adds up the counts of all workers
  telemetry::daemon_facts& facts;      ///< numbers of the whole daemon, for metrics
  command_taps& taps;                  ///< receives copies of commands
  net::work_meter& meter;              ///< the worker's work meter
  throttle::waker& waker;              ///< wakes the worker when a throttle admits a request
  telemetry::sketch_book* sketches = nullptr;  ///< null: values aren't sketched
};

/// Judges a worker's requests: decompresses and parses a message, computes the command's
/// verdict (how mongos routes the command), and applies the rules. The result, an inspection,
/// says what to do with the request. Sockets and the order of messages belong to session_fsm.
/// Each step of the work has a class of its own: x509_guard, verdict_memo, rule_decisions,
/// verdict_notes, shape_notes, throttling, unread_requests, and request_accounting, which
/// counts completed requests. Thread-safety: the worker's thread.
class inspector {
 public:
  explicit inspector(const inspector_surroundings& around);
  ~inspector();

  /// Replaces the catalog, the rules and all other settings. Before the first call, there is
  /// no catalog and no rule.
  void apply_settings(std::shared_ptr<const settings> settings);
  /// Sets today's date (UTC). Rules expire by this date.
  void set_day(text::day today);

  /// Whether inspection is on. If it is off, requests are forwarded without being read.
  [[nodiscard]] bool is_on() const noexcept { return settings_->inspect; }
  /// Whether rules match by user or application. If so, a command must wait until mongos has
  /// replied to the client's earlier hello and authentication commands.
  [[nodiscard]] bool needs_identity() const noexcept {
    return settings_->inspect && settings_->rules.needs_identity();
  }
  /// The largest request that is accepted, in bytes (the setting limits.message_size).
  [[nodiscard]] std::size_t max_request_bytes() const noexcept {
    return settings_->limits.message_bytes;
  }
  [[nodiscard]] telemetry::worker_metrics& metrics() noexcept { return metrics_; }
  /// Adds `units` (about nanoseconds) to the work of the event loop's current turn.
  void charge(std::uint64_t units) noexcept { meter_.charge(units); }

  /// Prepares decompressing a complete compressed request in pieces, on another thread. Null if
  /// the caller must decompress it at once with unpack(): it is small enough for one call, or
  /// can't be decompressed.
  [[nodiscard]] std::unique_ptr<gradual_unpacking> begin_unpacking(
      const request_view& request) {
    return unpacker_.begin(request.header, request.bytes, request.connection.memory);
  }
  /// Decompresses a complete message in one call; see unpacker::unpack().
  [[nodiscard]] wire::result<unpacked_message> unpack(const wire::message_header& header,
                                                      std::span<const std::byte> message,
                                                      const inspected_connection& connection);
  /// Returns the decompressed content of a complete request. `gradually`: the completed work of
  /// begin_unpacking(); null: decompresses the request now.
  [[nodiscard]] wire::result<unpacked_message> unpack(const request_view& request,
                                                      const gradual_unpacking* gradually);

  /// The decision on a request that authenticates by MONGODB-X509, or may do so; std::nullopt
  /// for any other request. `unpacking`: why a compressed request couldn't be decompressed;
  /// null if it was decompressed, or isn't compressed. See x509_guard::check_request().
  [[nodiscard]] std::optional<inspection> guard_x509(const request_view& request,
                                                     const wire::wire_errc* unpacking) {
    return x509_.check_request(*settings_, request, unpacking);
  }

  /// Notices when the live catalog may be outdated.
  [[nodiscard]] catalog_hints& hints() noexcept { return verdicts_.hints(); }
  /// Whether a complete request, uncompressed or already decompressed, must wait until the live
  /// catalog has been read again (settings::waits_for_catalog), because its verdict depends on
  /// the catalog. Requests that read, and returns its number. If requests have waited in vain,
  /// later ones don't wait until a read succeeds: the result is then std::nullopt, and
  /// `is_late` is set.
  [[nodiscard]] std::optional<std::uint64_t> begin_catalog_wait(const request_view& request,
                                                                bool& is_late);

  /// Judges a complete request, uncompressed or already decompressed.
  [[nodiscard]] inspection inspect(const request_view& request);

  /// Whether a complete request is too large to be judged on the worker's own thread.
  [[nodiscard]] static bool is_large(const request_view& request) noexcept {
    return request.bytes.size() > large_judgement::max_bytes_on_worker;
  }
  /// Prepares judging a large request on another thread. The request must be uncompressed or
  /// already decompressed, and its bytes must stay in place until it is judged. Null if the
  /// caller must call inspect() instead, because the verdict_memo (a cache) has the judgement.
  /// `block`: owns the request's bytes, and is moved into a non-null result; null if another
  /// object owns the bytes.
  [[nodiscard]] std::unique_ptr<large_judgement> begin_judging(const request_view& request,
                                                               budgeted_block& block);
  /// Prepares judging a streamed request on another thread. Call it when the request's last
  /// byte has arrived. Null if the parts of the request that were kept are small or unreadable;
  /// the caller then calls inspect_streamed() at once.
  [[nodiscard]] std::unique_ptr<large_judgement> begin_judging(const streamed_request& request);
  /// Decides on a request that `judged` has judged. Uses the settings that were current when
  /// judging began.
  [[nodiscard]] inspection inspect(const request_view& request, const large_judgement& judged);

  /// Starts streaming a large request: forwarding its bytes as they arrive, and judging it at
  /// its end by the parts that were kept. Null if the request must be held until it is
  /// complete, isn't large, or lacks the command's name so far; see streamed_request::begin().
  [[nodiscard]] std::unique_ptr<streamed_request> begin_streaming(const request_view& request);
  /// The number of a large request's first bytes that should have arrived before
  /// begin_streaming() is called.
  [[nodiscard]] std::size_t streamable_bytes() const noexcept {
    constexpr std::size_t name_and_body = 512;
    return sketches_.is_on() ? sketch_notes::start_bytes : name_and_body;
  }
  /// Judges a streamed request whose last byte has arrived. Uses the settings that were
  /// current when the request began: the catalog in these settings determined which parts were
  /// kept, and the rules in these settings don't reject or throttle. `judged`: the completed
  /// work of begin_judging(); null if begin_judging() returned null.
  [[nodiscard]] inspection inspect_streamed(const streamed_request& request,
                                            const large_judgement* judged,
                                            const inspected_connection& connection,
                                            clock::time_point now);

  /// Decides on a request that can't be read because of `error`. If a rule that rejects or
  /// throttles could match the request, rejects or throttles it; otherwise forwards it. See
  /// unread_requests::pass().
  [[nodiscard]] inspection pass_unread(const request_view& request, wire::wire_errc error) {
    return unread_.pass(settings_, request, error);
  }
  /// Forwards a request without reading it, while inspection is off. See
  /// unread_requests::relay().
  [[nodiscard]] inspection relay(const request_view& request) { return unread_.relay(request); }
  /// Forwards an OP_QUERY while inspection is off, or rejects it because of `error`. See
  /// unread_requests::must_not_pass().
  [[nodiscard]] inspection relay_query(const request_view& request, wire::wire_errc error) {
    return unread_requests::must_not_pass(request, error) ? unread_.refuse(request, error)
                                                          : unread_.relay(request);
  }
  /// Returns and clears the last message that a rule rejected or throttled because it has a
  /// section of unknown kind. std::nullopt if there was none since the last call.
  [[nodiscard]] std::optional<refused_section> take_refused_section() {
    return unread_.take_refused_section();
  }

  /// Builds the decisions on throttled requests.
  [[nodiscard]] proxy::throttling& throttling() noexcept { return throttling_; }
  /// Counts completed requests.
  [[nodiscard]] request_accounting& accounting() noexcept { return accounting_; }
  /// Hands over collected sketch values to the telemetry::account. Call it about once a second,
  /// and before the worker ends.
  void flush_sketches() noexcept { sketches_.flush(); }

  /// Logs a warning for the first reply to a hello that names a replica set. The upstream is
  /// then not a mongos, and drivers would connect to the set's members directly, bypassing this
  /// proxy. `message`: the complete reply.
  void check_hello_reply(const wire::message_header& header,
                         std::span<const std::byte> message);

  /// Evicts shapes that had no commands for the time limits.quiet, and releases the metric
  /// labels that the daemon evicts. Call it periodically.
  void evict_quiet(clock::time_point now) {
    // The memo may refer to an evicted shape's place, which another shape may get.
    if (accounting_.evict_quiet(now)) memo_.clear();
  }

 private:
  template <typename Work>
  [[nodiscard]] inspection under(const std::shared_ptr<const settings>& initial, Work work);
  [[nodiscard]] inspection inspect_read(const request_view& request,
                                        const message_reading& read, const arrival& origin);
  [[nodiscard]] inspection inspect_digest(const streamed_request& request,
                                          const large_judgement* judged,
                                          const inspected_connection& connection,
                                          clock::time_point now);
  [[nodiscard]] inspection inspect_command(const request_view& request,
                                           const wire::command& command, const arrival& origin);
  [[nodiscard]] routing::verdict verdict_on(const wire::command& command,
                                            const arrival& origin);
  [[nodiscard]] routing::verdict judge(const wire::command& command, const arrival& origin,
                                       cursor_table& cursors, pending_request& pending);
  [[nodiscard]] inspection carry_out(const decision& decided, const judged_subject& deciding,
                                     const arrival& origin,
                                     std::unique_ptr<pending_request> pending);
  [[nodiscard]] inspection recall(const verdict_memo::entry& known,
                                  const request_view& request);
  void keep(const arrival& origin, const judged_subject& what, const decision& decided,
            const pending_request& pending);
  void sketch(const wire::command& command, const arrival& origin, const decision& decided,
              pending_request& pending);
  [[nodiscard]] sketch_notes::place_list places_in(const wire::command& command);
  [[nodiscard]] bool is_outdated(const routing::verdict& verdict, const request_view& request);
  void charge_for(const request_view& request, const arrival& origin);
  void forget_details();

  telemetry::worker_metrics& metrics_;
  telemetry::shape_table& shapes_;
  telemetry::daemon_facts& facts_;
  command_taps& taps_;
  net::work_meter& meter_;
  std::shared_ptr<const settings> settings_;
  judging_memory memory_;
  unpacker unpacker_;
  sampled_timer timer_;
  verdict_memo memo_;
  reply_ids ids_;
  rule_decisions rules_;
  verdict_notes verdicts_;
  request_accounting accounting_;
  shape_notes shape_notes_;
  sketch_notes sketches_;
  proxy::throttling throttling_;
  unread_requests unread_;
  x509_guard x509_;
  wire::work_budget work_;           // the remaining work for the current message
  bool uses_older_catalog_ = false;  // the current message was judged by an older live catalog
};

}  // namespace scattergate::proxy
