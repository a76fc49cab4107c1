// Sketches a stream of values and prints the results, for test_sketches.py. Each line of the
// standard input is a value: a text. `sketch_probe PARTS`: distributes the lines to PARTS
// sketches, which are stored, read and added.

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "digest/sketches/stored_sketches.hpp"
#include "text/json_writer.hpp"

namespace {

using namespace scattergate;

constexpr digest::salt fixed_salt{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9};

digest::sketch_set added(std::span<const digest::sketch_set> parts) {
  digest::sketch_set sum{fixed_salt.id()};
  for (const digest::sketch_set& each : parts) {
    const auto read = digest::read_stored_sketches(digest::stored_sketches(each));
    if (!read) std::abort();
    sum.add(*read);
  }
  return sum;
}

void print(const digest::collection_sketches& of,
           const std::map<std::uint32_t, std::string>& values) {
  for (const auto& field : of.fields()) {
    if (field.path != "value") continue;
    std::string text;
    text::json_writer to{text};
    to.object();
    to.decimal("distinct", field.of.values.distinct().estimate(), 3);
    to.number("total", field.of.values.commonest().total());
    to.array("commonest");
    for (const auto& each : field.of.values.commonest().ranked()) {
      to.array();
      to.text(values.at(each.hash_prefix));
      to.number(each.at_least());
      to.number(each.count);
      to.end();
    }
    to.end();
    to.end();
    std::cout << text << '\n';
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t parts = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1;
  std::vector<digest::sketch_set> sets;
  for (std::size_t i = 0; i < parts; ++i) sets.emplace_back(fixed_salt.id());
  std::map<std::uint32_t, std::string> values;
  std::size_t lines = 0;
  for (std::string line; std::getline(std::cin, line); ++lines) {
    digest::collection_sketches& to = *sets[lines % parts].find_or_add("test", "values");
    const std::uint64_t hash = digest::salted_hash(std::as_bytes(std::span{line}), fixed_salt);
    const digest::sketched_value value{*to.admit("value"), hash, {}};
    to.add({{&value, 1}, 1, false});
    values[static_cast<std::uint32_t>(hash >> 32U)] = line;
  }
  const digest::sketch_set sum = added(sets);
  print(*sum.find("test", "values"), values);
  return 0;
}
