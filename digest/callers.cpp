#include "digest/callers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "text/percent.hpp"
#include "text/utf8.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::digest {
namespace {

constexpr std::string_view name_begins = "test='";
constexpr std::string_view word_separators = ", ";

bool is_separator(char c) noexcept {
  return word_separators.find(c) != word_separators.npos;
}

/// The position of `test='` as a word of its own; npos if there is none.
std::size_t find_name(std::string_view comment) noexcept {
  std::size_t at = comment.find(name_begins);
  while (at != comment.npos && at != 0 && !is_separator(comment[at - 1])) {
    at = comment.find(name_begins, at + 1);
  }
  return at;
}

std::string_view cut(std::string_view text) noexcept {
  return text::cut_utf8(text, callers::most_text);
}

/// A caller's texts, truncated, and last the test. A view.
using texts = std::array<std::string_view, caller_fields.size()>;

texts texts_of(const caller& one) noexcept {
  texts all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = cut(one.*caller_fields[i].text);
  return all;
}

using packed = std::shared_ptr<const char[]>;
using length = std::uint16_t;
static_assert(callers::most_text <= std::numeric_limits<length>::max());

/// Packs texts: first the lengths, then the texts. Compact, because thousands of rows have
/// callers.
packed pack(const texts& from) {
  std::size_t size = from.size() * sizeof(length);
  for (const std::string_view one : from) size += one.size();
  auto made = std::make_shared<char[]>(size);
  std::size_t at = from.size() * sizeof(length);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto bytes = static_cast<length>(from[i].size());
    std::memcpy(made.get() + i * sizeof bytes, &bytes, sizeof bytes);
    std::copy(from[i].begin(), from[i].end(), made.get() + at);
    at += bytes;
  }
  return made;
}

texts unpack(const packed& from) noexcept {
  texts made;
  std::size_t at = made.size() * sizeof(length);
  for (std::size_t i = 0; i < made.size(); ++i) {
    length bytes = 0;
    std::memcpy(&bytes, from.get() + i * sizeof bytes, sizeof bytes);
    made[i] = {from.get() + at, bytes};
    at += bytes;
  }
  return made;
}

/// Whether both are the same caller; equal lengths imply equal sizes.
bool are_same(const packed& a, const packed& b) noexcept {
  constexpr std::size_t texts_begin = std::tuple_size_v<texts> * sizeof(length);
  std::array<length, distinguishing_caller_fields> lengths;
  if (std::memcmp(a.get(), b.get(), sizeof lengths) != 0) return false;
  std::memcpy(lengths.data(), a.get(), sizeof lengths);
  const std::size_t bytes = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  return std::memcmp(a.get() + texts_begin, b.get() + texts_begin, bytes) == 0;
}

bool has_test(const packed& one) noexcept {
  return !unpack(one).back().empty();
}

/// The latest callers, whose texts are shared by all rows that have them. One cache per thread;
/// it only saves memory.
class latest_callers {
 public:
  const packed& find(const texts& key) {
    std::uint64_t hash = 0;
    for (const std::string_view one : key) hash = wire::seeded_hash(one, hash);
    packed& slot = slots_[hash % slots_.size()];
    if (slot == nullptr || unpack(slot) != key) slot = pack(key);
    return slot;
  }

 private:
  std::array<packed, 1024> slots_;
};

const packed& shared(const caller& one) {
  thread_local latest_callers latest;
  return latest.find(texts_of(one));
}

}  // namespace

std::string take_test_name(std::string& comment) {
  std::size_t begin = find_name(comment);
  if (begin == comment.npos) return {};
  const std::size_t name = begin + name_begins.size();
  const std::size_t quote = std::min(comment.find('\'', name), comment.size());
  std::string found = text::to_plain(
      text::percent_decoded(std::string_view{comment}.substr(name, quote - name)));
  std::size_t end = std::min(quote + 1, comment.size());
  if (begin != 0) {
    --begin;
  } else {
    while (end != comment.size() && is_separator(comment[end])) ++end;
  }
  comment.erase(begin, end - begin);
  return found;
}

void callers::add(const caller& one, std::uint64_t count) {
  if (one.comment.find("test='") == one.comment.npos) return add_packed(shared(one), count);
  caller apart = one;
  std::string test = take_test_name(apart.comment);
  if (apart.test.empty()) apart.test = std::move(test);
  add_packed(shared(apart), count);
}

callers::counted* callers::find(std::vector<counted>& in, const packed_texts& who) noexcept {
  auto known =
      std::find_if(in.begin(), in.end(), [&](const counted& each) { return each.who == who; });
  if (known == in.end()) {
    known = std::find_if(in.begin(), in.end(),
                         [&](const counted& each) { return are_same(each.who, who); });
  }
  return known == in.end() ? nullptr : &*known;
}

void callers::add_packed(const packed_texts& who, std::uint64_t count) {
  if (counted* const known = find(apart_, who)) {
    known->count += count;
    if (!has_test(known->who) && has_test(who)) known->who = who;
  } else if (apart_.size() < most) {
    apart_.push_back({who, count});
  } else {
    others_ += count;
  }
}

void callers::add(const callers& others) {
  for (const counted& one : others.apart_) add_packed(one.who, one.count);
  others_ += others.others_;
}

void callers::make_room_for(const callers& others) {
  const std::size_t needed = std::min(most, apart_.size() + others.apart_.size());
  if (needed <= apart_.capacity()) return;
  std::size_t missing = 0;
  for (const counted& one : others.apart_) {
    if (find(apart_, one.who) == nullptr) ++missing;
  }
  apart_.reserve(std::min(most, apart_.size() + missing));
}

void callers::subtract(const callers& earlier) noexcept {
  for (const counted& one : earlier.apart_) {
    counted* const known = find(apart_, one.who);
    if (known != nullptr) known->count -= std::min(known->count, one.count);
  }
  std::erase_if(apart_, [](const counted& one) { return one.count == 0; });
  others_ -= std::min(others_, earlier.others_);
}

std::uint64_t callers::count() const noexcept {
  return std::accumulate(apart_.begin(), apart_.end(), others_,
                         [](std::uint64_t sum, const counted& one) { return sum + one.count; });
}

std::vector<caller> callers::all() const {
  std::vector<caller> made;
  made.reserve(apart_.size());
  for (const counted& one : apart_) {
    const auto [app_name, driver, user, remote, comment, test] = unpack(one.who);
    made.push_back({std::string{app_name}, std::string{driver}, std::string{user},
                    std::string{remote}, std::string{comment}, one.count, std::string{test}});
  }
  return made;
}

std::size_t callers::bytes() const noexcept {
  std::size_t bytes = 0;
  for (const counted& one : apart_) {
    const texts who = unpack(one.who);
    bytes += sizeof one + who.size() * sizeof(length);
    for (const std::string_view text : who) bytes += text.size();
  }
  return bytes;
}

std::vector<caller> callers::ranked() const {
  std::vector<caller> sorted = all();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const caller& a, const caller& b) { return a.count > b.count; });
  return sorted;
}

}  // namespace scattergate::digest
