#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "routing/words/describe.hpp"
#include "tests/routing/judging_support.hpp"

/// The advice in all situations that have a sentence of their own, for a DBA and a developer to
/// read.
namespace scattergate::routing_tests {
namespace {

/// A command on the sharded collection db.c, or on another with this key. db.v is a view of
/// db.c; all others aren't sharded.
struct situation {
  std::string_view version;
  std::string_view key;
  std::string_view command;
  std::string_view sentence;
  std::string_view followed = {};  ///< the command after the change that the sentence advises;
                                   ///< empty: it advises another change
  std::string_view driver = {};    ///< the client's driver, from its metadata
  std::string_view collection = "c";
  std::string_view more = {};  ///< further properties of the collection
};

constexpr std::string_view ranged = R"({"customer": 1, "_id": 1})";
constexpr std::string_view hashed = R"({"customer": "hashed"})";
constexpr std::string_view hashed_id = R"({"_id": "hashed"})";

constexpr std::string_view mongoose = "nodejs|Mongoose 6.20.0|9.12.1";
constexpr std::string_view spring = "mongo-java-driver|sync|spring-boot 5.14.0";

std::shared_ptr<const routing::catalog> catalog_for(const situation& of) {
  std::string json = R"({"version": ")" + std::string{of.version} + R"(", "collections": [)";
  json += R"({"ns": "db.)" + std::string{of.collection} + R"(", "key": )";
  json += std::string{of.key};
  if (!of.more.empty()) json += ", " + std::string{of.more};
  return catalog_of(json + R"(}, {"ns": "db.v", "viewOn": "c", "pipeline": []}]})");
}

/// Whether mongos asks fewer shards than before, or no longer rejects the command.
bool is_narrower(const routing::verdict& now, const routing::verdict& before) {
  if (now.refused != routing::refusal::none) return false;
  return now.routing < before.routing || now.bounds < before.bounds ||
         before.refused != routing::refusal::none ||
         (now.fanout && before.fanout && now.fanout->size() < before.fanout->size());
}

void expect_situations(const std::vector<situation>& situations) {
  for (const situation& each : situations) {
    const auto entries = catalog_for(each);
    const judged before{entries, each.command};
    EXPECT_EQ(routing::suggestion(before.verdict(), before.command(), each.driver),
              each.sentence)
        << each.version << " " << each.key << " " << each.driver << " " << each.command;
    if (each.followed.empty()) continue;
    const judged after{entries, each.followed};
    EXPECT_TRUE(is_narrower(after.verdict(), before.verdict()))
        << each.command << "\n -> " << before.why() << "\n"
        << each.followed << "\n -> " << after.why() << " "
        << routing::label(after.verdict().refused);
  }
}

TEST(situations, a_filter_without_the_key) {
  expect_situations(
      {{"8.0", ranged, R"({"find": "c", "filter": {"email": "a"}, "limit": 1})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard",
        R"({"find": "c", "filter": {"email": "a", "customer": 1}, "limit": 1})"},
       {"8.0", hashed, R"({"find": "c", "filter": {"email": "a"}, "limit": 1})",
        "add equality on customer (the shard key, hashed) to the filter so that mongos can "
        "ask one shard",
        R"({"find": "c", "filter": {"email": "a", "customer": 1}, "limit": 1})"},
       {"8.0", R"({"ts": 1})", R"({"find": "c", "filter": {"level": "error"}, "limit": 1})",
        "add equality or a range on ts (the shard key) to the filter: with equality, mongos "
        "asks one shard",
        R"({"find": "c", "filter": {"level": "error", "ts": {"$gte": 5}}, "limit": 1})"},
       {"8.0", R"({"address.city": 1, "_id": 1})",
        R"({"find": "c", "filter": {"x": 1}, "limit": 1})",
        "add equality or a range on address.city (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard",
        R"({"find": "c", "filter": {"x": 1, "address.city": "B"}, "limit": 1})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"_id": 7}})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter: "
        "conditions on later shard key fields help only together with the first",
        R"({"find": "c", "filter": {"_id": 7, "customer": 1}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"$or": [{"customer": 1}, {"email": "a"}]}})",
        "bound customer (1st of 2 shard key fields) in every branch of the $or, or outside "
        "the $or: a single branch without customer asks every shard",
        R"({"find": "c", "filter": {"$or": [{"customer": 1}, {"customer": 2, "email": )"
        R"("a"}]}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"$where": "1"}, "limit": 1})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard",
        R"({"find": "c", "filter": {"$where": "1", "customer": 1}, "limit": 1})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"$text": {"$search": "x"}, "customer": 1}})",
        "add equality on _id (2nd of 2 shard key fields) to the filter: next to $text, mongos "
        "uses only equality on the whole shard key",
        R"({"find": "c", "filter": {"$text": {"$search": "x"}, "customer": 1, "_id": 2}})"},
       {"6.0", ranged, R"({"find": "c", "filter": {"at": {"$near": [1, 1]}}})",
        "add equality on customer (1st of 2 shard key fields) and _id (2nd of 2 shard key "
        "fields) to the filter: next to $near, mongos uses only equality on the whole shard "
        "key",
        R"({"find": "c", "filter": {"at": {"$near": [1, 1]}, "customer": 1, "_id": 2}})"}});
}

TEST(situations, commands_that_may_be_for_all_values) {
  expect_situations(
      {{"8.0", ranged,
        R"({"find": "c", "filter": {"status": "open"}, "sort": {"at": -1}, "limit": 20})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard; if the command is meant for all values of customer, accept it, or find a key "
        "that fits: scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"find": "c", "filter": {"status": "open", "customer": 1}, "sort": {"at": -1}, )"
        R"("limit": 20})"},
       {"8.0", ranged, R"({"count": "c", "query": {"status": "open"}})",
        "add equality or a range on customer (1st of 2 shard key fields) to the query so that "
        "mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard; if the command is meant for all values of customer, accept it, or find a key "
        "that fits: scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"count": "c", "query": {"status": "open", "customer": {"$lt": 4}}})"},
       {"8.0", ranged, R"({"count": "c"})",
        "no filter helps a count of everything: each shard counts its own documents. If the "
        "count is frequent, keep the total in a separate document; otherwise accept the query"},
       {"8.0", ranged,
        R"({"aggregate": "c", "pipeline": [{"$match": {}}, {"$group": {"_id": 1, "n": )"
        R"({"$sum": 1}}}]})",
        "no filter helps a count of everything: each shard counts its own documents. If the "
        "count is frequent, keep the total in a separate document; otherwise accept the query"},
       {"8.0", hashed_id, R"({"aggregate": "c", "pipeline": [{"$count": "n"}]})",
        "no filter helps a count of everything: each shard counts its own documents. If the "
        "count is frequent, keep the total in a separate document; otherwise accept the query"},
       {"8.0", hashed_id, R"({"count": "c"})",
        "no filter helps a count of everything: each shard counts its own documents. If the "
        "count is frequent, keep the total in a separate document; otherwise accept the query"},
       {"8.0", hashed_id, R"({"distinct": "c", "key": "_id", "query": {"status": "open"}})",
        "no filter helps: the query lists values of _id (the shard key, hashed), which are on "
        "every shard. If the query is frequent, keep the values in a separate collection; "
        "otherwise accept the query"},
       {"8.0", ranged,
        R"({"aggregate": "c", "pipeline": [{"$unwind": "$items"}, {"$count": "n"}]})",
        "begin the pipeline with a $match that has equality or a range on customer (1st of 2 "
        "shard key fields) so that mongos doesn't ask every shard; if the command is meant "
        "for the whole collection, accept it",
        R"({"aggregate": "c", "pipeline": [{"$match": {"customer": 1}}, {"$unwind": )"
        R"("$items"}, {"$count": "n"}]})"},
       {"8.0", ranged, R"({"distinct": "c", "key": "status", "query": {"day": 1}})",
        "add equality or a range on customer (1st of 2 shard key fields) to the query so that "
        "mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard; if the command is meant for all values of customer, accept it, or find a key "
        "that fits: scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"distinct": "c", "key": "status", "query": {"day": 1, "customer": 1}})"},
       {"8.0", ranged, R"({"distinct": "c", "key": "customer"})",
        "no filter helps: the query lists values of customer (1st of 2 shard key fields), "
        "which are on every shard. If the query is frequent, keep the values in a separate "
        "collection; otherwise accept the query"},
       {"8.0", ranged, R"({"aggregate": "c", "pipeline": [{"$group": {"_id": "$status"}}]})",
        "begin the pipeline with a $match that has equality or a range on customer (1st of 2 "
        "shard key fields) so that mongos doesn't ask every shard; if the command is meant "
        "for the whole collection, accept it",
        R"({"aggregate": "c", "pipeline": [{"$match": {"customer": 1}}, {"$group": {"_id": )"
        R"("$status"}}]})"},
       {"8.0", hashed,
        R"({"aggregate": "c", "pipeline": [{"$match": {"status": "open"}}, {"$count": "n"}]})",
        "add equality on customer (the shard key, hashed) to a $match at the head of the "
        "pipeline so that mongos can ask one shard; if the command is meant for all values of "
        "customer, accept it, or find a key that fits: scattergate advise SOURCE --catalog "
        "CATALOG --collection db.c",
        R"({"aggregate": "c", "pipeline": [{"$match": {"status": "open", "customer": 1}}, )"
        R"({"$count": "n"}]})"},
       {"8.0", ranged,
        R"({"delete": "c", "deletes": [{"q": {"expires": {"$lt": 5}}, "limit": 0}]})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard; if the command is meant for all values of customer, accept it, or find a key "
        "that fits: scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"delete": "c", "deletes": [{"q": {"expires": {"$lt": 5}, "customer": 1}, )"
        R"("limit": 0}]})"},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"status": "open"}, "u": {"$set": {"x": 1}}, )"
        R"("multi": true}]})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard; if the command is meant for all values of customer, accept it, or find a key "
        "that fits: scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"update": "c", "updates": [{"q": {"status": "open", "customer": 1}, "u": )"
        R"({"$set": {"x": 1}}, "multi": true}]})"},
       {"8.0", ranged,
        R"({"findAndModify": "c", "query": {"state": "new"}, "sort": {"at": 1}, "update": )"
        R"({"$set": {"state": "taken"}}})",
        "add equality or a range on customer (1st of 2 shard key fields) to the query so that "
        "mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard; if the command is meant for all values of customer, accept it, or find a key "
        "that fits: scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"findAndModify": "c", "query": {"state": "new", "customer": 1}, "sort": {"at": )"
        R"(1}, "update": {"$set": {"state": "taken"}}})"},
       {"6.0", ranged,
        R"({"findAndModify": "c", "query": {"state": "new"}, "sort": {"at": 1}, "update": )"
        R"({"$set": {"state": "taken"}}})",
        "add equality on customer (1st of 2 shard key fields) and _id (2nd of 2 shard key "
        "fields) to the query: mongos rejects the command without the full shard key; if the "
        "application doesn't know the key, it must read the document first",
        R"({"findAndModify": "c", "query": {"state": "new", "customer": 1, "_id": 7}, )"
        R"("update": {"$set": {"state": "taken"}}})"},
       {"8.0", ranged, R"({"find": "c"})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard; if the command is meant for the whole collection, accept it",
        R"({"find": "c", "filter": {"customer": 1}})"}});
}

