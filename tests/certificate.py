"""A certificate for 127.0.0.1 that nobody has signed but itself (X.509, RFC 5280; ECDSA on P-256, SEC 1)."""

import base64
import hashlib
import secrets
from pathlib import Path

_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
_A = _P - 3
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_P256 = b"\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"
_EC_KEY = b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01"
_ECDSA_SHA256 = b"\x30\x0a\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x02"
_COMMON_NAME = b"\x06\x03\x55\x04\x03"

Point = tuple[int, int] | None


def self_signed(folder: Path, until: str = "450101000000Z", name: str = "127.0.0.1") -> Path:
    """A file with a new key and its certificate, as `ssl.SSLContext.load_cert_chain` takes it.

    It is good from the first day of 2025 to `until` (UTCTime), and speaks for `name`.
    """
    key = 1 + secrets.randbelow(_ORDER - 1)
    point = _times(key, _BASE)
    assert point
    public = b"\x00\x04" + point[0].to_bytes(32) + point[1].to_bytes(32)
    whose = _der(0x30, _der(0x31, _der(0x30, _COMMON_NAME + _der(0x0C, name.encode()))))
    validity = _der(0x30, _der(0x17, b"250101000000Z") + _der(0x17, until.encode()))
    key_info = _der(0x30, _der(0x30, _EC_KEY + _P256) + _der(0x03, public))
    version, serial = _der(0xA0, _number(2)), _number(1)
    contents = _der(0x30, version + serial + _ECDSA_SHA256 + whose + validity + whose + key_info)
    signed = _der(0x30, contents + _ECDSA_SHA256 + _der(0x03, b"\x00" + _signature(key, contents)))
    private = _number(1) + _der(0x04, key.to_bytes(32)) + _der(0xA0, _P256) + _der(0xA1, _der(0x03, public))
    path = folder / "self-signed.pem"
    path.write_text(_pem("EC PRIVATE KEY", _der(0x30, private)) + _pem("CERTIFICATE", signed))
    return path


def _signature(key: int, contents: bytes) -> bytes:
    digest = int.from_bytes(hashlib.sha256(contents).digest())
    once = 1 + secrets.randbelow(_ORDER - 1)
    point = _times(once, _BASE)
    assert point
    r = point[0] % _ORDER
    s = pow(once, -1, _ORDER) * (digest + r * key) % _ORDER
    return _der(0x30, _number(r) + _number(s))


def _plus(one: Point, other: Point) -> Point:
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % _P == 0:
        return None
    slope = (3 * x1 * x1 + _A) * pow(2 * y1, -1, _P) if one == other else (y2 - y1) * pow(x2 - x1, -1, _P)
    x = (slope * slope - x1 - x2) % _P
    return x, (slope * (x1 - x) - y1) % _P


def _times(count: int, point: Point) -> Point:
    total: Point = None
    while count:
        total = _plus(total, point) if count & 1 else total
        point, count = _plus(point, point), count >> 1
    return total


def _der(tag: int, contents: bytes) -> bytes:
    length = len(contents)
    size = b"" if length < 128 else length.to_bytes((length.bit_length() + 7) // 8)
    return bytes([tag, 0x80 | len(size) if size else length]) + size + contents


def _number(value: int) -> bytes:
    return _der(0x02, value.to_bytes(value.bit_length() // 8 + 1))


def _pem(label: str, data: bytes) -> str:
    text = base64.b64encode(data).decode()
    lines = "\n".join(text[at : at + 64] for at in range(0, len(text), 64))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n"
