#include "app/checks/fleet_trial.hpp"

#include <string>

#include "app/checks/upstream_trial.hpp"
#include "config/options/catalog_uri.hpp"
#include "fleet/reading.hpp"

namespace scattergate::app {
namespace {

/// Reads the fleet's database. Returns in words how many sidecars it knows and how flushes
/// work.
config::mongo_result<std::string> look_at(const std::string& uri, const std::string& name) {
  auto opened = fleet::database::open(uri, name, driver_time);
  if (!opened) return opened.error();
  constexpr fleet::reading_bounds most{.sidecars = 1'000, .read_bytes = std::size_t{16} << 20};
  const auto status = fleet::read_status(**opened, most);
  if (!status) return status.error();
  return "known sidecars: " + std::to_string(status->sidecars.size()) +
         (status->incomplete ? " or more" : "") + "; flushes use " +
         ((*opened)->has_transactions() ? "transactions" : "marks: there are no transactions");
}

}  // namespace

void try_fleet(const config::options& of, connect_log& to) {
  const std::string what = "fleet, database " + of.fleet.database;
  const auto uri = config::find_fleet_uri(of);
  if (!uri) return to.fail(what, to_string(uri.error()), "put a connection string into it");
  const auto answer = look_at(uri->text, of.fleet.database);
  if (answer) return to.ok(what, *answer);
  to.fail(what, answer.error().text,
          answer.error().kind == config::mongo_failure::unauthorized
              ? "check the password in fleet.uri_file, and that the user has the role that "
                "scattergate "
                "fleet init prints"
              : "check that fleet.uri_file leads to a MongoDB that can be reached from here");
}

}  // namespace scattergate::app
