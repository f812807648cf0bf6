"""One tree of errors. Each says what happened, to what, and what to do now; `str(error)` is that, ready for a person.

Only failures of the outside world are wrapped in these (the network, the disk, a feed). A bug stays loud.
"""


class EarmarkError(Exception):
    """`what` happened (a clause without its full stop), and `advice`: what to do now (a whole sentence, or nothing).

    Both are shown as they are: the code that raises must clean any text from outside (`player.text.cleaning`).
    """

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice

    def __str__(self) -> str:
        what = self.what if self.what.endswith("?") else f"{self.what.rstrip('.')}."
        return f"{what} {self.advice}".strip()


# -- the library ----------------------------------------------------------------------------------------------


class LibraryError(EarmarkError):
    """The library can't be opened, read or written."""


class NewerLibrary(LibraryError):
    """library.db was written by a newer Earmark."""


class DamagedLibrary(LibraryError):
    """library.db isn't a database, or is a broken one."""


class ReadOnlyLibrary(LibraryError):
    """The data folder can't be written to."""


class DiskFull(LibraryError):
    """There is no space left on the disk."""


class LibraryBusy(LibraryError):
    """Another process holds the library longer than this one waits."""


class AlreadyRunning(EarmarkError):
    """Another Earmark plays from this library."""


class NotFound(EarmarkError):
    """No podcast or episode by that name."""


class Ambiguous(EarmarkError):
    """Several podcasts, episodes or lists by that name."""


# -- feeds ----------------------------------------------------------------------------------------------------


class FeedError(EarmarkError):
    """A feed can't be fetched or parsed."""


class BadAddress(FeedError):
    """Not an http or https address."""


class AlreadySubscribed(FeedError):
    """The library has this podcast; `podcast_id` is its ID there, if it is known."""

    def __init__(self, what: str, advice: str = "", podcast_id: int | None = None) -> None:
        super().__init__(what, advice)
        self.podcast_id = podcast_id


class Unreachable(FeedError):
    """No connection, no name, no answer in time."""


class Offline(Unreachable):
    """This computer has no network: no feed is to blame."""


class HttpFailure(FeedError):
    """The server answered with an error status. `pause_s`: it asked not to be asked again before."""

    def __init__(self, what: str, advice: str = "", status: int = 0, pause_s: float | None = None) -> None:
        super().__init__(what, advice)
        self.status = status
        self.pause_s = pause_s


class SignInNeeded(FeedError):
    """A server requires a login, or no longer accepts the stored one. `server` is an address on it, to which a name and
    password can be added."""

    def __init__(self, what: str, advice: str = "", server: str = "") -> None:
        super().__init__(what, advice)
        self.server = server


class NotAFeed(FeedError):
    """The address answers, but with neither a feed nor a page that names one."""


class NoAudio(FeedError):
    """A feed without anything to hear."""


class NotThere(FeedError):
    """A file or folder on this computer that isn't there, or can't be read."""


class TooLarge(FeedError):
    """More bytes than a feed may have."""


class TransferError(EarmarkError):
    """A file of another app can't be read."""


class AttachmentError(EarmarkError):
    """Chapters, a transcript or comments can't be had, or read."""


class TranscriptionError(EarmarkError):
    """A piece of audio can't be turned into words. `lasting`: nor can any other piece, until somebody changes
    something: a program or a model is missing, or the server refuses the key."""

    def __init__(self, what: str, advice: str = "", *, lasting: bool = False) -> None:
        super().__init__(what, advice)
        self.lasting = lasting


class SummaryError(EarmarkError):
    """A summary or chapters of an episode can't be made."""


class ViewingError(EarmarkError):
    """A video can't be shown."""


class DirectoryError(EarmarkError):
    """A podcast directory can't be asked, or its answer can't be used. `status` is that of its server, or 0.

    `together` is what happened if several directories failed alike: a marked sentence with `{directories}`.
    """

    def __init__(self, what: str, advice: str = "", status: int = 0, together: str = "") -> None:
        super().__init__(what, advice)
        self.status = status
        self.together = together


class DirectoryLeftOut(DirectoryError):
    """The listener can't ask that directory, and never wanted to."""


# -- sound ----------------------------------------------------------------------------------------------------


class PlaybackError(EarmarkError):
    """An episode can't be played, now."""


class NoSoundLibrary(PlaybackError):
    """libvlc is not installed, or can't be loaded."""


class NoSoundDevice(PlaybackError):
    """There is nothing to play through."""


class MediaError(PlaybackError):
    """The bytes of an episode can't be fetched, or aren't audio. `pause_s`: the server asked not to be asked again
    before."""

    pause_s: float = 0.0


class NoNetwork(MediaError):
    """The network is to blame, perhaps this computer's network, and not the server."""


class NothingToDownload(MediaError):
    """The episode is on this computer already, or is a live stream: a download can never bring anything."""


class FileChanged(MediaError):
    """The server now has a different file from the one that some bytes came from."""


class NoRoom(MediaError):
    """The disk is full."""


class NotWritable(MediaError):
    """The folder for the file may not be written to, or is on a read-only disk."""


class NoFile(MediaError):
    """The supposed file is a live stream: opened again, it can be played as a stream."""


# -- the rest -------------------------------------------------------------------------------------------------


class ControlError(EarmarkError):
    """No Earmark is running, or it refused a command: `reason` says why in a word for programs, if there is one."""

    def __init__(self, what: str, advice: str = "", *, reason: str = "") -> None:
        super().__init__(what, advice)
        self.reason = reason


class NotRunning(ControlError):
    """No process listens on the control socket."""
