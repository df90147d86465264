"""The fleet's certificates: the coordinator trusts only its hosts, a host only the coordinator.

There is no certificate authority. Certificates are self-signed, and the trusted ones are files in a
folder: deleting a file revokes it. A compromised host can connect only to the coordinator, not to
another host.
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from distributed.comm import unparse_host_port
from distributed.security import Security

import durable
from console import ExitCode, StudyError
from fleet.config import Coordinator, Host

FOLDER = Path(".diskbench/fleet")
COORDINATOR = "coordinator"
# ten years: a certificate ends when it is revoked
DAYS = 3652
CALL = "bash workflow/run.sh fleet certificate"


@dataclass(frozen=True)
class HostCertificate:
    """The credentials of a host: its slug, the coordinator's address, and the keys as PEM text."""

    slug: str
    coordinator: str
    port: int
    address: str | None
    own: str
    trusted: str

    def text(self) -> str:
        """The content of the file to copy to the host."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @property
    def place(self) -> str:
        """The coordinator's address as part of a URL."""
        return unparse_host_port(self.coordinator, self.port)

    @property
    def security(self) -> Security:
        """Dask's security settings for a worker."""
        return _security(self.own, self.trusted)


def read_certificate(path: Path) -> HostCertificate:
    """The certificate in a file copied to this host. Raises StudyError (bad input)."""
    try:
        given = HostCertificate(**json.loads(path.read_text(encoding="ascii")))
        for pem in (_certificate(given.own), given.trusted):
            x509.load_pem_x509_certificate(pem.encode())
        return given
    except FileNotFoundError as error:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{path} is missing: on the coordinator, call `{CALL}`, which makes one for each host, "
            "and copy this host's here",
        ) from error
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{path} is not a certificate of a fleet: copy it again from the coordinator",
        ) from error


class CertificateStore:
    """The certificates on the coordinator, in a folder readable by the user only."""

    def __init__(self, folder: Path = FOLDER):
        self.folder = folder
        self.trusted = folder / "trusted"
        self.certificates = folder / "certificates"

    def make(self, coordinator: Coordinator, hosts: list[Host]) -> list[str]:
        """Make certificates that are missing, or name another coordinator; returns the slugs of
        their hosts."""
        self._make_folders()
        if not self.coordinator_file.exists():
            _write(self.coordinator_file, _made(COORDINATOR))
        made = []
        for host in hosts:
            if self.elsewhere(host.slug, coordinator):
                self.revoke(host.slug)
            if not self.trusts(host.slug):
                own = _made(host.slug)
                given = HostCertificate(
                    host.slug,
                    coordinator.address,
                    coordinator.port,
                    host.address,
                    own,
                    _certificate(self.coordinator_file.read_text(encoding="ascii")),
                )
                _write(self.certificates / f"{host.slug}.certificate", given.text())
                # last, so that every trusted host has a certificate; TLS skips the first line
                trusted = f"{_place(coordinator)}\n{_certificate(own)}"
                _write(self.trusted / f"{host.slug}.pem", trusted)
                made.append(host.slug)
        return made

    def revoke(self, slug: str) -> bool:
        """Revoke a host's certificate; returns whether it was trusted."""
        if not self.trusts(slug):
            return False
        for path in (self.trusted / f"{slug}.pem", self.certificates / f"{slug}.certificate"):
            path.unlink(missing_ok=True)
        return True

    def trusts(self, slug: str) -> bool:
        """Whether a host is trusted."""
        # compared with existing names, since the slug is user input
        return f"{slug}.pem" in {path.name for path in self.trusted.glob("*.pem")}

    def elsewhere(self, slug: str, coordinator: Coordinator) -> str:
        """What is wrong if a host's certificate names another address or port of the coordinator;
        else empty."""
        if not self.trusts(slug):
            return ""
        told = (self.trusted / f"{slug}.pem").read_text(encoding="ascii").partition("\n")[0]
        here = _place(coordinator)
        return "" if told == here else f"its certificate leads to {told}, and fleet.yaml to {here}"

    def ends(self, slug: str) -> datetime:
        """The end of the validity of a host's certificate."""
        return _end(self.trusted / f"{slug}.pem")

    @property
    def coordinator_ends(self) -> datetime:
        """The end of the validity of the coordinator's certificate."""
        return _end(self.coordinator_file)

    def security_for(self, slug: str) -> Security:
        """Dask's security settings for this host only. Raises StudyError if it is not trusted."""
        try:
            trusted = (self.trusted / f"{slug}.pem").read_text(encoding="ascii")
        except OSError as error:
            raise StudyError(
                ExitCode.BAD_INPUT, f"{slug} has no certificate: call `{CALL}`"
            ) from error
        return _security(self.coordinator_file.read_text(encoding="ascii"), trusted)

    @property
    def coordinator_file(self) -> Path:
        """The coordinator's key and certificate."""
        return self.folder / "coordinator.pem"

    @property
    def security(self) -> Security:
        """Dask's settings for scheduler and client. Raises StudyError without certificates."""
        hosts = sorted(self.trusted.glob("*.pem"))
        if not self.coordinator_file.exists() or not hosts:
            raise StudyError(
                ExitCode.BAD_INPUT, f"the fleet has no certificates yet: call `{CALL}` first"
            )
        own = self.coordinator_file.read_text(encoding="ascii")
        # itself too: the coordinator's client connects to its scheduler
        trusted = [_certificate(own), *(path.read_text(encoding="ascii") for path in hosts)]
        return _security(own, "\n".join(trusted))

    def _make_folders(self) -> None:
        for folder in (self.folder, self.trusted, self.certificates):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)


def _place(coordinator: Coordinator) -> str:
    """The address and port of a coordinator as part of a URL."""
    return unparse_host_port(coordinator.address, coordinator.port)


def _security(own: str, trusted: str) -> Security:
    key = own[: own.index("-----BEGIN CERT")]
    roles = {
        f"tls_{role}_{part}": text
        for role in ("scheduler", "worker", "client")
        for part, text in (("key", key), ("cert", _certificate(own)))
    }
    return Security(require_encryption=True, tls_ca_file=trusted, **roles)


def _certificate(pem: str) -> str:
    return pem[pem.index("-----BEGIN CERT") :]


def _end(file: Path) -> datetime:
    return x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc


def _made(name: str) -> str:
    """A new key and its certificate, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    begin = datetime.now(UTC) - timedelta(hours=1)  # tolerates small differences of clocks
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=DAYS))
        # it is no certificate authority
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage(
                [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
            ),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return (private + certificate.public_bytes(serialization.Encoding.PEM)).decode("ascii")


def _write(path: Path, pem: str) -> None:
    """Write a file readable by the user only."""
    durable.write(path, pem, mode=0o600)
