"""Adds to each MongoDB command the line of the application that sent it, and the running test.

Both go into the command's `comment`: file='/src/orders.py',line='42',test='tests/test_orders.py::test_open'.
`scattergate gate` and `scattergate report` read them. A comment of the application stays, after them.

Importing this module is all that is needed: `pytest -p scattergate_callsites`, or an import in conftest.py or in the
application. It supports PyMongo 3.13 and later, sync and async, and what is built on it: Motor, MongoEngine, Beanie.
"""

import asyncio
import concurrent.futures
import contextvars
import functools
import os
import re
import sys
import sysconfig
import threading
from urllib.parse import quote

from pymongo import message

# Every server since 4.4 (wire version 9) accepts a comment in these commands; earlier ones in the first two.
_ALWAYS = {"find", "aggregate"}
_SINCE_4_4 = {"bulkWrite", "collMod", "count", "createIndexes", "delete", "distinct", "dropIndexes", "findAndModify",
              "insert", "mapReduce", "renameCollection", "update"}
_WIRE_VERSION_OF_4_4 = 9

_MOST_OF_PATH = 160  # scattergate keeps 256 bytes of a comment
_PLACE = re.compile(r"\.\w+:\d|file(path|name)?='")
_LIBRARIES = tuple({os.path.realpath(path) + os.sep for path in (sysconfig.get_path("stdlib"), os.path.dirname(os.__file__))})
_LOOP = {"_run", "_run_once", "run", "run_forever", "run_until_complete"}  # frames of asyncio under a task's own
_PACKAGES = re.compile(r"[/\\](site|dist)-packages[/\\]")

_thread = threading.local()  # origin: the line that gave the thread its work
_origin = contextvars.ContextVar("scattergate_origin", default=None)  # the line that started the task


@functools.lru_cache(maxsize=4096)
def _path_of(file):
    """A source file's path; None if it is Python's, a package's, or no file."""
    if file.startswith("<") or file == __file__:
        return None
    path = os.path.abspath(file)
    if _PACKAGES.search(path) or os.path.realpath(path).startswith(_LIBRARIES):
        return None
    written = quote(path, safe="/")
    # The end of a long path is enough to find the file.
    return written if len(written) <= _MOST_OF_PATH else "/" + written[-_MOST_OF_PATH:].partition("/")[2]


def _site(frame, asks_cursors=False):
    """The nearest line of the application, as file='..',line='..'; with `asks_cursors` the line that made a cursor."""
    while frame is not None:
        code = frame.f_code
        path = _path_of(code.co_filename)
        if path:
            return f"file='{path}',line='{frame.f_lineno}'"
        if asks_cursors and code.co_filename.endswith("cursor.py"):
            made = getattr(frame.f_locals.get("self"), "_scattergate_site", None)
            if made:
                return made
        if code.co_name in _LOOP and frame.f_globals.get("__name__", "").startswith("asyncio."):
            break
        frame = frame.f_back
    return getattr(_thread, "origin", None) or _origin.get()


def _test():
    """The name of the running test, from the variable that pytest sets."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "")
    return quote(name.rpartition(" (")[0], safe="/:[]-._ ") if name else ""


def _comment(frame, given):
    site, test = _site(frame, asks_cursors=True), _test()
    if given is not None and _PLACE.search(given):
        site = None
    parts = ",".join(filter(None, (site, f"test='{test}'" if test else None)))
    return " ".join(filter(None, (parts, given)))


def _accepts_comment(name, caller, context):
    if name in _ALWAYS:
        return True
    if name not in _SINCE_4_4:
        return False
    holders = [context, *(caller.f_locals.get(each) for each in ("conn", "sock_info"))]
    holders += [getattr(context, each, None) for each in ("conn", "sock_info")]
    versions = [each.max_wire_version for each in holders if hasattr(each, "max_wire_version")]
    return not versions or versions[0] >= _WIRE_VERSION_OF_4_4


def _patch_message(name, position):
    """Wraps a function that encodes a command, its argument at `position`."""
    original = getattr(message, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def encode(*args, **kwargs):
        command = args[position]
        given = command.get("comment")
        caller = sys._getframe(1)
        if not (given is None or isinstance(given, str)) or not _accepts_comment(next(iter(command)), caller, args[-1]):
            return original(*args, **kwargs)
        comment = _comment(caller, given)
        if not comment:
            return original(*args, **kwargs)
        command["comment"] = comment
        try:
            return original(*args, **kwargs)
        finally:  # the command is the caller's, who may send it again
            if given is None:
                del command["comment"]
            else:
                command["comment"] = given
    setattr(message, name, encode)


def _patch_cursors():
    from pymongo import cursor
    classes = [cursor.Cursor]
    try:
        from pymongo.asynchronous.cursor import AsyncCursor
        classes.append(AsyncCursor)
    except ImportError:  # PyMongo before 4.9
        pass
    for each in classes:
        _patch_cursor(each)


def _patch_cursor(one):
    original = one.__init__

    @functools.wraps(original)
    def init(self, *args, **kwargs):
        self._scattergate_site = _site(sys._getframe(1))
        original(self, *args, **kwargs)
    one.__init__ = init


def _patch_threads():
    """Work that a pool's thread does belongs to the line that handed it over (Motor, asyncio.to_thread)."""
    original = concurrent.futures.ThreadPoolExecutor.submit

    @functools.wraps(original)
    def submit(self, work, /, *args, **kwargs):
        site = _site(sys._getframe(1))

        def run(*args, **kwargs):
            _thread.origin = site
            try:
                return work(*args, **kwargs)
            finally:
                _thread.origin = None
        return original(self, run, *args, **kwargs)
    concurrent.futures.ThreadPoolExecutor.submit = submit


def _patch_tasks():
    """What a task does without a line of the application belongs to the line that started it (asyncio.gather)."""
    original = asyncio.BaseEventLoop.create_task

    @functools.wraps(original)
    def create_task(self, coroutine, **kwargs):
        token = _origin.set(_site(sys._getframe(1)))
        try:
            return original(self, coroutine, **kwargs)
        finally:
            _origin.reset(token)
    asyncio.BaseEventLoop.create_task = create_task


_patch_message("_op_msg", 1)
_patch_message("_do_batched_op_msg", 2)
_patch_message("_client_do_batched_op_msg", 0)
_patch_cursors()
_patch_threads()
_patch_tasks()
