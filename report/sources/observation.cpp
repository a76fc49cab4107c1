#include "report/sources/observation.hpp"

#include "wire/label_table.hpp"

namespace scattergate::report {
namespace {

constexpr wire::label_table<source_kind> kinds{{
    {source_kind::unknown, "unknown"},
    {source_kind::audit, "audit"},
    {source_kind::mongos_log, "mongos-log"},
    {source_kind::mongod_log, "mongod-log"},
    {source_kind::profile, "profile"},
    {source_kind::query_stats, "query-stats"},
    {source_kind::commands, "commands"},
    {source_kind::pcap, "pcap"},
    {source_kind::recording, "recording"},
    {source_kind::state, "state"},
    {source_kind::report, "report"},
}};
constexpr wire::label_table<skip_reason> reasons{{
    {skip_reason::not_a_command, "not_a_command"},
    {skip_reason::unreadable, "unreadable"},
    {skip_reason::too_long, "too_long"},
    {skip_reason::truncated, "truncated"},
    {skip_reason::redacted, "redacted"},
    {skip_reason::sensitive, "sensitive"},
    {skip_reason::internal, "internal"},
    {skip_reason::lost, "lost"},
    {skip_reason::tls, "tls"},
    {skip_reason::logged_by_statement, "told_by_statement"},
    {skip_reason::not_rebuilt, "not_rebuilt"},
    {skip_reason::not_chosen, "not_chosen"},
    {skip_reason::without_time, "without_time"},
    {skip_reason::not_judged, "not_judged"},
}};

}  // namespace

std::string_view label(source_kind kind) noexcept {
  return kinds[kind];
}

std::optional<source_kind> kind_named(std::string_view name) noexcept {
  const auto found = kinds.find(name);
  return found == source_kind::unknown ? std::nullopt : found;
}

std::string_view label(skip_reason why) noexcept {
  return reasons[why];
}

}  // namespace scattergate::report
