#include "app/verify.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "app/admin_client.hpp"
#include "app/catalog_source.hpp"
#include "app/subcommands.hpp"
#include "app/terminal.hpp"
#include "config/driver/connection_string.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/input.hpp"
#include "report/sources/sample_line.hpp"
#include "report/views/verify_report.hpp"
#include "wire/limits.hpp"

namespace scattergate::app {
namespace {

constexpr int could_not = 2;
constexpr std::size_t max_samples_bytes = 64UL << 20;
constexpr std::chrono::seconds samples_patience{30};

int fail(const std::string& why) {
  write_line(stderr, "scattergate verify: " + why);
  return could_not;
}

/// A text, or why there is none.
struct wanted_text {
  std::string text;
  std::string error;
};

wanted_text connection_string(const verify_flags& given) {
  if (given.uri.has_value() == given.uri_file.has_value()) {
    return {{}, "give either --uri or --uri-file"};
  }
  if (given.uri) return {*given.uri, {}};
  const config::catalog_uri found = config::read_uri_file(*given.uri_file);
  if (!found.error.empty()) return {{}, *given.uri_file + ": " + found.error};
  return {found.text, {}};
}

/// What to read commands from.
struct input {
  std::unique_ptr<std::istream> owned;
  std::istream* stream = nullptr;
  bool is_samples = false;
  std::string error;
};

/// Why an answer is none; empty: it is one.
std::string why_bad(const admin_answer& answer) {
  if (!answer.is_connected) return "not reachable";
  if (!answer.why_not.empty()) return answer.why_not;
  if (answer.status_line.empty()) return "no answer";
  if (answer.wants_token()) return token_wanted;
  if (!answer.is_good()) return answer.status_line + " (is admin.page off?)";
  return answer.is_whole ? "" : "the answer didn't come whole";
}

input samples_of(const std::string& admin, const admin_guard_flags& flags) {
  input made;
  made.is_samples = true;
  const admin_guard guard = read_guard(flags);
  const admin_address address = admin_address_of(admin, guard);
  made.error = guard.error.empty() ? address.error : guard.error;
  if (!made.error.empty()) return made;
  const admin_answer answer =
      get_from_admin(address, "/api/v1/samples", max_samples_bytes, samples_patience);
  if (const std::string why = why_bad(answer); !why.empty()) made.error = admin + ": " + why;
  made.owned = std::make_unique<std::istringstream>(answer.body);
  made.stream = made.owned.get();
  return made;
}

input input_of(const verify_flags& given) {
  if (given.from && given.commands) return {{}, nullptr, false, "give --commands or --from"};
  if (given.from) return samples_of(*given.from, given.guard);
  const std::string name = given.commands.value_or("-");
  if (name == "-") return {{}, &std::cin, false, {}};
  auto file = std::make_unique<std::ifstream>(name, std::ios::binary);
  std::istream* stream = file.get();
  const std::string error = *file ? std::string{} : name + ": can't be opened";
  return {std::move(file), stream, false, error};
}

/// Waits so that no more than so many explains begin in a second.
class pacer {
 public:
  explicit pacer(double per_second) : gap_(std::chrono::duration<double>{1.0 / per_second}) {}

  void wait() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) std::this_thread::sleep_until(next_);
    next_ = std::max(now, next_) +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(gap_);
  }

 private:
  std::chrono::duration<double> gap_;
  std::chrono::steady_clock::time_point next_{};
};

/// Checks line after line.
class line_verifier {
 public:
  line_verifier(report::verifier& by, report::verify_report& to) : by_(by), to_(to) {}

  /// A line of commands; false where mongos can't be asked any more.
  [[nodiscard]] bool check_command(const config::line_reader& lines) {
    const std::string place = "line " + std::to_string(lines.number());
    if (lines.is_too_long())
      return skip(place, "longer than the 48,000,000 bytes of a message");
    const config::bson_bytes body = config::bson_of_json(lines.line());
    if (!body.error.empty()) return skip(place, body.error);
    return check_body(place, body.bytes);
  }

  /// A line of a daemon's samples, likewise.
  [[nodiscard]] bool check_sample(const config::line_reader& lines) {
    const report::sampled_command sample = report::read_sample(lines.line());
    if (sample.is_made_up) ++made_up_;
    const std::string place = sample.place.empty() ? "line " + std::to_string(lines.number())
                                                   : "shape " + sample.place;
    if (!sample.error.empty()) return skip(place, sample.error);
    return check_body(place, sample.command);
  }

  [[nodiscard]] std::size_t made_up() const noexcept { return made_up_; }
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

 private:
  bool skip(const std::string& place, const std::string& why) {
    print(to_.add_unreadable(place, why));
    return true;
  }

  bool check_body(const std::string& place, const std::vector<std::byte>& body) {
    const auto view = wire::document_view::from(body);
    const auto command = view ? wire::command_of(*view) : wire::wire_errc::bad_bson;
    if (!command) {
      return skip(place, "not a command: " + std::string{label(command.error())});
    }
    for (const report::explainable& what : report::explainables_of(*command)) {
      const report::check done = by_.check_one(what);
      print(to_.add(place, what, done));
      if (!done.trouble) continue;
      trouble_ = done.trouble->text;
      return false;
    }
    return true;
  }

  static void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  report::verifier& by_;
  report::verify_report& to_;
  std::size_t made_up_ = 0;
  std::string trouble_;
};

int check_all(const verify_flags& given, std::istream& from, bool is_samples,
              report::verifier& by) {
  report::verify_report result{given.as_json};
  line_verifier checking{by, result};
  config::line_reader lines{from, wire::limits::max_message_bytes};
  bool goes_on = true;
  while (goes_on && lines.next()) {
    if (lines.is_blank()) continue;
    goes_on = is_samples ? checking.check_sample(lines) : checking.check_command(lines);
  }
  const std::string summary = result.summary();
  std::fwrite(summary.data(), 1, summary.size(), stdout);
  if (checking.made_up() != 0) {
    write_line(stderr, std::to_string(checking.made_up()) +
                           " commands were made up from their shapes, with values of the right "
                           "types: verify.samples: values has the daemon keep real ones");
  }
  if (!goes_on) return fail(checking.trouble());
  if (from.bad()) return fail("the commands can't be read to their end");
  return result.exit_status();
}

}  // namespace

int verify(const verify_flags& given) {
  if (!(given.max_per_second > 0)) return fail("--max-per-second: a number above 0 is wanted");
  const wanted_text uri = connection_string(given);
  if (!uri.error.empty()) return fail(uri.error);
  const input commands = input_of(given);
  if (!commands.error.empty()) return fail(commands.error);
  auto mongos = config::mongo_client::open(uri.text, "scattergate-verify");
  if (!mongos) return fail(mongos.error().text);
  const auto server = (*mongos)->connect();
  if (!server) return fail(config::hide_password(uri.text) + ": " + server.error().text);
  if (!server->is_mongos) {
    return fail(server->address + " is no mongos but a " + server->type);
  }
  catalog_source source{given.catalog, uri.text, "scattergate-verify"};
  auto catalog = source.load();
  if (!catalog) {
    for (const std::string& problem : source.problems()) fail(problem);
    return could_not;
  }
  pacer pace{given.max_per_second};
  report::verifier by{**mongos, std::move(catalog), [&source, &pace] {
                        pace.wait();
                        return source.load_newer();
                      }};
  by.before_each([&pace] { pace.wait(); });
  return check_all(given, *commands.stream, commands.is_samples, by);
}

}  // namespace scattergate::app
