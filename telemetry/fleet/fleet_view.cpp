#include "telemetry/fleet/fleet_view.hpp"

#include <exception>
#include <utility>

#include "config/options/catalog_uri.hpp"
#include "config/options/options.hpp"
#include "net/failing_memory.hpp"
#include "telemetry/log/log.hpp"
#include "telemetry/own_thread.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::chrono::milliseconds patience{5'000};

}  // namespace

fleet_view::~fleet_view() {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
  }
  stop_.request_stop();
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const fleet_view::reading> fleet_view::ask() {
  const std::lock_guard lock{mutex_};
  const bool is_old = read_ == nullptr || clock::now() - read_at_ >= kept_for;
  if (is_old && !is_asked_) {
    if (!thread_.joinable()) thread_ = std::thread{[this] { run(); }};
    is_asked_ = true;
    wake_.notify_one();
  }
  return read_;
}

void fleet_view::run() noexcept {
  block_signals();
  (void)net::done_unless_memory_fails([] { log::set_thread_name("fleet-view"); });
  std::unique_lock lock{mutex_};
  while (true) {
    wake_.wait(lock, [this] { return is_ending_ || is_asked_; });
    if (is_ending_) return;
    lock.unlock();
    std::shared_ptr<const reading> made;
    (void)net::done_unless_memory_fails([&] { made = read(); });
    lock.lock();
    if (made != nullptr) read_ = std::move(made);
    read_at_ = clock::now();
    is_asked_ = false;
  }
}

std::shared_ptr<const fleet_view::reading> fleet_view::read() const {
  auto made = std::make_shared<reading>();
  made->at = std::chrono::system_clock::now();
  const auto failed = [&made](text::problem why) {
    made->problem = std::move(why);
    return made;
  };
  const auto uri = config::read_uri_file(settings_.uri_file);
  if (!uri) return failed(uri.error());
  auto opened =
      fleet::database::open(uri->text, settings_.database, patience, stop_.get_token());
  if (!opened) return failed(text::failure(opened.error().text));
  auto status = fleet::read_status(**opened, max_read);
  if (!status) return failed(text::failure(status.error().text));
  made->status = *std::move(status);
  auto digest = fleet::read_digest(**opened, max_rows, max_read);
  if (!digest) return failed(text::failure(digest.error().text));
  made->digest = *std::move(digest);
  return made;
}

std::string fleet_view::json() {
  static const reading nothing;
  const auto now = ask();
  std::string text;
  append_json(text, now == nullptr ? nothing : *now);
  return text;
}

std::string fleet_view::html() {
  static const reading nothing;
  const auto now = ask();
  std::string text;
  append_html(text, now == nullptr ? nothing : *now);
  return text;
}

fleet_view::settings fleet_view_settings_of(const config::options& from) {
  if (!from.fleet.read) return {};
  return {from.fleet.uri_file, from.fleet.database};
}

}  // namespace scattergate::telemetry
