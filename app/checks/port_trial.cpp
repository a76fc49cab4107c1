#include "app/checks/port_trial.hpp"

#include <string>

#include <boost/system/system_error.hpp>

#include "app/admin_client.hpp"
#include "app/checks/socket_owner.hpp"
#include "app/checks/upstream_trial.hpp"
#include "net/listener.hpp"

namespace scattergate::app {
namespace {

bool is_in_use(const net::endpoint& address) {
  if (address.is_unix()) return false;  // a stale socket file looks like an address in use
  try {
    static_cast<void>(net::listen_on(address));
  } catch (const boost::system::system_error& failure) {
    return failure.code() == boost::system::errc::address_in_use;
  }
  return false;
}

/// Whether a scattergate answers at the admin address.
bool runs_already(const config::options& of) {
  const bool has_tls = !of.admin_access.tls.cert_file.empty();
  constexpr std::size_t max_bytes = 4096;
  const auto answer =
      get_from_admin({of.admin, has_tls}, "/healthz?verbose", max_bytes, step_time);
  return answer && answer->is_good() && answer->body == "[+]answering ok\nok\n";
}

void try_port(const std::string& setting, const net::endpoint& address, bool is_running,
              connect_log& to) {
  if (!is_in_use(address)) return;
  const std::string what = setting + " " + to_string(address);
  const auto owner = listening_on(net::resolve(address).value().front());
  const std::string used =
      "in use by " + (owner ? owner->name + " (process " + std::to_string(owner->process) + ")"
                            : std::string{"a process that this user can't see"});
  if (is_running) return to.ok(what, used + "; a scattergate runs here already");
  if (!owner) {
    return to.warn(what, used, "run can't start, unless systemd holds the address for it");
  }
  if (owner->name == "systemd") return to.ok(what, used + ", for socket activation");
  to.fail(what, used, "run can't start: stop that process, or set another address");
}

}  // namespace

void try_ports(const config::options& of, connect_log& to) {
  const bool is_running = is_in_use(of.admin) && runs_already(of);
  for (const config::listener_options& one : of.listeners) {
    try_port("listen", one.listen, is_running, to);
  }
  try_port("admin.listen", of.admin, is_running, to);
  if (of.admin_page_listen) {
    try_port("admin.page_listen", *of.admin_page_listen, is_running, to);
  }
}

}  // namespace scattergate::app