TEST(situations, a_key_that_begins_with_id_and_doesnt_fit) {
  expect_situations(
      {{"8.0", hashed_id, R"({"find": "c", "filter": {"status": "open"}, "sort": {"at": -1}})",
        "no filter fits the shard key: only _id identifies a shard, and the command selects "
        "by status. If it is frequent, find a key that fits: scattergate advise SOURCE "
        "--catalog CATALOG --collection db.c; otherwise accept it"},
       {"8.0", hashed_id,
        R"({"findAndModify": "c", "query": {"state": "new"}, "sort": {"at": 1}, "remove": )"
        R"(true})",
        "no filter fits the shard key: only _id identifies a shard, and the command selects "
        "by state. If it is frequent, find a key that fits: scattergate advise SOURCE "
        "--catalog CATALOG --collection db.c; otherwise accept it"},
       {"6.0", hashed_id,
        R"({"findAndModify": "c", "query": {"state": "new"}, "sort": {"at": 1}, "remove": )"
        R"(true})",
        "mongos rejects the command: only _id identifies a shard, and the command selects by "
        "state. Read the document first and write by its _id, or find a key that fits: "
        "scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"findAndModify": "c", "query": {"state": "new", "_id": 7}, "remove": true})"},
       {"8.0", hashed_id,
        R"({"delete": "c", "deletes": [{"q": {"expires": {"$lt": 5}}, "limit": 0}]})",
        "no filter fits the shard key: only _id identifies a shard, and the command selects "
        "by expires. If it is frequent, find a key that fits: scattergate advise SOURCE "
        "--catalog CATALOG --collection db.c; otherwise accept it"},
       {"8.0", R"({"_id": 1, "part": 1})",
        R"({"aggregate": "c", "pipeline": [{"$match": {"day": 1}}, {"$group": {"_id": )"
        R"("$x"}}]})",
        "no filter fits the shard key: only _id identifies a shard, and the command selects "
        "by day. If it is frequent, find a key that fits: scattergate advise SOURCE --catalog "
        "CATALOG --collection db.c; otherwise accept it"},
       {"8.0", hashed_id,
        R"({"update": "c", "updates": [{"q": {"email": "a"}, "u": {"$set": {"x": 1}}, )"
        R"("upsert": true}]})",
        "no filter fits the shard key: only _id identifies a shard, and the command selects "
        "by email. If it is frequent, find a key that fits: scattergate advise SOURCE "
        "--catalog CATALOG --collection db.c; otherwise accept it"},
       {"6.0", hashed_id,
        R"({"update": "c", "updates": [{"q": {"email": "a"}, "u": {"$set": {"x": 1}}, )"
        R"("upsert": true}]})",
        "mongos rejects the command: only _id identifies a shard, and the command selects by "
        "email. Use an _id that the application derives from the values, or find a key that "
        "fits: scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"update": "c", "updates": [{"q": {"email": "a", "_id": "a"}, "u": {"$set": )"
        R"({"x": 1}}, "upsert": true}]})"},
       {"8.0", hashed_id, R"({"find": "c"})",
        "no filter fits: the command is for the whole collection, which is on every shard. If "
        "that is intended, accept it"}});
}

