#include "config/cluster/catalog_facts.hpp"

#include "wire/label_table.hpp"

namespace scattergate::config {
namespace {

constexpr wire::label_table<catalog_state> state_labels{{
    {catalog_state::off, "off"},
    {catalog_state::file, "file"},
    {catalog_state::loading, "loading"},
    {catalog_state::live, "live"},
    {catalog_state::unreachable, "unreachable"},
    {catalog_state::unauthorized, "unauthorized"},
    {catalog_state::not_mongos, "not_mongos"},
    {catalog_state::bad_uri, "bad_uri"},
    {catalog_state::empty, "empty"},
    {catalog_state::inconsistent, "inconsistent"},
    {catalog_state::failed, "failed"},
}};

constexpr wire::label_table<load_result> result_labels{{
    {load_result::changed, "changed"},
    {load_result::unchanged, "unchanged"},
    {load_result::unreachable, "unreachable"},
    {load_result::unauthorized, "unauthorized"},
    {load_result::not_mongos, "not_mongos"},
    {load_result::bad_uri, "bad_uri"},
    {load_result::empty, "empty"},
    {load_result::inconsistent, "inconsistent"},
    {load_result::failed, "failed"},
}};

constexpr wire::label_table<load_trigger> trigger_labels{{
    {load_trigger::start, "start"},
    {load_trigger::timer, "timer"},
    {load_trigger::ddl, "ddl"},
    {load_trigger::name_space, "namespace"},
    {load_trigger::signal, "signal"},
    {load_trigger::retry, "retry"},
    {load_trigger::command, "command"},
}};

constexpr wire::label_table<key_only_reason> key_only_labels{{
    {key_only_reason::not_read, "not_read"},
    {key_only_reason::max_chunks, "max_chunks"},
    {key_only_reason::inconsistent, "inconsistent"},
}};

}  // namespace

std::string_view label(catalog_state state) noexcept {
  return state_labels[state];
}

std::string_view label(load_result result) noexcept {
  return result_labels[result];
}

std::string_view label(load_trigger trigger) noexcept {
  return trigger_labels[trigger];
}

std::string_view label(key_only_reason reason) noexcept {
  return key_only_labels[reason];
}

}  // namespace scattergate::config
