#include "app/checks/start_check.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <boost/system/system_error.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/engine.hpp"
#include "net/listener.hpp"
#include "net/tls_context.hpp"
#include "net/unique_fd.hpp"
#include "telemetry/admin/admin_settings.hpp"
#include "telemetry/sketches/salt_file.hpp"
#include "telemetry/state/state_file.hpp"
#include "text/printable.hpp"

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

}  // namespace

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

}  // namespace scattergate::app