TEST(situations, conditions_on_the_key_that_dont_narrow) {
  expect_situations(
      {{"8.0", ranged, R"({"find": "c", "filter": {"customer": {"$ne": 5}}})",
        "use equality or $in with the values of customer (1st of 2 shard key fields) to find: "
        "a condition that only excludes values leaves all others, on every shard; if the "
        "values can't be listed, accept the query",
        R"({"find": "c", "filter": {"customer": {"$in": [1, 2]}}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": {"$nin": [5]}}})",
        "use equality or $in with the values of customer (1st of 2 shard key fields) to find: "
        "a condition that only excludes values leaves all others, on every shard; if the "
        "values can't be listed, accept the query",
        R"({"find": "c", "filter": {"customer": 1}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": {"$exists": true}}})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter: the "
        "present conditions on customer don't bound it",
        R"({"find": "c", "filter": {"customer": {"$exists": true, "$eq": 1}}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": {"$elemMatch": {"a": 1}}}})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter: the "
        "present conditions on customer don't bound it",
        R"({"find": "c", "filter": {"customer": {"$elemMatch": {"a": 1}}, "$and": )"
        R"([{"customer": {"a": 1}}]}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": {"~regex": "smith"}}})",
        "begin the pattern on customer (1st of 2 shard key fields) with ^ and literal text, "
        "or use equality or $in: any other pattern asks every shard that owns strings",
        R"({"find": "c", "filter": {"customer": {"~regex": "^smith"}}})", "", "c",
        R"("splits": [{"customer": "smb"}])"},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": {"~regex": "^sm"}}})",
        R"(use equality or $in on the shard key {"customer":1,"_id":1} if the values are )"
        R"(known: a range asks every shard that owns a part of the range)",
        R"({"find": "c", "filter": {"customer": "smith"}})", "", "c",
        R"("splits": [{"customer": "smb"}])"},
       {"8.0", hashed, R"({"find": "c", "filter": {"customer": {"$gt": 5}}})",
        "use equality or $in on customer (the shard key, hashed): a range or a pattern "
        "doesn't narrow a hashed field",
        R"({"find": "c", "filter": {"customer": {"$in": [6, 7]}}})"},
       {"8.0", hashed, R"({"find": "c", "filter": {"customer": {"~regex": "^a"}}})",
        "use equality or $in on customer (the shard key, hashed): a range or a pattern "
        "doesn't narrow a hashed field",
        R"({"find": "c", "filter": {"customer": "abc"}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": {"$gt": 5}}})",
        R"(use equality or $in on the shard key {"customer":1,"_id":1} if the values are )"
        R"(known: a range asks every shard that owns a part of the range)",
        R"({"find": "c", "filter": {"customer": 6, "_id": 1}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"$expr": {"$eq": ["$customer", 5]}}})",
        "add equality on _id (2nd of 2 shard key fields) to the filter so that mongos can ask "
        "one shard; the chunks aren't known, so the command may ask only one shard already",
        R"({"find": "c", "filter": {"$expr": {"$eq": ["$customer", 5]}, "_id": 1}})"},
       {"8.0", ranged,
        R"({"find": "c", "let": {"v": 5}, "filter": {"$expr": {"$eq": ["$customer", )"
        R"("$$v"]}}})",
        "add equality on _id (2nd of 2 shard key fields) to the filter so that mongos can ask "
        "one shard; the chunks aren't known, so the command may ask only one shard already",
        R"({"find": "c", "let": {"v": 5}, "filter": {"$expr": {"$eq": ["$customer", )"
        R"("$$v"]}, "_id": 1}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"$expr": {"$in": ["$customer", [1, 2]]}}})",
        "move the condition on customer (1st of 2 shard key fields) out of the $expr, to a "
        "condition of the form {customer: ...}: mongos doesn't narrow the shards by this $expr",
        R"({"find": "c", "filter": {"customer": {"$in": [1, 2]}}})"},
       {"4.4", ranged, R"({"find": "c", "filter": {"$expr": {"$gt": ["$customer", 5]}}})",
        "move the condition on customer (1st of 2 shard key fields) out of the $expr, to a "
        "condition of the form {customer: ...}: mongos doesn't narrow the shards by this $expr",
        R"({"find": "c", "filter": {"customer": {"$gt": 5}}})"},
       {"8.0", ranged,
        R"({"find": "c", "filter": {"$expr": {"$eq": ["$customer", "$buyer"]}}, "limit": 1})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard",
        R"({"find": "c", "filter": {"$expr": {"$eq": ["$customer", "$buyer"]}, "customer": )"
        R"(5}, "limit": 1})"},
       {"8.0", ranged,
        R"({"find": "c", "filter": {"customer": "a"}, "collation": {"locale": "en", )"
        R"("strength": 2}})",
        R"(send the command with the collation {locale: "simple"}: under any other )"
        R"(collation, strings in customer (1st of 2 shard key fields) don't narrow the )"
        R"(shards; if the command needs its collation, accept it)",
        R"({"find": "c", "filter": {"customer": "a"}, "collation": {"locale": "simple"}})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": {"$in": ["a", "b"]}}})",
        R"(send the command with the collation {locale: "simple"}: under any other )"
        R"(collation, strings in customer (1st of 2 shard key fields) don't narrow the )"
        R"(shards; if the command needs its collation, accept it)",
        R"({"find": "c", "filter": {"customer": {"$in": ["a", "b"]}}, "collation": )"
        R"({"locale": "simple"}})",
        "", "c", R"("collation": {"locale": "en", "strength": 2})"},
       {"8.0", hashed,
        R"({"find": "c", "filter": {"customer": "a"}, "collation": {"locale": "en"}})",
        R"(send the command with the collation {locale: "simple"}: under any other )"
        R"(collation, a hashed field identifies no shard; if the command needs its )"
        R"(collation, accept it)",
        R"({"find": "c", "filter": {"customer": "a"}, "collation": {"locale": "simple"}})"},
       {"8.0", hashed, R"({"find": "c", "filter": {"$expr": {"$gt": ["$customer", 5]}}})",
        "use equality or $in on customer (the shard key, hashed): a range or a pattern "
        "doesn't narrow a hashed field",
        R"({"find": "c", "filter": {"$expr": {"$gt": ["$customer", 5]}, "customer": {"$in": )"
        R"([6, 7]}}})"}});
}

