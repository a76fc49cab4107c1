#include "telemetry/fleet/fleet_view.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <set>
#include <utility>

#include "config/options/catalog_uri.hpp"
#include "config/options/options.hpp"
#include "digest/finding.hpp"
#include "digest/json.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "net/failing_memory.hpp"
#include "telemetry/log/log.hpp"
#include "text/html_blocks.hpp"
#include "text/json_writer.hpp"
#include "text/time_text.hpp"

// The answers of fleet_view, as JSON and as a page.

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
  log::begin_thread("fleet-view");
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

namespace {

using digest::with_commas;
using fleet::sidecar_status;
using text::json_writer;

constexpr std::string_view page_title = "scattergate: the fleet";
constexpr std::string_view links =
    R"(<link rel="icon" href="icon.svg"><link rel="stylesheet" href="page.css"></head><body>
<header><h1>The fleet</h1></header>
<main>
)";
constexpr std::string_view tail = R"(<p><a href="./">This sidecar</a></p>
</main></body></html>
)";

/// The text that most sidecars have in `member`; the alphabetically first one if several are
/// equally frequent.
std::string usual(const std::vector<sidecar_status>& all,
                  std::string sidecar_status::*const member) {
  std::map<std::string, std::size_t> times;
  for (const sidecar_status& one : all) ++times[one.*member];
  const auto most = std::ranges::max_element(
      times, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == times.end() ? std::string{} : most->first;
}

/// The facts in which a sidecar differs from most others.
class differences {
 public:
  explicit differences(const std::vector<sidecar_status>& all) {
    for (std::size_t i = 0; i < members.size(); ++i) usual_[i] = usual(all, members[i].of);
  }
  [[nodiscard]] std::vector<std::string> of(const sidecar_status& one) const {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (one.*members[i].of != usual_[i]) found.emplace_back(members[i].name);
    }
    return found;
  }

 private:
  struct member {
    std::string_view name;
    std::string sidecar_status::*of;
  };
  static constexpr std::array<member, 3> members{{{"version", &sidecar_status::version},
                                                  {"catalog", &sidecar_status::catalog},
                                                  {"rules", &sidecar_status::rules}}};
  std::array<std::string, members.size()> usual_;
};

/// The rows that are findings, worst first.
std::vector<const digest::row*> findings_of(const fleet::fleet_digest& all, std::size_t most) {
  std::vector<const digest::row*> found;
  for (const digest::row* const one : all.rows.ranked()) {
    if (digest::is_finding(*one) && found.size() < most) found.push_back(one);
  }
  return found;
}

/// The names of a shape's senders, without duplicates: several uuids may have had one name.
std::set<std::string> senders_of(const digest::row* shape, const fleet::fleet_digest& all,
                                 const std::vector<sidecar_status>& known) {
  std::set<std::string> names;
  const auto senders = all.senders.find(shape);
  if (senders == all.senders.end()) return names;
  for (const auto& [uuid, commands] : senders->second.commands) {
    const auto of = std::ranges::find(known, uuid, &sidecar_status::uuid);
    names.insert(of == known.end() ? uuid : of->name);
  }
  if (senders->second.has_more) names.insert("...");
  return names;
}

void append_sidecar(json_writer& to, const sidecar_status& one, const differences& others) {
  to.object();
  to.text("name", one.name);
  to.text("uuid", one.uuid);
  to.text_or_null("nameHeldBy", one.name_holder);
  to.time_or_null("seenAt", one.seen_at);
  to.time_or_null("flushedAt", one.flushed_at);
  to.number("flushes", one.flushes);
  to.number("lagMillis", one.lag.count());
  to.number("waiting", one.waiting);
  to.number("dropped", one.dropped);
  to.number("skewMillis", one.skew.count());
  to.text("version", one.version);
  to.text("catalog", one.catalog);
  to.text_or_null("rules", one.rules);
  to.texts("differsIn", others.of(one));
  to.end();
}

/// Which limits the reading has reached; empty: none.
std::string incomplete_text(const fleet::fleet_status& status,
                            const std::optional<fleet::fleet_digest>& digest) {
  std::string text = status.incomplete ? to_string(*status.incomplete) : std::string{};
  if (!digest || !digest->incomplete) return text;
  return text + (text.empty() ? "" : "; ") + to_string(*digest->incomplete);
}

std::string joined(const auto& texts) {
  std::string all;
  for (const std::string& one : texts) all += (all.empty() ? "" : ", ") + one;
  return all;
}

