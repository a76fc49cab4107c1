"""A server between a client and a simulated cluster that replaces single fields of the cluster's replies, with values
that a driver doesn't expect: the clients that crash, hang or grow are the ones to mend."""

import datetime
import math

from bson import Binary, Code, Decimal128, Int64, MinKey, ObjectId, Regex, Timestamp

from raw import OP_REPLY, RawClient, op_msg, op_reply

HELLO_FIELDS = [
    "ok", "isWritablePrimary", "ismaster", "msg", "topologyVersion", "maxBsonObjectSize", "maxMessageSizeBytes",
    "maxWriteBatchSize", "localTime", "logicalSessionTimeoutMinutes", "connectionId", "minWireVersion", "maxWireVersion",
    "readOnly", "compression", "saslSupportedMechs", "speculativeAuthenticate", "hosts", "passives", "arbiters", "primary",
    "arbiterOnly", "passive", "hidden", "me", "setName", "setVersion", "secondary", "tags", "electionId", "lastWrite",
    "isreplicaset", "$clusterTime", "operationTime", "serviceId", "helloOk", "errmsg", "code", "codeName",
    "writeConcernError", "errorLabels", "writeErrors", "cursor"]

REPLY_FIELDS = [
    "ok", "errmsg", "code", "codeName", "errorLabels", "writeConcernError", "writeConcernErrors", "writeErrors", "n",
    "nModified", "upserted", "cursor", "$clusterTime", "operationTime", "recoveryToken", "topologyVersion"]

VALUES = {
    "no text": "", "a long text": "x" * 256, "half an address": "[::1", "an absurd port": "h:99999999", "colons": "a:b:c",
    "minus one": -1, "the largest int": 2**31 - 1, "the largest long": Int64(2**63 - 1), "NaN": math.nan, "a huge double": 1e300,
    "true": True, "null": None, "no members": [], "numbers": [5], "documents": [{"a": 1}],
    "odd addresses": ["", "[::1", "x" * 256, "h:0", "h:70000", "/x.sock", ":1"], "lists": [[["a"]]], "no fields": {},
    "fields": {"a": {"b": 1}, "code": math.nan, "errmsg": 5, "payload": 5, "done": "x"}, "bytes": Binary(b"x" * 300),
    "an id": ObjectId("0" * 24), "a date": datetime.datetime(1970, 1, 1), "a decimal": Decimal128("NaN"),
    "others": [MinKey(), Regex("x"), Timestamp(1, 1), Code("f()", {"x": 1})]}


# A hello whose members libmongoc looks at.
REPLICA_SET = {"msg": "", "setName": "rs", "isWritablePrimary": False, "ismaster": False, "secondary": True,
               "hosts": ["127.0.0.1:1"], "me": "127.0.0.1:1"}


def is_hello(body):
    return next(iter(body)).lower() in ("hello", "ismaster")


def is_other(body):
    return not is_hello(body)


def is_in_transaction(body):
    return body.get("autocommit") is False


class TamperingServer:
    """A script of Upstream: passes everything on to the server at `port`, but replaces `fields` in the replies to the
    requests that `on` selects."""

    def __init__(self, port, fields=None, on=is_hello):
        self._port = port
        self.fields, self.on = fields or {}, on
        self.tampered = 0

    def __call__(self, connection):
        with RawClient(self._port) as server:
            while request := connection.message():
                server.send(request.data)
                reply = server.receive()
                if reply is None:
                    return
                fields = self.fields
                if not fields or not self.on(request.body):
                    connection.send(reply.data)
                    continue
                self.tampered += 1
                body = {**reply.body, **fields}
                connection.send(op_reply(body, request.request_id) if reply.opcode == OP_REPLY else
                                op_msg(body, 1, response_to=request.request_id))
