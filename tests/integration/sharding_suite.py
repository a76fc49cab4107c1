"""A test suite that shards its own collections, through the gate and past it.

    sharding_suite.py      with MONGODB_URI, and with OTHER_URI: the same cluster through another mongos
"""

import os

import pymongo

# What the gate must report: collection, command, reason.
PLANTED = [("again", "find", "not_prefix"), ("chunks", "find", "missing_key"), ("elsewhere", "count", "missing_key"),
           ("elsewhere", "find", "missing_key"), ("joined", "find", "missing_key"), ("moved", "find", "missing_key"),
           ("other", "find", "missing_key"), ("refined", "find", "not_prefix"), ("renamed", "find", "missing_key"),
           ("resharded", "find", "missing_key"), ("second", "find", "missing_key"), ("simple", "find", "missing_key")]


def main():
    ours, second, other = (pymongo.MongoClient(os.environ[name])
                           for name in ("MONGODB_URI", "MONGODB_URI", "OTHER_URI"))
    db = ours.shop

    def shard(by, name, **key):
        by.admin.command("shardCollection", f"shop.{name}", key=key)

    def find(name, client=ours, **query):
        return list(client.shop[name].find(query))

    # One connection, and two.
    shard(ours, "simple", a=1)
    find("simple", b=1)
    find("second", b=0, a=1)
    shard(ours, "second", a=1)
    find("second", client=second, b=1)
    # Through another mongos, after the gate has seen the collection unsharded; dropped, and sharded by other keys.
    find("elsewhere", a=1, b=1)
    shard(other, "elsewhere", a=1)
    find("elsewhere", b=1)
    db.command("count", "elsewhere", query={"b": 1})
    shard(ours, "again", a=1, b=1)
    find("again", a=1)
    other.shop.again.drop()
    shard(other, "again", b=1, a=1)
    find("again", a=1)
    shard(other, "other", a=1)
    find("other", b=1)
    other.shop.other.drop()
    find("other", b=1, c=1)
    # Other keys, and none.
    shard(ours, "refined", a=1)
    ours.admin.command("refineCollectionShardKey", "shop.refined", key={"a": 1, "b": 1})
    find("refined", b=1)
    shard(ours, "resharded", a=1)
    ours.admin.command("reshardCollection", "shop.resharded", key={"b": 1})
    find("resharded", a=1)
    ours.admin.command("unshardCollection", "shop.resharded")
    find("resharded", c=1)
    shard(ours, "before", a=1)
    db.before.rename("renamed")
    find("renamed", b=1)
    # Chunks that move: a class may depend on them.
    shard(ours, "chunks", a=1)
    find("chunks", a={"$regex": "^x"})
    ours.admin.command("split", "shop.chunks", middle={"a": "x"})
    ours.admin.command("split", "shop.chunks", middle={"a": "xm"})
    shards = [one["_id"] for one in ours.config.shards.find()]
    ours.admin.command("moveChunk", "shop.chunks", find={"a": "xz"}, to=shards[1])
    ours.admin.command("moveChunk", "shop.chunks", find={"a": "a"}, to=shards[2])
    find("chunks", client=second, a={"$regex": "^x"}, c=1)
    find("chunks", b=1)
    # Moved without a key, then sharded.
    db.moved.insert_one({"a": 1})
    ours.admin.command("moveCollection", "shop.moved", toShard=shards[1])
    find("moved", b=1)
    shard(ours, "moved", a=1)
    find("moved", b=1, c=1)
    # Databases that are dropped.
    shard(ours, "joined", a=1)
    find("joined", b=1)
    ours.drop_database("shop")
    find("joined", c=1)
    find("simple", c=1)


if __name__ == "__main__":
    main()
