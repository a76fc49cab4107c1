#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/routing/shape_support.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/wire/messages.hpp"
#include "wire/bson_writer.hpp"

// The cost of a shape depends only on the size of the command, not on its contents. Costs are
// the thread's own time on a CPU, held against the time that one plain walk over the bytes
// takes.

namespace scattergate::routing_tests {
namespace {

using bson = std::vector<std::byte>;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename Work>
double least_cost(Work work) {
  double least = 1e9;
  for (int i = 0; i != 3; ++i) {
    const double begin = cpu_seconds();
    work();
    least = std::min(least, cpu_seconds() - begin);
  }
  return least;
}

/// FNV-1a over all of it: about a nanosecond for each byte.
double cost_of_reading(const bson& body) {
  volatile std::uint64_t result = 0;
  return least_cost([&] {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const std::byte each : body) {
      hash = (hash ^ std::to_integer<std::uint64_t>(each)) * 0x00000100000001B3ULL;
    }
    result = hash;
  });
}

double cost_of_shape(const bson& body) {
  const auto view = wire::document_view::from(body);
  const auto command = wire::command_of(view.value()).value();
  lent_scratch lent;
  volatile std::uint64_t result = 0;
  return least_cost([&] { result = routing::shape_hash(command, lent.memory()); });
}

/// A filter of fields whose long names differ at their end.
bson long_names(std::size_t fields, const std::string& piece, std::size_t bytes) {
  std::string prefix;
  while (prefix.size() < bytes) prefix += piece;
  wire::bson_writer to;
  to.text("find", "c");
  to.open_document("filter");
  for (std::size_t i = 0; i != fields; ++i) to.int32(prefix + "x" + std::to_string(i), 1);
  to.close();
  return to.take();
}

/// Updates of this number of forms, with the same beginning.
bson updates(std::size_t count, std::size_t forms, std::size_t fields) {
  wire::bson_writer to;
  to.text("update", "c");
  to.open_array("updates");
  for (std::size_t i = 0; i != count; ++i) {
    to.open_document("0");
    to.open_document("q");
    for (std::size_t field = 0; field != fields; ++field) {
      to.int32("field" + std::to_string(field), 1);
    }
    to.int32("zz" + std::to_string(i % forms + 1'000) + "x", 1);
    to.close();
    to.open_document("u");
    to.open_document("$set");
    to.int32("b", 2);
    to.close();
    to.close();
    to.close();
  }
  to.close();
  return to.take();
}

/// Documents in one another, each with lists.
bson nested(std::size_t count) {
  wire::bson_writer to;
  to.text("aggregate", "c");
  to.open_array("pipeline");
  for (std::size_t i = 0; i != count; ++i) {
    for (int level = 0; level != 15; ++level) {
      to.open_document("$set");
      to.open_array("a");
    }
    for (int level = 0; level != 15; ++level) {
      to.close();
      to.close();
    }
  }
  to.close();
  return to.take();
}

bson long_list(std::size_t members) {
  wire::bson_writer to;
  to.text("find", "c");
  to.open_document("filter");
  for (const char* operation : {"$or", "$and", "$nor"}) {
    to.open_array(operation);
    for (std::size_t i = 0; i != members; ++i) {
      to.open_document("0");
      to.int32("a" + std::to_string(i % 60), 1);
      to.close();
    }
    to.close();
  }
  to.close();
  return to.take();
}

/// What a sanitizer adds isn't the same for both.
constexpr double most_readings = tests::has_sanitizer ? 60 : 6;

TEST(shape_growth, costs_no_more_than_reading_the_command_a_few_times) {
  const struct {
    const char* what;
    bson command;
  } cases[] = {
      {"long names", long_names(1'500, "abcdefgh", 10'000)},
      {"long names of many parts", long_names(1'500, "ab.", 10'000)},
      {"long names that are data", long_names(1'500, "1.", 10'000)},
      {"updates of one form", updates(100'000, 1, 4)},
      {"updates of sixty forms", updates(100'000, 60, 4)},
      {"large updates of sixty forms", updates(10'000, 60, 80)},
      {"updates of too many forms", updates(100'000, 1'000, 4)},
      {"nests", nested(20'000)},
      {"lists", long_list(100'000)},
  };
  for (const auto& [what, command] : cases) {
    const double reading = cost_of_reading(command);
    const double shape = cost_of_shape(command);
    RecordProperty(what, std::to_string(shape / reading));
    EXPECT_LT(shape, most_readings * reading)
        << what << ": " << command.size() << " bytes, shape " << shape * 1e3 << " ms, reading "
        << reading * 1e3 << " ms";
  }
}

TEST(shape_growth, of_a_batch_is_that_of_its_first_statements) {
  const auto hash = [](const bson& body) {
    lent_scratch lent;
    const auto view = wire::document_view::from(body);
    return routing::shape_hash(wire::command_of(view.value()).value(), lent.memory());
  };
  EXPECT_EQ(hash(updates(100'000, 1, 4)), hash(updates(1, 1, 4)));
  EXPECT_EQ(hash(updates(100'000, 60, 4)), hash(updates(60, 60, 4)));
}

TEST(shape_growth, cuts_what_costs_too_much_to_sort) {
  lent_scratch lent;
  const bson body = long_names(1'500, "1.", 10'000);
  const auto view = wire::document_view::from(body);
  EXPECT_EQ(routing::shape_json(wire::command_of(view.value()).value(), lent.memory()),
            R"({"filter":{"...":true}})");
}

}  // namespace
}  // namespace scattergate::routing_tests
