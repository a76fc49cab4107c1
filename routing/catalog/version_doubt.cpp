#include "routing/catalog/version_doubt.hpp"

namespace scattergate::routing {

std::string_view doubt_of(server_version version) noexcept {
  constexpr server_version last_read{9, 0};
  const bool has_patch = version.patch != server_version::unknown_patch;
  const server_version series = version.series();
  if (series > last_read) return "is later than the sources that were examined";
  if (series == server_version{5, 0} && version.patch > 0) {
    return "was recorded for 5.0.0 only: conditions that move before a $group get the wider "
           "answer";
  }
  if (series == server_version{5, 0} && !has_patch) {
    return "has no patch level: MaxKey, and deleteOne and findAndModify by a range, get the "
           "wider answer; add one, as in \"5.0.31\"";
  }
  if ((series == server_version{6, 0} || series == server_version{7, 0}) && !has_patch) {
    return "has no patch level: deleteOne and findAndModify by a range, which early ones "
           "reject, count as routed; add one, as in \"6.0.12\"";
  }
  if (series == server_version{8, 0} || series == server_version{8, 1}) {
    return "was examined in part: a constant $expr or $sampleRate, and an $elemMatch that no "
           "document matches, get the wider answer";
  }
  const bool is_rapid = series.minor > 0 && series >= server_version{5, 0} && series.major < 8;
  if (is_rapid)
    return "is a rapid release that wasn't examined: it gets the wider answer of its "
           "neighbours";
  return {};
}

std::string_view doubt_of_series(server_version version) noexcept {
  if (version.series() != server_version{7, 0}) return {};
  return "may or may not find shards for deletes from time series by their time: they get the "
         "wider answer";
}

}  // namespace scattergate::routing
