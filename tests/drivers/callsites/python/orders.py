"""An application's layer for its database: the lines that scatter end in "# scatter"."""


def by_status(collection, status):
    return collection.find({"status": status}, sort=[("amount", 1)])  # scatter


def repaint(collection, color):
    return collection.update_many({"color": color}, {"$set": {"color": "blue"}})  # scatter
