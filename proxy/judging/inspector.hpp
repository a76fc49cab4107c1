#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "net/work_meter.hpp"
#include "proxy/judging/command_taps.hpp"
#include "proxy/judging/inspection.hpp"
#include "proxy/judging/judged_subject.hpp"
#include "proxy/judging/judging_memory.hpp"
#include "proxy/judging/large_judgement.hpp"
#include "proxy/judging/message_reading.hpp"
#include "proxy/judging/rejection.hpp"
#include "proxy/judging/request_accounting.hpp"
#include "proxy/judging/request_view.hpp"
#include "proxy/judging/rulings.hpp"
#include "proxy/judging/sampled_timer.hpp"
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
#include "text/days.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// What an inspector uses: parts of its worker and of the daemon. All of it outlives the
/// inspector.
struct inspector_surroundings {
  telemetry::worker_metrics& metrics;
  telemetry::shape_table& shapes;
  telemetry::account& account;
  telemetry::daemon_facts& facts;
  command_taps& taps;      ///< where copies of commands go
  net::work_meter& meter;  ///< the worker's work meter
  throttle::waker& waker;  ///< wakes the worker when a throttle admits a request
  telemetry::sketch_book* sketches = nullptr;  ///< null: values aren't sketched
};

/// Everything that gives meaning to a request's bytes: unpacks and judges a message, and asks
/// the rules. The order of messages is session_fsm's job. The steps are objects of their own:
/// x509_guard, verdict_memo, rulings, verdict_notes, shape_notes, throttling, unread_requests;
/// request_accounting counts a request when it completes.
class inspector {
 public:
  explicit inspector(const inspector_surroundings& around);
  ~inspector();

  /// Replaces the catalog, the rules and all other settings. Before the first call nothing is
  /// sharded, and there are no rules.
  void apply_settings(std::shared_ptr<const settings> settings);
  /// Sets today's date (UTC), by which rules may expire.
  void set_day(text::day today);

  [[nodiscard]] bool is_on() const noexcept { return settings_->inspect; }
  /// Whether rules match by user or application. If so, no command is judged before mongos's
  /// reply has settled who the client is.
  [[nodiscard]] bool asks_who() const noexcept {
    return settings_->inspect && settings_->rules.asks_who();
  }
  [[nodiscard]] std::size_t max_request_bytes() const noexcept {
    return settings_->limits.message_bytes;
  }
  [[nodiscard]] telemetry::worker_metrics& metrics() noexcept { return metrics_; }
  void charge(std::uint64_t units) noexcept { meter_.charge(units); }

  /// Starts unpacking a complete compressed request that is too large to unpack in one go; else
  /// null.
  [[nodiscard]] std::unique_ptr<gradual_unpacking> begin_unpacking(
      const request_view& request) {
    return unpacker_.begin(request.header, request.bytes, request.connection.memory);
  }
  /// Unpacks a complete compressed message in one go.
  [[nodiscard]] wire::result<unpacked_message> unpack(const wire::message_header& header,
                                                      std::span<const std::byte> message,
                                                      const inspected_connection& connection);
  /// Unpacks a complete compressed request before inspection. `gradually`: null, or has
  /// unpacked it already.
  [[nodiscard]] wire::result<unpacked_message> unpack(const request_view& request,
                                                      const gradual_unpacking* gradually);

  /// Rejects a request that authenticates by MONGODB-X509: see x509_guard::check_request().
  [[nodiscard]] std::optional<inspection> guard_x509(const request_view& request,
                                                     const wire::wire_errc* unpacking) {
    return x509_.check_request(*settings_, request, unpacking);
  }

  /// Judges a complete, uncompressed (or unpacked) request.
  [[nodiscard]] inspection inspect(const request_view& request);

  /// Whether a complete request is too large to be judged on the worker's own thread.
  [[nodiscard]] static bool is_large(const request_view& request) noexcept {
    return request.bytes.size() > large_judgement::least_bytes;
  }
  /// Starts judging a large, uncompressed (or unpacked) request; null if the memo knows the
  /// result. The request's bytes must stay in place meanwhile; takes over `block`, where it was
  /// unpacked in one go, unless null is returned.
  [[nodiscard]] std::unique_ptr<large_judgement> begin_judging(const request_view& request,
                                                               budgeted_block& block);
  /// Starts judging a streamed request whose bytes have all been taken; null if its digest is
  /// small enough to judge at once.
  [[nodiscard]] std::unique_ptr<large_judgement> begin_judging(const streamed_request& request);
  /// Completes the inspection of a request judged by `judged`, under the settings in force when
  /// that began.
  [[nodiscard]] inspection inspect(const request_view& request, const large_judgement& judged);

