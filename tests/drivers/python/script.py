"""The script of operations by pymongo: script.py URI [steps to leave out...]

Prints a line per step, its result as canonical Extended JSON or its error, and at last how often
each command was sent, by the driver's own account.
"""

import collections
import datetime
import hashlib
import sys
import uuid

import pymongo
from bson import (Binary, Code, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp,
                  json_util)
from pymongo import DeleteOne, InsertOne, ReplaceOne, UpdateMany, UpdateOne
from pymongo.errors import BulkWriteError, PyMongoError
from pymongo.write_concern import WriteConcern


class Tally(pymongo.monitoring.CommandListener):
    def __init__(self):
        self.sent = collections.Counter()

    def started(self, event):
        self.sent[event.command_name] += 1

    def succeeded(self, event):
        pass

    def failed(self, event):
        pass


def text_of(value):
    return json_util.dumps(value, json_options=json_util.CANONICAL_JSON_OPTIONS)


def digest(documents):
    found = hashlib.sha256()
    count = 0
    for each in documents:
        found.update(text_of(each).encode())
        count += 1
    return {"count": count, "sha256": found.hexdigest()}


def numbers(db, name, count=100):
    db[name].insert_many([{"_id": i, "half": i // 2, "text": f"n{i}"} for i in range(count)])
    return db[name]


def insert_one(db):
    return db.insert_one.insert_one({"_id": 1, "a": "b"}).inserted_id


def insert_many(db):
    db.insert_many.insert_many([{"_id": i} for i in range(10)])
    return list(db.insert_many.find().sort("_id"))


def find(db):
    c = numbers(db, "find")
    return list(c.find({"half": {"$gte": 10}}, {"text": 1}).sort("_id", -1).skip(2).limit(5))


def get_more(db):
    return digest(numbers(db, "get_more").find(batch_size=7).sort("_id"))


def killed_cursor(db):
    with numbers(db, "killed_cursor").find(batch_size=5).sort("_id") as cursor:
        return [next(cursor) for _ in range(7)]


def aggregate(db):
    return list(numbers(db, "aggregate").aggregate([
        {"$match": {"_id": {"$lt": 40}}},
        {"$group": {"_id": "$half", "sum": {"$sum": "$_id"}}},
        {"$sort": {"_id": 1}}], batchSize=3))


def update_one(db):
    done = numbers(db, "update_one").update_one({"_id": 3}, {"$set": {"text": "new"}})
    return [done.matched_count, done.modified_count, db.update_one.find_one({"_id": 3})]


def update_many(db):
    done = numbers(db, "update_many").update_many({"half": {"$lt": 5}}, {"$inc": {"half": 100}})
    return [done.matched_count, done.modified_count]


def replace_one(db):
    done = numbers(db, "replace_one").replace_one({"_id": 4}, {"other": 1})
    return [done.matched_count, done.modified_count, db.replace_one.find_one({"_id": 4})]


def upsert(db):
    done = db.upsert.update_one({"_id": 5}, {"$set": {"a": 1}}, upsert=True)
    return [done.upserted_id, done.matched_count, list(db.upsert.find())]


def find_one_and_update(db):
    return numbers(db, "find_one_and_update").find_one_and_update(
        {"_id": 6}, {"$set": {"text": "new"}}, return_document=pymongo.ReturnDocument.AFTER)


def delete_one(db):
    return numbers(db, "delete_one").delete_one({"_id": 7}).deleted_count


def delete_many(db):
    return numbers(db, "delete_many").delete_many({"half": {"$gte": 25}}).deleted_count


def distinct(db):
    return numbers(db, "distinct", 12).distinct("half", {"_id": {"$gte": 4}})


def count_documents(db):
    return numbers(db, "count_documents").count_documents({"half": {"$lt": 10}})


def estimated_document_count(db):
    return numbers(db, "estimated_document_count").estimated_document_count()


def bulk(collection, ordered):
    collection.insert_one({"_id": 1})
    try:
        return collection.bulk_write([
            InsertOne({"_id": 2}), InsertOne({"_id": 1}), UpdateOne({"_id": 2}, {"$set": {"a": 1}}),
            UpdateMany({}, {"$set": {"b": 1}}), ReplaceOne({"_id": 3}, {"c": 1}, upsert=True),
            DeleteOne({"_id": 1})], ordered=ordered).bulk_api_result
    except BulkWriteError as error:
        failed = [(e["index"], e["code"], e["errmsg"]) for e in error.details["writeErrors"]]
        counts = {k: v for k, v in error.details.items() if k.startswith("n")}
        return [failed, counts, list(collection.find().sort("_id"))]


def bulk_ordered(db):
    return bulk(db.bulk_ordered, True)


def bulk_unordered(db):
    return bulk(db.bulk_unordered, False)


def duplicate_key(db):
    db.duplicate_key.insert_one({"_id": 1})
    return db.duplicate_key.insert_one({"_id": 1})


def indexes(db):
    names = [db.indexes.create_index([("a", 1), ("b", -1)]),
             db.indexes.create_index("c", unique=True, name="only")]
    return [names, list(db.indexes.list_indexes())]


def big_document(db):
    db.big_document.insert_one({"_id": 1, "text": "0123456789" * 500_000})
    return digest(db.big_document.find())


def many_documents(db):
    db.many_documents.insert_many([{"_id": i, "text": f"document {i}"} for i in range(20_000)])
    return digest(db.many_documents.find().sort("_id"))


def unicode(db):
    db["unicode_\u00fc"].insert_one({"_id": "\u4e2d\u6587", "\u00e9": "\U0001f600 \u0000 end"})
    return list(db["unicode_\u00fc"].find({"_id": "\u4e2d\u6587"}))


def every_type(db):
    db.every_type.insert_one({
        "_id": ObjectId("0123456789abcdef01234567"), "double": 1.5, "infinite": float("inf"),
        "text": "text", "document": {"a": {"b": [1, {"c": None}]}}, "array": [1, "2", [3]],
        "binary": Binary(b"\x00\xff", 5), "uuid": Binary.from_uuid(uuid.UUID(int=7)), "yes": True,
        "date": datetime.datetime(2024, 2, 29, 12), "old": datetime.datetime(1901, 1, 1),
        "null": None, "regex": Regex("^a.b", "i"), "code": Code("f()"),
        "scoped": Code("f()", {"x": 1}), "int": 5, "timestamp": Timestamp(9, 1),
        "long": Int64(2**40), "decimal": Decimal128("1.10"), "min": MinKey(), "max": MaxKey()})
    return db.every_type.find_one()


def unacknowledged(db):
    silent = db.get_collection("unacknowledged", write_concern=WriteConcern(w=0))
    for i in range(5):
        silent.insert_one({"_id": i})
    return list(db.unacknowledged.find().sort("_id"))


def session(db):
    with db.client.start_session(causal_consistency=True) as session:
        db.session.insert_one({"_id": 1}, session=session)
        found = db.session.find_one({"_id": 1}, session=session)
        return [found, session.operation_time is not None]


def transaction(db, name, end):
    db[name].insert_one({"_id": 0})
    with db.client.start_session() as session:
        session.start_transaction()
        db[name].insert_one({"_id": 1}, session=session)
        db[name].update_one({"_id": 0}, {"$set": {"a": 1}}, session=session)
        inside = db[name].count_documents({}, session=session)
        end(session)
    return [inside, list(db[name].find().sort("_id"))]


def committed(db):
    return transaction(db, "committed", lambda session: session.commit_transaction())


def aborted(db):
    return transaction(db, "aborted", lambda session: session.abort_transaction())


def other_database(db):
    other = db.client["drivers_other"]
    other.c.insert_one({"_id": 1})
    return [other.c.find_one(), db.client.drop_database("drivers_other")]


def sharded(db):
    documents = db.client["yorkie-meta"].documents
    documents.insert_many([{"_id": i, "project_id": i % 3, "key": f"k{i}"} for i in range(20)])
    return [list(documents.find({"project_id": 1}).sort("_id")),
            list(documents.find({"key": "k5"})),
            documents.update_many({"key": "k6"}, {"$set": {"a": 1}}).modified_count,
            documents.delete_one({"project_id": 2, "_id": 5}).deleted_count]


def unknown_command(db):
    return db.command("noSuchCommand", 1)


def unknown_operator(db):
    return list(db.unknown_operator.find({"a": {"$nope": 1}}))


def list_collections(db):
    return sorted(each["name"] for each in db.list_collections())


def list_databases(db):
    return sorted(each["name"] for each in db.client.list_databases())


def drop(db):
    db.find.drop()
    left = "find" in db.list_collection_names()
    db.client.drop_database(db.name)
    return [left, db.list_collection_names()]


STEPS = [insert_one, insert_many, find, get_more, killed_cursor, aggregate, update_one,
         update_many, replace_one, upsert, find_one_and_update, delete_one, delete_many, distinct,
         count_documents, estimated_document_count, bulk_ordered, bulk_unordered, duplicate_key,
         indexes, big_document, many_documents, unicode, every_type, unacknowledged, session,
         committed, aborted, other_database, sharded, unknown_command, unknown_operator,
         list_collections, list_databases, drop]


def main(uri, *left_out):
    tally = Tally()
    with pymongo.MongoClient(uri, event_listeners=[tally]) as client:
        for step in STEPS:
            if step.__name__ in left_out:
                continue
            try:
                result = text_of(step(client["drivers"]))
            except PyMongoError as error:
                said = str(error).partition(", full error")[0]
                result = f"error {getattr(error, 'code', None)} {said}"
            print(f"{step.__name__}: {result}")
    for name, count in sorted(tally.sent.items()):
        print(f"sent {name} {count}")


if __name__ == "__main__":
    main(*sys.argv[1:])
