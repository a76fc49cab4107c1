#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fleet/bson_parts.hpp"
#include "sim/simulator.hpp"
#include "sim/values/bson_codec.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::tests {

/// A collection in a simulated cluster, without sockets. Tests run on it the update statements
/// that scattergate sends to the fleet's database.
class simulated_collection {
 public:
  /// Runs an update statement (an item of `updates`). Returns the number of documents that it
  /// matched or created; if it failed, the error's code.
  std::int64_t apply(const std::vector<std::byte>& statement) {
    wire::bson_writer command;
    command.text("update", "c");
    command.open_array("updates");
    command.document("0", fleet::view_of(statement));
    command.close();
    const auto reply = run(command.take());
    const auto errors = wire::find_field(fleet::view_of(reply), "writeErrors");
    if (!errors) return static_cast<std::int64_t>(fleet::number_in(fleet::view_of(reply), "n"));
    return static_cast<std::int64_t>(
        fleet::number_in(fleet::document_in(errors->as_array().value(), "0"), "code"));
  }

  /// All documents, in the order of their creation. Valid until the next call.
  std::vector<wire::document_view> documents() {
    wire::bson_writer command;
    command.text("find", "c");
    reply_ = run(command.take());
    std::vector<wire::document_view> all;
    const auto cursor = fleet::document_in(fleet::view_of(reply_), "cursor");
    wire::document_reader reader{wire::find_field(cursor, "firstBatch")->as_array().value()};
    for (wire::element one; reader.next(one);) all.push_back(one.as_document().value());
    return all;
  }

 private:
  std::vector<std::byte> run(const std::vector<std::byte>& command) {
    const auto body = sim::decode(fleet::view_of(command));
    const std::string reply = sim::encode(
        simulator_.run(client_, sim::request{body.front().name, "d", body, false}).body);
    const auto bytes = std::as_bytes(std::span{reply});
    return {bytes.begin(), bytes.end()};
  }

  sim::simulator simulator_{1};
  sim::connection client_ = simulator_.connect("test");
  std::vector<std::byte> reply_;
};

}  // namespace scattergate::tests
