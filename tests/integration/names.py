"""Names of mongos whose addresses a test changes while the daemon runs."""

import subprocess

from processes import Daemon


def may_change_hosts():
    """Whether a mount namespace of one's own is possible."""
    return subprocess.run(["unshare", "-m", "mount", "--bind", "/etc/hosts", "/etc/hosts"],
                          capture_output=True, check=False).returncode == 0


class NamedDaemon(Daemon):
    """Has an /etc/hosts of its own, in a mount namespace of its own."""

    def __init__(self, directory, upstream, names=None, **options):
        self.hosts = directory / "hosts"
        self.set_addresses(**(names or {"mongos": ["127.0.0.1", "127.0.0.2"]}))
        super().__init__(directory, upstream, **options)

    def set_addresses(self, **names):
        """Overwrites the file: a new one wouldn't be seen through the mount."""
        self.hosts.write_text("".join(f"{address} {name}\n" for name, addresses in names.items()
                                      for address in addresses) or "\n")

    def command(self):
        return ["unshare", "-m", "sh", "-c",
                f'mount --bind "{self.hosts}" /etc/hosts && exec "$@"', "sh", *super().command()]
