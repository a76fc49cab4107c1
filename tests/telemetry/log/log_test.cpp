#include "telemetry/log/log.hpp"

#include <cmath>
#include <filesystem>
#include <regex>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using log::component;
using log::severity;

/// Gives the log back to standard error.
class log_to_file : public ::testing::Test {
 protected:
  log_to_file() { log::open(folder_.file("log"), "debug").value(); }
  ~log_to_file() override { EXPECT_TRUE(log::open("-", "info")); }

  [[nodiscard]] std::vector<boost::json::object> lines(const std::string& name = "log") const {
    return tests::read_json_lines(folder_.file(name));
  }

  tests::temporary_folder folder_;
};

TEST_F(log_to_file, writes_lines_in_the_shape_of_mongodbs) {
  log::set_thread_name("worker-0");
  log::write(severity::warning, component::catalog, 3001, "Catalog not loaded",
             {{"error", "no such file"},
              {"attempt", std::int64_t{3}},
              {"seconds", 1.5},
              {"first", true}});
  log::set_thread_name("main");
  const std::string line = tests::read_lines(folder_.file("log")).at(0);
  const std::regex shape{
      R"re(\{"t":\{"\$date":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"\},"s":"W","c":"CATALOG",)re"
      R"re("id":3001,"ctx":"worker-0","msg":"Catalog not loaded","attr":)re"
      R"re(\{"error":"no such file","attempt":3,"seconds":1\.5,"first":true\}\})re"};
  EXPECT_TRUE(std::regex_match(line, shape)) << line;
}

TEST_F(log_to_file, has_no_attr_where_there_are_none) {
  log::write(severity::info, component::proxy, 1, "Ready");
  EXPECT_FALSE(lines().at(0).contains("attr"));
}

TEST_F(log_to_file, leaves_out_an_attribute_without_a_value) {
  log::write(severity::info, component::proxy, 1, "Ready",
             {{"none", std::monostate{}}, {"one", std::int64_t{1}}});
  EXPECT_EQ(lines().at(0).at("attr"), (boost::json::object{{"one", 1}}));
}

TEST_F(log_to_file, names_every_severity_and_component) {
  log::write(severity::debug, component::proxy, 1, "");
  log::write(severity::info, component::routing, 2, "");
  log::write(severity::error, component::config, 3, "");
  log::write(severity::fatal, component::admin, 4, "");
  const auto written = lines();
  ASSERT_EQ(written.size(), 4U);
  EXPECT_EQ(written[0].at("s"), "D1");
  EXPECT_EQ(written[1].at("c"), "ROUTING");
  EXPECT_EQ(written[2].at("s"), "E");
  EXPECT_EQ(written[3].at("s"), "F");
  EXPECT_EQ(written[3].at("c"), "ADMIN");
}

TEST_F(log_to_file, stays_one_line_of_json_whatever_it_is_given) {
  log::write(
      severity::info, component::proxy, 1, "a\nb",
      {{"text", "\"\\\r\n\x01\xFF{}%v"}, {"nan", std::nan("")}, {"infinite", -HUGE_VAL}});
  const auto written = lines();
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].at("attr").at("text"), "\"\\\r\n\x01\xEF\xBF\xBD{}%v");
  EXPECT_EQ(written[0].at("attr").at("nan").at("$numberDouble"), "NaN");
  EXPECT_EQ(written[0].at("attr").at("infinite").at("$numberDouble"), "-Infinity");
}

TEST_F(log_to_file, cuts_long_attributes_and_says_so) {
  const std::string endless(50'000, 'x');
  log::write(severity::info, component::proxy, 1, "Long",
             {{"first", endless}, {"second", endless}, {"third", std::int64_t{7}}});
  const auto line = lines().at(0);
  EXPECT_LE(line.at("attr").at("first").as_string().size(), 10U * 1024);
  EXPECT_GT(line.at("attr").at("first").as_string().size(), 10'000U);
  EXPECT_EQ(line.at("attr").at("second"), "");
  EXPECT_EQ(line.at("attr").at("third"), 7);
  EXPECT_EQ(line.at("truncated").at("first").at("size"), 50'000);
  EXPECT_EQ(line.at("size").at("second"), 50'000);
}

TEST_F(log_to_file, leaves_out_what_is_below_its_level) {
  log::set_level("warning");
  log::write(severity::info, component::proxy, 1, "left out");
  log::write(severity::warning, component::proxy, 2, "written");
  log::set_level("error");
  log::write(severity::warning, component::proxy, 3, "left out");
  const auto written = lines();
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].at("id"), 2);
}

TEST_F(log_to_file, goes_on_in_a_new_file_after_rotation) {
  log::write(severity::info, component::proxy, 1, "before");
  std::filesystem::rename(folder_.file("log"), folder_.file("log.1"));
  log::reopen();
  log::write(severity::info, component::proxy, 2, "after");
  EXPECT_EQ(lines("log.1").at(0).at("id"), 1);
  EXPECT_EQ(lines("log").at(0).at("id"), 2);
}

TEST_F(log_to_file, makes_its_file_for_owner_and_group_and_leaves_one_that_is_there) {
  namespace fs = std::filesystem;
  const mode_t mask = ::umask(0);
  ASSERT_TRUE(log::open(folder_.file("new"), "info"));
  ::umask(mask);
  EXPECT_EQ(fs::status(folder_.file("new")).permissions(), fs::perms{0640});
  fs::permissions(folder_.file("new"), fs::perms{0604});
  log::reopen();
  EXPECT_EQ(fs::status(folder_.file("new")).permissions(), fs::perms{0604});
}

TEST_F(log_to_file, refuses_a_file_that_cannot_be_opened_and_keeps_the_old_one) {
  std::filesystem::create_directory(folder_.file("folder"));
  EXPECT_FALSE(log::open(folder_.file("folder"), "info"));
  log::write(severity::info, component::proxy, 1, "still here");
  EXPECT_EQ(lines().at(0).at("id"), 1);
}

TEST_F(log_to_file, keeps_the_old_file_where_it_cannot_be_opened_anew) {
  std::filesystem::rename(folder_.file("log"), folder_.file("log.1"));
  std::filesystem::create_directory(folder_.file("log"));
  log::reopen();
  log::write(severity::info, component::proxy, 1, "still here");
  const auto written = lines("log.1");
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[0].at("s"), "E");
  EXPECT_EQ(written[1].at("id"), 1);
}

TEST_F(log_to_file, may_be_written_by_several_threads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      log::set_thread_name("worker-" + std::to_string(i));
      for (int n = 0; n < 100; ++n) {
        log::write(severity::info, component::proxy, n, "line", {{"n", std::int64_t{n}}});
      }
    });
  }
  log::reopen();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lines().size(), 400U);
}

}  // namespace
}  // namespace scattergate::telemetry
