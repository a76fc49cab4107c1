#include "fleet/mark_pruning.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "fleet/bson_parts.hpp"
#include "fleet/names.hpp"

namespace scattergate::fleet {
namespace {

using wire::bson_writer;

/// The maximum number of documents per flush, and of removed marks per document.
constexpr std::size_t most_documents = 4;
constexpr std::size_t most_marks = 1'000;

std::vector<std::string> expired_marks_in(wire::document_view document, digest::wall_time now) {
  std::vector<std::string> found;
  wire::document_reader reader{document_in(document, "marks")};
  for (wire::element one; reader.next(one) && found.size() < most_marks;) {
    const auto mark = one.as_document();
    const auto at = mark ? date_in(*mark, "expiresAt") : std::nullopt;
    if (at && *at < now) found.emplace_back(one.key());
  }
  return found;
}

document key_of(const std::string& shape, std::uint32_t n) {
  bson_writer to;
  to.text("_id", shape_id(shape, n));
  to.text("shape", shape);
  to.int32("n", static_cast<std::int32_t>(n));
  return to.take();
}

/// One statement for each mark. It matches only if the mark is still expired, so it keeps a
/// mark that another flush has written since.
database::statements removals(const document& key, const std::vector<std::string>& sidecars,
                              digest::wall_time now) {
  database::statements all;
  for (const std::string& uuid : sidecars) {
    const std::string path = "marks." + uuid;
    bson_writer filter{view_of(key)};
    filter.open_document(path + ".expiresAt");
    append_date(filter, "$lt", now);
    filter.close();
    bson_writer to;
    to.document("q", view_of(filter.take()));
    to.open_document("u");
    to.open_document("$unset");
    to.boolean(path, true);
    to.close();
    to.close();
    all.push_back(to.take());
  }
  return all;
}

}  // namespace

void prune_marks(database& db, const flush_plan& of, const flush_place& at,
                 digest::wall_time now) {
  std::vector<std::size_t> all(of.size(statistics_kind::shapes));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::size_t> chosen;
  std::minstd_rand random{std::random_device{}()};
  std::ranges::sample(all, std::back_inserter(chosen), most_documents, random);
  for (const std::size_t index : chosen) {
    const document key = key_of(of.shape(index), at.n);
    const auto found = db.find_one(collections::shapes, view_of(key));
    if (!found || !*found) return;
    const auto expired = expired_marks_in(view_of(**found), now);
    if (expired.empty()) continue;
    if (!db.update(collections::shapes, removals(key, expired, now))) return;
  }
}

}  // namespace scattergate::fleet
