#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/system/system_error.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/checks/connect_check.hpp"
#include "app/checks/version_check.hpp"
#include "app/subcommands.hpp"
#include "app/terminal.hpp"
#include "config/options/load.hpp"
#include "config/options/options_check.hpp"
#include "config/options/page_access.hpp"
#include "net/engine.hpp"
#include "net/listener.hpp"
#include "net/tls_context.hpp"
#include "net/unique_fd.hpp"
#include "telemetry/admin/admin_access.hpp"
#include "telemetry/sketches/sketch_book.hpp"
#include "telemetry/state/state_file.hpp"
#include "text/printable.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::app {
namespace {

namespace fs = std::filesystem;
using net::tls_context;
using text::problem;

std::string reason(int error) {
  return std::generic_category().message(error);
}

text::result<void> check_upstream_tls(const config::listener_options& of) {
  const auto made = tls_context::for_upstream(*of.upstream_tls);
  if (!made) return made.error();
  for (const auto& mongos : of.upstream) {
    if (auto checked = (*made)->check_name(mongos.host); !checked) return checked;
  }
  return {};
}

// Finds certificates and keys that are readable but unusable.
void check_certificates(const config::loaded_options& loaded, std::vector<problem>& problems) {
  const auto note = [&](const std::string& name, const problem& found) {
    problems.push_back({loaded.from.of(name), to_string(found)});
  };
  for (std::size_t i = 0; i < loaded.value.listeners.size(); ++i) {
    const config::listener_options& one = loaded.value.listeners[i];
    const std::string name = config::name_of_listener(i);
    if (one.tls) {
      const auto made = tls_context::for_clients(*one.tls);
      if (!made) note(name + ".tls", made.error());
    }
    if (one.upstream_tls) {
      const auto checked = check_upstream_tls(one);
      if (!checked) note(name + ".upstream_tls", checked.error());
    }
  }
  const auto admin = telemetry::admin_settings_of(loaded.value);
  if (!admin) note("admin", admin.error());
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

/// Checks that the disk has room, by writing a file without a name. Finds nothing on a file
/// system that has no such files.
text::result<void> check_room(const fs::path& folder) {
  constexpr std::array<char, 4096> block{};
  const net::unique_fd trial{::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)};
  const bool has_room =
      trial &&
      ::write(trial.get(), block.data(), block.size()) == static_cast<ssize_t>(block.size()) &&
      ::fsync(trial.get()) == 0;
  if (has_room) return {};
  if (errno == ENOSPC) return text::failure("the disk is full");
  if (errno == EDQUOT) return text::failure("the disk quota is used up");
  return {};
}

/// Checks that a file can be created in its folder.
text::result<void> check_folder_of(const fs::path& file) {
  const fs::path folder = folder_of(file);
  // With "/." appended, access() also fails if `folder` is a file.
  if (::access((folder / ".").c_str(), W_OK | X_OK) != 0) return text::failure(reason(errno));
  return check_room(folder);
}

/// Checks that a file can be appended to. A pipe without a reader passes.
text::result<void> check_appendable(const std::string& file) {
  const net::unique_fd opened{
      ::open(file.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  struct stat facts {};
  if (opened && ::fstat(opened.get(), &facts) == 0 && S_ISREG(facts.st_mode)) {
    return check_room(folder_of(file));
  }
  if (opened || errno == ENXIO) return {};
  if (errno == ENOENT) return check_folder_of(file);
  return text::failure(reason(errno));
}

void check_output(const config::loaded_options& loaded, const std::string& name,
                  const std::string& file, std::vector<problem>& problems) {
  if (file.empty() || file == "-" || file == "off") return;
  const auto checked = check_appendable(file);
  if (checked) return;
  problems.push_back(
      {loaded.from.of(name), text::in_quotes(file) + ": " + checked.error().what});
}

/// Checks that the state file's folder is writable, because each write replaces the file, and a
/// lock file is next to it. If the file is a symbolic link, checks the folder of its target.
/// Then reads the file.
void check_state(const config::loaded_options& loaded, std::vector<problem>& problems) {
  const std::string& file = loaded.value.state.file;
  if (file.empty()) return;
  const auto note = [&](const std::string& what) {
    problems.push_back({loaded.from.of("state.file"), text::in_quotes(file) + ": " + what});
  };
  const telemetry::state_file stored{file};
  if (const auto checked = check_folder_of(stored.path()); !checked) {
    note("its directory cannot be written: " + checked.error().what);
  }
  const auto found = stored.examine(loaded.value.audit.max_shapes);
  if (found.problem) {
    note("cannot be used, so run starts without its counts: " + found.problem->what);
  }
  for (const auto& part :
       {found.history_problem, found.sketches_problem, found.ledger_problem}) {
    if (part) note("a part of it cannot be used: " + part->what);
  }
}

/// Checks that the salt file is usable or, if it doesn't exist, that `run` can create it.
void check_salt(const config::loaded_options& loaded, std::vector<problem>& problems) {
  const std::string& file = loaded.value.advise.salt_file;
  if (file.empty()) return;
  const auto note = [&](const std::string& what) {
    problems.push_back(
        {loaded.from.of("advise.salt_file"), text::in_quotes(file) + ": " + what});
  };
  if (const auto found = telemetry::salt_file_problem(file)) return note(found->what);
  if (::access(file.c_str(), F_OK) == 0) return;
  if (const auto checked = check_folder_of(file); !checked) note(checked.error().what);
}

text::result<void> check_bindable(const net::endpoint& address) {
  if (address.is_unix()) {
    std::error_code failed;
    const auto type = fs::symlink_status(address.path, failed).type();
    if (type == fs::file_type::not_found) return check_folder_of(address.path);
    if (type == fs::file_type::socket) return {};
    return text::failure("there is another file");
  }
  try {
    static_cast<void>(net::listen_on(address));
  } catch (const boost::system::system_error& failure) {
    if (failure.code() != boost::system::errc::address_in_use) {
      return text::failure(failure.code().message());
    }
  }
  return {};
}

void check_address(const config::loaded_options& loaded, const std::string& name,
                   const net::endpoint& address, std::vector<problem>& problems) {
  const auto checked = check_bindable(address);
  if (checked) return;
  problems.push_back({loaded.from.of(name),
                      "cannot listen on " + to_string(address) + ": " + checked.error().what});
}

/// Checks that io_uring can be used, if the setting workers.engine requires it.
void check_engine(const config::loaded_options& loaded, std::vector<problem>& problems) {
  if (loaded.value.engine != config::engine_choice::io_uring) return;
  const auto tried = net::try_engine(net::engine_kind::io_uring);
  if (tried) return;
  problems.push_back({loaded.from.of("workers.engine"),
                      "this system refuses io_uring (" + tried.error().what + ")"});
}

/// The reasons why `run` wouldn't start although the options are valid: unusable certificates,
/// files that can't be written, addresses that can't be bound, a system that refuses io_uring.
/// A state file that can't be written is a problem, too, although `run` would start. An address
/// in use is no problem, because usually the daemon with this configuration uses it. Leaves no
/// files or sockets behind.
std::vector<problem> check_start(const config::loaded_options& loaded) {
  std::vector<problem> problems;
  const config::options& made = loaded.value;
  check_engine(loaded, problems);
  check_certificates(loaded, problems);
  check_output(loaded, "audit.file", made.audit.file, problems);
  check_output(loaded, "log.file", made.log.file, problems);
  check_state(loaded, problems);
  check_salt(loaded, problems);
  check_address(loaded, "admin.listen", made.admin, problems);
  if (made.admin_page_listen) {
    check_address(loaded, "admin.page_listen", *made.admin_page_listen, problems);
  }
  for (std::size_t i = 0; i < made.listeners.size(); ++i) {
    check_address(loaded, config::name_of_listener(i) + ".listen", made.listeners[i].listen,
                  problems);
  }
  if (!made.handover.socket.empty()) {
    check_address(loaded, "handover.socket", {{}, 0, made.handover.socket}, problems);
  }
  return problems;
}

/// Problems and warnings about the validity periods of the configured certificates.
struct certificate_dates {
  /// scattergate's own certificates that have expired or aren't valid yet.
  std::vector<text::problem> problems;
  /// scattergate's own certificates that expire soon, and certificates of chains and CA files
  /// that have expired.
  std::vector<text::problem> warnings;
};
/// Finds certificates that have expired, expire soon or aren't valid yet at the time `now`.
/// Reads all certificate files that the options name.
[[nodiscard]] certificate_dates check_certificate_dates(
    const config::loaded_options& loaded, std::chrono::system_clock::time_point now);

using net::certificate_life;
using net::certificate_phase;
using wall_clock = std::chrono::system_clock;

std::string time_text(std::int64_t seconds) {
  return text::time_text(wall_clock::time_point{std::chrono::seconds{seconds}});
}

class date_check {
 public:
  date_check(const config::loaded_options& loaded, wall_clock::time_point now)
      : loaded_(loaded), now_(now) {}

  /// Checks a file that begins with our own certificate; `name`: the setting's name. Does
  /// nothing if `file` is empty.
  void own(const std::string& name, const std::string& file) {
    if (file.empty()) return;
    const auto all = net::certificates_in(file);
    if (all.empty()) return;
    const certificate_life& life = all.front();
    const std::string which = "certificate " + text::in_quotes(file);
    switch (life.phase(now_)) {
      case certificate_phase::expired:
        found_.problems.push_back(
            {loaded_.from.of(name), which + " expired on " + time_text(life.ends)});
        break;
      case certificate_phase::not_yet_valid:
        found_.problems.push_back(
            {loaded_.from.of(name), which + " is not valid before " + time_text(life.begins)});
        break;
      case certificate_phase::expires_soon:
        warn(name, which + " expires on " + time_text(life.ends));
        break;
      case certificate_phase::valid:
        break;
    }
    others(name, file, std::span{all}.subspan(1));
  }

  /// Checks a file of CAs.
  void authorities(const std::string& name, const std::string& file) {
    if (file.empty()) return;
    const auto all = net::certificates_in(file);
    others(name, file, all);
  }

  certificate_dates found() && { return std::move(found_); }

 private:
  void warn(const std::string& name, const std::string& what) {
    found_.warnings.push_back({loaded_.from.of(name), "warning: " + what});
  }

  void others(const std::string& name, const std::string& file,
              std::span<const certificate_life> all) {
    const auto is_expired = [this](const certificate_life& one) {
      return one.phase(now_) == certificate_phase::expired;
    };
    const auto first = std::ranges::find_if(all, is_expired);
    if (first == all.end()) return;
    warn(name, "CA certificates in " + text::in_quotes(file) +
                   " have expired: " + std::to_string(std::ranges::count_if(all, is_expired)) +
                   " of " + std::to_string(all.size()) + ", one on " + time_text(first->ends));
  }

  const config::loaded_options& loaded_;
  wall_clock::time_point now_;
  certificate_dates found_;
};

certificate_dates check_certificate_dates(const config::loaded_options& loaded,
                                          wall_clock::time_point now) {
  date_check check{loaded, now};
  for (std::size_t i = 0; i < loaded.value.listeners.size(); ++i) {
    const config::listener_options& one = loaded.value.listeners[i];
    const std::string name = config::name_of_listener(i);
    if (one.tls) {
      check.own(name + ".tls.cert_file", one.tls->cert_file);
      check.authorities(name + ".tls.client_ca_file", one.tls->client_ca_file);
    }
    if (one.upstream_tls) {
      check.own(name + ".upstream_tls.cert_file", one.upstream_tls->cert_file);
      check.authorities(name + ".upstream_tls.ca_file", one.upstream_tls->ca_file);
    }
  }
  check.own("admin.tls.cert_file", loaded.value.admin_access.tls.cert_file);
  return std::move(check).found();
}

void add(std::vector<text::problem>& to, std::vector<text::problem> further) {
  std::move(further.begin(), further.end(), std::back_inserter(to));
}

std::vector<text::problem> rule_warnings(const config::loaded_options& loaded,
                                         const config::loaded_catalog& catalog,
                                         wall_clock::time_point now) {
  auto rules = loaded.value.rules;
  rules.insert(rules.end(), catalog.rules.begin(), catalog.rules.end());
  const bool is_known = !loaded.value.catalog.is_live();
  return config::check_rules(rules, text::day_of(now),
                             is_known ? catalog.value.get() : nullptr);
}

/// Inspection is off, although rules reject or throttle.
std::vector<text::problem> unapplied_rules(const config::loaded_options& loaded,
                                           const config::loaded_catalog& catalog) {
  const auto refuses = [](const config::rule& each) {
    return !each.dry_run && (each.action == config::rule_action::reject ||
                             each.action == config::rule_action::throttle);
  };
  const auto count = std::ranges::count_if(loaded.value.rules, refuses) +
                     std::ranges::count_if(catalog.rules, refuses);
  if (loaded.value.inspect || count == 0) return {};
  return {{loaded.from.of("inspect"), "warning: inspect is off: no rule applies, and " +
                                          std::to_string(count) +
                                          " of them would reject or throttle"}};
}

std::vector<text::problem> closed_page(const config::loaded_options& loaded) {
  const config::page_door door = config::page_door_of(loaded.value);
  if (door.access != config::page_access::unreachable) return {};
  return {{loaded.from.of(door.setting), "warning: " + to_string(door.at) +
                                             " refuses the page for everyone; " +
                                             config::advice_for_page()}};
}

}  // namespace

int report(const std::vector<text::problem>& problems) {
  for (const text::problem& one : problems) {
    write_line(stderr, to_string(one));
  }
  return problems.empty() ? 0 : 1;
}

int check(const config::flags& given, bool connects) {
  auto loaded = config::load_options(given, config::process_environment());
  const auto now = wall_clock::now();
  std::vector<text::problem> warnings;
  if (loaded.problems.empty()) {
    loaded.problems = check_start(loaded);
    certificate_dates dates = check_certificate_dates(loaded, now);
    add(loaded.problems, std::move(dates.problems));
    warnings = std::move(dates.warnings);
  }
  auto catalog = config::load_catalog(loaded.value.catalog.source);
  if (catalog.value) {
    for (const auto& one : catalog.value->faults()) catalog.problems.push_back(as_problem(one));
  }
  const int options_status = report(loaded.problems);
  const int catalog_status = report(catalog.problems);
  if (options_status != 0 || catalog_status != 0) return 1;
  add(warnings, rule_warnings(loaded, catalog, now));
  add(warnings, unapplied_rules(loaded, catalog));
  add(warnings, check_version(loaded.value.catalog.source, catalog));
  if (!connects) add(warnings, closed_page(loaded));  // otherwise a step reports it
  static_cast<void>(report(warnings));                // warnings don't prevent a start
  const std::string& file = loaded.value.file.name;
  const std::string which = file.empty() ? "" : " '" + file + "'";
  write_line(stdout, "configuration" + which + " OK");
  return connects ? check_connections(loaded) : 0;
}

int show_config(const config::flags& given) {
  const auto loaded =
      config::load_options(given, config::process_environment(), config::purpose::inspect);
  write_document(to_yaml(loaded.value), text::ci_syntax::json);
  return report(loaded.problems);
}

}  // namespace scattergate::app
