"""An application next to the hostile ones: it works all the time, and all its answers must be right."""

import threading

from bson import ObjectId

import traffic
from waiting import wait_until


class HealthyClient:
    def __init__(self, port):
        self.rounds = 0
        self.failure = None
        # Its monitor asks more often than the shortest idle limit.
        self._client = traffic.client_of(port, appname="healthy", retryReads=False,
                                         retryWrites=False, heartbeatFrequencyMS=500)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        documents = self._client[traffic.DATABASE].documents
        try:
            while not self._stopping.is_set():
                key, project = ObjectId(), traffic.PROJECTS[self.rounds % 10]
                documents.insert_one({"_id": key, "project_id": project, "key": str(key),
                                      "n": self.rounds})
                found = documents.find_one({"_id": key, "project_id": project})
                assert found["n"] == self.rounds, found
                assert documents.delete_one({"_id": key, "project_id": project}).deleted_count == 1
                self.rounds += 1
        except Exception as failure:  # raised again in the caller's thread
            self.failure = failure

    def check(self):
        """Waits for two more right answers: one may have been under way already."""
        target = self.rounds + 2
        wait_until(lambda: self.failure or self.rounds >= target, "the healthy client")
        if self.failure:
            raise self.failure

    def stop(self):
        self._stopping.set()
        self._thread.join()
        self._client.close()
        if self.failure:
            raise self.failure
