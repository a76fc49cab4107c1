#include "session_model.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <prometheus/metric_family.h>

#include "session_messages.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/family_set.hpp"
#include "tests/support/inspector_parts.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::fuzz {
namespace {

using proxy::step;
using verb = step::verb;
using wire::limits::header_bytes;

wire::message_header header_of(std::span<const std::byte> message) {
  require(message.size() >= header_bytes);
  const auto header = wire::parse_header(message.first<header_bytes>());
  require(header.has_value());
  return *header;
}

bool awaits_reply(std::span<const std::byte> start) {
  const auto op = header_of(start).op;
  if (op == wire::opcode::query) return true;
  if (op != wire::opcode::msg || start.size() < header_bytes + 4) return false;
  const auto flags = wire::load_little<std::uint32_t>(start.data() + header_bytes);
  return (flags & wire::msg_flag::more_to_come) == 0;
}

std::shared_ptr<proxy::settings> settings_of(std::uint8_t which) {
  routing::catalog_builder builder;
  routing::collection items;
  items.database = "app";
  items.name = "items";
  items.key = {{"tenant", false}};
  require(!builder.add(std::move(items)) && !builder.finish_collection());
  auto made = std::make_shared<proxy::settings>();
  made->catalog = builder.build();
  made->inspect = (which & 1U) == 0;
  made->reject_uninspected = (which & 4U) != 0;
  if ((which & 2U) != 0) {
    config::rule rule;
    rule.name = "no-scatter";
    rule.match.name_space = "app.items";
    rule.match.routing = routing::routing_class::scatter_gather;
    rule.action = config::rule_action::reject;
    made->rules = proxy::policy({rule});
  }
  return made;
}

/// The same rule, as one that throttles.
std::shared_ptr<proxy::settings> throttled_settings() {
  auto made = settings_of(2);
  std::vector<config::rule> rules{made->rules.all().begin(), made->rules.all().end()};
  rules[0].action = config::rule_action::throttle;
  rules[0].throttle = {.rate = 20,
                       .per = std::chrono::seconds{1},
                       .burst = 2,
                       .concurrency = 2,
                       .queue = 1,
                       .wait = std::chrono::milliseconds{100}};
  made->rules = proxy::policy(std::move(rules));
  made->throttles = {std::make_shared<proxy::throttle>(made->rules.all()[0].throttle,
                                                       proxy::clock::time_point{})};
  return made;
}

double sum_of(const prometheus::MetricFamily& family, std::string_view action) {
  double sum = 0;
  for (const auto& series : family.metric) {
    const bool is_due =
        action.empty() || std::any_of(series.label.begin(), series.label.end(),
                                      [&](const auto& label) { return label.value == action; });
    if (is_due) {
      sum += series.counter.value + static_cast<double>(series.histogram.sample_count);
    }
  }
  return sum;
}

/// Sums over all series.
struct totals {
  double commands = 0;
  double judged = 0;
  double rejected = 0;
  double refused = 0;
  double unread = 0;
};

totals totals_of(const telemetry::metrics_collector& collector) {
  totals sums;
  for (const auto& family : scattergate::tests::families_of(collector)) {
    if (family.name == "scattergate_commands_total") sums.commands = sum_of(family, {});
    if (family.name == "scattergate_inspect_seconds") sums.judged = sum_of(family, {});
    if (family.name == "scattergate_rule_hits_total") sums.refused = sum_of(family, "refused");
    if (family.name == "scattergate_uninspected_messages_total") {
      sums.unread = sum_of(family, {});
    }
    if (family.name == "scattergate_findings_total") sums.rejected = sum_of(family, "rejected");
  }
  return sums;
}

/// The state that scripts share, as the sessions of a worker do.
struct world : tests::inspector_parts {
  totals so_far;  ///< at the end of the script before
};

std::unique_ptr<world> current_world;

world& the_world() {
  return *current_world;
}

/// Recreated now and then: creating one takes time, and so does adding up the many series that
/// an old one has.
world& world_of_next_script() {
  constexpr int scripts_of_a_world = 100;
  static int scripts = 0;
  if (scripts++ % scripts_of_a_world == 0) current_world = std::make_unique<world>();
  return the_world();
}

}  // namespace

void frame_oracle::take(std::span<const std::byte> next) {
  require(!next.empty());
  if (rest_ == 0) rest_ = static_cast<std::size_t>(header_of(next).length);
  require(next.size() <= rest_);
  rest_ -= next.size();
}

std::span<const std::byte> session_model::lane::unread() const {
  return std::span{received_}.subspan(consumed_);
}

void session_model::lane::receive(std::span<const std::byte> more) {
  received_.insert(received_.end(), more.begin(), more.end());
}

void session_model::lane::drop_front(std::size_t size) {
  consumed_ += size;
  if (consumed_ != received_.size()) return;
  received_.clear();
  consumed_ = 0;
}

session_model::session_model()
    : memory_(world_of_next_script().memory),
      fsm_(the_world().inspector, {client_, cursors_, memory_}),
      throttled_(throttled_settings()) {
  use_rules(2);
}

