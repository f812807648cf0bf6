"""Why a directory has no answer, in plain words. The sentences follow one another on the screen: each names its
directory, and is short.
"""

import math
from collections.abc import Sequence

from player.errors import DirectoryError, DirectoryLeftOut, EarmarkError
from player.net.failures import FailureReason, RequestFailed, Subject, explain
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, plural, translate


def in_sentences(failed: Sequence[tuple[str, DirectoryError]]) -> tuple[str, ...]:
    """Sentences that say why these directories, by name, have no answer; directories that failed for the same reason
    share a sentence."""
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


R = FailureReason
_LATER = mark("Try again later.")
_NO_NETWORK = (mark("{server} can't be reached: no network"), None)
_DENIED = (mark("{server} denied access ({status})"), _LATER)
_NOT_FOUND = (mark("{server} wasn't found at its address ({status})"), None)
_NONSENSE = (mark("{server} sent a response that Earmark can't read"), _LATER)
DIRECTORY = Subject(
    mark("the podcasts"),
    address=mark("It may have moved: see [directories] in config.toml."),
    own={
        R.OFFLINE: (mark("{server} wasn't asked: Earmark is offline"), None),
        R.NO_NAME_SERVER: _NO_NETWORK,
        R.UNREACHABLE: _NO_NETWORK,
        R.BAD_ADDRESS: (
            mark("{server} can't be asked: its address isn't a URL"),
            mark("See [directories] in config.toml."),
        ),
        R.TIMED_OUT: ("", _LATER),
        R.LOGIN: _DENIED,
        R.DENIED: _DENIED,
        R.NOT_FOUND: _NOT_FOUND,
        R.REMOVED: _NOT_FOUND,
        R.ODD_STATUS: ("", _LATER),
        R.TOO_LARGE: ("", _LATER),
        R.TOO_SLOW: (mark("{server} didn't respond within {seconds:g} s"), None),
        R.ENCODING: _NONSENSE,
        R.CORRUPT: _NONSENSE,
        R.CANCELLED: (mark("{server} isn't asked any more"), None),
    },
)
_TOGETHER = {
    R.OFFLINE: mark("{directories} weren't asked: Earmark is offline"),
    **dict.fromkeys((R.NO_NAME_SERVER, R.UNREACHABLE, R.UNKNOWN_HOST), mark("{directories} can't be reached")),
    R.REFUSED: mark("{directories} refused the connection"),
    R.PROXY: mark("The proxy refused to connect to {directories}"),
    **dict.fromkeys((R.TIMED_OUT, R.STALLED, R.TOO_SLOW), mark("{directories} didn't respond in time")),
    **dict.fromkeys((R.CONNECTION_LOST, R.CUT_SHORT), mark("The connections to {directories} were lost")),
}


def of_request(name: str, failed: RequestFailed) -> DirectoryError:
    """The error for a failed request to the directory called `name`."""
    what, advice = explain(failed, DIRECTORY, server=name)
    return DirectoryError(what, advice, failed.status, together=_TOGETHER.get(failed.reason, ""))


def too_slow(name: str, seconds: float) -> DirectoryError:
    return of_request(name, RequestFailed(R.TOO_SLOW, limit=seconds))


def nonsense(name: str) -> DirectoryError:
    """The error for an answer that isn't a list of podcasts."""
    return of_request(name, RequestFailed(R.CORRUPT))


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
