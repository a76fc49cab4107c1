#include "app/fleet_source.hpp"

#include <chrono>

#include "config/driver/proxied_uri.hpp"
#include "config/options/options.hpp"
#include "text/percent.hpp"

namespace scattergate::app {
namespace {

constexpr std::chrono::milliseconds fleet_patience{30'000};
constexpr fleet::reading_bounds report_bounds{.documents = 10'000'000,
                                              .read_bytes = std::size_t{8} << 30,
                                              .kept_bytes = std::size_t{512} << 20};

std::string database_in(const config::uri_parts& parts) {
  const std::string name =
      text::percent_decoded(parts.database.empty() ? "" : parts.database.substr(1));
  return name.empty() ? config::fleet_options{}.database : name;
}

}  // namespace

text::result<fleet::fleet_digest> read_fleet(const std::string& uri, std::size_t max_rows) {
  const auto parts = config::parse_uri(uri);
  if (!parts) return parts.error();
  auto opened = fleet::database::open(uri, database_in(*parts), fleet_patience);
  if (!opened) return text::failure(opened.error().text);
  auto read = fleet::read_digest(**opened, max_rows, report_bounds);
  if (!read) return text::failure(read.error().text);
  return *std::move(read);
}

}  // namespace scattergate::app
