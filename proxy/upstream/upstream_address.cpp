#include "proxy/upstream/upstream_address.hpp"

#include "net/network.hpp"

namespace scattergate::proxy {
namespace {

/// How long a failed connection makes an address suspect.
constexpr std::chrono::seconds suspect_time{10};

std::string text_of(const net::endpoint& name, const net::socket_address& address) {
  const bool is_itself = name.is_unix() || net::parse_ip_address(name.host);
  return to_string(name) + (is_itself ? "" : " (" + net::host_of(address) + ")");
}

}  // namespace

upstream_address::upstream_address(net::endpoint name, const net::socket_address& address,
                                   std::shared_ptr<telemetry::upstream_facts> counts)
    : name_(std::move(name)),
      address_(address),
      text_(text_of(name_, address)),
      counts_(std::move(counts)),
      facts_(std::make_shared<telemetry::address_facts>(to_string(net::endpoint_of(address)))) {
}

void upstream_address::set_standing(proxy::standing to) noexcept {
  standing_ = to;
  facts_->is_draining = to == standing::draining;
}

void upstream_address::set_health(telemetry::upstream_health found, std::string why) {
  facts_->health = found;
  if (found == telemetry::upstream_health::up) suspect_until_ = 0;
  const std::lock_guard lock(mutex_);
  why_failing_ = std::move(why);
}

std::string upstream_address::why_failing() const {
  const std::lock_guard lock(mutex_);
  return why_failing_;
}

void upstream_address::note_failed_connection(clock::time_point now) noexcept {
  suspect_until_ = (now + suspect_time).time_since_epoch().count();
}

bool upstream_address::is_suspect(clock::time_point now) const noexcept {
  const auto found = health();
  return found == telemetry::upstream_health::down ||
         found == telemetry::upstream_health::silent ||
         now.time_since_epoch().count() < suspect_until_.load();
}

upstream_use::upstream_use(upstream_address_ptr of) noexcept : of_(std::move(of)) {
  if (of_) of_->facts()->connections.fetch_add(1, std::memory_order_relaxed);
}

upstream_use::~upstream_use() {
  if (of_) of_->facts()->connections.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace scattergate::proxy