void append_sidecars(std::string& html, const fleet::fleet_status& of) {
  static constexpr std::array<text::html_column, 8> columns{{{"sidecar"},
                                                             {"seen"},
                                                             {"last flush"},
                                                             {"commands waiting", true},
                                                             {"commands dropped", true},
                                                             {"clock skew", true},
                                                             {"version"},
                                                             {"differs in"}}};
  const differences others{of.sidecars};
  html += "<section><h2>Sidecars</h2>\n";
  text::append_table_begin(html, columns, "sidecars");
  for (const sidecar_status& one : of.sidecars) {
    html += "<tr>";
    text::append_cell(html, one.name_holder.empty()
                                ? one.name
                                : one.name + " (the name is held by " + one.name_holder + ")");
    text::append_cell(html, one.seen_at ? text::time_text(*one.seen_at) : "never");
    text::append_cell(html, one.flushed_at ? text::time_text(*one.flushed_at) : "never");
    text::append_number_cell(html, with_commas(one.waiting));
    text::append_number_cell(html, with_commas(one.dropped),
                             one.dropped == 0 ? text::weight::plain : text::weight::bad);
    text::append_number_cell(html, std::to_string(one.skew.count()) + " ms");
    text::append_cell(html, one.version);
    text::append_cell(html, joined(others.of(one)));
    html += "</tr>\n";
  }
  text::append_table_end(html);
  html += "</section>\n";
}

void append_findings(std::string& html, const fleet::fleet_digest& all,
                     const std::vector<sidecar_status>& known, std::size_t most) {
  static constexpr std::array<text::html_column, 6> columns{{{"command"},
                                                             {"commands", true},
                                                             {"shard requests wasted", true},
                                                             {"lacks"},
                                                             {"sent by"},
                                                             {"fix"}}};
  html += "<section><h2>Findings of all sidecars, worst first</h2>\n";
  const auto findings = findings_of(all, most);
  if (findings.empty()) {
    html += "<p>No findings.</p></section>\n";
    return;
  }
  text::append_table_begin(html, columns, "findings");
  for (const digest::row* const one : findings) {
    html += "<tr>";
    text::append_cell(html, one->command + " " + one->name_space());
    text::append_number_cell(html, with_commas(one->count));
    const auto wasted = one->known_waste();
    text::append_number_cell(html, wasted ? with_commas(*wasted) : "?");
    text::append_cell(html, digest::missing_text(*one));
    text::append_cell(html, joined(senders_of(one, all, known)));
    text::append_cell(html, one->what.suggestion);
    html += "</tr>\n";
  }
  text::append_table_end(html);
  html += "</section>\n";
}

}  // namespace

void fleet_view::append_json(std::string& to, const reading& of) {
  json_writer json{to};
  json.object();
  json.number("schemaVersion", 1);
  const bool is_read = of.digest.has_value();
  json.text("state", is_read ? "read" : of.problem ? "failed" : "reading");
  json.text_or_null("problem", of.problem ? to_string(*of.problem) : std::string{});
  json.text_or_null("incomplete", incomplete_text(of.status, of.digest));
  json.time_or_null("readAt", is_read ? std::optional{of.at} : std::nullopt);
  json.array("sidecars");
  const differences others{of.status.sidecars};
  for (const sidecar_status& one : of.status.sidecars) append_sidecar(json, one, others);
  json.end();
  if (is_read) digest::append_totals(json, of.digest->rows.all());
  json.array("findings");
  if (is_read) {
    for (const digest::row* const one : findings_of(*of.digest, max_shown)) {
      json.object();
      digest::append_members(json, *one);
      json.array("sidecars");
      for (const auto& name : senders_of(one, *of.digest, of.status.sidecars)) json.text(name);
      json.end();
      json.end();
    }
  }
  json.end();
  json.end();
  to += '\n';
}

void fleet_view::append_html(std::string& to, const reading& of) {
  text::append_page_head(to, page_title);
  to += links;
  if (of.problem) {
    to += R"(<p class="bad">The fleet's database can't be read: )" +
          text::html_text(to_string(*of.problem)) + "</p>\n";
  } else if (!of.digest) {
    to += "<p>Being read. Load this page again in a few seconds.</p>\n";
  } else {
    to += "<p>" + with_commas(of.digest->rows.all().commands) + " commands, as of " +
          text::time_text(of.at) + ".</p>\n";
    if (const auto cut = incomplete_text(of.status, of.digest); !cut.empty()) {
      to += R"(<p class="bad">Incomplete: )" + text::html_text(cut) + ".</p>\n";
    }
    append_findings(to, *of.digest, of.status.sidecars, max_shown);
    append_sidecars(to, of.status);
  }
  to += tail;
}

}  // namespace scattergate::telemetry
