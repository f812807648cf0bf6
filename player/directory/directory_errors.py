"""Why a directory has no answer, in plain words. The sentences follow one another on the screen: each names its
directory, and is short.
"""

import math
from collections.abc import Sequence

from player.errors import DirectoryError, DirectoryLeftOut, EarmarkError
from player.net.failures import FailureReason, RequestFailed
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, plural, translate

_UNREACHABLE = mark("{directories} can't be reached")
_SLOW = mark("{directories} didn't respond in time")


def in_sentences(failed: Sequence[tuple[str, DirectoryError]]) -> tuple[str, ...]:
    """Why these directories have no answer, by name; what happened to several is one sentence."""
    groups: dict[tuple[str, str], list[tuple[str, DirectoryError]]] = {}
    for name, error in failed:
        key = (error.together or error.what, error.advice)
        groups.setdefault(key, []).append((name, error))
    found = []
    for group in groups.values():
        _first, error = group[0]
        names = listed([name for name, _error in group])
        what = translate(error.together, directories=names) if len(group) > 1 and error.together else error.what
        found.append(str(EarmarkError(what, error.advice)))
    return tuple(found)


def listed(names: Sequence[str]) -> str:
    """`Apple Podcasts, fyyd and gpodder.net`."""
    *others, last = names
    return _("{names} and {last}", names=", ".join(others), last=last) if others else last


def of_status(name: str, status: int) -> DirectoryError:
    what, advice = _refusal(name, status)
    return DirectoryError(what, advice, status)


def _refusal(name: str, status: int) -> tuple[str, str]:
    """What happened, and what to do now."""
    if status == 429:
        return _("{directory} received too many requests (429)", directory=name), _later()
    if status in (401, 403):
        return _("{directory} denied access ({status})", directory=name, status=status), _later()
    if status in (404, 410):
        return (
            _("{directory} wasn't found at its address ({status})", directory=name, status=status),
            _("It may have moved: see [directories] in config.toml."),
        )
    if status >= 500:
        return _("{directory} has a server problem ({status})", directory=name, status=status), _later()
    return _("{directory} sent an unexpected response ({status})", directory=name, status=status), _later()


def of_network(name: str, error: RequestFailed) -> DirectoryError:
    check = _("Check your connection.")
    match error.reason:
        case FailureReason.OFFLINE:
            return DirectoryError(
                _("{directory} wasn't asked: Earmark is offline", directory=name),
                _("Go online first."),
                together=mark("{directories} weren't asked: Earmark is offline"),
            )
        case FailureReason.NO_NAME_SERVER | FailureReason.UNREACHABLE:
            what = _("{directory} can't be reached: no network", directory=name)
            return DirectoryError(what, check, together=_UNREACHABLE)
        case FailureReason.UNKNOWN_HOST:
            return DirectoryError(
                _("{directory} can't be found on the network", directory=name), check, together=_UNREACHABLE
            )
        case FailureReason.BAD_ADDRESS:
            return DirectoryError(
                _("{directory} can't be asked: its address isn't a URL", directory=name),
                _("See [directories] in config.toml."),
            )
        case FailureReason.REFUSED:
            what = _("{directory} refused the connection", directory=name)
            return DirectoryError(what, _later(), together=mark("{directories} refused the connection"))
        case FailureReason.PROXY:
            return DirectoryError(
                _("The proxy refused to connect to {directory}", directory=name),
                _("Check the proxy settings."),
                together=mark("The proxy refused to connect to {directories}"),
            )
        case FailureReason.CERTIFICATE | FailureReason.NO_CERTIFICATES | FailureReason.TLS:
            reason = clean_line(error.detail, 120) or _("no secure connection")
            return DirectoryError(
                _("{directory} can't be trusted: {reason}", directory=name, reason=reason),
                _("Nothing was fetched. Check this computer's clock and its certificates."),
            )
        case FailureReason.TIMED_OUT | FailureReason.STALLED:
            return DirectoryError(_("{directory} didn't respond in time", directory=name), _later(), together=_SLOW)
        case FailureReason.CONNECTION_LOST | FailureReason.CUT_SHORT | FailureReason.REDIRECT_LOOP:
            what = _("The connection to {directory} was lost", directory=name)
            return DirectoryError(what, _later(), together=mark("The connections to {directories} were lost"))


def too_slow(name: str, seconds: float) -> DirectoryError:
    return DirectoryError(
        _("{directory} didn't respond within {seconds:g} s", directory=name, seconds=seconds), _later(), together=_SLOW
    )


def too_large(name: str, limit: int) -> DirectoryError:
    return DirectoryError(_("{directory} sent more than {limit} MB", directory=name, limit=limit // 1024**2), _later())


def nonsense(name: str) -> DirectoryError:
    """It answered with something that is no list of podcasts."""
    return DirectoryError(_("{directory} sent a response that Earmark can't read", directory=name), _later())


def too_often(name: str, wait_s: float) -> DirectoryError:
    seconds = math.ceil(wait_s)
    return DirectoryError(
        _("{directory} can't be asked that often", directory=name),
        plural(seconds, "Try again in {n} second.", "Try again in {n} seconds."),
    )


def no_key(name: str) -> DirectoryError:
    return DirectoryError(
        _("{directory} needs your API key and its secret", directory=name),
        _("See [directories] in config.toml."),
    )


def left_out(name: str) -> DirectoryLeftOut:
    return DirectoryLeftOut(_("{directory} needs an API key, and you have none", directory=name))


def wrong_key(name: str) -> DirectoryError:
    return DirectoryError(
        _("{directory} refused your API key or its secret", directory=name),
        _("Check both, and this computer's clock. See [directories] in config.toml."),
    )


def no_chart(name: str, country: str) -> DirectoryError:
    return DirectoryError(
        _("{directory} has no chart for the country {country}", directory=name, country=clean_line(country, 10)),
        _("Choose another country."),
    )


def cancelled(name: str) -> DirectoryError:
    return DirectoryError(_("{directory} isn't asked any more", directory=name))


def _later() -> str:
    return _("Try again later.")
