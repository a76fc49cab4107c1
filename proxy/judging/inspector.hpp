#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "net/work_meter.hpp"
#include "proxy/judging/catalog_hints.hpp"
#include "proxy/judging/client_identity.hpp"
#include "proxy/judging/command_taps.hpp"
#include "proxy/judging/inspection.hpp"
#include "proxy/judging/judging_memory.hpp"
#include "proxy/judging/large_judgement.hpp"
#include "proxy/judging/message_reading.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/judging/rejection.hpp"
#include "proxy/judging/request_accounting.hpp"
#include "proxy/judging/request_view.hpp"
#include "proxy/judging/rule_counts.hpp"
#include "proxy/judging/sampled_timer.hpp"
#include "proxy/judging/streamed_request.hpp"
#include "proxy/judging/unpacker.hpp"
#include "proxy/judging/verdict_memo.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/accounts/account.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/shapes/shape_table.hpp"
#include "text/days.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// What a worker makes of a message beside passing it on: unpacks and judges it, and asks the
/// rules. Everything that gives a request's bytes a meaning is here; the order of messages is
/// the session_fsm's, and what is counted when a request completes is request_accounting's.
class inspector {
 public:
  inspector(telemetry::worker_metrics& metrics, telemetry::shape_table& shapes,
            telemetry::account& account, telemetry::daemon_facts& facts);
  ~inspector();

  void use(std::shared_ptr<const settings> settings) {
    settings_ = std::move(settings);
    accounting_.use(settings_);
    rule_counts_.use(settings_->rules);
    // These were made from the catalog and the rules before.
    shapes_.renew_details();
    memo_.clear();
  }
  /// What day it is, in UTC: rules may hold until one.
  void set_day(text::day today);
  /// Where copies of commands are left; null, as at first: nowhere.
  void use(command_taps* taps) noexcept {
    taps_ = taps;
    accounting_.use(taps != nullptr ? &taps->live : nullptr);
  }
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

  /// Where what has been done is told; null, as at first: nowhere.
  void use(net::work_meter* meter) noexcept { meter_ = meter; }
  void charge(std::uint64_t units) noexcept {
    if (meter_ != nullptr) meter_->charge(units);
  }

  /// Begins to unpack a whole compressed request that is too large for one go; else null.
  [[nodiscard]] std::unique_ptr<gradual_unpacking> begin_unpacking(
      const request_view& request) {
    return unpacker_.begin(request.header, request.bytes, request.connection.memory);
  }

  /// Judges a whole request, a compressed one by what is in it.
  [[nodiscard]] inspection inspect(const request_view& request);

  /// Whether a whole request is too large to be judged by the worker's own thread.
  [[nodiscard]] static bool is_large(const request_view& request) noexcept {
    const bool is_packed = request.header.op == wire::opcode::compressed;
    return (is_packed ? wire::claimed_bytes(request.bytes) : request.bytes.size()) >
           large_judgement::least_bytes;
  }
  /// Begins to judge a large request; null where there is nothing to be judged, or that is
  /// known already. Its bytes stay where they are meanwhile.
  [[nodiscard]] std::unique_ptr<large_judgement> begin_judging(const request_view& request);
  /// The same of one that passes, and of which all was taken.
  [[nodiscard]] std::unique_ptr<large_judgement> begin_judging(const streamed_request& request);

  /// As inspect() of a request that is judged, by the settings under which that was begun.
  [[nodiscard]] inspection inspect(const request_view& request, const large_judgement& judged);

  /// What becomes of a request that its throttle has let on.
  [[nodiscard]] inspection admit(const request_view& request, inspection held);
  /// What becomes of one that it doesn't let on, because of `why`.
  [[nodiscard]] inspection refuse(const request_view& request, inspection held,
                                  throttle_refusal why);
  /// Who is told when a throttle lets somebody on; null, as at first, where nobody is.
  void use(throttle::waker* waker) noexcept { waker_ = waker; }
  [[nodiscard]] throttle::waker& waker() noexcept { return *waker_; }

