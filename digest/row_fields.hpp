#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

#include "digest/row.hpp"

/// The one table of a row's fields. Each format that has rows follows from it: the state file
/// (digest/stored.cpp), the fleet's documents (fleet/documents.cpp), reports as JSON and
/// the API (digest/json.cpp), audit lines (telemetry/audit/audit_line.cpp), CSV
/// (report/views/report_csv.cpp), and what `report` reads back
/// (report/sources/own_documents.cpp). Each of these files has one function per type of a
/// field, an overload on `as::...`, and visits the table by each_field(). A new field is one
/// line here; a new type needs an overload in each format that has it.
namespace scattergate::digest {

/// How the values of two rows with the same key merge.
enum class merged : std::uint8_t {
  as_key,     ///< they are equal
  worst,      ///< the worse routing class wins
  described,  ///< comes from the row whose routing class wins
  first,      ///< the first value that isn't empty wins
  summed,
  greatest,
  least,
};

/// The formats of a row, as bits.
enum format : unsigned {
  in_none = 0,
  in_state = 1,   ///< the state file, and a digest as other programs read it
  in_fleet = 2,   ///< documents of the fleet's collection `shapes`
  in_report = 4,  ///< reports as JSON; CSV has the columns that it names
  in_api = 8,     ///< the API
  in_audit = 16,  ///< the audit log's lines, which also have members of their own
  in_shown = in_report | in_api,
  in_stored = in_state | in_fleet,
  in_all = in_stored | in_shown | in_audit,
};

/// The types of fields: what a format's functions are overloaded on. A type derived from
/// another is written as that one where a format has no function of its own. A field of type
/// `name_space`, `fanout` or `durations` is shown only, and consists of several members of the
/// row.
namespace as {
struct text {};
struct json : text {};        ///< a JSON object as text
struct query_hash : text {};  ///< MongoDB's queryShapeHash: 64 hex digits, or empty
struct hash {};               ///< 64 bits, as 16 hex digits
struct label {};              ///< an enumerator, by its label
struct texts {};
struct optional_texts : texts {};  ///< texts that are shown only if there are any
struct index {};                   ///< a position, or nothing
struct count {};
struct optional_count : count {};  ///< a count that is shown only if it isn't 0
struct nanos {};
struct time {};
struct by_routing {};  ///< counts by routing class
struct shards {};      ///< shard_requests: sums, and a maximum
struct histogram {};
struct fanouts {};
struct amounts {};
/// Texts with their counts.
struct text_counts {
  std::string_view item;  ///< the name of a text's member in reports
};
struct actions {};
struct callers {};
struct name_space {};  ///< database and collection
struct fanout {};      ///< shard requests and their distribution
struct durations {};   ///< sum, maximum, quantiles and resolution
struct not_written {};
}  // namespace as

/// A field's names: in the state file and the fleet's documents, and where people see it.
struct field_names {
  consteval field_names(const char* both) : stored(both), shown(both) {}
  consteval field_names(const char* in_files, const char* where_shown)
      : stored(in_files), shown(where_shown) {}
  std::string_view stored, shown;
};

/// A field of a row, a member of `Owner`: the row itself, its counts, its description or its
/// execution. `Owner` is void for a field that consists of several members. `Formats`: where
/// the field stands.
template <unsigned Formats, typename As, typename Owner, typename Value>
struct row_field {
  static constexpr unsigned formats = Formats;
  using owner = Owner;
  using type = As;

  field_names names;
  merged how;
  Value Owner::*member;
  As as{};

  /// The field's value in a row, or in the part of a row that has it.
  template <typename Of>
  constexpr auto& in(Of& of) const noexcept {
    if constexpr (std::is_base_of_v<Owner, std::remove_const_t<Of>>) {
      return of.*member;
    } else if constexpr (std::is_same_v<Owner, description>) {
      return of.what.*member;
    } else {
      static_assert(std::is_same_v<Owner, execution>);
      return of.run.*member;
    }
  }
};

/// A field that consists of several members of a row.
template <unsigned Formats, typename As>
struct row_field<Formats, As, void, void> {
  static constexpr unsigned formats = Formats;
  using owner = void;
  using type = As;

  field_names names;
  As as{};

