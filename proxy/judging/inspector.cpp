#include "proxy/judging/inspector.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "digest/statement_views.hpp"
#include "proxy/judging/client_identity.hpp"
#include "proxy/judging/comment.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "routing/classify.hpp"
#include "routing/pattern/pattern.hpp"
#include "routing/verdict.hpp"
#include "telemetry/log/log.hpp"
#include "text/time_text.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::proxy {
namespace {

/// The OpenTelemetry trace id of a request. Searches the request's section of kind 3 first,
/// then its `comment` (comment.hpp). The result converts to false if there is no trace id, or
/// if the request isn't a complete, uncompressed OP_MSG. The work is bounded; doesn't allocate.
/// Reads all top-level fields, so call it only if the trace will be shown.
wire::trace_id trace_of(const wire::message_header& header,
                        std::span<const std::byte> message) noexcept {
  if (header.op != wire::opcode::msg || message.empty()) return {};
  const auto parsed = wire::parse_op_msg(header, message);
  if (!parsed) return {};
  if (!parsed->traceparent.empty()) return wire::trace_id_of(parsed->traceparent);
  return wire::trace_id_of(traceparent_in_comment(parsed->body));
}

/// The number of cursors looked up for one killCursors. Drivers send one; those beyond the
/// limit stay in the table until they are evicted.
constexpr int max_killed = 16;

void inherit(routing::verdict& verdict, const cursor_origin& origin) noexcept {
  verdict.statements[static_cast<std::size_t>(verdict.routing)] = 0;
  verdict.routing = origin.routing;
  verdict.bounds = origin.bounds;
  verdict.why = origin.why;
  verdict.statements[static_cast<std::size_t>(verdict.routing)] = 1;
}

void follow_killed(routing::verdict& verdict, const wire::command& command,
                   const cursor_table& cursors, std::vector<std::int64_t>& killed) {
  const auto list = wire::find_field(command.body, "cursors");
  const auto ids = list ? list->as_array() : std::nullopt;
  if (!ids) return;
  wire::document_reader reader{*ids};
  wire::element id;
  for (int i = 0; i < max_killed && reader.next(id); ++i) {
    const auto cursor_id = id.as_int64().value_or(0);
    const auto origin = cursors.find(cursor_id);
    if (!origin) continue;
    if (killed.empty()) inherit(verdict, *origin);
    killed.push_back(cursor_id);
  }
}

/// Judges a getMore or killCursors like the command that opened the cursor: copies that
/// command's routing class to `verdict`, if `cursors` contains the cursor. For a killCursors
/// with several cursors, the first that `cursors` contains decides; only the first 16 are
/// looked up. Records in `pending` which cursors the command uses. Does nothing for other
/// commands.
void follow_cursor(routing::verdict& verdict, const wire::command& command,
                   const cursor_table& cursors, pending_request& pending) {
  if (verdict.command == routing::command_kind::kill_cursors) {
    follow_killed(verdict, command, cursors, pending.killed_cursors);
  } else if (verdict.command == routing::command_kind::get_more) {
    pending.cursor_id = command.first.as_int64().value_or(0);
    if (const auto origin = cursors.find(pending.cursor_id)) {
      inherit(verdict, *origin);
      pending.shape_hash = origin->shape_hash;
      pending.digest_destination = origin->digest_destination;
    }
  }
}

/// Whether other commands with the same pattern may reach other shards than this one.
bool may_reach_others(const routing::verdict& verdict) noexcept {
  return verdict.fanout && verdict.bounds != routing::bounds_kind::full;
}

bool has_comment(const wire::command& command) noexcept {
  return wire::find_field(command.body, "comment").has_value();
}

}  // namespace

inspector::inspector(const inspector_surroundings& around)
    : metrics_(around.metrics),
      shapes_(around.shapes),
      facts_(around.facts),
      taps_(around.taps),
      meter_(around.meter),
      settings_(std::make_shared<const settings>()),
      rules_(metrics_),
      verdicts_(metrics_),
      accounting_(metrics_, shapes_, around.account, taps_.live),
      shape_notes_(metrics_, shapes_, rules_.counts(), verdicts_),
      sketches_(around.sketches, around.account),
      throttling_(metrics_, accounting_, ids_, around.waker),
      unread_(metrics_, shapes_, accounting_, ids_, rules_, throttling_),
      x509_(metrics_, accounting_, ids_, verdicts_, memory_) {
  rules_.set_rules(settings_->rules);
}