  /// Decides on a request that can't be read: rejected or throttled where a rule that does so
  /// could match its sender's messages, else passed on. Counts it as a finding.
  [[nodiscard]] inspection pass_unread(const request_view& request, wire::wire_errc error);

  /// A message that a rule held up because of a section of an unknown kind: its driver may be
  /// newer than we are.
  struct held_section {
    std::string peer;  ///< its address
    std::string rule;
  };
  /// The last one since the last call, if any; to be called once a second.
  [[nodiscard]] std::optional<held_section> take_held_section() {
    return std::exchange(held_section_, std::nullopt);
  }

  /// A large request that may be passed on while it still comes in, to be judged at its end by
  /// what was kept of it; null where it isn't one, or must be held whole.
  [[nodiscard]] std::unique_ptr<streamed_request> begin_streaming(const request_view& request);

  /// Judges a request that has passed, as inspect() does, by the settings under which it began:
  /// its digest was made for their catalog, and none of their rules rejects.
  /// `judged` is null where the digest wasn't too large.
  [[nodiscard]] inspection inspect_streamed(const streamed_request& request,
                                            const large_judgement* judged,
                                            const inspected_connection& connection,
                                            clock::time_point now);

  /// Unpacks a whole compressed message for reading, in one go.
  [[nodiscard]] wire::result<unpacked_message> unpack(const wire::message_header& header,
                                                      std::span<const std::byte> message,
                                                      const inspected_connection& connection);
  [[nodiscard]] wire::result<unpacked_message> unpack(const request_view& request);

  /// Rejects a request that authenticates by MONGODB-X509; nothing where it doesn't. Until all
  /// of it has arrived, `close` says only that it may. A compressed request is unpacked when it
  /// is whole.
  [[nodiscard]] std::optional<inspection> guard_x509(const request_view& request);

  /// Takes note of a request that is to be passed on while inspection is off. An OP_MSG's flags
  /// have arrived.
  [[nodiscard]] inspection relay(const request_view& request);

  /// Looks at a whole reply to a hello: an upstream that isn't a mongos names its members, and
  /// drivers would then connect around us.
  void look_at_hello_reply(const wire::message_header& header,
                           std::span<const std::byte> message);

  /// Where what is judged here is counted in the end.
  [[nodiscard]] request_accounting& accounting() noexcept { return accounting_; }

  /// Gives back what has been quiet for too long; to be called now and then.
  void give_back_quiet(clock::time_point now) {
    // What the memo has may be of a place that is another's then.
    if (accounting_.give_back_quiet(now)) memo_.clear();
  }

 private:
  /// A command on its way through inspect().
  struct subject {
    const request_view& request;
    const wire::command& command;
    const routing::verdict& verdict;
    std::string_view comment;
    bool is_abridged;                             ///< values have been left out of the command
    std::optional<routing::hashed_shape>& shape;  ///< once a rule or a finding has asked for it
    std::optional<std::string>& query_shape;      ///< likewise; empty: not certain
  };

  /// How a command came.
  struct arrival {
    const wire::op_msg* parsed = nullptr;     ///< to be kept; null: not by this message
    const large_judgement* judged = nullptr;  ///< null: it is still to be judged
    bool is_abridged = false;                 ///< as a digest
    std::span<const std::byte> digest{};      ///< that one
  };

