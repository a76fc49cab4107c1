#include "app/checks/certificate_check.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "net/tls_context.hpp"
#include "text/printable.hpp"
#include "text/time_text.hpp"

namespace scattergate::app {
namespace {

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

}  // namespace

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

}  // namespace scattergate::app