inspector::~inspector() = default;

void inspector::apply_settings(std::shared_ptr<const settings> settings) {
  settings_ = std::move(settings);
  accounting_.apply_settings(settings_);
  rules_.set_rules(settings_->rules);
  hints().follow(settings_->notes, settings_->waits_for_catalog);
  forget_details();
}

void inspector::set_day(text::day today) {
  if (rules_.set_day(today, settings_->rules)) forget_details();
}

/// Forgets what depends on the previous catalog and rules.
void inspector::forget_details() {
  shapes_.outdate_details();
  memo_.clear();
}

/// Runs `work` with `initial`, the settings in force when the request began. Then returns to
/// the current settings.
template <typename Work>
inspection inspector::under(const std::shared_ptr<const settings>& initial, Work work) {
  if (initial == settings_) return work();
  struct use_again {
    inspector& of;
    std::shared_ptr<const settings> current;
    ~use_again() {
      of.uses_older_catalog_ = false;
      of.apply_settings(std::move(current));
    }
  } const afterwards{*this, std::exchange(settings_, initial)};
  uses_older_catalog_ = initial->notes && initial->catalog != afterwards.current->catalog;
  rules_.set_rules(settings_->rules);
  return work();
}

wire::result<unpacked_message> inspector::unpack(const request_view& request,
                                                 const gradual_unpacking* gradually) {
  timer_.start();
  return gradually != nullptr ? gradually->unpacked()
                              : unpack(request.header, request.bytes, request.connection);
}

wire::result<unpacked_message> inspector::unpack(const wire::message_header& header,
                                                 std::span<const std::byte> message,
                                                 const inspected_connection& connection) {
  auto unpacked = unpacker_.unpack(header, message, connection.memory);
  if (unpacked) charge(unpacked->bytes.size() * net::work_meter::unpack_cost_per_byte);
  return unpacked;
}

inspection inspector::inspect(const request_view& request) {
  const auto& [header, message, connection, now, packed_bytes, is_late] = request;
  // For a compressed request, unpack() has started the timer.
  if (packed_bytes == 0) timer_.start();
  // A remembered judgement may be outdated, and one that is must not be remembered.
  const bool uses_memo =
      header.op == wire::opcode::msg && !request.is_late && !hints().may_be_outdated();
  const auto* const known = uses_memo ? memo_.find(message) : nullptr;
  if (known != nullptr && (connection.client.is_stranger() ||
                           !taps_.are_due(known->what.command, known->what.routing, now))) {
    return recall(*known, request);
  }
  work_ = wire::work_budget::for_message(message.size(), request.wire_bytes());
  const auto read = message_reading::of(header, message, work_);
  // The memo knows the message, but a copy of it is due: don't store its judgement again.
  const bool may_keep = uses_memo && known == nullptr;
  return inspect_read(request, read, {may_keep ? &read.parsed : nullptr});
}

std::unique_ptr<streamed_request> inspector::begin_streaming(const request_view& request) {
  auto made = streamed_request::begin(request, settings_);
  if (made && !request.connection.client.is_stranger()) {
    sketches_.note_start(request.header, request.bytes, memory_.shape(), meter_);
  }
  return made;
}

std::unique_ptr<large_judgement> inspector::begin_judging(const request_view& request,
                                                          budgeted_block& block) {
  if (memo_.find(request.bytes) != nullptr) return nullptr;
  return std::make_unique<large_judgement>(request.header, request.bytes, request.wire_bytes(),
                                           settings_, std::move(block));
}

std::unique_ptr<large_judgement> inspector::begin_judging(const streamed_request& request) {
  const auto& digest = request.digest();
  if (!digest.is_whole() || digest.kept().size() <= large_judgement::max_bytes_on_worker) {
    return nullptr;
  }
  return std::make_unique<large_judgement>(digest.header(), digest.kept(),
                                           static_cast<std::size_t>(request.header().length),
                                           request.initial_settings());
}

inspection inspector::inspect(const request_view& request, const large_judgement& judged) {
  return under(judged.initial_settings(), [&] {
    const request_view whole{
        judged.header(), judged.message(), request.connection, request.now, 0, request.is_late};
    return inspect_read(whole, judged.reading(), {nullptr, &judged});
  });
}

inspection inspector::inspect_streamed(const streamed_request& request,
                                       const large_judgement* judged,
                                       const inspected_connection& connection,
                                       clock::time_point now) {
  return under(request.initial_settings(),
               [&] { return inspect_digest(request, judged, connection, now); });
}

