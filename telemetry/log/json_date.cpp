#include "telemetry/log/json_date.hpp"

namespace scattergate::telemetry {

void append_json_date(text::json_writer& to, std::string_view name,
                      std::chrono::system_clock::time_point time) {
  to.object(name);
  to.time("$date", time);
  to.end();
}

}  // namespace scattergate::telemetry
