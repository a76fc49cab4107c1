#include "telemetry/log/log.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "net/unique_fd.hpp"
#include "telemetry/log/json_date.hpp"
#include "telemetry/log/log_attributes.hpp"
#include "text/ci_commands.hpp"
#include "text/json_writer.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry::log {
namespace {

using logger_ptr = std::shared_ptr<spdlog::logger>;

/// Creates the file for owner and group only; spdlog would make it world-readable. On failure
/// spdlog fails too and reports the reason.
void make_file(const std::string& file) {
  constexpr mode_t mode = 0640;
  constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  std::error_code ignored;
  const auto folder = std::filesystem::path{file}.parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  const net::unique_fd made{::open(file.c_str(), flags, mode)};
}

/// A logger that writes texts as lines, unchanged: write() builds the JSON.
logger_ptr make_logger(const std::string& file) {
  spdlog::sink_ptr sink;
  if (file == "-") {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    make_file(file);
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
  }
  auto logger = std::make_shared<spdlog::logger>("scattergate", std::move(sink));
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::trace);
  logger->flush_on(spdlog::level::trace);
  return logger;
}

text::result<logger_ptr> open_logger(const std::string& file) {
  try {
    return make_logger(file);
  } catch (const spdlog::spdlog_ex& error) {
    return text::failure(error.what());
  }
}

/// The process's only log. Thread-safety: any thread.
struct log_state {
  std::mutex mutex;  // guards file and logger
  std::string file = "-";
  logger_ptr logger = make_logger("-");
  std::atomic<severity> least{severity::info};

  [[nodiscard]] logger_ptr current() {
    const std::lock_guard lock{mutex};
    return logger;
  }
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

}  // namespace

text::result<void> open(const std::string& file, const std::string& level) {
  auto made = open_logger(file);
  if (!made) return text::problem{"cannot open the log " + file, made.error().what};
  set_level(level);
  log_state& log = state();
  const std::lock_guard lock{log.mutex};
  log.file = file;
  log.logger = *std::move(made);
  return {};
}

void reopen() {
  log_state& log = state();
  std::string file;
  {
    const std::lock_guard lock{log.mutex};
    file = log.file;
  }
  auto made = open_logger(file);
  if (!made) {
    return write(severity::error, component::config, 4001,
                 "The log can't be reopened; the old file stays in use",
                 {{"error", made.error().what}});
  }
  const std::lock_guard lock{log.mutex};
  log.logger = *std::move(made);
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
  line = text::ci_safe(std::move(line), text::ci_syntax::json);
  log.current()->log(spdlog::level::info, spdlog::string_view_t{line});
}

}  // namespace scattergate::telemetry::log