TEST(situations, an_empty_list) {
  expect_situations(
      {{"8.0", ranged,
        R"({"find": "c", "filter": {"$or": [{"x": {"$in": []}}, {"y": {"$in": []}, "z": )"
        R"(1}]}})",
        "don't send the command: a list in the filter is empty, so no document can match"},
       {"8.0", ranged,
        R"({"find": "c", "filter": {"$or": [{"x": {"$in": []}}, {"z": 1}]}, "limit": 1})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard",
        R"({"find": "c", "filter": {"$or": [{"x": {"$in": []}}, {"z": 1, "customer": 1}]}, )"
        R"("limit": 1})"},
       {"4.4", ranged, R"({"find": "c", "filter": {"status": {"$in": []}}})",
        "don't send the command: a list in the filter is empty, so no document can match"},
       {"6.0", ranged, R"({"find": "c", "filter": {"status": {"$in": []}}})",
        "don't send the command: a list in the filter is empty, so no document can match"},
       {"8.0", ranged, R"({"find": "c", "filter": {"status": {"$in": []}}})",
        "don't send the command: a list in the filter is empty, so no document can match"},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": {"$in": []}}})",
        "don't send the command: a list in the filter is empty, so no document can match"},
       {"6.0", ranged,
        R"({"update": "c", "updates": [{"q": {"_id": {"$in": []}}, "u": {"$set": {"x": )"
        R"(1}}}]})",
        "don't send the command: a list in the filter is empty, so no document can match"},
       {"8.0", ranged,
        R"({"delete": "c", "deletes": [{"q": {"customer": 1, "_id": 1}, "limit": 1}, {"q": )"
        R"({"x": {"$in": []}}, "limit": 0}]})",
        "don't send the statement: a list in the filter is empty, so no document can match"},
       {"8.0", ranged, R"({"find": "c", "filter": {"status": {"$nin": []}}, "limit": 1})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard",
        R"({"find": "c", "filter": {"status": {"$nin": []}, "customer": 1}, "limit": 1})"},
       {"8.0", ranged,
        R"({"aggregate": "c", "pipeline": [{"$match": {"x": {"$in": []}}}, {"$unionWith": )"
        R"("o"}]})",
        "don't read db.c: a list in the $match is empty, so none of its documents can match"}});
}

TEST(situations, writes_of_one_document) {
  expect_situations(
      {{"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"email": "a"}, "u": {"$set": {"x": 1}}}]})",
        "add equality on customer (1st of 2 shard key fields) and _id (2nd of 2 shard key "
        "fields) to the filter so that mongos can send the write to one shard",
        R"({"update": "c", "updates": [{"q": {"email": "a", "customer": 1, "_id": 7}, "u": )"
        R"({"$set": {"x": 1}}}]})"},
       {"6.0", ranged,
        R"({"update": "c", "updates": [{"q": {"email": "a"}, "u": {"$set": {"x": 1}}}]})",
        "add equality on customer (1st of 2 shard key fields) and _id (2nd of 2 shard key "
        "fields) to the filter: mongos rejects the command without the full shard key; if the "
        "application doesn't know the key, it must read the document first",
        R"({"update": "c", "updates": [{"q": {"email": "a", "customer": 1, "_id": 7}, "u": )"
        R"({"$set": {"x": 1}}}]})"},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"$set": {"x": 1}}}]})",
        "add equality on customer (1st of 2 shard key fields) to the filter so that mongos "
        "can send the write to one shard",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "customer": 1}, "u": {"$set": {"x": )"
        R"(1}}}]})"},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": {"$gt": 3}, "_id": 7}, "u": )"
        R"({"$set": {"x": 1}}}]})",
        "add equality on customer (1st of 2 shard key fields) to the filter so that mongos "
        "can send the write to one shard",
        R"({"update": "c", "updates": [{"q": {"customer": 4, "_id": 7}, "u": {"$set": {"x": )"
        R"(1}}}]})"},
       {"6.0", hashed,
        R"({"findAndModify": "c", "query": {"customer": {"$in": [1, 2]}}, "remove": true})",
        "add equality on customer (the shard key, hashed) to the query: mongos rejects the "
        "command without the full shard key; if the application doesn't know the key, it must "
        "read the document first",
        R"({"findAndModify": "c", "query": {"customer": 1}, "remove": true})"},
       {"6.0", hashed, R"({"findAndModify": "c", "query": {"_id": 7}, "remove": true})",
        "add equality on customer (the shard key, hashed) to the query: mongos rejects the "
        "command without the full shard key",
        R"({"findAndModify": "c", "query": {"_id": 7, "customer": 1}, "remove": true})"},
       {"8.0", hashed,
        R"({"update": "c", "updates": [{"q": {"email": "a"}, "u": {"$set": {"x": 1}}, )"
        R"("upsert": true}]})",
        "add equality on customer (the shard key, hashed) to the filter so that mongos can "
        "send the write to one shard",
        R"({"update": "c", "updates": [{"q": {"email": "a", "customer": 1}, "u": {"$set": )"
        R"({"x": 1}}, "upsert": true}]})"},
       {"8.0", hashed,
        R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"y": 1}}, "multi": )"
        R"(true, "upsert": true}]})",
        "add equality on customer (the shard key, hashed) to the filter: mongos rejects the "
        "command without the full shard key",
        R"({"update": "c", "updates": [{"q": {"x": 1, "customer": 1}, "u": {"$set": {"y": )"
        R"(1}}, "multi": true, "upsert": true}]})"},
       {"8.0", hashed,
        R"({"delete": "c", "deletes": [{"q": {"x": 1}, "limit": 1}], "txnNumber": )"
        R"({"$numberLong": "1"}, "autocommit": false, "startTransaction": true, "lsid": )"
        R"({"id": 1}})",
        "add equality on customer (the shard key, hashed) to the filter so that mongos can "
        "send the write to one shard",
        R"({"delete": "c", "deletes": [{"q": {"x": 1, "customer": 1}, "limit": 1}], )"
        R"("txnNumber": {"$numberLong": "1"}, "autocommit": false, "startTransaction": )"
        R"(true, "lsid": {"id": 1}})"}});
}

