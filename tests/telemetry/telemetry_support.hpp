#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <stdlib.h>

#include "telemetry/memory_budget.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry::tests {

/// A new temporary folder. The destructor deletes it with its content.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "scattergate-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~temporary_folder() { std::filesystem::remove_all(path_); }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  /// The path of a file in the folder.
  [[nodiscard]] std::string file(std::string_view name) const {
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

/// A memory budget that is large enough for all tests.
inline memory_budget& plenty() {
  static memory_budget memory{1UL << 30U};
  return memory;
}

/// The content of a file; empty if it can't be read.
inline std::string read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The lines of a file; empty if it can't be read.
inline std::vector<std::string> read_lines(const std::string& path) {
  std::istringstream text{read_file(path)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// Parses the lines of a file as JSON objects. Throws if a line isn't one.
inline std::vector<boost::json::object> read_json_lines(const std::string& path) {
  std::vector<boost::json::object> lines;
  for (const std::string& line : read_lines(path)) {
    lines.push_back(boost::json::parse(line).as_object());
  }
  return lines;
}

/// Waits until `is_so` returns true, for at most ten seconds. Returns false after that time.
inline bool eventually(const std::function<bool()>& is_so) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

/// A finding (a command to report) for tests: Yorkie's find on its collection `clients`,
/// without the shard key's field project_id.
inline shape_details sample_finding(std::uint64_t shape_hash = 0x9f0c) {
  shape_details details;
  details.database = "yorkie-meta";
  details.collection = "clients";
  details.command = routing::command_kind::find;
  details.shape_hash = shape_hash;
  details.what.routing = routing::routing_class::scatter_gather;
  details.what.bounds = routing::bounds_kind::full;
  details.what.why = routing::reason::missing_key;
  details.action = finding_action::observed;
  details.what.shard_key_json = R"({"project_id":1,"_id":"hashed"})";
  details.what.missing = {"project_id"};
  details.what.shape_json = R"({"find":"clients","filter":{"status":"?string"}})";
  details.what.suggestion = "add project_id to the filter";
  return details;
}

/// New counts of sample_finding(): `count` commands of 2 ms each.
inline shape_delta sample_delta(std::uint64_t count, std::uint64_t shape_hash = 0x9f0c) {
  shape_delta delta;
  delta.details = std::make_shared<const shape_details>(sample_finding(shape_hash));
  delta.count = count;
  delta.longest = std::chrono::milliseconds{2};
  delta.total = std::chrono::milliseconds{2} * static_cast<int>(count);
  delta.by_routing[static_cast<std::size_t>(delta.details->what.routing)] = count;
  delta.who.add({"yorkie", "go", "", "10.0.0.1:4711", "", count});
  return delta;
}

/// Adds deltas to a digest, as the account (telemetry's thread that adds up counts) does.
inline void add_to(live_digest& digest, const std::vector<shape_delta>& deltas,
                   digest::wall_time now = std::chrono::system_clock::now()) {
  for (const shape_delta& each : deltas) (void)digest.add(each, now);
}

}  // namespace scattergate::telemetry::tests
