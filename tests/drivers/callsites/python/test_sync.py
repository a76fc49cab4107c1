"""PyMongo and MongoEngine: the lines that scatter end in "# scatter"."""

import concurrent.futures
import os
import threading

import mongoengine
import pymongo
import pytest
from orders import by_status, repaint

URI = os.environ["MONGODB_URI"]


@pytest.fixture(scope="module")
def client():
    with pymongo.MongoClient(URI) as made:
        yield made


@pytest.fixture
def orders(client):
    orders = client.shop.orders
    orders.delete_many({"customer": {"$gte": 0}})
    orders.insert_many([{"_id": i, "customer": i, "status": "open", "amount": i} for i in range(10)])
    return orders


def test_reads(orders):
    assert orders.find_one({"amount": 3})["customer"] == 3  # scatter
    assert len(list(by_status(orders, "open"))) == 10
    assert orders.count_documents({"amount": {"$gt": 6}}) == 3  # scatter
    assert orders.distinct("status", {"amount": 4}) == ["open"]  # scatter
    found = orders.aggregate([  # scatter
        {"$match": {"amount": {"$lt": 2}}},
        {"$project": {"customer": 1}},
    ])
    assert len(list(found)) == 2
    assert orders.find_one({"customer": 5})["amount"] == 5


def test_a_cursor_is_read_elsewhere(orders):
    cursor = orders.find({"status": "open", "amount": {"$gte": 0}}, batch_size=2)  # scatter
    assert sum(1 for _ in cursor) == 10
    again = cursor.clone()  # scatter
    assert sum(1 for _ in again) == 10


@pytest.mark.parametrize("amount", [7])
def test_writes(orders, amount):
    orders.update_many({"amount": amount}, {"$set": {"color": "red"}})  # scatter
    assert repaint(orders, "red").modified_count == 1
    done = orders.bulk_write([pymongo.UpdateOne({"customer": 1, "_id": 1}, {"$set": {"n": 1}}),  # scatter
                              pymongo.DeleteMany({"amount": 8})])
    assert (done.modified_count, done.deleted_count) == (1, 1)
    found = orders.find_one_and_update({"customer": 2, "_id": 2}, {"$set": {"n": 2}})
    assert found["amount"] == 2
    assert orders.delete_many({"amount": 9}).deleted_count == 1  # scatter
    orders.with_options(write_concern=pymongo.WriteConcern(w=0)).delete_many({"amount": {"$gt": 100}})  # scatter
    assert orders.find_one({"customer": 1})["n"] == 1


def test_comments_of_the_application_stay(orders):
    assert orders.find_one({"amount": 1, "x": None}, comment="the page of orders")["customer"] == 1  # scatter
    assert orders.find_one({"amount": 1, "y": None}, comment={"page": "orders"})["customer"] == 1
    assert orders.find_one({"amount": 1, "z": None}, comment="elsewhere.py:7")["customer"] == 1


def test_threads(orders):
    def ask():
        found.append(orders.find_one({"amount": 1, "n": None}))  # scatter
    found = []
    worker = threading.Thread(target=ask)
    worker.start()
    worker.join()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found.append(pool.submit(orders.find_one, {"amount": 1, "m": None}).result())  # scatter
    assert [one["customer"] for one in found] == [1, 1]


def test_a_transaction(client, orders):
    with client.start_session() as session:
        with session.start_transaction():
            orders.update_many({"amount": 3, "n": None}, {"$set": {"n": 3}}, session=session)  # scatter
    assert orders.find_one({"customer": 3})["n"] == 3


class Order(mongoengine.Document):
    meta = {"collection": "orders", "strict": False}
    id = mongoengine.IntField(primary_key=True)
    customer = mongoengine.IntField()
    amount = mongoengine.IntField()
    status = mongoengine.StringField()
    color = mongoengine.StringField()


def test_mongoengine(orders):
    mongoengine.connect("shop", host=URI)
    assert Order.objects(amount=2, color=None).first().customer == 2  # scatter
    assert [one.customer for one in Order.objects(amount__lt=1)] == [0]  # scatter
    assert Order.objects(amount=2, status="open").count() == 1  # scatter
    assert Order.objects(amount=2, status="open", color=None).update(color="green") == 1  # scatter
    order = Order.objects(customer=4).get()
    order.amount = 40
    order.save()  # scatter
    mongoengine.disconnect()