TEST(situations, a_write_that_mongos_rejects_for_another_reason) {
  expect_situations(
      {{"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1, "$expr": {"$eq": )"
        R"(["$x", 1]}}, "u": {"$set": {"y": 1}}, "upsert": true}]})",
        "omit the $expr, or the upsert: mongos rejects an upsert whose filter has $expr",
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1, "x": 1}, "u": )"
        R"({"$set": {"y": 1}}, "upsert": true}]})"},
       {"6.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"y": 1}, )"
        R"("multi": true}]})",
        "replace one document at a time: mongos rejects a replacement with multi",
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"y": 1}}]})"},
       {"6.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": {"y": )"
        R"(1}, "z": 2}}]})",
        "fix the update: use operators or a replacement document, not both",
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": {"y": )"
        R"(1, "z": 2}}}]})"},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$nope": )"
        R"({"y": 1}}}]})",
        "fix the update: use known operators or a replacement document, not both",
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$inc": {"y": )"
        R"(1}}}]})"},
       {"8.0", ranged,
        R"({"delete": "c", "deletes": [{"q": {"customer": 1, "_id": 1}, "limit": 2}]})",
        "use the limit 0 or 1 in each statement: mongos rejects any other",
        R"({"delete": "c", "deletes": [{"q": {"customer": 1, "_id": 1}, "limit": 1}]})"},
       {"6.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": [1], "_id": 1}, "u": {"$set": )"
        R"({"y": 1}}, "upsert": true}]})",
        "use a plain value, not an array or a pattern, for customer (1st of 2 shard key "
        "fields): mongos rejects the command without the full shard key",
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": {"y": )"
        R"(1}}, "upsert": true}]})"},
       {"4.4", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": {"$gte": 1, "$lte": 1}, "_id": )"
        R"(1}, "u": {"$set": {"y": 1}}, "upsert": true}]})",
        R"(give each field of the shard key {"customer":1,"_id":1} once, as plain equality: )"
        R"(mongos doesn't accept a range, an $expr or the same equality twice as the shard )"
        R"(key)",
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": {"y": )"
        R"(1}}, "upsert": true}]})"},
       {"8.0", ranged, R"({"insert": "c", "documents": [{"customer": [1]}]})",
        R"(don't insert an array on the path of the shard key {"customer":1,"_id":1}: )"
        R"(mongos rejects it)",
        R"({"insert": "c", "documents": [{"customer": 1}]})"},
       {"8.0", ranged,
        R"({"update": "v", "updates": [{"q": {"customer": 1}, "u": {"$set": {"y": 1}}}]})",
        "run the command on the view's collection: mongos rejects it on a view"},
       {"7.0", ranged,
        R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.c"}], "ops": [{"delete": )"
        R"(0, "filter": {"customer": 1, "_id": 1}}]})",
        "send inserts, updates and deletes as commands of their own: mongos runs no bulkWrite "
        "before 8.0"},
       {"8.0", ranged,
        R"({"mapReduce": "c", "map": "f", "reduce": "g", "query": {"customer": 1}, "out": )"
        R"({"merge": "c"}})",
        "use an output collection that is sharded by _id alone, or unsharded: mongos rejects "
        "any other"},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": )"
        R"({"customer": 2}}}]})",
        "to change a shard key field, send the command in a transaction or as a retryable "
        "write"},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": )"
        R"({"customer": 2}}, "multi": true}], "txnNumber": {"$numberLong": "1"}})",
        "to change a shard key field, update one document at a time (without multi)"},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": )"
        R"({"customer": 2}}, "multi": true}]})",
        "to change a shard key field, update one document at a time (without multi) in a "
        "transaction or as a retryable write"},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": )"
        R"({"customer": 2}}}, {"q": {"customer": 3, "_id": 1}, "u": {"$set": {"v": 1}}}], )"
        R"("txnNumber": {"$numberLong": "1"}})",
        "to change a shard key field, send this statement alone"},
       {"6.0.12", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": {"$gt": 1}}, "u": {"$set": )"
        R"({"customer": 2}}, "multi": true}]})",
        R"(use equality or $in on the shard key {"customer":1,"_id":1} if the values are )"
        "known: a range asks every shard that owns a part of the range; "
        R"(to change a shard key field, update one document at a time (without multi) in a )"
        R"(transaction or as a retryable write, with equality on the whole shard key )"
        R"({"customer":1,"_id":1} in the filter)"},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"$set": {"customer": 2}}}], )"
        R"("txnNumber": {"$numberLong": "1"}})",
        "add equality on customer (1st of 2 shard key fields) to the filter so that mongos can "
        "send the write to one shard; mongos also rejects the change of a shard key field "
        "without it"},
       {"8.0", ranged, R"({"distinct": "c", "key": "_id", "query": {"customer": 1}})", ""},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": {"$all": []}}})",
        "don't send the command: a list in the filter is empty, so no document can match"},
       {"8.0", ranged,
        R"({"collMod": "c", "index": {"keyPattern": {"email": 1}, "prepareUnique": true}})",
        R"(begin the unique index with the shard key's fields {"customer":1,"_id":1}: mongos )"
        "rejects any other, and a hashed index can't be unique"},
       {"6.0.12", ranged,
        R"({"collMod": "c", "index": {"keyPattern": {"email": 1}, "prepareUnique": true}})",
        ""},
       {"8.0", ranged,
        R"({"collMod": "c", "index": {"keyPattern": {"customer": 1, "_id": 1, "x": 1}, )"
        R"("unique": true}})",
        ""},
       {"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"customer": 1, "_id": 1}, "u": {"$set": )"
        R"({"_id": 2}}}]})",
        "_id can't be changed: insert a new document and delete the old one"},
       {"8.0", ranged,
        R"({"createIndexes": "c", "indexes": [{"key": {"email": 1}, "name": "e", "unique": )"
        R"(true}]})",
        R"(begin the unique index with the shard key's fields {"customer":1,"_id":1}: )"
        R"(mongos rejects any other, and a hashed index can't be unique)",
        R"({"createIndexes": "c", "indexes": [{"key": {"customer": 1, "_id": 1, "email": )"
        R"(1}, "name": "e", "unique": true}]})"},
       {"8.0", ranged,
        R"({"aggregate": "c", "pipeline": [{"$match": {"customer": 1}}, {"$nope": 1}]})",
        "fix the pipeline: mongos doesn't know one of its stages"}});
}

TEST(situations, one_statement_of_a_batch) {
  expect_situations(
      {{"8.0", hashed,
        R"({"update": "c", "updates": [{"q": {"customer": 1}, "u": {"$set": {"x": 1}}}, )"
        R"({"q": {"status": "open", "day": 1}, "u": {"$set": {"x": 1}}}, {"q": {"customer": )"
        R"(2}, "u": {"$set": {"x": 1}}}]})",
        "add equality on customer (the shard key, hashed) to the filter of the statement that "
        "selects by status and day so that mongos can send the write to one shard",
        R"({"update": "c", "updates": [{"q": {"customer": 1}, "u": {"$set": {"x": 1}}}, )"
        R"({"q": {"status": "open", "day": 1, "customer": 1}, "u": {"$set": {"x": 1}}}, )"
        R"({"q": {"customer": 2}, "u": {"$set": {"x": 1}}}]})"},
       {"8.0", hashed,
        R"({"delete": "c", "deletes": [{"q": {"customer": 1}, "limit": 0}, {"q": {}, )"
        R"("limit": 0}]})",
        "add equality on customer (the shard key, hashed) to the filter of the statement "
        "without conditions so that mongos can ask one shard; if the command is meant for the "
        "whole collection, accept it",
        R"({"delete": "c", "deletes": [{"q": {"customer": 1}, "limit": 0}, {"q": )"
        R"({"customer": 2}, "limit": 0}]})"},
       {"8.0", hashed,
        R"({"delete": "c", "deletes": [{"q": {"customer": 1}, "limit": 0}, {"q": )"
        R"({"customer": 2}, "limit": 0}, {"q": {"$and": [{"x": 1}]}, "limit": 0}]})",
        "add equality on customer (the shard key, hashed) to the filter of the 3rd of 3 "
        "statements so that mongos can ask one shard; if the command is meant for all values "
        "of customer, accept it, or find a key that fits: scattergate advise SOURCE --catalog "
        "CATALOG --collection db.c",
        R"({"delete": "c", "deletes": [{"q": {"customer": 1}, "limit": 0}, {"q": )"
        R"({"customer": 2}, "limit": 0}, {"q": {"$and": [{"x": 1}, {"customer": 3}]}, )"
        R"("limit": 0}]})"},
       {"8.0", hashed,
        R"({"delete": "c", "deletes": [{"q": {"x": 1}, "limit": 0}, {"q": {"y": 1}, )"
        R"("limit": 0}, {"q": {"customer": 1}, "limit": 0}]})",
        "add equality on customer (the shard key, hashed) to the filters of the 2 statements "
        "that lack it (the first one selects by x) so that mongos can ask one shard; if the "
        "command is meant for all values of customer, accept it, or find a key that fits: "
        "scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"delete": "c", "deletes": [{"q": {"x": 1, "customer": 1}, "limit": 0}, {"q": )"
        R"({"y": 1, "customer": 1}, "limit": 0}, {"q": {"customer": 1}, "limit": 0}]})"},
       {"8.0", hashed,
        R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"x": 1}}}, {"q": )"
        R"({"y": 1}, "u": {"$set": {"x": 1}}}]})",
        "add equality on customer (the shard key, hashed) to the filter of every statement so "
        "that mongos can send the write to one shard",
        R"({"update": "c", "updates": [{"q": {"x": 1, "customer": 1}, "u": {"$set": {"x": )"
        R"(1}}}, {"q": {"y": 1, "customer": 1}, "u": {"$set": {"x": 1}}}]})"},
       {"8.0", hashed,
        R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.c"}], "ops": [{"insert": )"
        R"(0, "document": {"customer": 1}}, {"update": 0, "filter": {"email": "a"}, )"
        R"("updateMods": {"$set": {"x": 1}}}]})",
        "add equality on customer (the shard key, hashed) to the filter of the statement that "
        "selects by email so that mongos can send the write to one shard",
        R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.c"}], "ops": [{"insert": )"
        R"(0, "document": {"customer": 1}}, {"update": 0, "filter": {"email": "a", )"
        R"("customer": 1}, "updateMods": {"$set": {"x": 1}}}]})"}});
}

