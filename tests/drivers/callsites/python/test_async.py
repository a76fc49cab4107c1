"""PyMongo's AsyncMongoClient, Motor and Beanie: the lines that scatter end in "# scatter"."""

import asyncio
import os

import beanie
import motor.motor_asyncio
import pymongo
import pytest

URI = os.environ["MONGODB_URI"]


@pytest.fixture
def clients():
    made = []

    def make(kind):
        made.append(kind(URI))
        return made[-1]
    yield make


async def filled(orders):
    await orders.delete_many({"customer": {"$gte": 0}})
    await orders.insert_many([{"_id": i, "customer": i, "status": "open", "amount": i} for i in range(10)])
    return orders


async def reads(orders):
    return [await orders.find_one({"amount": 3}),  # scatter pymongo motor
            await orders.find({"amount": 4}).to_list(10),  # scatter pymongo motor
            [one async for one in orders.find({"status": "open"}, batch_size=2)],  # scatter pymongo motor
            await orders.count_documents({"amount": 4}),  # scatter pymongo motor
            *await asyncio.gather(orders.find_one({"amount": 5, "n": None}),  # scatter pymongo motor
                                  asyncio.ensure_future(orders.find_one({"amount": 6, "m": None})))]  # scatter pymongo motor


async def writes(orders):
    await orders.update_many({"amount": 7}, {"$set": {"color": "red"}})  # scatter pymongo motor
    await orders.bulk_write([pymongo.DeleteMany({"amount": 8})])  # scatter pymongo motor
    return await orders.find_one({"customer": 7})


async def both(orders):
    await filled(orders)
    one, some, all_of_them, count, five, six = await reads(orders)
    assert one["customer"] == 3 and some[0]["customer"] == 4 and len(all_of_them) == 10 and count == 1
    assert (five["customer"], six["customer"]) == (5, 6)
    assert (await writes(orders))["color"] == "red"


def test_pymongo(clients):
    async def run():
        async with clients(pymongo.AsyncMongoClient) as client:
            await both(client.shop.pymongo)
    asyncio.run(run())


def test_motor(clients):
    async def run():
        await both(clients(motor.motor_asyncio.AsyncIOMotorClient).shop.motor)
    asyncio.run(run())


class Order(beanie.Document):
    id: int
    customer: int
    status: str
    amount: int

    class Settings:
        name = "beanie"


async def of_amount(amount):
    return await Order.find_one(Order.amount == amount)  # scatter beanie


def test_beanie(clients):
    async def run():
        async with clients(pymongo.AsyncMongoClient) as client:
            await filled(client.shop.beanie)
            await beanie.init_beanie(client.shop, document_models=[Order])
            assert (await of_amount(3)).customer == 3
            assert len(await Order.find(Order.status == "open").to_list()) == 10  # scatter beanie
            assert await Order.find(Order.amount > 6).count() == 3  # scatter beanie
            order = await Order.find_one(Order.customer == 5)
            order.amount = 50
            await order.save()  # scatter beanie
            await Order.find(Order.amount == 50).delete()  # scatter beanie
            assert await Order.find_one(Order.customer == 5) is None
    asyncio.run(run())
