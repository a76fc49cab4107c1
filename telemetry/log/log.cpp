#include "telemetry/log/log.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>
#include <unistd.h>

#include "telemetry/patient_write.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry::log {
namespace {

using text::json_writer;

constexpr std::size_t max_attributes_bytes = 10 * 1024;

/// Appends a number as relaxed Extended JSON.
void append_double(json_writer& to, double number) {
  if (std::isfinite(number)) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return to.raw({text.data(), static_cast<std::size_t>(end - text.data())});
  }
  to.object();
  to.text("$numberDouble", std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
  to.end();
}

/// Writes the attributes of one line.
class attribute_writer {
 public:
  attribute_writer() {
    attributes_.object();
    truncated_.object();
    sizes_.object();
  }

  void append(std::string_view name, const value& value) {
    if (std::holds_alternative<std::monostate>(value)) return;
    attributes_.name(name);
    std::visit([&](const auto& each) { append_value(name, each); }, value);
  }

  void write_to(json_writer& line) {
    attributes_.end();
    truncated_.end();
    sizes_.end();
    line.raw("attr", attributes_text_);
    if (!is_cut_) return;
    line.raw("truncated", truncated_text_);
    line.raw("size", sizes_text_);
  }

 private:
  void append_value(std::string_view name, const std::string& text) {
    const std::size_t used = std::min(attributes_text_.size() - 1, max_attributes_bytes);
    const std::string_view kept = text::cut_utf8(text, max_attributes_bytes - used);
    attributes_.text(kept);
    if (kept.size() == text.size()) return;
    is_cut_ = true;
    truncated_.object(name);
    truncated_.text("type", "string");
    truncated_.number("size", text.size());
    truncated_.end();
    sizes_.number(name, text.size());
  }
  void append_value(std::string_view /*name*/, std::int64_t number) {
    attributes_.number(number);
  }
  void append_value(std::string_view /*name*/, double number) {
    append_double(attributes_, number);
  }
  void append_value(std::string_view /*name*/, bool flag) { attributes_.flag(flag); }
  void append_value(std::string_view name, const std::vector<std::string>& texts) {
    attributes_.array();
    for (const std::string& one : texts) append_value(name, one);
    attributes_.end();
  }
  void append_value(std::string_view /*name*/, std::monostate /*none*/) {}

  std::string attributes_text_;
  std::string truncated_text_;
  std::string sizes_text_;
  json_writer attributes_{attributes_text_};
  json_writer truncated_{truncated_text_};
  json_writer sizes_{sizes_text_};
  bool is_cut_ = false;
};

/// Appends the attributes of a log line as the member `attr`; appends nothing if `with` is
/// empty. Truncates texts if all attributes together exceed 10 KB (MongoDB's maxLogSizeKB). The
/// members `truncated` and `size` then report each truncated text, as in MongoDB's log.
void append_attributes(json_writer& line, attributes with) {
  if (with.size() == 0) return;
  attribute_writer writer;
  for (const auto& [name, each] : with) writer.append(name, each);
  writer.write_to(line);
}

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
  json.object("t");
  json.time("$date", std::chrono::system_clock::now());
  json.end();
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

text::result<net::unique_fd> log_file::open(const std::string& path) {
  if (path == "-") return net::unique_fd{};
  std::error_code ignored;
  const auto folder = std::filesystem::path{path}.parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  net::unique_fd opened = open_for_append(path);
  if (!opened) return text::failure(std::generic_category().message(errno));
  return opened;
}

void log_file::replace(net::unique_fd opened) {
  const std::lock_guard lock{mutex_};
  file_ = std::move(opened);
  tail_.clear();
  state_.lost_by.reset();
}

bool log_file::write(const std::string& line, bool counts) {
  const std::lock_guard lock{mutex_};
  const std::chrono::milliseconds patience{!state_.lost_by ? 1'000 : 0};
  const std::size_t tail_size = tail_.size();
  tail_ += line;
  const written_part done =
      write_patiently(file_ ? file_.get() : STDERR_FILENO, tail_, patience);
  state_.lost_by.reset();
  if (done.error != 0) state_.lost_by = text::failure(write_failure_text(done.error));
  const bool has_begun = done.bytes > tail_size;
  if (!has_begun) tail_.resize(tail_size);
  tail_.erase(0, done.bytes);
  if (!has_begun && counts) ++state_.lost_lines;
  return has_begun;
}

log_file::state log_file::now() const {
  const std::lock_guard lock{mutex_};
  return state_;
}

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

void set_thread_name(std::string_view name) noexcept {
  constexpr std::size_t without_heap = 15;
  thread_name.assign(name.substr(0, without_heap));
}

void begin_thread(std::string_view name) noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  set_thread_name(name);
}

void write(severity severity, component component, std::int32_t id, std::string_view message,
           attributes with) {
  log_state& log = state();
  if (severity < log.least.load(std::memory_order_relaxed)) return;
  log.logger.log(spdlog::level::info,
                 spdlog::string_view_t{line_of(severity, component, id, message, with)});
}

}  // namespace scattergate::telemetry::log
