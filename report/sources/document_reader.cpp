#include "report/sources/document_reader.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "config/text/extended_json.hpp"
#include "digest/shape_command.hpp"
#include "report/sources/input.hpp"
#include "report/sources/own_documents.hpp"
#include "report/sources/slow_operations.hpp"
#include "report/sources/source_times.hpp"
#include "report/sources/wrapped_lines.hpp"
#include "routing/command_kind.hpp"
#include "wire/bson_writer.hpp"
#include "wire/command.hpp"
#include "wire/endian.hpp"

namespace scattergate::report {
namespace {

using wire::bson_type;
using wire::document_view;

document_view document_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field ? field->as_document().value_or(document_view{}) : document_view{};
}

std::string string_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field && field->is_string() ? std::string{field->as_string()} : std::string{};
}

std::int64_t number_in(document_view from, std::string_view name) {
  constexpr std::int64_t most = 1'000'000'000'000'000;  // sums don't overflow
  const auto field = wire::find_field(from, name);
  const auto number = field ? field->as_int64() : std::nullopt;
  return std::clamp<std::int64_t>(number.value_or(0), 0, most);
}

std::optional<digest::wall_time> time_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  if (!field || field->type() != bson_type::date) return std::nullopt;
  return representable_time(wire::load_little<std::int64_t>(field->value().data()));
}

std::chrono::nanoseconds micros_in(document_view from, std::string_view name) {
  return clamped_duration(std::chrono::microseconds{number_in(from, name)});
}

/// Whether a name is an HMAC-SHA-256 in base64, as transformIdentifiers writes it.
bool is_hashed(std::string_view name) {
  constexpr std::size_t hash_length = 44;
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return name.size() == hash_length && name.ends_with('=') &&
         name.find_first_not_of(digits) == hash_length - 1;
}

namespace ondemand = simdjson::ondemand;

/// Detects the kind of a document by its field names.
class kind_by_fields {
 public:
  /// True once the kind is known.
  bool take(std::string_view name) {
    has_key_ |= name == "key";
    has_metrics_ |= name == "metrics";
    has_op_ |= name == "op";
    has_ns_ |= name == "ns";
    is_running_ |= name == "opid" || name == "connectionId";
    return kind() != source_kind::commands;
  }
  [[nodiscard]] source_kind kind() const {
    if (has_key_ && has_metrics_) return source_kind::query_stats;
    if (is_running_ || (has_op_ && has_ns_)) return source_kind::profile;
    return source_kind::commands;
  }

 private:
  bool has_key_ = false;
  bool has_metrics_ = false;
  bool has_op_ = false;
  bool has_ns_ = false;
  bool is_running_ = false;
};

source_kind kind_of(wire::document_view document) {
  kind_by_fields fields;
  wire::document_reader reader{document};
  for (wire::element field; reader.next(field);) {
    if (fields.take(field.key())) break;
  }
  return fields.kind();
}

void read_command(wire::document_view body, observer& to) {
  observation seen;
  const auto command = wire::command_of(body);
  if (!command) return to.on_skipped(skip_reason::unreadable);
  // An object of another log: nothing shows that it is a command.
  const bool is_strange = routing::kind_of(command->name) == routing::command_kind::other;
  if (is_strange && !wire::find_field(body, "$db")) {
    return to.on_skipped(skip_reason::unreadable);
  }
  if (routing::is_sensitive(routing::kind_of(command->name))) {
    return to.on_skipped(skip_reason::sensitive);
  }
  if (const auto comment = wire::find_field(body, "comment"); comment && comment->is_string()) {
    seen.who.comment = comment->as_string();
  }
  seen.command.assign(body.bytes().begin(), body.bytes().end());
  to.on_command(seen);
}

}  // namespace

void read_query_stats(document_view entry, observer& to) {
  const document_view key = document_in(entry, "key");
  const document_view shape = document_in(key, "queryShape");
  const document_view metrics = document_in(entry, "metrics");
  const std::int64_t count = number_in(metrics, "execCount");
  if (shape.is_empty() || count == 0) return to.on_skipped(skip_reason::unreadable);
  if (is_hashed(string_in(document_in(shape, "cmdNs"), "db"))) {
    return to.on_skipped(skip_reason::redacted);
  }
  auto command = digest::command_of_shape(shape);
  if (!command) return to.on_skipped(skip_reason::not_rebuilt);
  observation seen;
  seen.command = std::move(*command);
  seen.is_made_up = true;
  seen.count = static_cast<std::uint64_t>(count);
  const document_view times = document_in(metrics, "totalExecMicros");
  if (!times.is_empty()) {
    seen.duration = micros_in(times, "sum");
    seen.longest = micros_in(times, "max");
  }
  seen.first = time_in(metrics, "firstSeenTimestamp");
  seen.at = time_in(metrics, "latestSeenTimestamp");
  const document_view client = document_in(key, "client");
  seen.who.app_name = string_in(document_in(client, "application"), "name");
  seen.who.driver = string_in(document_in(client, "driver"), "name");
  seen.query_shape_hash = string_in(entry, "queryShapeHash");
  to.on_command(seen);
}

class document_reader::reader {
 public:
  reader(std::optional<source_kind> as, observer& to) : as_(as), to_(to) {}

  void read(std::string_view line) {
    const std::string_view json = lines_.take(line, to_);
    if (!json.empty()) read_json(json);
  }

