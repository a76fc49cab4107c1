#include "routing/shape/shape_words.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace scattergate::routing {
namespace {

using words = std::span<const std::string_view>;

// Each list is sorted.
// clang-format off

/// Kinds of indexes (MongoDB's manual, "Index Types").
constexpr std::array<std::string_view, 4> directions{"2d", "2dsphere", "hashed", "text"};

/// Operands of $meta (mongo: db/pipeline/document_metadata_fields.cpp).
constexpr std::array<std::string_view, 15> metas{
    "geoNearDistance", "geoNearPoint", "indexKey", "randVal", "recordId", "score",
    "scoreDetails", "searchHighlights", "searchRootDocumentId", "searchScore",
    "searchScoreDetails", "searchSequenceToken", "sortKey", "textScore", "vectorSearchScore"};

/// Locales of collations (MongoDB's manual, "Collation Locales"): languages, some with script
/// or region.
constexpr std::array<std::string_view, 110> locales{
    "af", "am", "ar", "as", "az", "be", "bg", "bn", "bo", "bs", "bs_Cyrl", "ca", "chr", "cs",
    "cy", "da", "de", "de_AT", "dsb", "dz", "ee", "el", "en", "en_US", "en_US_POSIX", "eo", "es",
    "et", "fa", "fa_AF", "fi", "fil", "fo", "fr", "fr_CA", "ga", "gl", "gu", "ha", "haw", "he",
    "hi", "hr", "hsb", "hu", "hy", "id", "ig", "is", "it", "ja", "ka", "kk", "kl", "km", "kn",
    "ko", "kok", "ky", "lb", "lkt", "ln", "lo", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "mt",
    "my", "nb", "ne", "nl", "nn", "om", "or", "pa", "pl", "ps", "pt", "ro", "ru", "se", "si",
    "simple", "sk", "sl", "smn", "sq", "sr", "sr_Latn", "sv", "sw", "ta", "te", "th", "to", "tr",
    "ug", "uk", "ur", "vi", "wae", "yi", "yo", "zh", "zh_Hant", "zu"};

/// The variants of a locale, as in `de@collation=phonebook`.
constexpr std::array<std::string_view, 12> variants{
    "big5han", "compat", "dictionary", "gb2312han", "phonebook", "phonetic", "pinyin",
    "reformed", "search", "stroke", "traditional", "zhuyin"};

constexpr std::array<std::string_view, 7> collation_words{
    "lower", "non-ignorable", "off", "punct", "shifted", "space", "upper"};

constexpr std::array<std::string_view, 6> merge_words{
    "discard", "fail", "insert", "keepExisting", "merge", "replace"};
// clang-format on
static_assert(std::ranges::is_sorted(directions) && std::ranges::is_sorted(metas) &&
              std::ranges::is_sorted(locales) && std::ranges::is_sorted(variants) &&
              std::ranges::is_sorted(collation_words) && std::ranges::is_sorted(merge_words));

bool has(words among, std::string_view text) noexcept {
  return std::ranges::binary_search(among, text);
}

bool is_locale(std::string_view text) noexcept {
  constexpr std::string_view keyword = "@collation=";
  const std::size_t at = text.find(keyword);
  if (at == text.npos) return has(locales, text);
  return has(locales, text.substr(0, at)) && has(variants, text.substr(at + keyword.size()));
}

}  // namespace

bool is_word(word_place place, std::string_view text) noexcept {
  switch (place) {
    case word_place::direction:
      return has(directions, text);
    case word_place::meta:
      return has(metas, text);
    case word_place::locale:
      return is_locale(text);
    case word_place::collation:
      return has(collation_words, text);
    case word_place::when_match:
      return has(merge_words, text);
  }
  return false;
}

}  // namespace scattergate::routing