inspection inspector::inspect_digest(const streamed_request& request,
                                     const large_judgement* judged,
                                     const inspected_connection& connection,
                                     clock::time_point now) {
  timer_.start();
  const auto& digest = request.digest();
  const auto give_up = [&](wire::wire_errc error) {
    return unread_.pass_no_login(settings_, {request.header(), request.head(), connection, now},
                                 error);
  };
  if (const auto is_good = request.has_good_checksum()) metrics_.count_checksum(*is_good);
  if (!digest.is_whole()) return give_up(digest.error());
  work_ = wire::work_budget::for_message(static_cast<std::size_t>(request.header().length));
  const auto kept = digest.header();
  const auto command =
      judged != nullptr ? judged->reading().command : wire::parse_command(kept, digest.kept());
  if (!command) return give_up(command.error());
  return inspect_command({kept, {}, connection, now}, *command,
                         {nullptr, judged, true, digest.kept()});
}

inspection inspector::inspect_read(const request_view& request, const message_reading& read,
                                   const arrival& origin) {
  if (read.has_good_checksum) metrics_.count_checksum(*read.has_good_checksum);
  if (!read.command) return pass_unread(request, read.command.error());
  return inspect_command(request, *read.command, origin);
}

inspection inspector::inspect_command(const request_view& request, const wire::command& command,
                                      const arrival& origin) {
  client_identity& client = request.connection.client;
  auto pending = accounting_.new_request();
  pending->expected_response_to = request.header.request_id;
  pending->sent = request.now;
  pending->must_be_counted = true;
  pending->may_stream = command.exhaust_allowed;
  pending->is_from_stranger = client.is_stranger();
  const routing::verdict verdict = judge(command, origin, request.connection.cursors, *pending);
  comment_text text;
  const std::string_view comment =
      settings_->rules.reads_comments() ? text.read(command) : std::string_view{};
  std::optional<routing::hashed_shape> shape;
  if (origin.judged != nullptr) shape = origin.judged->shape();
  std::optional<std::string> query_shape;
  const judged_subject what{settings_,          request, command,    verdict, comment,
                            origin.is_abridged, shape,   query_shape};
  verdicts_.note(command, verdict, *pending);
  if (is_outdated(verdict, request)) verdicts_.note_outdated(*pending);
  const decision decided = rules_.decide(what, memory_.shape());
  pending->dry_run = rules_.counts().found();
  std::optional<routing::verdict> seen;
  if (decided.decided_in != nullptr) seen = verdict.verdict_in(*decided.decided_in);
  const judged_subject deciding{
      settings_,          request, command,    seen ? *seen : verdict, comment,
      origin.is_abridged, shape,   query_shape};
  pending->is_finding = decided.is_finding;
  if (taps_.has_receiver_for(*pending)) {
    pending->trace =
        trace_of(request.header, origin.is_abridged ? origin.digest : request.bytes);
  }
  shape_notes_.note(deciding, decided, *pending, memory_.shape());
  if (!pending->is_from_stranger) {
    taps_.leave_copies(what, deciding, *pending, memory_.shape());
  }
  sketch(command, origin, decided, *pending);
  keep(origin, what, decided, *pending);
  return carry_out(decided, deciding, origin, std::move(pending));
}

/// Whether the verdict may be too good, because the catalog by which the request was judged may
/// be outdated: a command has changed the collection, the catalog was replaced while the
/// request was judged on another thread, or a read of the catalog was awaited in vain. Rules
/// use the verdict nevertheless.
bool inspector::is_outdated(const routing::verdict& verdict, const request_view& request) {
  if (request.is_late || uses_older_catalog_) return may_be_too_good(verdict.routing);
  return hints().is_outdated(verdict);
}

