"""The certificates we trust: the system's, wherever it keeps them."""

import os
from pathlib import Path

from msgspec import Struct

_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Arch, Alpine, Gentoo
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",  # macOS, Alpine, the BSDs
)


class Trust(Struct, frozen=True):
    """A file of certificates and a folder of them, either of which may be ""."""

    file: str
    folder: str


def trusted() -> Trust:
    """The certificates named by SSL_CERT_FILE and SSL_CERT_DIR, else the system's, else certifi's."""
    file, folder = os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", "")
    if file or folder:
        return Trust(file, folder)
    for known in _FILES:
        if Path(known).is_file():
            return Trust(known, "")
    import ssl

    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        return Trust(paths.cafile or "", paths.capath or "")
    import certifi

    return Trust(certifi.where(), "")
