#include "report/sources/slow_operations.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "config/text/extended_json.hpp"
#include "report/sources/input.hpp"
#include "report/sources/observation.hpp"
#include "report/sources/source_times.hpp"
#include "routing/command_kind.hpp"
#include "text/json_writer.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report {
namespace {

/// Whether a top-level field of a command only controls how the command is run (sessions,
/// times, signatures, versions). The reader of logs removes such fields, because verdicts
/// and shapes (texts of commands without values) ignore them.
bool is_ignored_field(std::string_view field) noexcept {
  static constexpr std::array<std::string_view, 14> names = {
      "$clusterTime",     "$configServerState",
      "$configTime",      "$topologyTime",
      "$audit",           "$client",
      "$readPreference",  "lsid",
      "shardVersion",     "databaseVersion",
      "runtimeConstants", "mayBypassWriteBlocking",
      "apiVersion",       "clientOperationKey"};
  return std::find(names.begin(), names.end(), field) != names.end();
}

namespace ondemand = simdjson::ondemand;
using simdjson::simdjson_error;

static_assert(input_lines::padding >= simdjson::SIMDJSON_PADDING);

/// Replaces values in a redacted log (mongod's --redactClientLogData).
constexpr std::string_view redacted = "###";

/// The content of a line about an operation.
struct slow_operation {
  std::string name_space;
  std::string members;  ///< the command as JSON, without the fields that control how it is run
  std::string origin;   ///< of a getMore: the command that opened its cursor, without such
                        ///< fields
  std::string first_field;
  bool has_database = false;
  bool has_locks = false;     ///< it has `locks`; mongos logs an empty one from 8.0 on
  bool is_by_mongos = false;  ///< logged by a mongos of 8.0 or later: `svc` is R (router)
  bool is_truncated = false;
  bool is_running = false;  ///< from $currentOp
  bool is_of_router = false;
  std::string type;
};

std::string text_of(ondemand::value value) {
  return std::string{std::string_view{value.get_string()}};
}

/// A number, plain or in canonical Extended JSON: {"$numberLong": "5"}
std::int64_t whole_number(ondemand::value value) {
  if (value.type() != ondemand::json_type::object) return value.get_int64();
  for (auto field : value.get_object()) return field.value().get_int64_in_string();
  return 0;
}

/// {"$date": "..."}, or canonical: {"$date": {"$numberLong": "..."}}
std::optional<digest::wall_time> time_of(ondemand::value value) {
  ondemand::value date = value.get_object().find_field("$date");
  if (date.type() != ondemand::json_type::string) return representable_time(whole_number(date));
  const std::string_view text = date.get_string();
  return representable_time(config::parse_time(text));
}

/// mongos's nShards; nothing if it is impossibly large.
std::optional<std::uint32_t> shards_of(ondemand::value value) {
  constexpr std::int64_t most = 100'000;
  const std::int64_t number = whole_number(value);
  if (number < 0 || number > most) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

/// A count of documents or bytes; nothing if it is impossibly large.
std::optional<std::uint64_t> amount_of(ondemand::value value) {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  const std::int64_t number = whole_number(value);
  if (number < 0 || number > most) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

}  // namespace

class slow_operations::reader {
 public:
  void read(std::string_view line, observer& to) {
    try {
      ondemand::document document =
          parser_.iterate(line.data(), line.size(), line.size() + input_lines::padding);
      read_line(document.get_object(), to);
    } catch (const simdjson_error&) {
      to.on_skipped(skip_reason::unreadable);
    }
  }

  void finish(observer& to);
  [[nodiscard]] std::optional<std::chrono::milliseconds> threshold() const noexcept {
    if (least_ < default_threshold || least_ == never) return std::nullopt;
    return default_threshold;
  }

  source_kind kind = source_kind::unknown;

 private:
  static constexpr std::chrono::milliseconds default_threshold{100};
  static constexpr auto never = std::chrono::milliseconds::max();
  /// Statements beyond this count as commands, whatever client sent them.
  static constexpr std::size_t most_undecided = 4096;

  void note_sender(std::string_view key, std::string_view json);
  void decide(bool is_shards, observer& to);
  void read_line(ondemand::object line, observer& to);
  void read_attribute(std::string_view key, ondemand::value value);
  void read_error(std::string_view key, ondemand::value value);
  void read_execution(std::string_view key, ondemand::value value);
  void read_running(std::string_view key, ondemand::value value);
  void read_command(ondemand::object command);
  void emit(observer& to);
  [[nodiscard]] std::string whole_command() const;
  [[nodiscard]] std::optional<skip_reason> why_left_out() const;

  ondemand::parser parser_;
  slow_operation operation_;
  observation seen_;
  std::chrono::milliseconds least_ = never;  ///< of all durations
  std::optional<bool> is_shards_;       ///< whether the log is a shard's, once that is known
  std::vector<observation> undecided_;  ///< statements, until that is known
};

void slow_operations::reader::read_line(ondemand::object line, observer& to) {
  operation_ = {};
  seen_ = {};
  bool is_log = false;
  for (auto field : line) {
    const std::string_view key = field.unescaped_key();
    if (key == "t") {
      is_log = true;
      seen_.at = time_of(field.value());
    } else if (key == "svc" && is_log) {
      const std::string_view service = field.value().get_string();
      operation_.is_by_mongos = service == "R";
    } else if (key == "msg" && is_log) {
      const std::string_view message = field.value().get_string();
      if (message != "Slow query") return to.on_skipped(skip_reason::not_a_command);
    } else if (key == "attr" && is_log) {
      for (auto attribute : field.value().get_object()) {
        read_attribute(attribute.unescaped_key(), attribute.value());
      }
    } else if (key == "truncated") {
      operation_.is_truncated = true;
    } else if (!is_log) {
      read_attribute(key, field.value());
    }
  }
  if (!is_log) kind = source_kind::profile;
  emit(to);
}

/// Handles names that differ between the log and the profile.
void slow_operations::reader::read_attribute(std::string_view key, ondemand::value value) {
  if (key == "command") {
    if (value.type() == ondemand::json_type::object) read_command(value.get_object());
  } else if (key == "originatingCommand") {
    operation_.origin = std::string_view{simdjson::to_json_string(value)};
  } else if (key == "ns") {
    operation_.name_space = text_of(value);
  } else if (key == "nShards") {
    seen_.shards = shards_of(value);
  } else if (key == "durationMillis" || key == "millis") {
    const std::chrono::milliseconds took{whole_number(value)};
    least_ = std::min(least_, took);
    seen_.duration = clamped_duration(took);
    seen_.resolution = std::chrono::milliseconds{1};
  } else if (key == "ts") {
    seen_.at = time_of(value);
  } else if (key == "appName") {
    seen_.who.app_name = text_of(value);
  } else if (key == "opid" || key == "currentOpTime" || key == "microsecs_running" ||
             key == "effectiveUsers" || key == "cursor") {
    read_running(key, value);
  } else if (key == "remote" || key == "client") {
    seen_.who.remote = host_of(text_of(value));
  } else if (key == "user") {
    seen_.who.user = text_of(value);
  } else if (key == "op" || (key == "type" && operation_.type.empty())) {
    operation_.type = text_of(value);
  } else if (key == "errCode" || key == "errName") {
    read_error(key, value);
  } else if (key == "locks") {
    operation_.has_locks = true;
  } else if (key == "queryShapeHash") {
    seen_.query_shape_hash = text_of(value);
  } else {
    read_execution(key, value);
  }
}

/// Early versions of 4.4 write the code as the name, too.
void slow_operations::reader::read_error(std::string_view key, ondemand::value value) {
  if (value.type() == ondemand::json_type::string) {
    if (key == "errName") seen_.error_name = text_of(value);
  } else if (key == "errCode") {
    seen_.is_error = true;
    if (seen_.error_name.empty()) seen_.error_name = name_of_error(whole_number(value));
  }
}

/// Reads execution statistics.
void slow_operations::reader::read_execution(std::string_view key, ondemand::value value) {
  if (key == "docsExamined") {
    seen_.docs_examined = amount_of(value);
  } else if (key == "reslen" || key == "responseLength") {
    seen_.reply_bytes = amount_of(value);
  } else if (key == "planSummary") {
    seen_.plan = text_of(value);
  }
}

/// Reads fields of $currentOp only, such as how long it has run.
void slow_operations::reader::read_running(std::string_view key, ondemand::value value) {
  operation_.is_running = true;
  if (key == "currentOpTime") {
    const std::string_view text = value.get_string();
    seen_.at = representable_time(config::parse_time(text));
  } else if (key == "microsecs_running") {
    seen_.duration = clamped_duration(std::chrono::microseconds{whole_number(value)});
  } else if (key == "effectiveUsers") {
    for (auto user : value.get_array()) seen_.who.user = text_of(user.find_field("user"));
  } else if (key == "cursor") {
    for (auto field : value.get_object()) {
      const std::string_view name = field.unescaped_key();
      if (name == "originatingCommand") {
        operation_.origin = std::string_view{simdjson::to_json_string(field.value())};
      }
    }
  }
}

/// Recognises fields that a router adds to the commands that it forwards.
void slow_operations::reader::note_sender(std::string_view key, std::string_view json) {
  const bool is_version = key == "shardVersion" || key == "databaseVersion";
  const bool is_flag = (key == "fromMongos" || key == "fromRouter") && json == "true";
  const bool is_client = key == "$client" && json.find(R"("mongos":)") != json.npos;
  if (is_version || is_flag || is_client) operation_.is_of_router = true;
}

/// Keeps the command as JSON; a comment also identifies the sender.
void slow_operations::reader::read_command(ondemand::object command) {
  text::json_writer members{operation_.members};
  for (auto field : command) {
    const std::string key{std::string_view{field.unescaped_key()}};
    if (operation_.first_field.empty()) operation_.first_field = key;
    if (key == "$truncated") operation_.is_truncated = true;
    if (key == "$db") operation_.has_database = true;
    ondemand::value value = field.value();
    const std::string_view json = simdjson::to_json_string(value);
    note_sender(key, json);
    if (is_ignored_field(key)) continue;
    if (key == "comment" && json.size() > 2 && json.front() == '"') {
      seen_.who.comment = json.substr(1, json.size() - 2);
    }
    members.raw(key, json);
  }
}

/// The command as sent; a statement that a mongod logs separately becomes a batch of one.
std::string slow_operations::reader::whole_command() const {
  const auto ns =
      wire::namespace_view::of(operation_.name_space).value_or(wire::namespace_view{});
  std::string whole;
  text::json_writer json{whole};
  json.object();
  if (operation_.first_field == "q") {
    const bool is_delete = operation_.type == "remove";
    const auto command =
        is_delete ? routing::command_kind::delete_ : routing::command_kind::update;
    json.text(routing::name_of(command), ns.collection);
    json.array(routing::facts_of(command).batch);
    json.object();
    json.raw(operation_.members);
    json.end();
    json.end();
  } else {
    json.raw(operation_.members);
  }
  if (!operation_.has_database) json.text("$db", ns.database);
  json.end();
  return whole;
}

std::optional<skip_reason> slow_operations::reader::why_left_out() const {
  if (operation_.first_field.empty()) return skip_reason::not_a_command;
  if (operation_.is_truncated) return skip_reason::truncated;
  if (operation_.members.find(redacted) != std::string::npos) return skip_reason::redacted;
  if (operation_.first_field.starts_with('_')) return skip_reason::internal;
  const auto command = routing::kind_of(operation_.first_field);
  if (routing::is_sensitive(command)) return skip_reason::sensitive;
  const bool has_statements =
      routing::facts_of(command).holds == routing::batch_items::statements;
  if (has_statements && operation_.has_locks && !operation_.is_running) {
    return skip_reason::logged_by_statement;
  }
  return std::nullopt;
}

void slow_operations::reader::emit(observer& to) {
  if (operation_.is_by_mongos) operation_.has_locks = false;
  if (kind != source_kind::profile && operation_.has_locks) kind = source_kind::mongod_log;
  const bool is_by_mongos = operation_.is_by_mongos || seen_.shards;
  if (is_by_mongos && kind == source_kind::unknown) kind = source_kind::mongos_log;
  const bool is_clear = operation_.is_of_router || !operation_.name_space.starts_with("admin.");
  const bool is_statement = operation_.first_field == "q";
  if (!is_shards_ && !is_statement && operation_.has_locks && is_clear) {
    decide(operation_.is_of_router, to);
  }
  if (const auto why = why_left_out()) return to.on_skipped(*why);
  auto made = config::bson_of_json(whole_command());
  if (!made) return to.on_skipped(skip_reason::unreadable);
  seen_.command = std::move(made->bytes);
  if (!operation_.origin.empty()) {
    if (auto origin = config::bson_of_json(operation_.origin)) {
      seen_.origin = std::move(origin->bytes);
    }
  }
  if (operation_.first_field == "q" && !is_shards_) {
    undecided_.push_back(std::move(seen_));
    if (undecided_.size() == most_undecided) decide(false, to);
    return;
  }
  seen_.is_shard_request =
      operation_.is_of_router || (operation_.first_field == "q" && *is_shards_);
  to.on_command(seen_);
}

void slow_operations::reader::decide(bool is_shards, observer& to) {
  is_shards_ = is_shards;
  for (observation& one : std::exchange(undecided_, {})) {
    one.is_shard_request = is_shards;
    to.on_given(std::move(one));
  }
}

void slow_operations::reader::finish(observer& to) {
  if (!is_shards_) decide(false, to);
}

slow_operations::slow_operations() : reader_(std::make_unique<reader>()) {}

slow_operations::~slow_operations() = default;

void slow_operations::read(std::string_view line, observer& to) {
  reader_->read(line, to);
}

void slow_operations::finish(observer& to) {
  reader_->finish(to);
}

std::optional<std::chrono::milliseconds> slow_operations::threshold() const noexcept {
  return reader_->threshold();
}

source_kind slow_operations::kind() const noexcept {
  return reader_->kind;
}

}  // namespace scattergate::report
