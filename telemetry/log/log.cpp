#include "telemetry/log/log.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

#include "telemetry/log/json_date.hpp"
#include "telemetry/log/log_attributes.hpp"
#include "text/ci_commands.hpp"
#include "text/json_writer.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry::log {
namespace {

/// Writes lines, which write() has built, unchanged. spdlog's own outputs wait for ever for the
/// reader of a pipe.
class file_sink final : public spdlog::sinks::sink {
 public:
  explicit file_sink(log_file& to) : to_(to) {}
  void log(const spdlog::details::log_msg& line) override {
    to_.write({line.payload.data(), line.payload.size()});
  }
  void flush() override {}
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  log_file& to_;
};

/// The process's only log. Thread-safety: any thread.
struct log_state {
  log_file out;
  spdlog::logger logger{"scattergate", std::make_shared<file_sink>(out)};
  std::mutex mutex;  // guards path
  std::string path = "-";
  std::uint64_t lost_noted = 0;  // used only by write_again()
  std::atomic<severity> least{severity::info};
};

log_state& state() {
  static log_state only;
  return only;
}

thread_local std::string thread_name = "main";

severity severity_of(const std::string& level) noexcept {
  if (level == "debug") return severity::debug;
  if (level == "warning") return severity::warning;
  if (level == "error") return severity::error;
  return severity::info;
}

constexpr wire::label_table<severity> severity_labels{{
    {severity::debug, "D1"},
    {severity::info, "I"},
    {severity::warning, "W"},
    {severity::error, "E"},
    {severity::fatal, "F"},
}};

constexpr wire::label_table<component> component_labels{{
    {component::proxy, "PROXY"},
    {component::routing, "ROUTING"},
    {component::catalog, "CATALOG"},
    {component::audit, "AUDIT"},
    {component::config, "CONFIG"},
    {component::admin, "ADMIN"},
}};

std::string line_of(severity severity, component component, std::int32_t id,
                    std::string_view message, attributes with) {
  std::string line;
  text::json_writer json{line};
  json.object();
  append_json_date(json, "t", std::chrono::system_clock::now());
  json.text("s", severity_labels[severity]);
  json.text("c", component_labels[component]);
  json.number("id", id);
  json.text("ctx", thread_name);
  json.text("msg", message);
  append_attributes(json, with);
  json.end();
  return text::ci_safe(std::move(line), text::ci_syntax::json) + '\n';
}

}  // namespace

text::result<void> open(const std::string& file, const std::string& level) {
  auto opened = log_file::open(file);
  if (!opened) return text::problem{"cannot open the log " + file, opened.error().what};
  set_level(level);
  log_state& log = state();
  log.out.replace(*std::move(opened));
  const std::lock_guard lock{log.mutex};
  log.path = file;
  return {};
}

void reopen() {
  auto opened = log_file::open(file());
  if (!opened) {
    return write(severity::error, component::config, 4001,
                 "The log can't be reopened; the old file stays in use",
                 {{"error", opened.error().what}});
  }
  state().out.replace(*std::move(opened));
}

log_file::state writing() {
  return state().out.now();
}

void write_again() {
  log_state& log = state();
  const log_file::state before = log.out.now();
  if (!before.lost_by && before.lost_lines == log.lost_noted) return;
  const auto lines = static_cast<std::int64_t>(before.lost_lines - log.lost_noted);
  const std::string line = line_of(severity::warning, component::config, 4002,
                                   "Log lines were lost", {{"lines", lines}});
  if (log.out.write(line, false)) log.lost_noted = before.lost_lines;
}

std::string file() {
  log_state& log = state();
  const std::lock_guard lock{log.mutex};
  return log.path;
}

void set_level(const std::string& level) {
  state().least = severity_of(level);
}

void set_thread_name(std::string name) {
  thread_name = std::move(name);
}

void write(severity severity, component component, std::int32_t id, std::string_view message,
           attributes with) {
  log_state& log = state();
  if (severity < log.least.load(std::memory_order_relaxed)) return;
  log.logger.log(spdlog::level::info,
                 spdlog::string_view_t{line_of(severity, component, id, message, with)});
}

}  // namespace scattergate::telemetry::log
