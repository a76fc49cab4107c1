#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "config/cluster/cluster_mirror.hpp"
#include "config/cluster/config_records.hpp"
#include "config/driver/mongo_reader.hpp"
#include "config/text/extended_json.hpp"
#include "tests/config/cluster/cluster_formats.hpp"

namespace scattergate::tests {

/// A fake mongos with fixed replies: a mongo_reader without a connection. Tests set the replies
/// through the public members.
class fake_cluster : public config::mongo_reader {
 public:
  using records = std::vector<std::string>;  // Extended JSON

  fake_cluster() = default;
  /// Creates a cluster with these records.
  explicit fake_cluster(const config_texts& from) { hold(from); }

  /// Replaces all records and the version by those of `from`.
  void hold(const config_texts& from) {
    content = {{"collections", from.collections},
               {"chunks", from.chunks},
               {"shards", from.shards},
               {"databases", from.databases},
               {"version", from.version}};
    build = from.build;
  }

  std::map<std::string, records> content;             ///< records by collection of `config`
  std::map<std::string, config::mongo_error> errors;  ///< the collections whose finds fail, and
                                                      ///< the errors
  std::string build = "8.0.0";  ///< the version in replies to buildInfo; empty: buildInfo fails
  config::mongo_server server{true, "Mongos", "here:27017", 25};  ///< the result of connect()
  std::optional<config::mongo_error> connect_error;               ///< if set, connect() fails
  bool heeds_filters = true;       ///< false: finds return all records
  std::vector<std::string> finds;  ///< the collections of all finds so far, in order
  std::size_t chunks_sent = 0;     ///< the number of chunk records returned so far

  config::mongo_result<config::mongo_server> connect() override {
    if (connect_error) return *connect_error;
    return server;
  }

  config::mongo_result<std::vector<std::byte>> run(std::string_view,
                                                   wire::document_view) override {
    if (build.empty())
      return config::mongo_error{config::mongo_failure::command_failed, 59, "?"};
    return config::bson_of_json(R"({"version": ")" + build + R"(", "ok": 1})").value().bytes;
  }

  config::mongo_result<void> find(std::string_view, std::string_view collection,
                                  wire::document_view filter, wire::document_view,
                                  const document_sink& sink) override {
    const std::string name{collection};
    finds.push_back(name);
    if (const auto wrong = errors.find(name); wrong != errors.end()) return wrong->second;
    for (const std::string& text : content[name]) {
      const auto record = config::bson_of_json(text).value();
      if (heeds_filters && !matches(record.view(), filter)) continue;
      if (name == "chunks") ++chunks_sent;
      if (!sink(record.view())) break;
    }
    return {};
  }

  /// The cluster's views by database, each as in a reply to listCollections.
  std::map<std::string, records> views;

  config::mongo_result<void> list_collections(std::string_view database, wire::document_view,
                                              const document_sink& sink) override {
    const std::string name{database};
    lists.push_back(name);
    if (const auto wrong = list_errors.find(name); wrong != list_errors.end()) {
      return wrong->second;
    }
    for (const std::string& text : views[name]) {
      if (!sink(config::bson_of_json(text).value().view())) break;
    }
    return {};
  }
  /// The databases for which list_collections() fails, and the errors.
  std::map<std::string, config::mongo_error> list_errors;
  std::vector<std::string> lists;  ///< the databases of all list_collections() calls so far, in
                                   ///< order

 private:
  /// Whether a record matches. Supports equality, {$gte: timestamp}, {$in: [...]} and $or.
  static bool matches(wire::document_view record, wire::document_view filter) {
    wire::document_reader reader{filter};
    for (wire::element condition; reader.next(condition);) {
      if (condition.key() == "$or") {
        return is_any(condition, [&](const wire::element& branch) {
          return matches(record, *branch.as_document());
        });
      }
      const auto has = wire::find_field(record, condition.key());
      if (!has || !matches(*has, condition)) return false;
    }
    return true;
  }

  static bool matches(const wire::element& has, const wire::element& condition) {
    const auto is_same = [&](const wire::element& other) {
      return std::ranges::equal(has.value(), other.value());
    };
    const auto operators = condition.as_document();
    if (!operators) return is_same(condition);
    if (const auto least = wire::find_field(*operators, "$gte")) {
      return number_of(has) >= number_of(*least);
    }
    return is_any(*wire::find_field(*operators, "$in"), is_same);
  }

  template <typename Predicate>
  static bool is_any(const wire::element& array, Predicate is_so) {
    wire::document_reader reader{array.as_array().value()};
    for (wire::element each; reader.next(each);) {
      if (is_so(each)) return true;
    }
    return false;
  }

  static std::uint64_t number_of(const wire::element& timestamp) {
    return wire::load_little<std::uint64_t>(timestamp.value().data());
  }
};

}  // namespace scattergate::tests