std::optional<std::uint64_t> inspector::begin_catalog_wait(const request_view& request,
                                                           bool& is_late) {
  if (!hints().awaits_reads()) return std::nullopt;
  auto work = wire::work_budget::for_message(request.bytes.size(), request.wire_bytes());
  const auto read = message_reading::of(request.header, request.bytes, work);
  if (!read.command) return std::nullopt;
  const auto family = routing::family_of(routing::kind_of(read.command->name));
  if (family != routing::command_family::routed &&
      family != routing::command_family::by_nature &&
      family != routing::command_family::wraps) {
    return std::nullopt;
  }
  // The namespaces that the command uses; by the current catalog, if they depend on it.
  const routing::verdict verdict =
      routing::classify(*read.command, *settings_->catalog, memory_.verdict(), work);
  config::load_focus names;
  const auto add = [&names](wire::namespace_view ns, const routing::collection* judged) {
    names.add(ns);
    if (judged != nullptr) names.add(judged->ns());
  };
  add(verdict.may_touch_more ? wire::namespace_view{} : verdict.ns(), verdict.judged);
  for (const routing::touch& one : verdict.touches) add(one.ns(), one.judged);
  const std::uint64_t number = settings_->notes->request_load(names);
  is_late = hints().is_late();
  return is_late ? std::nullopt : std::optional{number};
}

/// Collects a command's values for the sketches, unless the command is rejected or a
/// stranger's. The collection must have a metric label, so mongos has answered a command on it
/// before.
void inspector::sketch(const wire::command& command, const arrival& origin,
                       const decision& decided, pending_request& pending) {
  if (!sketches_.is_on() || pending.is_from_stranger ||
      (decided.is_finding && decided.action == config::rule_action::reject)) {
    return;
  }
  if (pending.command == routing::command_kind::bulk_write) {
    return sketches_.note_operations(places_in(command), command, !origin.is_abridged,
                                     memory_.shape(), meter_);
  }
  if (!pending.ns || *pending.ns < telemetry::shared_namespaces) return;
  pending.sketch = sketches_.place_of(command, pending.command);
  if (pending.sketch == 0) return;
  // begin_streaming() has collected the values of a streamed insert's first documents.
  const bool has_documents =
      routing::facts_of(pending.command).holds == routing::batch_items::documents;
  if (origin.is_abridged && has_documents) return;
  sketches_.note(pending.sketch, command, pending.command, memory_.shape(), meter_);
}

/// The sketch places of a bulkWrite's namespaces.
sketch_notes::place_list inspector::places_in(const wire::command& command) {
  sketch_notes::place_list made{};
  std::size_t count = 0;
  digest::for_each_member(command, "nsInfo", [&](wire::document_view one) {
    const auto field = wire::find_field(one, "ns");
    const auto name = field && field->is_string() ? wire::namespace_view::of(field->as_string())
                                                  : std::nullopt;
    const auto known = name ? metrics_.known(name->database, name->collection) : std::nullopt;
    if (known && *known >= telemetry::shared_namespaces) {
      made[count] = sketches_.place_of(*name);
    }
    return ++count < made.size();
  });
  return made;
}

/// Carries out the decision on a command.
inspection inspector::carry_out(const decision& decided, const judged_subject& deciding,
                                const arrival& origin,
                                std::unique_ptr<pending_request> pending) {
  const auto& request = deciding.request;
  const auto& command = deciding.command;
  const auto asks_for = [&](config::rule_action action) {
    return decided.is_finding && decided.action == action;
  };
  const bool is_rejected = asks_for(config::rule_action::reject);
  if (!is_rejected && is_about_client(pending->command)) {
    pending->claim = request.connection.client.claim(command, pending->command);
  }
  if (is_rejected && !command.more_to_come) {
    pending->is_rejected = true;
    pending->rejection = rejection_of(deciding, *decided.rule,
                                      settings_->catalog_caveat(*decided.rule), ids_.next());
  }
  charge_for(request, origin);
  if (asks_for(config::rule_action::throttle)) {
    if (auto by = throttling::throttle_of(*settings_, *decided.rule)) {
      return throttling_.hold(settings_, *decided.rule, std::move(by), std::move(pending),
                              command.more_to_come);
    }
  }
  const auto outcome = is_rejected ? disposition::drop : disposition::forward;
  if (!command.more_to_come) return {outcome, std::move(pending)};
  return accounting_.complete_unanswered(request, std::move(pending), outcome);
}

/// Records how long judging took. Charges the work to the worker's turn, unless another thread
/// did it.
void inspector::charge_for(const request_view& request, const arrival& origin) {
  if (origin.judged != nullptr) return metrics_.observe_inspect(origin.judged->took());
  metrics_.observe_inspect(timer_.stop());
  charge(request.bytes.size() + static_cast<std::uint64_t>(work_.spent()));
}

routing::verdict inspector::verdict_on(const wire::command& command, const arrival& origin) {
  if (origin.judged != nullptr) return origin.judged->verdict();
  return routing::classify(command, *settings_->catalog, memory_.verdict(), work_);
}

