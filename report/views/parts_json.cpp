#include "report/views/parts_json.hpp"

#include "digest/json.hpp"

namespace scattergate::report {
namespace {

using digest::part_sums;
using text::json_writer;

class parts_json {
 public:
  parts_json(json_writer& to, bool is_of_requests) : to_(to), is_of_requests_(is_of_requests) {}

  void hours(const digest::parts_by_hour& of) {
    to_.array("perHour");
    for (const auto& [when, sums] : of.all()) {
      part(sums, [&, when = when] { to_.time("hour", digest::wall_time{when}); });
    }
    if (of.others().commands != 0) part(of.others(), [&] { to_.null("hour"); });
    to_.end();
  }

  void names(std::string_view list, std::string_view name_of, const digest::parts_by_name& of) {
    to_.array(list);
    for (const auto& [name, sums] : of.ranked()) {
      part(*sums, [&, &name = name] { to_.text_or_null(name_of, name); });
    }
    if (of.others().commands != 0) part(of.others(), [&] { to_.flag("other", true); });
    to_.end();
  }

 private:
  /// Shard requests don't count as commands.
  template <typename Name>
  void part(const part_sums& of, const Name& name) {
    to_.object();
    name();
    to_.number("commands", is_of_requests_ ? 0 : of.commands);
    to_.number("errors", of.errors);
    digest::append_classes(to_, of);
    to_.number("shardRequests", is_of_requests_ ? of.commands : of.shards.asked);
    is_of_requests_ ? to_.null("wastedShardRequests")
                    : to_.number("wastedShardRequests", of.shards.wasted);
    of.timed == 0 ? to_.null("totalMillis")
                  : digest::append_millis(to_, "totalMillis", of.time);
    to_.end();
  }

  json_writer& to_;
  bool is_of_requests_;
};

}  // namespace

void append_parts(json_writer& to, const report_model& of) {
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