TEST(situations, pipelines) {
  expect_situations(
      {{"8.0", ranged,
        R"({"aggregate": "c", "pipeline": [{"$limit": 5}, {"$match": {"customer": 1}}]})",
        "begin the pipeline with a $match that has equality or a range on customer (1st of 2 "
        "shard key fields) so that mongos doesn't ask every shard",
        R"({"aggregate": "c", "pipeline": [{"$match": {"customer": 1}}, {"$limit": 5}, )"
        R"({"$match": {"customer": 1}}]})"},
       {"8.0", ranged,
        R"({"aggregate": "c", "pipeline": [{"$geoNear": {"near": [1, 1], "distanceField": )"
        R"("d", "query": {"x": 1}}}]})",
        "add equality or a range on customer (1st of 2 shard key fields) to the query of its "
        "$geoNear so that mongos doesn't ask every shard; with equality on it and on _id, "
        "mongos asks one shard; if the command is meant for all values of customer, accept "
        "it, or find a key that fits: scattergate advise SOURCE --catalog CATALOG "
        "--collection db.c",
        R"({"aggregate": "c", "pipeline": [{"$geoNear": {"near": [1, 1], "distanceField": )"
        R"("d", "query": {"x": 1, "customer": 1}}}]})"},
       {"8.0", ranged,
        R"({"aggregate": "o", "pipeline": [{"$lookup": {"from": "c", "localField": "a", )"
        R"("foreignField": "b", "as": "z"}}]})",
        "in the $lookup from db.c, use customer (1st of 2 shard key fields) as foreignField, "
        "or begin its pipeline with a $match that has equality or a range on customer (1st of "
        "2 shard key fields) so that the stage doesn't ask every shard",
        R"({"aggregate": "o", "pipeline": [{"$lookup": {"from": "c", "localField": "a", )"
        R"("foreignField": "customer", "as": "z"}}]})"},
       {"8.0", ranged,
        R"({"aggregate": "o", "pipeline": [{"$lookup": {"from": "c", "pipeline": )"
        R"([{"$match": {"x": 1}}], "as": "z"}}]})",
        "in the $lookup from db.c, use customer (1st of 2 shard key fields) as foreignField, "
        "or begin its pipeline with a $match that has equality or a range on customer (1st of "
        "2 shard key fields) so that the stage doesn't ask every shard",
        R"({"aggregate": "o", "pipeline": [{"$lookup": {"from": "c", "pipeline": )"
        R"([{"$match": {"customer": 1}}, {"$match": {"x": 1}}], "as": "z"}}]})"},
       {"8.0", hashed,
        R"({"aggregate": "o", "pipeline": [{"$unionWith": {"coll": "c", "pipeline": )"
        R"([{"$match": {"x": 1}}]}}]})",
        "begin the pipeline of the $unionWith of db.c with a $match that has equality on "
        "customer (the shard key, hashed) so that the stage doesn't ask every shard",
        R"({"aggregate": "o", "pipeline": [{"$unionWith": {"coll": "c", "pipeline": )"
        R"([{"$match": {"customer": 1}}, {"$match": {"x": 1}}]}}]})"},
       {"8.0", hashed,
        R"({"aggregate": "o", "pipeline": [{"$graphLookup": {"from": "c", "startWith": )"
        R"("$a", "connectFromField": "a", "connectToField": "b", "as": "z"}}]})",
        "in the $graphLookup from db.c, use customer (the shard key, hashed) as "
        "connectToField so that the stage doesn't ask every shard; otherwise accept it",
        R"({"aggregate": "o", "pipeline": [{"$graphLookup": {"from": "c", "startWith": )"
        R"("$a", "connectFromField": "a", "connectToField": "customer", "as": "z"}}]})"},
       {"8.0", hashed,
        R"({"aggregate": "c", "pipeline": [{"$match": {"x": 1}}, {"$merge": {"into": "o"}}]})",
        "add equality on customer (the shard key, hashed) to a $match at the head of the "
        "pipeline so that mongos can ask one shard; if the command is meant for all values of "
        "customer, accept it, or find a key that fits: scattergate advise SOURCE --catalog "
        "CATALOG --collection db.c",
        R"({"aggregate": "c", "pipeline": [{"$match": {"x": 1, "customer": 1}}, {"$merge": )"
        R"({"into": "o"}}]})"},
       {"8.0", hashed,
        R"({"aggregate": "c", "pipeline": [{"$match": {"x": 1}}, {"$out": "o"}]})",
        "add equality on customer (the shard key, hashed) to a $match at the head of the "
        "pipeline so that mongos can ask one shard; if the command is meant for all values of "
        "customer, accept it, or find a key that fits: scattergate advise SOURCE --catalog "
        "CATALOG --collection db.c",
        R"({"aggregate": "c", "pipeline": [{"$match": {"x": 1, "customer": 1}}, {"$out": )"
        R"("o"}]})"},
       {"4.4", hashed,
        R"({"aggregate": "o", "pipeline": [{"$lookup": {"from": "c", "localField": "a", )"
        R"("foreignField": "customer", "as": "z"}}]})",
        "use an unsharded collection: mongos refuses to join, or to replace, a sharded one"},
       {"8.0", hashed, R"({"aggregate": "c", "pipeline": [{"$changeStream": {}}]})", ""},
       {"8.0", ranged, R"({"find": "v", "filter": {"x": 1}, "limit": 1})",
        "add equality or a range on customer (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; with equality on it and on _id, mongos asks one "
        "shard",
        R"({"find": "v", "filter": {"x": 1, "customer": 1}, "limit": 1})"},
       {"8.0", R"({"meta.id": 1, "control.min.t": 1})", R"({"find": "c", "filter": {"x": 1}})",
        "add equality or a range on sensor.id (1st of 2 shard key fields) to the filter so "
        "that mongos doesn't ask every shard; if the command is meant for all values of "
        "sensor.id, accept it, or find a key that fits: scattergate advise SOURCE --catalog "
        "CATALOG --collection db.c",
        R"({"find": "c", "filter": {"x": 1, "sensor.id": 3}})", "", "c",
        R"("timeSeries": {"time": "t", "meta": "sensor", "span": 3600})"},
       {"8.0", ranged, R"({"find": "c", "filter": {"customer": 4}})", "", "", "", "c",
        R"("splits": [{"customer": 3}, {"customer": 6}])"}});
}