routing::verdict inspector::judge(const wire::command& command, const arrival& origin,
                                  cursor_table& cursors, pending_request& pending) {
  routing::verdict verdict = verdict_on(command, origin);
  if (verdict.abandoned) metrics_.verdicts_abandoned.add();
  if (verdict.widened) metrics_.scratch_exhausted.add();
  if (verdict.why == routing::reason::unreadable) {
    metrics_.count_uninspected(wire::wire_errc::bad_bson);
  } else if (verdict.why == routing::reason::too_deep) {
    metrics_.count_uninspected(wire::wire_errc::too_deep);
  }
  follow_cursor(verdict, command, cursors, pending);
  return verdict;
}

/// Decides on a message by the memo's judgement of messages with the same pattern.
inspection inspector::recall(const verdict_memo::entry& known, const request_view& request) {
  auto pending = accounting_.new_request();
  static_cast<judgement&>(*pending) = known.what;
  if (known.use != nullptr) known.use->set();
  metrics_.begin(*pending->ns);
  if (pending->finding_ns) metrics_.begin(*pending->finding_ns);
  pending->ticket = shapes_.begin_again(known.shape);
  pending->expected_response_to = request.header.request_id;
  pending->sent = request.now;
  pending->must_be_counted = true;
  pending->is_from_stranger = request.connection.client.is_stranger();
  if (known.may_have_trace && taps_.is_of_interest(*pending)) {
    pending->trace = trace_of(request.header, request.bytes);
  }
  if (known.sketching != nullptr && !pending->is_from_stranger) {
    sketches_.note_again(*known.sketching, request.header, request.bytes, memory_.shape(),
                         meter_);
  }
  metrics_.observe_inspect(timer_.stop());
  return {disposition::forward, std::move(pending)};
}

/// Stores the judgement in the memo, for messages with the same pattern. Doesn't store a
/// judgement that may differ between such messages or soon change: a rule throttles or rejects
/// the command, or rules depend on more than the command; the namespace has no metric label
/// yet, or the shape no place (the reply may change both); the finding is audited with its
/// comment or its shards. Doesn't store strangers' messages, so that they evict no others.
void inspector::keep(const arrival& origin, const judged_subject& what, const decision& decided,
                     const pending_request& pending) {
  const auto message = what.request.bytes;
  const bool is_held_or_rejected =
      decided.is_finding && (decided.action == config::rule_action::reject ||
                             (decided.action == config::rule_action::throttle &&
                              throttling::throttle_of(*settings_, *decided.rule) != nullptr));
  if (origin.parsed == nullptr || is_held_or_rejected || !pending.ns ||
      pending.fresh != nullptr || pending.is_from_stranger || !pending.changes.empty() ||
      settings_->rules.depends_on_more_than_command() || rules_.counts().has_dry_runs() ||
      !pending.finding_name.empty() ||
      (decided.is_finding && (may_reach_others(what.verdict) || has_comment(what.command))) ||
      !memo_.accepts(message)) {
    return;
  }
  // A rule on MongoDB's query shape hash doesn't depend on literals either: the hash is
  // computed from what a pattern keeps (query_shape_filter.cpp), with the same catalog.
  routing::pattern like;
  if (routing::write_pattern(*origin.parsed, message, what.verdict, *settings_->catalog,
                             like)) {
    // Owned by the catalog. The memo is cleared when the catalog is replaced.
    routing::use_mark* const use =
        what.verdict.judged != nullptr ? what.verdict.judged->use.get() : nullptr;
    std::unique_ptr<sketch_plan> sketching;
    if (pending.sketch != 0) {
      sketching = std::make_unique<sketch_plan>();
      sketching->place = pending.sketch;
      sketching->kind = pending.command;
    }
    const bool may_have_trace = has_comment(what.command) || !origin.parsed->telemetry.empty();
    memo_.keep(message, like,
               {pending, pending.ticket, use, std::move(sketching), may_have_trace});
  }
}

void inspector::check_hello_reply(const wire::message_header& header,
                                  std::span<const std::byte> message) {
  const auto set = replica_set_of(header, message);
  if (!set || facts_.replica_set_hellos.fetch_add(1) != 0) return;
  telemetry::log::write(telemetry::log::severity::warning, telemetry::log::component::proxy,
                        2003,
                        "The upstream is a replica set member, not a mongos; drivers will "
                        "bypass this proxy unless they use directConnection=true",
                        {{"setName", *set}});
}

}  // namespace scattergate::proxy
