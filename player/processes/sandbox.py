"""One function in child processes, so that whatever its input does to it stays there.

Its arguments and its result are sent as msgpack, by the types in its annotations: a compromised child can only answer
with values of those types. Its module is imported on both sides, so modules that only children should import are
imported inside the function.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar, TypeVarTuple, get_type_hints

import msgspec
from msgspec import Struct

from player.processes.python_child import Child, command, receive, send, talk_to_parent

if TYPE_CHECKING:
    from player.processes.threads import CancelToken

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_ENVIRONMENT = {
    "MALLOC_MMAP_THRESHOLD_": str(4 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(8 << 20),
    "MALLOC_ARENA_MAX": "1",
}
"""glibc: how many freed bytes a child keeps for the next call (allocating them again takes a parser a twelfth of its
time), and no address space reserved for threads, which would count as memory."""
_RETURNED, _RAISED, _NO_MEMORY = b"R", b"E", b"M"
"""The first byte of an answer; then comes the value, or a str for the log. A request has one frame for each argument:
bytes unchanged, as those of a feed are long."""
_DYING_S = 1.0
"""Seconds from the end of a child's output to its exit code."""
_STACK = 256 * 1024
_ENCODER = msgspec.msgpack.Encoder()


class Trouble(Enum):
    """What can go wrong with a call."""

    LATE = "late"
    MEMORY = "memory"
    DIED = "died"
    """The child was killed or crashed, the function raised, or the answer made no sense."""
    UNSTARTED = "unstarted"
    STOPPED = "stopped"
    """The call was ended by `cancel` or `close`."""


class SandboxError(Exception):
    """Why there is no answer: `trouble` for the caller, which may have a sentence for it, and words for the log."""

    def __init__(self, trouble: Trouble, words: str) -> None:
        super().__init__(words)
        self.trouble = trouble


class _Terms(Struct, frozen=True, array_like=True):
    """The first message to a child. Functions are written as `module:name`."""

    function: str
    prepare: str
    memory: int
    cpu_s: int
    nice: int
    writes: bool


class Sandbox(Generic[T, *Ts]):
    """Children are started on demand and used again. Any thread may call anything."""

    def __init__(
        self,
        function: Callable[[*Ts], T],
        *,
        memory: int,
        seconds: float,
        cpu_s: int = 0,
        nice: int = 0,
        idle_s: float = 0.0,
        at_most: int = 1,
        writes: bool = False,
        prepare: Callable[[], object] | None = None,
    ) -> None:
        """`function` is a function of a module, and so is `prepare`, which each child calls before its first call.

        A child has `memory` bytes of address space, `seconds` for a call, `cpu_s` seconds of processor time for all its
        calls (0: any), and ends after `idle_s` without work. `at_most` children work at once; further calls wait for
        one of them. Unless it `writes`, it can't write to a file.
        """
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(get_type_hints(function)["return"])
        prepared = _name(prepare) if prepare else ""
        self._terms = msgspec.msgpack.encode(_Terms(_name(function), prepared, memory, cpu_s, nice, writes))
        self._memory, self._seconds, self._idle_s, self._at_most = memory, seconds, idle_s, at_most
        self._changed = threading.Condition()
        self._idle: list[tuple[Child, float]] = []
        """Idle children, each with the moment since when it has been idle; the one used last is used next."""
        self._busy: set[Child] = set()
        self._cancelled = 0
        self._closed = False
        self._reaper: threading.Thread | None = None

    def start(self, children: int) -> None:
        """Starts that many children, so that they import while their work is still to come."""
        with self._changed, contextlib.suppress(OSError):
            while len(self._idle) + len(self._busy) < min(children, self._at_most) and not self._closed:
                self._idle.append((self._started(), time.monotonic()))

    def call(self, *arguments: *Ts, seconds: float | None = None, cancel: CancelToken | None = None) -> T:
        """The function's result. `seconds` replaces the limit for this call, and setting `cancel` ends it. Raises
        SandboxError."""
        try:
            request = [one if isinstance(one, bytes) else msgspec.msgpack.encode(one) for one in arguments]
        except (ValueError, OverflowError) as error:  # a text or number that msgpack can't represent
            raise SandboxError(Trouble.DIED, f"it can't be told what to do: {error}") from error
        child, healthy = self._taken(), False
        try:
            with cancel.ending(lambda: self._kill(child)) if cancel else contextlib.nullcontext():
                outcome = self._exchanged(child, request, self._seconds if seconds is None else seconds)
            healthy = True
        finally:
            if self._stopped(child, healthy=healthy):
                raise SandboxError(Trouble.STOPPED, "it was stopped")
        if isinstance(outcome, SandboxError):
            raise outcome
        return outcome

    def cancel(self) -> None:
        """Ends all running and waiting calls, which raise; this returns at once."""
        with self._changed:
            self._cancelled += 1
            busy, self._busy = self._busy, set()
            self._changed.notify_all()
            for child in busy:
                child.kill()

    def close(self) -> None:
        """Like `cancel`; from now on every call is refused."""
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
        self.cancel()
        for child, _since in idle:
            child.close()

    # -- inside -----------------------------------------------------------------------------------------------

    def _taken(self) -> Child:
        """A child for one call."""
        with self._changed:
            before = self._cancelled
            self._changed.wait_for(lambda: len(self._busy) < self._at_most or self._cancelled != before or self._closed)
            if self._closed or self._cancelled != before:
                raise SandboxError(Trouble.STOPPED, "it was stopped")
            while self._idle and self._idle[-1][0].process.poll() is not None:
                self._idle.pop()[0].close()
            try:
                child = self._idle.pop()[0] if self._idle else self._started()
            except OSError as error:
                raise SandboxError(Trouble.UNSTARTED, f"its process can't be started: {error}") from error
            self._busy.add(child)
            return child

    def _started(self) -> Child:
        words = command("-c", "from player.processes.sandbox import serve; serve()")
        child = Child(words, {**os.environ, **_ENVIRONMENT}, silent=True)
        with contextlib.suppress(OSError):  # the call will notice
            child.send(self._terms)
        return child

    def _kill(self, child: Child) -> None:
        with self._changed:
            if child in self._busy:
                self._busy.discard(child)
                child.kill()

    def _stopped(self, child: Child, *, healthy: bool) -> bool:
        """Takes a child back after its call. Returns whether the call was cancelled meanwhile."""
        with self._changed:
            stopped = child not in self._busy
            self._busy.discard(child)
            kept = healthy and not stopped and self._idle_s > 0 and self._watches_idle()
            if kept:
                self._idle.append((child, time.monotonic()))
            self._changed.notify_all()
        if not kept:
            child.close()
        return stopped

    def _watches_idle(self) -> bool:
        """Whether children that are idle for too long will be ended."""
        if self._reaper is None and self._idle_s < float("inf"):
            reaper = threading.Thread(target=self._end_idle, name="earmark-idle", daemon=True)
            with contextlib.suppress(RuntimeError):  # there are too many threads
                reaper.start()
                self._reaper = reaper
        return self._reaper is not None or self._idle_s == float("inf")

    def _end_idle(self) -> None:
        """Runs on a thread that exists while children are idle. The children idle longest come first."""
        while True:
            with self._changed:
                if not self._idle:
                    self._reaper = None
                    return
                child, since = self._idle[0]
                if (left := since + self._idle_s - time.monotonic()) > 0:
                    self._changed.wait(left)
                    continue
                del self._idle[0]
            child.close()

    def _exchanged(self, child: Child, request: list[bytes], seconds: float) -> T | SandboxError:
        """The answer, or what happened to the function. Raises SandboxError when the child is of no more use."""
        deadline = time.monotonic() + seconds
        try:
            for argument in request:
                child.send(argument, deadline)
            answer = child.receive(deadline, self._memory)
            kind, value = answer[:1], memoryview(answer)[1:]
            if kind == _NO_MEMORY:
                return SandboxError(Trouble.MEMORY, "it takes too much memory")
            if kind == _RAISED:
                return SandboxError(Trouble.DIED, msgspec.msgpack.decode(value, type=str))
            return self._decoder.decode(value)
        except TimeoutError as error:
            raise SandboxError(Trouble.LATE, f"it took over {seconds:g} s") from error
        except (EOFError, OSError) as error:
            raise _death(child.close(_DYING_S)) from error
        except (msgspec.MsgspecError, ValueError) as error:
            raise SandboxError(Trouble.DIED, f"its answer makes no sense: {error}") from error


