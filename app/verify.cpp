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

constexpr std::size_t max_samples_bytes = 64UL << 20;
constexpr std::chrono::seconds samples_patience{30};

text::result<std::string> connection_string(const verify_flags& given) {
  if (given.uri.has_value() == given.uri_file.has_value()) {
    return text::failure("pass either --uri or --uri-file");
  }
  if (given.uri) return *given.uri;
  const auto found = config::read_uri_file(*given.uri_file);
  if (!found) return text::problem{*given.uri_file, text::to_string(found.error())};
  return found->text;
}

/// The source of commands.
struct input {
  std::unique_ptr<std::istream> owned;
  std::istream* stream = nullptr;
  bool is_samples = false;
};

/// Checks that an answer is usable.
text::result<void> check_samples(const admin_answer& answer) {
  if (answer.status_line.empty()) return text::failure("no answer");
  if (answer.requires_token()) return text::failure(token_required);
  if (!answer.is_good()) return text::failure(answer.status_line + " (is admin.page off?)");
  if (!answer.is_whole) return text::failure("the answer is incomplete");
  return {};
}

text::result<input> samples_of(const std::string& admin, const admin_credential_files& flags) {
  const auto credentials = read_admin_credentials(flags);
  if (!credentials) return credentials.error();
  const auto address = admin_address_of(admin, *credentials);
  if (!address) return address.error();
  const auto answer =
      get_from_admin(*address, "/api/v1/samples", max_samples_bytes, samples_patience);
  const auto checked = answer ? check_samples(*answer) : answer.error();
  if (!checked) return text::problem{admin, to_string(checked.error())};
  auto body = std::make_unique<std::istringstream>(answer->body);
  std::istream* const stream = body.get();
  return input{std::move(body), stream, true};
}

text::result<input> input_of(const verify_flags& given) {
  if (given.from && given.commands) return text::failure("pass --commands or --from");
  if (given.from) return samples_of(*given.from, given.credentials);
  const std::string name = given.commands.value_or("-");
  if (name == "-") return input{{}, &std::cin, false};
  auto file = std::make_unique<std::ifstream>(name, std::ios::binary);
  if (!*file) return text::problem{name, "can't be opened"};
  std::istream* const stream = file.get();
  return input{std::move(file), stream, false};
}

/// Waits so that at most `per_second` explains start per second.
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

/// Verifies the commands of an input, line by line.
class line_verifier {
 public:
  line_verifier(report::verifier& by, report::verify_report& to) : by_(by), to_(to) {}

  /// Verifies a line with a command. Returns a problem if mongos can't be asked any more.
  [[nodiscard]] text::result<void> check_command(const config::line_reader& lines) {
    const std::string place = "line " + std::to_string(lines.number());
    if (lines.is_too_long()) {
      return skip(place, "longer than the 48,000,000 bytes of a message");
    }
    const auto body = config::bson_of_json(lines.line());
    if (!body) return skip(place, body.error().what);
    return check_body(place, body->bytes);
  }

  /// Verifies a line of a daemon's samples. Returns a problem if mongos can't be asked any
  /// more.
  [[nodiscard]] text::result<void> check_sample(const config::line_reader& lines) {
    const report::sampled_command sample = report::read_sample(lines.line());
    if (sample.is_made_up) ++made_up_;
    const std::string place = sample.shape_hash.empty()
                                  ? "line " + std::to_string(lines.number())
                                  : "shape " + sample.shape_hash;
    if (!sample.command) return skip(place, sample.command.error().what);
    return check_body(place, *sample.command);
  }

  [[nodiscard]] std::size_t made_up() const noexcept { return made_up_; }

 private:
  text::result<void> skip(const std::string& place, const std::string& why) {
    print(to_.add_unreadable(place, why));
    return {};
  }

  text::result<void> check_body(const std::string& place, const std::vector<std::byte>& body) {
    const auto view = wire::document_view::from(body);
    const auto command = view ? wire::command_of(*view) : wire::wire_errc::bad_bson;
    if (!command) {
      return skip(place, "not a command: " + std::string{label(command.error())});
    }
    for (const report::explainable& what : report::explainables_of(*command)) {
      const report::check done = by_.check_one(what);
      print(to_.add(place, what, done));
      if (done.trouble) return text::failure(done.trouble->text);
    }
    return {};
  }

  static void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  report::verifier& by_;
  report::verify_report& to_;
  std::size_t made_up_ = 0;
};

int check_all(const verify_flags& given, std::istream& from, bool is_samples,
              report::verifier& by) {
  report::verify_report result{given.as_json};
  line_verifier checking{by, result};
  config::line_reader lines{from, wire::limits::max_message_bytes};
  text::result<void> checked;
  while (checked && lines.next()) {
    if (lines.is_blank()) continue;
    checked = is_samples ? checking.check_sample(lines) : checking.check_command(lines);
  }
  const std::string summary = result.summary();
  std::fwrite(summary.data(), 1, summary.size(), stdout);
  if (checking.made_up() != 0) {
    write_line(stderr, std::to_string(checking.made_up()) +
                           " commands were made up from their shapes, with values of the right "
                           "types; with verify.samples: values the daemon keeps real ones");
  }
  if (!checked) return fail("verify", checked.error());
  if (from.bad()) return fail("verify", text::failure("reading the commands failed"));
  return result.exit_status();
}

}  // namespace

int verify(const verify_flags& given) {
  if (!(given.max_per_second > 0)) {
    return fail("verify", {"--max-per-second", "expected a number above 0"});
  }
  const auto uri = connection_string(given);
  if (!uri) return fail("verify", uri.error());
  const auto commands = input_of(given);
  if (!commands) return fail("verify", commands.error());
  auto mongos = config::mongo_client::open(*uri, {"scattergate-verify"});
  if (!mongos) return fail("verify", text::failure(mongos.error().text));
  const auto server = (*mongos)->connect();
  if (!server) return fail("verify", {config::hide_password(*uri), server.error().text});
  if (!server->is_mongos) {
    return fail("verify",
                text::failure(server->address + " is not a mongos but a " + server->type));
  }
  catalog_source source{given.catalog, *uri, "verify"};
  config::loaded_catalog loaded = source.load();
  for (const text::problem& one : loaded.problems) fail("verify", one);
  if (!loaded.problems.empty()) return could_not;
  pacer pace{given.max_per_second};
  report::verifier by{**mongos, std::move(loaded.value), [&source, &pace] {
                        pace.wait();
                        return source.load_newer();
                      }};
  by.before_each([&pace] { pace.wait(); });
  return check_all(given, *commands->stream, commands->is_samples, by);
}

}  // namespace scattergate::app
