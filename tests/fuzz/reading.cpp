#include "tests/fuzz/reading.hpp"

#include <string>

#include "digest/json.hpp"

namespace scattergate::fuzz {

void checked_reading::check() const {
  std::uint64_t counted = 0;
  const auto ranked = table_.ranked();
  for (const digest::row* const one : ranked) {
    counted += one->count;
    require(one->total.count() >= 0 && one->longest.count() >= 0);
    require(one->who.all().size() <= digest::callers::most);
    std::string text;
    text::json_writer json{text};
    digest::append_json(json, *one);
    require(text.starts_with('{') && text.ends_with('}'));
  }
  require(counted <= table_.all().commands);
  require(table_.evicted_rows() != 0 || counted == table_.all().commands);
  require(table_.all().shards.wasted <= table_.all().shards.asked);
}

}  // namespace scattergate::fuzz