  /// Does some work under the settings that it was begun under.
  template <typename Work>
  [[nodiscard]] inspection under(const std::shared_ptr<const settings>& begun, Work work) {
    if (begun == settings_) return work();
    struct use_again {
      inspector& of;
      std::shared_ptr<const settings> current;
      ~use_again() { of.use(std::move(current)); }
    } const afterwards{*this, std::exchange(settings_, begun)};
    rule_counts_.use(settings_->rules);
    return work();
  }
  [[nodiscard]] inspection inspect_message(const request_view& request,
                                           std::size_t bytes_that_came);
  [[nodiscard]] inspection inspect_read(const request_view& request,
                                        const message_reading& read, const arrival& came);
  [[nodiscard]] inspection inspect_digest(const streamed_request& request,
                                          const large_judgement* judged,
                                          const inspected_connection& connection,
                                          clock::time_point now);
  [[nodiscard]] inspection inspect_command(const request_view& request,
                                           const wire::command& command, const arrival& came);
  [[nodiscard]] inspection complete_unanswered(const request_view& request,
                                               std::unique_ptr<pending_request> pending,
                                               disposition how);
  [[nodiscard]] routing::verdict verdict_on(const wire::command& command, const arrival& came);
  [[nodiscard]] routing::verdict judge(const wire::command& command, const arrival& came,
                                       cursor_table& cursors, pending_request& pending);
  [[nodiscard]] bool is_told_of(const pending_request& pending) const noexcept;
  [[nodiscard]] bool is_tapped(const judgement& of) const noexcept {
    return taps_ != nullptr && taps_->live.wants(of.routing, of.is_finding);
  }
  void charge_for(const request_view& request, const arrival& came);
  [[nodiscard]] sender sender_of(const request_view& request) const noexcept;
  [[nodiscard]] decision decide(const subject& what);
  [[nodiscard]] inspection recall(const verdict_memo::entry& known,
                                  const request_view& request);
  void keep(const arrival& came, const subject& what, const decision& decided,
            const pending_request& pending);
  void remember_verdict(const wire::command& command, const routing::verdict& verdict,
                        pending_request& pending);
  static void note_use(const routing::verdict& verdict) noexcept;
  void remember_namespace(const routing::verdict& verdict, pending_request& pending);
  void remember_statements(const routing::verdict& verdict, pending_request& pending);
  [[nodiscard]] strict_rules rules_for_unread(const request_view& request,
                                              wire::wire_errc error) const;
  void leave_copies(const subject& what, const pending_request& pending);
  void note_shape(const subject& what, const decision& decision, pending_request& pending);
  void note_finding(const subject& what, const decision& decision, pending_request& pending);
  [[nodiscard]] std::uint64_t hash_of(const subject& what);
  [[nodiscard]] const std::string& query_shape_of(const subject& what) const;
  [[nodiscard]] const telemetry::shard_ids& ids_of_shards();
  void remember_finding_namespace(const routing::verdict& verdict, pending_request& pending);
  [[nodiscard]] telemetry::shape_details details_of(const subject& what,
                                                    const decision& decision,
                                                    const telemetry::shape_key& key);
  [[nodiscard]] inspection decide_unread(const request_view& request, wire::wire_errc error,
                                         bool may_be_login);
  [[nodiscard]] inspection reject_unread(const request_view& request, wire::wire_errc error,
                                         const config::rule& rule,
                                         std::unique_ptr<pending_request> pending);
  void note_unread(wire::wire_errc error, const strict_rules& rules, clock::time_point now,
                   pending_request& pending);
  [[nodiscard]] std::shared_ptr<throttle> throttle_of(const config::rule& rule) const noexcept;
  [[nodiscard]] inspection hold(const config::rule& rule, std::shared_ptr<throttle> by,
                                std::unique_ptr<pending_request> pending, bool is_unanswered);
  [[nodiscard]] static std::optional<inspection> guard_packed(wire::wire_errc error) noexcept;
  [[nodiscard]] inspection refuse_x509(const request_view& request);

  telemetry::worker_metrics& metrics_;
  telemetry::shape_table& shapes_;
  telemetry::daemon_facts& facts_;
  request_accounting accounting_;
  std::shared_ptr<const settings> settings_;
  telemetry::shard_ids ids_of_shards_;  ///< for findings
  std::shared_ptr<const routing::catalog> ids_are_of_;
  command_taps* taps_ = nullptr;
  net::work_meter* meter_ = nullptr;
  throttle::waker* waker_ = nullptr;
  text::day today_{};
  rule_counts rule_counts_;
  catalog_hints hints_;
  verdict_memo memo_;
  sampled_timer timer_;
  unpacker unpacker_;
  judging_memory memory_;
  std::optional<held_section> held_section_;
  wire::work_budget work_;  // what may still be done for the message in hand
  std::int32_t next_reply_id_ = 1;
};

}  // namespace scattergate::proxy