session_model::~session_model() = default;

void session_model::client_sends(std::span<const std::byte> sent) {
  requests_.receive(sent);
  pump();
}

void session_model::client_asks(std::uint8_t which, std::int32_t id, std::size_t times) {
  const bytes message = request_message(which, id);
  for (std::size_t i = 0; i < times; ++i) requests_.receive(message);
  pump();
}

void session_model::client_asks_in_pieces(std::uint8_t which, std::int32_t id,
                                          std::size_t first) {
  const bytes message = request_message(which, id);
  // A large message is forwarded while it arrives, after this part of it is there.
  const std::size_t unit = message.size() > 1'000 ? 157 : 1;
  const auto cut = std::min(first * unit, message.size());
  client_sends(std::span{message}.first(cut));
  if (is_open_) client_sends(std::span{message}.subspan(cut));
}

void session_model::mongos_sends(std::span<const std::byte> sent) {
  replies_.receive(sent);
  pump();
}

void session_model::mongos_answers(std::uint8_t which, std::int32_t to, std::int32_t id) {
  mongos_sends(reply_message(which, to, id));
}

void session_model::mongos_answers_next(std::uint8_t which, std::int32_t id) {
  if (unanswered_.empty()) return;
  const auto to = unanswered_.front();
  unanswered_.pop_front();
  mongos_answers(which, to, id);
}

void session_model::mongos_answers_all() {
  while (!unanswered_.empty() && is_open_) mongos_answers_next(0, 1);
}

void session_model::use_rules(std::uint8_t which) {
  static const std::array kinds = {settings_of(0), settings_of(1), settings_of(2),
                                   settings_of(3), settings_of(6)};
  const std::size_t kind = which % (kinds.size() + 1);
  the_world().inspector.apply_settings(kind == kinds.size() ? throttled_ : kinds[kind]);
}

void session_model::refuse_to_hold() {
  is_memory_short_ = true;
}

void session_model::hold_replies_back(bool held) {
  is_held_back_ = held;
  pump();
}

void session_model::pass_time(std::uint8_t milliseconds) {
  now_ += std::chrono::milliseconds{milliseconds};
}

void session_model::pump() {
  bool has_moved = true;
  while (has_moved && is_open_) {
    has_moved = false;
    while (is_open_ && step_requests()) has_moved = true;
    while (is_open_ && !is_held_back_ && step_replies()) has_moved = true;
  }
  if (!is_open_) return;
  require(is_held_back_ || !fsm_.has_injection());
  if (fsm_.is_idle(requests_.unread().size())) check_idle();
}

/// The verdict on a large request after all long work is done; until then, that it waits.
step session_model::once_judged(step next) {
  static proxy::judging_memory lent;
  while (next.what == verb::await) {
    require(!fsm_.may_request() && !fsm_.is_idle(requests_.unread().size()));
    require(fsm_.next_request(requests_.unread(), now_).what == verb::wait);
    while (!fsm_.awaited().advance(lent)) {
    }
    next = fsm_.on_awaited(requests_.unread(), now_);
  }
  return next;
}

step session_model::next_request() {
  makes_findings_ = fsm_.is_held() || the_world().inspector.is_on();
  if (!fsm_.is_held()) return once_judged(fsm_.next_request(requests_.unread(), now_));
  require(!fsm_.may_request() && !fsm_.is_idle(requests_.unread().size()));
  require(fsm_.next_request(requests_.unread(), now_).what == verb::wait);
  const auto due = fsm_.held_until(now_);
  require(!due || *due > now_);
  return due ? step::wait() : fsm_.on_held(requests_.unread(), now_);
}

bool session_model::step_requests() {
  const step next = next_request();
  if (fsm_.finishing_since()) return step_finishing(next);
  switch (next.what) {
    case verb::need:
      require(next.bytes > requests_.unread().size());
      if (!is_memory_short_ || next.bytes <= header_bytes + 4) return false;
      refuse();
      return true;
    case verb::forward:
      forward_request(next.bytes);
      return true;
    case verb::drop:
      drop_request(next.bytes);
      return true;
    case verb::hold:
      require(fsm_.is_held());
      return false;
    case verb::wait:
      require(!fsm_.may_request());
      return false;
    case verb::close:
      close();
      return false;
    case verb::await:
    case verb::inject:
      break;
  }
  std::abort();
}

/// Reads no more requests, and ends when no reply is outstanding.
bool session_model::step_finishing(const step& next) {
  require(requests_.stream.is_at_boundary());
  if (next.what == verb::drop) {
    require(next.bytes == requests_.unread().size());
    requests_.drop_front(next.bytes);
    return true;
  }
  if (next.what == verb::wait) {
    require(requests_.unread().empty() && !fsm_.may_request());
    return false;
  }
  require(next.what == verb::close && !fsm_.has_injection());
  require(replies_.stream.is_at_boundary());
  require(std::none_of(rejected_.begin(), rejected_.end(),
                       [](const answer_due& each) { return each.is_certain; }));
  close();
  return false;
}