  template <typename Of>
  constexpr Of& in(Of& of) const noexcept {
    return of;
  }
};

/// Makes a field of the table.
template <unsigned Formats, typename As, typename Owner, typename Value>
consteval auto field(field_names names, merged how, Value Owner::*member, As as) {
  return row_field<Formats, As, Owner, Value>{names, how, member, as};
}

/// Makes a field that consists of several members.
template <unsigned Formats, typename As>
consteval auto parts(field_names names, As as) {
  return row_field<Formats, As, void, void>{names, as};
}

/// All fields, in the order in which formats write them.
inline constexpr auto row_fields = std::tuple{
    field<in_stored>("database", merged::as_key, &row::database, as::text{}),
    field<in_stored>("collection", merged::as_key, &row::collection, as::text{}),
    parts<in_shown | in_audit>("ns", as::name_space{}),
    field<in_all>("command", merged::as_key, &row::command, as::text{}),
    field<in_all>("shape", merged::described, &description::shape_json, as::json{}),
    field<in_all>("shapeHash", merged::as_key, &row::shape_hash, as::hash{}),
    field<in_all>("queryShapeHash", merged::first, &row::query_shape_hash, as::query_hash{}),
    field<in_all>("routing", merged::worst, &description::routing, as::label{}),
    field<in_all>("bounds", merged::described, &description::bounds, as::label{}),
    field<in_all>("reason", merged::described, &description::why, as::label{}),
    field<in_all>("missing", merged::described, &description::missing, as::texts{}),
    field<in_stored | in_audit>("lints", merged::described, &description::lints,
                                as::optional_texts{}),
    field<in_all>("shardKey", merged::described, &description::shard_key_json, as::json{}),
    field<in_all>("suggestion", merged::described, &description::suggestion, as::text{}),
    field<in_all>("statement", merged::described, &description::statement, as::index{}),
    field<in_stored | in_shown>("count", merged::summed, &counts::count, as::count{}),
    field<in_stored | in_shown>("countErrorBound", merged::summed, &row::error_bound,
                                as::optional_count{}),
    field<in_stored | in_shown>("errors", merged::summed, &counts::errors, as::count{}),
    field<in_stored>("byRouting", merged::summed, &counts::by_routing, as::by_routing{}),
    field<in_stored>("shardRequests", merged::summed, &counts::shards, as::shards{}),
    field<in_state>("fanouts", merged::summed, &row::fanouts, as::fanouts{}),
    parts<in_shown>("fanout", as::fanout{}),
    field<in_stored>("totalNanos", merged::summed, &counts::total, as::nanos{}),
    field<in_stored>("longestNanos", merged::greatest, &counts::longest, as::nanos{}),
    field<in_stored>("times", merged::summed, &counts::times, as::histogram{}),
    field<in_none>("", merged::greatest, &counts::resolution, as::not_written{}),
    field<in_none>("", merged::summed, &counts::timed_together, as::not_written{}),
    parts<in_shown>("durationMillis", as::durations{}),
    field<in_stored | in_shown>({"firstSeenNanos", "firstSeen"}, merged::least,
                                &counts::first_seen, as::time{}),
    field<in_stored | in_shown>({"lastSeenNanos", "lastSeen"}, merged::greatest,
                                &counts::last_seen, as::time{}),
    field<in_state | in_shown>("errorNames", merged::summed, &execution::errors,
                               as::text_counts{"name"}),
    field<in_state | in_shown>("docsExamined", merged::summed, &execution::docs_examined,
                               as::amounts{}),
    field<in_state | in_shown>({"replyBytes", "reslen"}, merged::summed,
                               &execution::reply_bytes, as::amounts{}),
    field<in_state | in_shown>({"plans", "planSummary"}, merged::summed, &execution::plans,
                               as::text_counts{"plan"}),
    field<in_state | in_report>("actions", merged::summed, &execution::actions, as::actions{}),
    field<in_state | in_report>("acceptedBy", merged::summed, &execution::accepted_by,
                                as::text_counts{"rule"}),
    field<in_state | in_shown | in_audit>("callers", merged::summed, &counts::who,
                                          as::callers{}),
};

/// Calls `visit` for each field that stands in one of the formats `Formats`.
template <unsigned Formats, typename Visit>
constexpr void each_field(const Visit& visit) {
  const auto if_in = [&](const auto& one) {
    if constexpr ((std::remove_cvref_t<decltype(one)>::formats & Formats) != 0) visit(one);
  };
  std::apply([&](const auto&... all) { (if_in(all), ...); }, row_fields);
}

/// Calls `visit` for each member of `Owner`, such as `counts`, whatever formats have it.
template <typename Owner, typename Visit>
constexpr void each_member_of(const Visit& visit) {
  const auto if_member = [&](const auto& one) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(one)>::owner, Owner>) {
      visit(one);
    }
  };
  std::apply([&](const auto&... all) { (if_member(all), ...); }, row_fields);
}

}  // namespace scattergate::digest