TEST(situations, a_library_that_made_the_filter) {
  expect_situations(
      {{"8.0", ranged,
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"$set": {"x": 1}}}]})",
        "if save() of a Mongoose document sent this, set shardKey: {customer: 1} in the "
        "options of its schema; otherwise add equality on customer (1st of 2 shard key "
        "fields) to the filter so that mongos can send the write to one shard",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "customer": 1}, "u": {"$set": {"x": )"
        R"(1}}}]})",
        mongoose},
       {"8.0", R"({"address.city": 1})",
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"$set": {"x": 1}}}]})",
        R"(if save() of a Mongoose document sent this, set shardKey: {"address.city": 1} in )"
        R"(the options of its schema; otherwise add equality on address.city (the shard )"
        R"(key) to the filter so that mongos can send the write to one shard)",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "address.city": 1}, "u": {"$set": )"
        R"({"x": 1}}}]})",
        mongoose},
       {"8.0", hashed, R"({"delete": "c", "deletes": [{"q": {"_id": 7}, "limit": 1}]})",
        "if deleteOne() of a Mongoose document sent this, set shardKey: {customer: 1} in the "
        "options of its schema; otherwise add equality on customer (the shard key, hashed) to "
        "the filter so that mongos can send the write to one shard",
        R"({"delete": "c", "deletes": [{"q": {"_id": 7, "customer": 1}, "limit": 1}]})",
        mongoose},
       {"8.0", hashed,
        R"({"findAndModify": "c", "query": {"_id": 7}, "update": {"$set": {"x": 1}}})",
        "if findByIdAndUpdate() or findByIdAndDelete() of Mongoose sent this, use "
        "findOneAndUpdate() or findOneAndDelete() with _id and customer; otherwise add "
        "equality on customer (the shard key, hashed) to the query so that mongos can send "
        "the write to one shard",
        R"({"findAndModify": "c", "query": {"_id": 7, "customer": 1}, "update": {"$set": )"
        R"({"x": 1}}})",
        mongoose},
       {"8.0", hashed, R"({"find": "c", "filter": {"_id": 7}, "limit": 1})",
        "if findById() of Mongoose sent this, use findOne() with _id and customer; otherwise "
        "add equality on customer (the shard key, hashed) to the filter so that mongos can "
        "ask one shard",
        R"({"find": "c", "filter": {"_id": 7, "customer": 1}, "limit": 1})", mongoose},
       {"8.0", hashed, R"({"find": "c", "filter": {"_id": {"$in": [7, 8]}}})",
        "if populate() of Mongoose sent this, put a condition on customer into its option "
        "match; otherwise add equality on customer (the shard key, hashed) to the filter so "
        "that mongos can ask one shard",
        R"({"find": "c", "filter": {"_id": {"$in": [7, 8]}, "customer": 1}})", mongoose},
       {"8.0", hashed, R"({"find": "c", "filter": {"status": "open"}})",
        "add equality on customer (the shard key, hashed) to the filter so that mongos can "
        "ask one shard; if the command is meant for all values of customer, accept it, or "
        "find a key that fits: scattergate advise SOURCE --catalog CATALOG --collection db.c",
        R"({"find": "c", "filter": {"status": "open", "customer": 1}})", mongoose},
       {"8.0", hashed_id,
        R"({"update": "c", "updates": [{"q": {"email": "a"}, "u": {"$set": {"x": 1}}}]})",
        "add equality on _id (the shard key, hashed) to the filter so that mongos can send "
        "the write to one shard",
        R"({"update": "c", "updates": [{"q": {"email": "a", "_id": 7}, "u": {"$set": {"x": )"
        R"(1}}}]})",
        mongoose},
       {"8.0", R"({"customer": 1, "region": 1})",
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"$set": {"x": 1}}}]})",
        R"(if save(), modify(), delete() or reload() of a MongoEngine document sent this, )"
        R"(set "shard_key": ("customer", "region",) in the meta of its class; otherwise add )"
        R"(equality on customer (1st of 2 shard key fields) and region (2nd of 2 shard key )"
        R"(fields) to the filter so that mongos can send the write to one shard)",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "customer": 1, "region": 2}, "u": )"
        R"({"$set": {"x": 1}}}]})",
        "PyMongo|MongoEngine 4.20.0|0.29.3"},
       {"8.0", hashed,
        R"({"findAndModify": "c", "query": {"$and": [{"_id": 7}, {"_id": 7}]}, "update": )"
        R"({"$set": {"x": 1}}})",
        R"(if save(), modify(), delete() or reload() of a MongoEngine document sent this, )"
        R"(set "shard_key": ("customer",) in the meta of its class; otherwise add equality )"
        R"(on customer (the shard key, hashed) to the query so that mongos can send the )"
        R"(write to one shard)",
        R"({"findAndModify": "c", "query": {"$and": [{"_id": 7}, {"customer": 1}]}, )"
        R"("update": {"$set": {"x": 1}}})",
        "PyMongo|MongoEngine 4.20.0|0.29.3"},
       {"8.0", hashed,
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"$set": {"x": 1}}}]})",
        "if get(), save(), replace() or delete() of a Beanie document sent this, use "
        "find_one() with _id and customer instead, followed by update(), replace_one() or "
        "delete() for a write; otherwise add equality on customer (the shard key, hashed) to "
        "the filter so that mongos can send the write to one shard",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "customer": 1}, "u": {"$set": {"x": )"
        R"(1}}}]})",
        "PyMongo|async|beanie 4.20.0||2.2.0"},
       {"8.0", hashed,
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"x": 1, "customer": 1}}]})",
        "if get(), save(), replace() or delete() of a Beanie document sent this, use "
        "find_one() with _id and customer instead, followed by update(), replace_one() or "
        "delete() for a write; otherwise add equality on customer (the shard key, hashed) to "
        "the filter: _id is unique only within a shard, so _id alone may identify two "
        "documents",
        "", "PyMongo|async|beanie 4.20.0||2.2.0"},
       {"6.0", hashed,
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"x": 1, "_class": "Order", )"
        R"("customer": 1}, "upsert": true}]})",
        R"(if save() of a Spring Data entity sent this, annotate its class with )"
        R"(@Sharded(shardKey = {"customer"}), and with immutableKey = true if customer )"
        R"(never changes; otherwise add equality on customer (the shard key, hashed) to the )"
        R"(filter: mongos rejects the command without the full shard key)",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "customer": 1}, "u": {"x": 1, )"
        R"("_class": "Order", "customer": 1}, "upsert": true}]})",
        spring},
       {"8.0", ranged,
        R"({"find": "c", "filter": {"_id": 7}, "projection": {"customer": 1}, "limit": 1})",
        "if save() of a Spring Data entity sent this to read the present shard key, set "
        "immutableKey = true in the entity's @Sharded, provided that customer never changes; "
        "otherwise add equality or a range on customer (1st of 2 shard key fields) to the "
        "filter: conditions on later shard key fields help only together with the first",
        "", spring},
       {"8.0", hashed, R"({"find": "c", "filter": {"_id": 7}, "limit": 2})",
        "if findById() of a Spring Data repository sent this, declare and use a query method "
        "that also takes customer; otherwise add equality on customer (the shard key, hashed) "
        "to the filter so that mongos can ask one shard",
        R"({"find": "c", "filter": {"_id": 7, "customer": 1}, "limit": 2})", spring},
       {"8.0", hashed, R"({"delete": "c", "deletes": [{"q": {"_id": 7}, "limit": 1}]})",
        "if delete() or deleteById() of Spring Data sent this, declare and use a delete "
        "method that also takes customer; otherwise add equality on customer (the shard key, "
        "hashed) to the filter so that mongos can send the write to one shard",
        R"({"delete": "c", "deletes": [{"q": {"_id": 7, "customer": 1}, "limit": 1}]})",
        spring},
       {"8.0", hashed, R"({"find": "c", "filter": {"_id": {"$in": [7, 8]}}})",
        "if findAllById() of a Spring Data repository sent this, declare and use a query "
        "method that also takes customer; otherwise add equality on customer (the shard key, "
        "hashed) to the filter so that mongos can ask one shard",
        R"({"find": "c", "filter": {"_id": {"$in": [7, 8]}, "customer": 1}})", spring},
       {"8.0", hashed, R"({"find": "sessions", "filter": {"_id": "s"}, "limit": 1})",
        "if Spring Session sent this, shard db.sessions by _id: Spring Session finds a "
        "session by its _id alone; otherwise add equality on customer (the shard key, hashed) "
        "to the filter so that mongos can ask one shard",
        "", spring, "sessions"},
       {"8.0", hashed,
        R"({"find": "BATCH_JOB_EXECUTION", "filter": {"jobInstanceId": 7}, "sort": )"
        R"({"createTime": -1}, "limit": 1})",
        "if Spring Batch sent this, accept it, or keep db.BATCH_JOB_EXECUTION on one shard: "
        "Spring Batch makes the filter; otherwise add equality on customer (the shard key, "
        "hashed) to the filter so that mongos can ask one shard; if the command is meant for "
        "all values of customer, accept it, or find a key that fits: scattergate advise "
        "SOURCE --catalog CATALOG --collection db.BATCH_JOB_EXECUTION",
        "", spring, "BATCH_JOB_EXECUTION"},
       {"8.0", hashed,
        R"({"update": "c", "updates": [{"q": {"_id": {"$in": [7]}}, "u": [{"$set": {"x": )"
        R"(1}}], "multi": true}]})",
        "if an update or delete of Prisma sent this, use $runCommandRaw() with _id and "
        "customer: Prisma itself reads the ids and writes by them alone; otherwise add "
        "equality on customer (the shard key, hashed) to the filter so that mongos can ask "
        "one shard",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "customer": 1}, "u": [{"$set": )"
        R"({"x": 1}}]}]})",
        "mongo-rust-driver|Prisma 3.2.0"},
       {"8.0", hashed,
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"$set": {"x": 1}}}]})",
        "if save, update, destroy or reload of a Mongoid document sent this, declare "
        "shard_key :customer in its class; otherwise add equality on customer (the shard key, "
        "hashed) to the filter so that mongos can send the write to one shard",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "customer": 1}, "u": {"$set": {"x": )"
        R"(1}}}]})",
        "mongo-ruby-driver|Mongoid 2.21.0|9.0.6"},
       {"8.0", hashed,
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"$set": {"x": 1}}}]})",
        R"(if Doctrine sent this for a document, annotate its class with #[ShardKey(keys: )"
        R"(["customer" => "asc"])]; otherwise add equality on customer (the shard key, )"
        R"(hashed) to the filter so that mongos can send the write to one shard)",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "customer": 1}, "u": {"$set": {"x": )"
        R"(1}}}]})",
        "mongoc / ext-mongodb:PHP / PHPLIB/doctrine-odm"},
       {"6.0", hashed,
        R"({"update": "c", "updates": [{"q": {"_id": 7}, "u": {"_t": "Order", "x": 1}, )"
        R"("upsert": true}]})",
        R"(if save() of a Morphia entity sent this, annotate its class with )"
        R"(@ShardKeys({@ShardKey("customer")}); otherwise add equality on customer (the )"
        R"(shard key, hashed) to the filter: mongos rejects the command without the full )"
        R"(shard key)",
        R"({"update": "c", "updates": [{"q": {"_id": 7, "customer": 1}, "u": {"_t": )"
        R"("Order", "x": 1}, "upsert": true}]})",
        "mongo-java-driver|sync 5.14.0"},
       {"8.0", R"({"filename": 1})",
        R"({"find": "fs.files", "filter": {}, "projection": {"_id": 1}, "limit": 1})",
        "if GridFS sent this check before it writes a file, accept it: the driver makes its "
        "filter, and it reads one document at most",
        "", "", "fs.files"},
       {"8.0", hashed_id,
        R"({"find": "fs.files", "projection": {"_id": 1}, "limit": 1, "singleBatch": true})",
        "if GridFS sent this check before it writes a file, accept it: the driver makes its "
        "filter, and it reads one document at most",
        "", "PyMongo 4.20.0", "fs.files"},
       {"8.0", hashed_id,
        R"({"find": "fs.chunks", "filter": {"files_id": 7}, "sort": {"n": 1}})",
        "if GridFS sent this, shard db.fs.chunks by {files_id: 1, n: 1} or {files_id: 1}: "
        "GridFS finds chunks by files_id; otherwise no filter fits the shard key: only _id "
        "identifies a shard, and the command selects by files_id. If it is frequent, find a "
        "key that fits: scattergate advise SOURCE --catalog CATALOG --collection "
        "db.fs.chunks; otherwise accept it",
        "", "", "fs.chunks"},
       {"8.0", R"({"files_id": 1, "n": 1})",
        R"({"find": "fs.chunks", "filter": {"files_id": {"$eq": 7}}, "sort": {"n": 1}})",
        "if GridFS sent this, accept it: it needs all chunks of a file, which are mostly on "
        "one shard",
        "", "", "fs.chunks"},
       {"8.0", hashed_id,
        R"({"createIndexes": "fs.chunks", "indexes": [{"key": {"files_id": 1, "n": 1}, )"
        R"("name": "files_id_1_n_1", "unique": true}]})",
        R"(if GridFS creates this index, shard db.fs.chunks by {files_id: 1, n: 1} or )"
        R"({files_id: 1}: GridFS needs the unique index {files_id: 1, n: 1}; otherwise )"
        R"(begin the unique index with the shard key's fields {"_id":1}: mongos rejects any )"
        R"(other, and a hashed index can't be unique)",
        "", "", "fs.chunks"}});
}

}  // namespace
}  // namespace scattergate::routing_tests
