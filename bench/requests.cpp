#include "bench/requests.hpp"

#include "bench/catalogs.hpp"

namespace scattergate::bench {
namespace {

/// The requests of one case differ in their values, so that branch prediction can't learn them.
constexpr std::size_t request_count = 64;

template <typename Make>
requests several(Make make) {
  std::mt19937_64 random{1};
  requests made;
  for (std::size_t i = 0; i != request_count; ++i) made.push_back(make(random));
  return made;
}

template <typename Make>
std::vector<std::string> documents(std::size_t count, Make make) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i != count; ++i) made.push_back(make());
  return made;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
  return all;
}

std::string number(std::mt19937_64& random) {
  return std::to_string(random() % 1'000'000);
}

}  // namespace

requests find_by_key(std::string_view collection) {
  return several([&](std::mt19937_64& random) {
    return request{R"("find": ")" + std::string{collection} + R"(", "filter": {"k": )" +
                   any_object_id(random) + R"(}, "limit": 1, "singleBatch": true)"};
  });
}

requests find_in(std::string_view collection) {
  return several([&](std::mt19937_64& random) {
    const auto ids = documents(1000, [&] { return any_object_id(random); });
    return request{R"("find": ")" + std::string{collection} +
                   R"(", "filter": {"k": {"$in": [)" + joined(ids) + "]}}"};
  });
}

requests documents_page() {
  return several([](std::mt19937_64& random) {
    return request{R"("find": "documents", "filter": {"project_id": )" + any_object_id(random) +
                       R"(, "removed_at": {"$exists": false}, "_id": {"$gt": )" +
                       any_object_id(random) + R"(}}, "sort": {"_id": 1}, "limit": 20)",
                   {},
                   "yorkie-meta"};
  });
}

requests changes_range() {
  return several([](std::mt19937_64& random) {
    return request{R"("find": "changes", "filter": {"project_id": )" + any_object_id(random) +
                       R"(, "doc_id": )" + any_object_id(random) +
                       R"(, "server_seq": {"$gte": 1, "$lte": 99}}, "sort": {"server_seq": 1})",
                   {},
                   "yorkie-meta"};
  });
}

requests find_active_clients() {
  return several([](std::mt19937_64& random) {
    return request{R"("find": "clients", "filter": {"_id": {"$gt": )" + any_object_id(random) +
                       R"(}, "status": "activated"}, "sort": {"_id": 1}, "limit": 500)",
                   {},
                   "yorkie-meta"};
  });
}

requests insert_100() {
  return several([](std::mt19937_64& random) {
    return request{R"("insert": "ranged", "ordered": true)",
                   {"documents", documents(100, [&] {
                      return R"({"_id": )" + any_object_id(random) + R"(, "k": )" +
                             any_object_id(random) +
                             R"(, "name": "n", "count": 7, "tags": []})";
                    })}};
  });
}

requests update_100() {
  return several([](std::mt19937_64& random) {
    return request{R"("update": "ranged", "ordered": true)",
                   {"updates", documents(100, [&] {
                      return R"({"q": {"k": )" + any_object_id(random) +
                             R"(}, "u": {"$set": {"name": "n"}, "$inc": {"count": 1}}})";
                    })}};
  });
}

requests aggregate_lookup() {
  return several([](std::mt19937_64& random) {
    return request{R"("aggregate": "ranged", "pipeline": [{"$match": {"k": )" +
                   any_object_id(random) +
                   R"(}}, {"$lookup": {"from": "hashed", "localField": "ref",
                       "foreignField": "k", "as": "refs"}}, {"$sort": {"name": 1}}],
                       "cursor": {})"};
  });
}

requests large_point() {
  return several([](std::mt19937_64& random) {
    return request{R"("find": "large", "filter": {"k": )" + number(random) + "}"};
  });
}

requests large_range() {
  return several([](std::mt19937_64& random) {
    return request{R"("find": "large", "filter": {"k": {"$gte": )" + number(random) +
                   R"(, "$lt": 1000000}})"};
  });
}

}  // namespace scattergate::bench
