"""Certificates made for one test, by openssl."""

import datetime
import pathlib
import subprocess

HERE = "DNS:localhost,IP:127.0.0.1,IP:::1"


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr


def lifetime(days):
    """Flags of `openssl x509`. From OpenSSL 3.4 on -days is refused where it is less than 0."""
    done = subprocess.run(["openssl", "version"], capture_output=True, text=True, timeout=60)
    version = tuple(map(int, done.stdout.split()[1].split(".")[:2]))
    if days >= 0 or version < (3, 4):
        return ["-days", days]
    now = datetime.datetime.now(datetime.timezone.utc)
    end = now + datetime.timedelta(days=days)
    begin = end - datetime.timedelta(days=1)
    return ["-not_before", f"{begin:%Y%m%d%H%M%SZ}", "-not_after", f"{end:%Y%m%d%H%M%SZ}"]


class Authority:
    """A CA; its own certificate is in `ca_file`."""

    def __init__(self, directory, name="ca"):
        self._directory = pathlib.Path(directory)
        self._directory.mkdir(parents=True, exist_ok=True)
        self._config = self._directory / "openssl.cnf"
        self._config.write_text("[req]\ndistinguished_name = name\n[name]\n")
        self._key = self._directory / f"{name}.key"
        self.ca_file = self._directory / f"{name}.pem"
        self._make(name, self._key, self.ca_file, "basicConstraints=critical,CA:TRUE",
                   "keyUsage=critical,keyCertSign,cRLSign")

    def issue(self, name, alternatives=HERE):
        """A file with a certificate for a server or a client, and its key."""
        key, certificate = (self._directory / f"{name}.{end}" for end in ("key", "crt"))
        self._make(name, key, certificate, "basicConstraints=critical,CA:FALSE",
                   f"subjectAltName={alternatives}", "extendedKeyUsage=serverAuth,clientAuth",
                   signed_by=["-CA", self.ca_file, "-CAkey", self._key])
        both = self._directory / f"{name}.pem"
        both.write_text(certificate.read_text() + key.read_text())
        return both

    def last(self, name, days):
        """Sets the duration of this name's certificate; it has expired if less than 0."""
        key, certificate = (self._directory / f"{name}.{end}" for end in ("key", "crt"))
        openssl("x509", "-in", certificate, "-signkey", key, *lifetime(days), "-out", certificate)
        (self._directory / f"{name}.pem").write_text(certificate.read_text() + key.read_text())

    def renew(self, name, days):
        """Signs this name's certificate again, with an end after this number of days, which may be negative."""
        key, certificate, request = (self._directory / f"{name}.{end}" for end in ("key", "crt", "csr"))
        openssl("x509", "-x509toreq", "-in", certificate, "-signkey", key, "-copy_extensions", "copy",
                "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.ca_file, "-CAkey", self._key,
                *lifetime(days), "-copy_extensions", "copy", "-out", certificate)
        (self._directory / f"{name}.pem").write_text(certificate.read_text() + key.read_text())

    def _make(self, name, key, certificate, *extensions, signed_by=()):
        added = [part for each in extensions for part in ("-addext", each)]
        openssl("req", "-x509", "-config", self._config, "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                "-keyout", key, "-out", certificate, *added, *signed_by)
