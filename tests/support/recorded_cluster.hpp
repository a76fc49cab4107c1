#pragma once

#include <filesystem>
#include <string>

#include "config/driver/mongo_reader.hpp"
#include "tests/support/json_document.hpp"
#include "tests/support/real_records.hpp"

/// Replays replies of a real cluster. They are recorded in tests/real.
namespace scattergate::tests {

/// A fake mongos: a mongo_reader that returns the `config` database and the command replies
/// that were recorded in a folder. Also returns the view that the recorded commands read.
class recorded_cluster final : public config::mongo_reader {
 public:
  /// `folder`: has config.json and replies.json.
  explicit recorded_cluster(const std::filesystem::path& folder)
      : recorded_cluster(folder / "config.json", folder / "replies.json") {}

  /// `config`: the file with the `config` database. `replies`: the file with replies.
  recorded_cluster(const std::filesystem::path& config, const std::filesystem::path& replies)
      : config_(text_of_file(config)), replies_(text_of_file(replies)) {}

  config::mongo_result<config::mongo_server> connect() override {
    return config::mongo_server{true, "Mongos", "recorded:27017", 9};
  }

  config::mongo_result<std::vector<std::byte>> run(std::string_view,
                                                   wire::document_view command) override {
    wire::document_reader reader{command};
    wire::element name;
    const auto reply =
        reader.next(name) ? wire::find_field(replies_.view(), name.key()) : std::nullopt;
    const auto found = reply ? reply->as_document() : std::nullopt;
    if (!found) return config::mongo_error{config::mongo_failure::command_failed, 59, "?"};
    return std::vector<std::byte>{found->bytes().begin(), found->bytes().end()};
  }

  config::mongo_result<void> find(std::string_view, std::string_view collection,
                                  wire::document_view, wire::document_view,
                                  const document_sink& sink) override {
    return give(config_.view(), collection, sink);
  }

  config::mongo_result<void> list_collections(std::string_view database, wire::document_view,
                                              const document_sink& sink) override {
    return give(views_.view(), database, sink);
  }

 private:
  static config::mongo_result<void> give(wire::document_view from, std::string_view list,
                                         const document_sink& sink) {
    const auto records = wire::find_field(from, list);
    wire::document_reader reader{records ? records->as_array().value() : wire::document_view{}};
    for (wire::element record; reader.next(record);) {
      if (!sink(record.as_document().value())) break;
    }
    return {};
  }

  json_document config_;
  json_document replies_;
  // The view, as the recorded explain plans show it; no reply to listCollections was recorded.
  json_document views_{R"({"shop": [{"name": "recent", "type": "view", "options": {
      "viewOn": "orders", "pipeline": [{"$match": {"status": "new"}}]}}]})"};
};

}  // namespace scattergate::tests
