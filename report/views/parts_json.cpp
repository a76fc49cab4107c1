#include "report/views/parts_json.hpp"

#include "digest/json.hpp"
#include "digest/json_parts.hpp"
#include "digest/object_writer.hpp"

namespace scattergate::report {
namespace {

using digest::object_writer;
using digest::part_sums;

class parts_json {
 public:
  parts_json(std::string& to, bool is_of_requests) : to_(to), is_of_requests_(is_of_requests) {}

  void hours(const digest::parts_by_hour& of) {
    begin("perHour");
    for (const auto& [when, sums] : of.all()) {
      part(sums, [when = when](object_writer& json) {
        json.raw("hour", digest::time_json(digest::wall_time{when}));
      });
    }
    if (of.others().commands != 0) {
      part(of.others(), [](object_writer& json) { json.raw("hour", "null"); });
    }
    to_ += ']';
  }

  void names(std::string_view list, std::string_view name_of, const digest::parts_by_name& of) {
    begin(list);
    for (const auto& [name, sums] : of.ranked()) {
      part(*sums, [&, &name = name](object_writer& json) { json.text_or_null(name_of, name); });
    }
    if (of.others().commands != 0) {
      part(of.others(), [](object_writer& json) { json.flag("other", true); });
    }
    to_ += ']';
  }

 private:
  void begin(std::string_view name) {
    to_ += ",\"";
    to_ += name;
    to_ += "\":[";
  }

  /// Requests that shards have logged are no commands.
  template <typename Name>
  void part(const part_sums& of, const Name& name) {
    if (to_.back() != '[') to_ += ',';
    object_writer json{to_};
    name(json);
    json.number("commands", is_of_requests_ ? 0 : of.commands);
    json.number("errors", of.errors);
    json.head("byRouting");
    digest::append_classes(to_, of);
    json.number("shardRequests", is_of_requests_ ? of.commands : of.shards.asked);
    is_of_requests_ ? json.raw("wastedShardRequests", "null")
                    : json.number("wastedShardRequests", of.shards.wasted);
    json.raw("totalMillis", of.timed == 0 ? "null" : digest::millis(of.time));
    json.end();
  }

  std::string& to_;
  bool is_of_requests_;
};

}  // namespace

void append_parts(std::string& to, const report_model& of) {
  const digest::breakdown* const parts = of.shown_parts();
  if (parts == nullptr) return;
  parts_json json{to, of.shows_requests()};
  json.hours(parts->by_hour);
  json.names("byCollection", "ns", parts->by_collection);
  json.names("byApp", "appName", parts->by_app);
  json.names("byUser", "user", parts->by_user);
  json.names("byHost", "remote", parts->by_host);
}

}  // namespace scattergate::report