  /// Starts streaming a large request: it is forwarded while it arrives and judged at its end
  /// from the parts that were kept. Null if it isn't large or must be held whole.
  [[nodiscard]] std::unique_ptr<streamed_request> begin_streaming(const request_view& request) {
    return streamed_request::begin(request, settings_);
  }
  /// Judges a streamed request that has passed, as inspect() does, under the settings in force
  /// when it began: its digest was made for their catalog, and none of their rules rejects.
  /// `judged` is null if the digest was small.
  [[nodiscard]] inspection inspect_streamed(const streamed_request& request,
                                            const large_judgement* judged,
                                            const inspected_connection& connection,
                                            clock::time_point now);

  /// Decides about a request that can't be read: see unread_requests::pass().
  [[nodiscard]] inspection pass_unread(const request_view& request, wire::wire_errc error) {
    return unread_.pass(settings_, request, error);
  }
  /// Records a request that is forwarded while inspection is off. REQUIRES: an OP_MSG's flags
  /// have arrived.
  [[nodiscard]] inspection relay(const request_view& request) { return unread_.relay(request); }
  /// The last message rejected or throttled because of a section of an unknown kind, since the
  /// last call.
  [[nodiscard]] std::optional<held_section> take_held_section() {
    return unread_.take_held_section();
  }

  /// Holds the requests that wait for a throttle.
  [[nodiscard]] proxy::throttling& throttling() noexcept { return throttling_; }
  /// Counts requests when they complete.
  [[nodiscard]] request_accounting& accounting() noexcept { return accounting_; }
  /// Hands the values for the sketches to the account. Call about once a second, and at the
  /// end.
  void flush_sketches() noexcept { sketches_.flush(); }

  /// Examines a complete reply to a hello: an upstream that isn't a mongos lists its members,
  /// and drivers would connect to those directly.
  void look_at_hello_reply(const wire::message_header& header,
                           std::span<const std::byte> message);

  /// Releases counters that have been quiet for too long. Call periodically.
  void give_back_quiet(clock::time_point now) {
    // The memo may refer to a place that now belongs to something else.
    if (accounting_.give_back_quiet(now)) memo_.clear();
  }

 private:
  template <typename Work>
  [[nodiscard]] inspection under(const std::shared_ptr<const settings>& begun, Work work);
  [[nodiscard]] inspection inspect_read(const request_view& request,
                                        const message_reading& read, const arrival& came);
  [[nodiscard]] inspection inspect_digest(const streamed_request& request,
                                          const large_judgement* judged,
                                          const inspected_connection& connection,
                                          clock::time_point now);
  [[nodiscard]] inspection inspect_command(const request_view& request,
                                           const wire::command& command, const arrival& came);
  [[nodiscard]] routing::verdict verdict_on(const wire::command& command, const arrival& came);
  [[nodiscard]] routing::verdict judge(const wire::command& command, const arrival& came,
                                       cursor_table& cursors, pending_request& pending);
  [[nodiscard]] inspection carry_out(const decision& decided, const judged_subject& deciding,
                                     const arrival& came,
                                     std::unique_ptr<pending_request> pending);
  [[nodiscard]] inspection recall(const verdict_memo::entry& known,
                                  const request_view& request);
  void keep(const arrival& came, const judged_subject& what, const decision& decided,
            const pending_request& pending);
  void sketch(const wire::command& command, const arrival& came, const decision& decided,
              pending_request& pending);
  void charge_for(const request_view& request, const arrival& came);
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
  rulings rulings_;
  verdict_notes verdicts_;
  request_accounting accounting_;
  shape_notes shape_notes_;
  sketch_notes sketches_;
  proxy::throttling throttling_;
  unread_requests unread_;
  x509_guard x509_;
  wire::work_budget work_;  // the remaining work for the current message
};

}  // namespace scattergate::proxy
