"""A test suite for the gate: its order, ids, literals, counts, workers and the name of its database differ each
time; its queries don't.

    gate_suite.py SEED [CLEAN]      with MONGODB_URI
"""

import os
import random
import sys
import threading

import pymongo

CATALOG = """
collections:
  - namespace: test-*.orders
    shardKey: {customer: 1, _id: 1}
  - namespace: test-*.carts
    shardKey: {_id: hashed}
  - namespace: test-pinned.orders
"""

# The scatters that the gate must report: command, reason.
PLANTED = [("aggregate", "missing_key"), ("aggregate", "no_leading_match"), ("delete", "missing_key"),
           ("distinct", "missing_key"), ("find", "missing_key"), ("find", "not_prefix"),
           ("find", "range_on_hashed"), ("findAndModify", "write_without_key"), ("update", "missing_key")]
PLACE = "tests/orders_test.py:42"


def clean(db, dice):
    customer, text = dice.randrange(10**9), f"t{dice.random()}"
    amount = dice.randrange(1, 5)
    return [
        lambda: db.orders.insert_many([{"customer": customer + i, "_id": f"{text}-{i}", "status": "new"}
                                       for i in range(amount)]),
        lambda: db.orders.find_one({"customer": customer}),
        lambda: db.orders.find_one({"_id": text, "customer": customer}),
        lambda: list(db.orders.find({"customer": customer, "status": text}, batch_size=2)),
        lambda: list(db.orders.find({"customer": {"$in": [customer + i for i in range(amount)]}})),
        lambda: db.orders.update_one({"customer": customer, "_id": text}, {"$set": {"status": text}}),
        lambda: db.orders.count_documents({"customer": customer}),
        lambda: db.orders.create_index("status"),
        lambda: db.carts.find_one({"_id": text}),
        lambda: db.carts.replace_one({"_id": text}, {"n": customer}, upsert=True),
        lambda: db.settings.find_one({"name": text}),
        lambda: db.settings.update_many({}, {"$inc": {"n": amount}}),
        lambda: db.client.admin.command("ping"),
        lambda: db.client["test-pinned"].orders.find_one({"status": text}),
    ]


def planted(db, dice):
    text, number = f"p{dice.random()}", dice.randrange(10**9)
    return [
        lambda: list(db.orders.find({"status": text}, comment=PLACE)),
        lambda: list(db.orders.find({"_id": number})),
        lambda: list(db.carts.find({"_id": {"$gt": text}})),
        lambda: db.orders.count_documents({"status": text}),
        lambda: list(db.orders.aggregate([{"$group": {"_id": "$status", "n": {"$sum": number}}}])),
        lambda: db.orders.update_many({"status": text}, {"$set": {"seen": number}}),
        lambda: db.orders.delete_many({"seen": number}),
        lambda: db.orders.distinct("status"),
        lambda: db.orders.find_one_and_update({"status": text}, {"$inc": {"n": number}}),
    ]


def work(uri, name, seed, is_clean):
    dice = random.Random(seed)
    client = pymongo.MongoClient(uri, appname="gate-suite")
    db = client[name]
    steps = []
    for _ in range(dice.randrange(1, 4)):
        steps += clean(db, dice) + ([] if is_clean else planted(db, dice))
    dice.shuffle(steps)
    for step in steps:
        step()
    client.close()


def main(seed, *mode):
    dice = random.Random(seed)
    name = f"test-shop-{dice.randrange(10**12)}"
    workers = [threading.Thread(target=work, args=(os.environ["MONGODB_URI"], name, dice.random(), bool(mode)))
               for _ in range(dice.randrange(1, 4))]
    for each in workers:
        each.start()
    for each in workers:
        each.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
