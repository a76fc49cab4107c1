import os
import random
import unittest

import pymongo

import orders


class Orders(unittest.TestCase):
    def setUp(self):
        self.client = pymongo.MongoClient(os.environ["MONGODB_URI"])
        self.db = self.client[f"test-shop-{random.randrange(10**9)}"]

    def tearDown(self):
        self.client.drop_database(self.db.name)
        self.client.close()

    def test_a_customer_has_his_own(self):
        orders.add(self.db, 7, 12)
        orders.add(self.db, 8, 30)
        self.assertEqual([each["total"] for each in orders.of_customer(self.db, 7)], [12])

    def test_new_ones_are_open(self):
        orders.add(self.db, 7, 12)
        self.assertEqual(len(orders.open_ones(self.db)), 1)


if __name__ == "__main__":
    unittest.main()
