#include "report/sources/source.hpp"

#include <string_view>

#include "config/text/extended_json.hpp"
#include "report/sources/audit_lines.hpp"
#include "report/sources/capture.hpp"
#include "report/sources/recording.hpp"
#include "report/sources/slow_operations.hpp"
#include "routing/command_kind.hpp"
#include "wire/command.hpp"

namespace scattergate::report {
namespace {

/// Lines between two calls of on_progress.
constexpr std::uint64_t lines_a_step = 4096;

/// The kinds of lines, by their first bytes: what each is written by writes them always so.
source_kind kind_of_line(std::string_view line) {
  if (line.starts_with(R"({"t":)")) return source_kind::mongos_log;
  if (line.starts_with(R"({"schemaVersion":1,"atype":"scattergate.)"))
    return source_kind::audit;
  constexpr std::size_t head = 64;
  const std::string_view begins = line.substr(0, head);
  if (begins.find(R"("op")") != begins.npos && begins.find(R"("ns")") != begins.npos) {
    return source_kind::profile;
  }
  return source_kind::commands;
}

void read_command(std::string_view line, observer& to) {
  observation seen;
  config::bson_bytes made = config::bson_of_json(line);
  if (!made.error.empty()) return to.on_skipped(skip_reason::unreadable);
  const auto command = wire::command_of(made.view());
  if (!command) return to.on_skipped(skip_reason::unreadable);
  if (routing::is_sensitive(routing::kind_of(command->name))) {
    return to.on_skipped(skip_reason::sensitive);
  }
  if (const auto comment = wire::find_field(made.view(), "comment");
      comment && comment->is_string()) {
    seen.who.comment = comment->as_string();
  }
  seen.command = std::move(made.bytes);
  to.on_command(seen);
}

}  // namespace

source::source(input& from, std::optional<source_kind> as) : input_(from), as_(as) {}

void source::read(observer& to, const progress& on_progress) {
  constexpr std::size_t telling_bytes = 1024;
  const std::string begins{input_.peek(telling_bytes)};
  if (as_ ? *as_ == source_kind::pcap : is_capture(begins)) {
    kind_ = source_kind::pcap;
    error_ = read_capture(input_, to, on_progress);
  } else if (as_ ? *as_ == source_kind::recording : is_recording(begins)) {
    kind_ = source_kind::recording;
    error_ = read_recording(input_, to, on_progress);
  } else {
    read_lines(to, on_progress);
  }
}

void source::read_lines(observer& to, const progress& on_progress) {
  input_lines lines{input_};
  slow_operations operations;
  while (lines.next()) {
    if (lines.number() % lines_a_step == 0 && !on_progress(input_)) return;
    const std::string_view line = lines.line();
    if (lines.is_too_long()) {
      to.on_skipped(skip_reason::too_long);
      continue;
    }
    if (line.find_first_not_of(" \t") == line.npos) continue;
    const source_kind kind = as_ ? *as_ : kind_of_line(line);
    switch (kind) {
      case source_kind::audit:
        read_audit_line(line, to);
        break;
      case source_kind::mongos_log:
      case source_kind::mongod_log:
      case source_kind::profile:
        operations.read(line, to);
        break;
      case source_kind::commands:
      case source_kind::pcap:
      case source_kind::recording:
      case source_kind::unknown:
        read_command(line, to);
        break;
    }
    if (kind_ == source_kind::unknown) kind_ = kind;
  }
  if (!as_ && operations.kind() != source_kind::unknown && kind_ != source_kind::audit) {
    kind_ = operations.kind();
  }
}

}  // namespace scattergate::report