def _death(code: int) -> SandboxError:
    """The message about a child that ended in the middle of a call."""
    if code == -signal.SIGXCPU:
        return SandboxError(Trouble.LATE, "it took too much processor time")
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return SandboxError(Trouble.DIED, f"its process ended: {how}")


def _name(function: Callable[..., object]) -> str:
    return f"{function.__module__}:{function.__qualname__}"


# -- in the child ---------------------------------------------------------------------------------------------


def serve() -> None:
    """Answers calls until the parent ends, or ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c reaches every process in the terminal
    requests, answers = talk_to_parent()
    with contextlib.suppress(EOFError, BrokenPipeError):
        terms = msgspec.msgpack.decode(receive(requests), type=_Terms)
        _limit(terms)
        threading.stack_size(_STACK)
        with contextlib.suppress(RuntimeError):  # there are too many threads
            threading.Thread(target=_end_with_parent, args=(requests.fileno(),), daemon=True).start()
        function = _named(terms.function)
        if terms.prepare:
            _named(terms.prepare)()
        if not terms.writes:  # only now, because the import may have to be compiled
            _bound("RLIMIT_FSIZE", 0)
        hints = get_type_hints(function)
        types = [hints[name] for name in function.__code__.co_varnames[: function.__code__.co_argcount]]
        decoders = [None if one is bytes else msgspec.msgpack.Decoder(one) for one in types]
        while True:
            send(answers, _answered(function, decoders, [receive(requests) for _ in decoders]))


def _answered(
    function: Callable[..., object], decoders: list[msgspec.msgpack.Decoder[Any] | None], request: list[bytes]
) -> bytes | bytearray:
    try:
        pairs = zip(decoders, request, strict=True)
        arguments = [decoder.decode(one) if decoder else one for decoder, one in pairs]
        request.clear()
        answer = bytearray(_RETURNED)
        _ENCODER.encode_into(function(*arguments), answer, 1)
        return answer
    except MemoryError:
        return _NO_MEMORY
    except Exception as error:  # noqa: BLE001 - the caller logs it
        why = f"{type(error).__name__}: {error}"[:300].encode("utf-8", "replace").decode()
        return _RAISED + msgspec.msgpack.encode(why)


def _limit(terms: _Terms) -> None:
    with contextlib.suppress(OSError):
        os.nice(terms.nice)
    _bound("RLIMIT_AS", terms.memory)
    _bound("RLIMIT_CORE", 0)
    if terms.cpu_s:
        _bound("RLIMIT_CPU", terms.cpu_s, terms.cpu_s + 1)  # the first limit sends a signal that tells why


def _bound(what: str, most: int, hard: int | None = None) -> None:
    """Sets the limit, if the system has it."""
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        resource.setrlimit(getattr(resource, what), (most, most if hard is None else hard))


def _end_with_parent(handle: int) -> None:
    """Even in the middle of a call."""
    hung_up = select.poll()
    hung_up.register(handle, 0)
    hung_up.poll()
    os._exit(0)


def _named(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)
