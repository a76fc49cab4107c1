"""Orders of a shop, by their customer."""


def add(db, customer, total):
    return db.orders.insert_one({"customer": customer, "total": total, "status": "open"}).inserted_id


def of_customer(db, customer):
    return list(db.orders.find({"customer": customer}, comment="orders.py:9"))


def open_ones(db):
    # The nightly export reads them all, from every shard.
    return list(db.orders.find({"status": "open"}, comment="orders.py:14"))