  void read_json(std::string_view json) {
    const source_kind kind = as_ ? *as_ : kind_of_text(json);
    if (kind == source_kind::unknown) return read_members(json);
    if (kind == source_kind::audit) {
      audit_.read(json, to_);
    } else if (is_of_server(kind)) {
      operations_.read(json, to_);
    } else {
      read_whole(json, kind);
    }
    note(kind);
  }

  void read(wire::document_view document) {
    const source_kind kind = as_ ? *as_ : report::kind_of(document);
    if (is_of_server(kind)) {
      std::string json = wire::relaxed_json_of(document.bytes());
      const std::size_t size = json.size();
      json.append(input_lines::padding, ' ');
      operations_.read(std::string_view{json}.substr(0, size), to_);
    } else {
      read_as(document, kind);
    }
    note(kind);
  }

  void finish() {
    lines_.finish(to_);
    operations_.finish(to_);
  }

  [[nodiscard]] std::optional<std::chrono::milliseconds> threshold() const noexcept {
    return is_of_server(kind()) ? operations_.threshold() : std::nullopt;
  }

  [[nodiscard]] source_kind kind() const {
    const bool is_detected = !as_ && operations_.kind() != source_kind::unknown;
    return is_detected && kind_ != source_kind::audit ? operations_.kind() : kind_;
  }

 private:
  static bool is_of_server(source_kind kind) {
    return kind == source_kind::mongos_log || kind == source_kind::mongod_log ||
           kind == source_kind::profile;
  }
  void note(source_kind kind) {
    if (kind_ == source_kind::unknown) kind_ = kind;
  }
  [[nodiscard]] source_kind kind_of_text(std::string_view json);
  [[nodiscard]] source_kind kind_of_fields(std::string_view json);
  void read_members(std::string_view json);

  void read_whole(std::string_view json, source_kind kind) {
    const auto made = config::bson_of_json(json);
    if (!made) return to_.on_skipped(skip_reason::unreadable);
    read_as(made->view(), kind);
  }
  void read_as(wire::document_view document, source_kind kind) {
    kind == source_kind::query_stats ? read_query_stats(document, to_)
                                     : read_command(document, to_);
  }

  std::optional<source_kind> as_;
  observer& to_;
  wrapped_lines lines_;
  slow_operations operations_;
  audit_lines audit_;
  ondemand::parser parser_;
  source_kind kind_ = source_kind::unknown;
};

/// Detects the kind by the first bytes if its writer always begins so; otherwise by the fields.
/// Unknown: the document contains documents.
source_kind document_reader::reader::kind_of_text(std::string_view json) {
  if (json.starts_with(R"({"t":)")) return source_kind::mongos_log;
  if (json.starts_with(R"({"schemaVersion":1,"atype":"scattergate.)"))
    return source_kind::audit;
  constexpr std::size_t head = 64;
  const std::string_view begins = json.substr(0, head);
  if (begins.find(R"("op")") != begins.npos && begins.find(R"("ns")") != begins.npos) {
    return source_kind::profile;
  }
  return kind_of_fields(json);
}

source_kind document_reader::reader::kind_of_fields(std::string_view json) {
  kind_by_fields fields;
  try {
    ondemand::document document =
        parser_.iterate(json.data(), json.size(), json.size() + input_lines::padding);
    bool is_first = true;
    for (auto field : document.get_object()) {
      const std::string_view name = field.unescaped_key();
      if (is_first && (name == "inprog" || name == "cursor")) return source_kind::unknown;
      is_first = false;
      if (fields.take(name)) break;
    }
  } catch (const simdjson::simdjson_error&) {
    return source_kind::commands;  // the reader of commands reports the problem
  }
  return fields.kind();
}

void document_reader::reader::read_members(std::string_view json) {
  std::vector<std::string_view> members;  // views into `json`
  try {
    ondemand::document document =
        parser_.iterate(json.data(), json.size(), json.size() + input_lines::padding);
    ondemand::object reply = document.get_object();
    for (auto field : reply) {
      const std::string_view name = field.unescaped_key();
      if (name != "inprog" && name != "cursor") continue;
      ondemand::array list = name == "inprog" ? field.value().get_array()
                                              : field.value()["firstBatch"].get_array();
      for (auto member : list) {
        ondemand::object one = member.get_object();
        members.push_back(one.raw_json());
      }
    }
  } catch (const simdjson::simdjson_error&) {
    to_.on_skipped(skip_reason::unreadable);
  }
  for (const std::string_view one : members) {
    const source_kind kind = kind_of_text(one);
    if (kind == source_kind::unknown) {
      to_.on_skipped(skip_reason::unreadable);
    } else {
      read_json(one);
    }
  }
}

document_reader::document_reader(std::optional<source_kind> as, observer& to)
    : reader_(std::make_unique<reader>(as, to)) {}

document_reader::~document_reader() = default;

void document_reader::read(std::string_view json) {
  reader_->read(json);
}

void document_reader::read(wire::document_view document) {
  reader_->read(document);
}

void document_reader::finish() {
  reader_->finish();
}

std::optional<std::chrono::milliseconds> document_reader::threshold() const noexcept {
  return reader_->threshold();
}

source_kind document_reader::kind() const noexcept {
  return reader_->kind();
}

}  // namespace scattergate::report