void session_model::refuse() {
  is_memory_short_ = false;
  fsm_.refuse_to_hold();
  makes_findings_ = the_world().inspector.is_on();
  const step next = once_judged(fsm_.next_request(requests_.unread(), now_));
  if (fsm_.finishing_since()) return static_cast<void>(step_finishing(next));
  if (next.what == verb::need) {
    require(next.bytes <= header_bytes + 4);
  } else if (next.what == verb::drop) {
    drop_request(next.bytes);
  } else if (next.what != verb::hold) {
    require(next.what == verb::forward);
    forward_request(next.bytes);
  }
}

void session_model::forward_request(std::size_t size) {
  require(size != 0 && size <= requests_.unread().size());
  const auto piece = requests_.unread().first(size);
  require(!is_dropping_);
  if (requests_.stream.is_at_boundary() && awaits_reply(piece)) {
    unanswered_.push_back(header_of(piece).request_id);
    require(++taken_ <= proxy::pending_queue::max_pending);
  }
  requests_.stream.take(piece);
  requests_.drop_front(size);
}

void session_model::drop_request(std::size_t size) {
  require(size != 0 && size <= requests_.unread().size());
  const auto piece = requests_.unread().first(size);
  if (requests_.stream.is_at_boundary()) begin_dropping(piece);
  require(is_dropping_);
  requests_.stream.take(piece);
  requests_.drop_front(size);
  is_dropping_ = !requests_.stream.is_at_boundary();
}

void session_model::begin_dropping(std::span<const std::byte> start) {
  const auto header = header_of(start);
  is_dropping_ = true;
  // Without inspection, what is rejected is an OP_QUERY that may hide arguments. It is counted
  // as uninspected, and makes no finding.
  if (makes_findings_) ++dropped_;
  require(makes_findings_ || header.op == wire::opcode::query ||
          header.op == wire::opcode::compressed);
  const bool is_certain = awaits_reply(start);
  const bool hides_its_flags =
      header.op == wire::opcode::compressed ||
      (header.op == wire::opcode::msg && !is_certain && start.size() < header_bytes + 4);
  const bool may_be_answered = hides_its_flags || header.op == wire::opcode::get_more;
  if (is_certain || may_be_answered) rejected_.push_back({header.request_id, is_certain});
  if (is_certain) require(++taken_ <= proxy::pending_queue::max_pending);
}

bool session_model::step_replies() {
  const step next = fsm_.next_reply(replies_.unread(), now_);
  switch (next.what) {
    case verb::need:
      require(next.bytes > replies_.unread().size());
      return false;
    case verb::forward:
      forward_reply(next.bytes);
      return true;
    case verb::inject:
      check_injected(next.injected());
      return true;
    case verb::close:
      close();
      return false;
    case verb::drop:
    case verb::wait:
    case verb::await:
    case verb::hold:
      break;
  }
  std::abort();
}

void session_model::forward_reply(std::size_t size) {
  require(size <= replies_.unread().size());
  replies_.stream.take(replies_.unread().first(size));
  replies_.drop_front(size);
  taken_ = 0;
}

void session_model::check_injected(std::span<const std::byte> message) {
  require(replies_.stream.is_at_boundary());
  const auto header = header_of(message);
  require(static_cast<std::size_t>(header.length) == message.size());
  while (!rejected_.empty() && rejected_.front().id != header.response_to) {
    require(!rejected_.front().is_certain);
    rejected_.pop_front();
  }
  require(!rejected_.empty());
  rejected_.pop_front();
  if (header.op == wire::opcode::msg) {
    const auto parsed = wire::parse_op_msg(header, message);
    require(parsed.has_value() && !wire::find_field(parsed->body, "ok")->is_truthy());
  } else {
    require(header.op == wire::opcode::reply);
  }
  taken_ = 0;
}

void session_model::check_idle() {
  require(requests_.unread().empty() && requests_.stream.is_at_boundary());
  require(replies_.stream.is_at_boundary());
  require(std::none_of(rejected_.begin(), rejected_.end(),
                       [](const answer_due& each) { return each.is_certain; }));
}

void session_model::close() {
  is_open_ = false;
}

void session_model::end() {
  is_open_ = false;
  fsm_.end(now_);
  the_world().inspector.accounting().flush_shapes();
  const totals after = totals_of(the_world().collector);
  const totals before = std::exchange(the_world().so_far, after);
  const double commands = after.commands - before.commands;
  const double judged = after.judged - before.judged;
  const auto dropped = static_cast<double>(dropped_);
  const double refused = after.refused - before.refused;
  require(after.rejected - before.rejected + refused == dropped);
  const proxy::throttle& throttle = *throttled_->throttles[0];
  require(throttle.waiting() == 0 && throttle.under_way() == 0);
  // Unreadable messages are counted without being judged.
  const double unread = after.unread - before.unread;
  require(judged <= commands && commands <= judged + unread);
}

}  // namespace scattergate::fuzz
