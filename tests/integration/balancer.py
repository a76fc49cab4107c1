"""A mongos's loadBalancerPort: requires a PROXY header and names the service."""

import ipaddress
import socket
import struct
import threading

import bson

from raw import OP_MSG, framed, op_msg, take_message
from waiting import PATIENCE

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
LOCAL, PROXY = 0x20, 0x21
ADDRESS_BYTES = {0x00: 0, 0x11: 4, 0x21: 16}


class Malformed(Exception):
    pass


def read_exactly(sock, size):
    data = b""
    while len(data) < size:
        more = sock.recv(size - len(data))
        if not more:
            raise Malformed(f"ended after {data!r}")
        data += more
    return data


def read_header(sock):
    """("LOCAL" or "PROXY", source, destination); addresses are (host, port), or None if the header doesn't have
    them. Leaves what follows in the socket."""
    signature, command, kind, length = struct.unpack("!12sBBH", read_exactly(sock, 16))
    if signature != SIGNATURE or command not in (LOCAL, PROXY) or kind not in ADDRESS_BYTES:
        raise Malformed(f"{signature!r} {command:#x} {kind:#x}")
    size = ADDRESS_BYTES[kind]
    if length != (2 * size + 4 if size else 0):
        raise Malformed(f"{length} bytes of addresses of kind {kind:#x}")
    name = "PROXY" if command == PROXY else "LOCAL"
    if not size:
        return name, None, None
    source, destination, *ports = struct.unpack(f"!{size}s{size}sHH", read_exactly(sock, length))
    hosts = [str(ipaddress.ip_address(address)) for address in (source, destination)]
    return name, (hosts[0], ports[0]), (hosts[1], ports[1])


class BalancerPort:
    """In front of a simulator. Relays what follows the header, under TLS if there is a context; a reply to hello
    gets the serviceId that loadBalanced=true asks for."""

    def __init__(self, target, context=None, host="127.0.0.1"):
        self.headers = []
        self.malformed = []
        self._target = host, target
        self._context = context
        self.service = bson.ObjectId()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        client.settimeout(PATIENCE)
        try:
            self.headers.append(read_header(client))
            if self._context:
                client = self._context.wrap_socket(client, server_side=True)
            self._relay(client)
        except Malformed as problem:
            self.malformed.append(str(problem))
        except OSError:
            pass  # the daemon has closed
        finally:
            client.close()

    def _relay(self, client):
        """One request at a time, as drivers send them; none is without a reply here."""
        requests, replies = bytearray(), bytearray()
        with socket.create_connection(self._target) as server:
            while message := self._next(client, requests):
                server.sendall(message.data)
                reply = self._next(server, replies)
                name = next(iter(message.body)).lower()
                client.sendall(self._named(reply) if name in ("hello", "ismaster") else reply.data)

    @staticmethod
    def _next(source, buffer):
        while not (message := take_message(buffer)):
            data = source.recv(1 << 18)
            if not data:
                return None
            buffer += data
        return message

    def _named(self, reply):
        body = {**reply.body, "serviceId": self.service}
        if reply.opcode == OP_MSG:
            return op_msg(body, reply.request_id, response_to=reply.response_to)
        return framed(reply.data[16:36] + bson.encode(body), reply.request_id, reply.response_to,
                      reply.opcode)
