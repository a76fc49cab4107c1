#include "app/start_check.hpp"

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <boost/system/system_error.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "net/listener.hpp"
#include "net/tls_context.hpp"
#include "net/unique_fd.hpp"
#include "telemetry/admin/admin_settings.hpp"
#include "text/printable.hpp"

namespace scattergate::app {
namespace {

namespace fs = std::filesystem;
using net::tls_context;
using text::problem;

std::string reason(int error) {
  return std::generic_category().message(error);
}

// Adds what `make` throws, as a problem of the value that is called `name`.
template <typename Make>
void try_out(const config::origins& from, const std::string& name, Make make,
             std::vector<problem>& problems) {
  try {
    static_cast<void>(make());
  } catch (const std::runtime_error& unusable) {
    problems.push_back({from.of(name), unusable.what()});
  }
}

// Certificates and keys that can be read and yet not be used.
void check_certificates(const config::loaded_options& loaded, std::vector<problem>& problems) {
  for (std::size_t i = 0; i < loaded.value.listeners.size(); ++i) {
    const config::listener_options& one = loaded.value.listeners[i];
    const std::string name = config::name_of_listener(i);
    if (one.tls) {
      try_out(
          loaded.from, name + ".tls", [&] { return tls_context::for_clients(*one.tls); },
          problems);
    }
    if (one.upstream_tls) {
      try_out(
          loaded.from, name + ".upstream_tls",
          [&] {
            const auto made = tls_context::for_upstream(*one.upstream_tls);
            for (const auto& mongos : one.upstream) made->require_checkable(mongos.host);
            return made;
          },
          problems);
    }
  }
  try_out(
      loaded.from, "admin", [&] { return telemetry::admin_settings_of(loaded.value); },
      problems);
}

/// Why a file can't be made in its folder; empty where it can.
std::string why_not_made(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  // With a dot behind it, a file that has the folder's name is none.
  return ::access((folder / ".").c_str(), W_OK | X_OK) == 0 ? std::string{} : reason(errno);
}

/// Why a file can't be appended to; empty where it can. A pipe without a reader can.
std::string why_not_written(const std::string& file) {
  const net::unique_fd opened{
      ::open(file.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (opened || errno == ENXIO) return {};
  return errno == ENOENT ? why_not_made(file) : reason(errno);
}

void check_output(const config::loaded_options& loaded, const std::string& name,
                  const std::string& file, std::vector<problem>& problems) {
  if (file.empty() || file == "-" || file == "off") return;
  const std::string why = why_not_written(file);
  if (why.empty()) return;
  problems.push_back({loaded.from.of(name), text::in_quotes(file) + ": " + why});
}

/// The state file is replaced each time, and has a lock beside it: what counts is its folder,
/// which is the one that a symbolic link leads to.
void check_state(const config::loaded_options& loaded, std::vector<problem>& problems) {
  const std::string& file = loaded.value.state.file;
  if (file.empty()) return;
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(file, failed);
  const std::string why = why_not_made(failed || real.empty() ? fs::path{file} : real);
  if (why.empty()) return;
  problems.push_back({loaded.from.of("state.file"),
                      text::in_quotes(file) + ": its directory cannot be written: " + why});
}

std::string why_not_bound(const net::endpoint& address) {
  if (address.is_unix()) {
    std::error_code failed;
    const auto type = fs::symlink_status(address.path, failed).type();
    if (type == fs::file_type::not_found) return why_not_made(address.path);
    return type == fs::file_type::socket ? std::string{} : "there is another file";
  }
  try {
    static_cast<void>(net::listen_on(address));
  } catch (const boost::system::system_error& failure) {
    if (failure.code() != boost::system::errc::address_in_use) return failure.code().message();
  }
  return {};
}

void check_address(const config::loaded_options& loaded, const std::string& name,
                   const net::endpoint& address, std::vector<problem>& problems) {
  const std::string why = why_not_bound(address);
  if (why.empty()) return;
  problems.push_back(
      {loaded.from.of(name), "cannot listen on " + to_string(address) + ": " + why});
}

}  // namespace

std::vector<problem> check_start(const config::loaded_options& loaded) {
  std::vector<problem> problems;
  const config::options& made = loaded.value;
  check_certificates(loaded, problems);
  check_output(loaded, "audit.file", made.audit.file, problems);
  check_output(loaded, "log.file", made.log.file, problems);
  check_state(loaded, problems);
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
