"""mongo-java-server, built once under build/ and started."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parents[1] / "drivers")]

from processes import Process  # noqa: E402
from programs import built  # noqa: E402

TOOLS = ("java", "mvn")


def make(folder):
    subprocess.run(["mvn", "--quiet", "--batch-mode", "-f", str(HERE / "pom.xml"),
                    f"-DbuildDirectory={folder}", "process-classes"], check=True, timeout=1500)


class ForeignServer(Process):
    def __init__(self, directory, name):
        folder = built("foreign-server", [HERE / "pom.xml", HERE / "src"], make)
        super().__init__(name, ["java", "-cp", f"{folder}/classes:{folder}/lib/*",
                                "scattergate.ForeignServer"], directory)
        self.address = self.await_line(r"ready on (\S+)$")[1]
        self.port = int(self.address.rsplit(":", 1)[1])
