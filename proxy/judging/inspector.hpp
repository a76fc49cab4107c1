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
#include "proxy/upstream/cursor_table.hpp"
#include "telemetry/accounts/account.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/shapes/shape_table.hpp"
#include "text/days.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// What an inspector works with: its worker's, and the daemon's. All of it outlives the
/// inspector.
struct inspector_surroundings {
  telemetry::worker_metrics& metrics;
  telemetry::shape_table& shapes;
  telemetry::account& account;
  telemetry::daemon_facts& facts;
  command_taps& taps;      ///< where copies of commands are left
  net::work_meter& meter;  ///< what the worker has done
  throttle::waker& waker;  ///< wakes the worker when a throttle lets somebody on
};

/// What a worker makes of a message beside passing it on: unpacks and judges it, and asks the
/// rules. Everything that gives a request's bytes a meaning is here; the order of messages is
/// the session_fsm's. What a message goes through are objects of their own: x509_guard,
/// verdict_memo, rulings, verdict_notes, shape_notes, throttling, unread_requests; what is
/// counted when a request completes is request_accounting's.
class inspector {
 public:
  explicit inspector(const inspector_surroundings& around);
  ~inspector();

  /// Replaces the catalog, the rules and all other settings: a reload. Before the first,
  /// nothing is sharded, and there are no rules.
  void use(std::shared_ptr<const settings> settings);
  /// What day it is, in UTC: rules may hold until one.
  void set_day(text::day today);

  [[nodiscard]] bool is_on() const noexcept { return settings_->inspect; }
  /// Whether rules want to know who commands are from: then none is judged before mongos has
  /// told what it knows.
  [[nodiscard]] bool asks_who() const noexcept {
    return settings_->inspect && settings_->rules.asks_who();
  }
  [[nodiscard]] std::size_t max_request_bytes() const noexcept {
    return settings_->limits.message_bytes;
  }
  [[nodiscard]] telemetry::worker_metrics& metrics() noexcept { return metrics_; }
  void charge(std::uint64_t units) noexcept { meter_.charge(units); }

  /// Begins to unpack a whole compressed request that is too large for one go; else null.
  [[nodiscard]] std::unique_ptr<gradual_unpacking> begin_unpacking(
      const request_view& request) {
    return unpacker_.begin(request.header, request.bytes, request.connection.memory);
  }
  /// Unpacks a whole compressed message for reading, in one go.
  [[nodiscard]] wire::result<unpacked_message> unpack(const wire::message_header& header,
                                                      std::span<const std::byte> message,
                                                      const inspected_connection& connection);
  /// The same of a request, which is to be inspected; `gradually` is null, or has unpacked it.
  [[nodiscard]] wire::result<unpacked_message> unpack(const request_view& request,
                                                      const gradual_unpacking* gradually);

  /// Rejects a request that authenticates by MONGODB-X509: see x509_guard::look_at().
  [[nodiscard]] std::optional<inspection> guard_x509(const request_view& request,
                                                     const wire::wire_errc* unpacking) {
    return x509_.look_at(*settings_, request, unpacking);
  }

  /// Judges a whole request that isn't compressed, or not any more.
  [[nodiscard]] inspection inspect(const request_view& request);

  /// Whether a whole request is too large to be judged by the worker's own thread.
  [[nodiscard]] static bool is_large(const request_view& request) noexcept {
    return request.bytes.size() > large_judgement::least_bytes;
  }
  /// Begins to judge a large request that isn't compressed, or not any more; null where that is
  /// known already. Its bytes stay where they are meanwhile: takes `block`, where it was
  /// unpacked at once, but not where it returns null.
  [[nodiscard]] std::unique_ptr<large_judgement> begin_judging(const request_view& request,
                                                               budgeted_block& block);
  /// The same of one that passes, and of which all was taken; null where it is small enough.
  [[nodiscard]] std::unique_ptr<large_judgement> begin_judging(const streamed_request& request);
  /// As inspect() of a request that is judged, by the settings under which that was begun.
  [[nodiscard]] inspection inspect(const request_view& request, const large_judgement& judged);

  /// A large request that may be passed on while it still comes in, to be judged at its end by
  /// what was kept of it; null where it isn't one, or must be held whole.
  [[nodiscard]] std::unique_ptr<streamed_request> begin_streaming(const request_view& request) {
    return streamed_request::begin(request, settings_);
  }
  /// Judges a request that has passed, as inspect() does, by the settings under which it began:
  /// its digest was made for their catalog, and none of their rules rejects.
  /// `judged` is null where the digest wasn't too large.
  [[nodiscard]] inspection inspect_streamed(const streamed_request& request,
                                            const large_judgement* judged,
                                            const inspected_connection& connection,
                                            clock::time_point now);

  /// Decides on a request that can't be read: see unread_requests::pass().
  [[nodiscard]] inspection pass_unread(const request_view& request, wire::wire_errc error) {
    return unread_.pass(settings_, request, error);
  }
  /// Takes note of a request that is to be passed on while inspection is off. An OP_MSG's flags
  /// have arrived.
  [[nodiscard]] inspection relay(const request_view& request) { return unread_.relay(request); }
  /// The last message that a rule held up for a section of an unknown kind, since the last
  /// call.
  [[nodiscard]] std::optional<held_section> take_held_section() {
    return unread_.take_held_section();
  }

  /// The desk that requests wait at which a rule throttles.
  [[nodiscard]] proxy::throttling& throttling() noexcept { return throttling_; }
  /// Where what is judged here is counted in the end.
  [[nodiscard]] request_accounting& accounting() noexcept { return accounting_; }

  /// Looks at a whole reply to a hello: an upstream that isn't a mongos names its members, and
  /// drivers would then connect around us.
  void look_at_hello_reply(const wire::message_header& header,
                           std::span<const std::byte> message);

  /// Gives back what has been quiet for too long; to be called now and then.
  void give_back_quiet(clock::time_point now) {
    // What the memo has may be of a place that is another's then.
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
  proxy::throttling throttling_;
  unread_requests unread_;
  x509_guard x509_;
  wire::work_budget work_;  // what may still be done for the message in hand
};

}  // namespace scattergate::proxy
