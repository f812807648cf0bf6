"""Runs the listener's programs when something happens, and says once when one of them fails."""

import json
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from player.errors import EarmarkError
from player.events import Bus, Notice
from player.integrations.hooks.failures import problem_of
from player.integrations.hooks.happenings import SETTING_OF, Happening, happenings
from player.integrations.hooks.programs import expanded, problems
from player.integrations.hooks.runner import Outcome, ProgramRunner
from player.integrations.hooks.worker import DROPPED, ENDED
from player.library import Library
from player.model.playback import Severity
from player.settings import Hooks
from player.text.cleaning import clean_line
from player.text.sentences import _

log = logging.getLogger(__name__)


class EventHooks:
    """From `start` on. What it takes to run a program is done in a lane of the bus, which also ends it."""

    def __init__(
        self,
        hooks: Hooks,
        library: Library,
        bus: Bus,
        failures: Path,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`failures`: the file that failures are noted in."""
        self._use(hooks)
        self._library = library
        self._bus = bus
        self._now = now
        self._runner = ProgramRunner(failures, self._over)
        self._lane = bus.lane("hooks")
        self._told: set[str] = set()
        self._ends: list[Callable[[], None]] = []

    def start(self) -> None:
        self._lane.put(self._look)
        for kind, setting in SETTING_OF.items():
            if setting in self._programs:
                self._ends.append(self._bus.subscribe(kind, self._happened))

    def follow(self, hooks: Hooks) -> None:
        """Other programs than before. What has happened already is told those that were set then, if they still are."""
        ends, self._ends = self._ends, []
        for end in ends:
            end()
        self._use(hooks)
        self._told.clear()
        self.start()

    def _use(self, hooks: Hooks) -> None:
        self._programs = {setting: expanded(words) for setting, words in hooks.programs.items()}
        self._hooks = hooks

    def close(self) -> None:
        """What happens from now on is still told; the process that runs programs isn't kept for more of it."""
        self._runner.rest()

    def _look(self) -> None:
        for setting, sentence in problems(self._hooks).items():
            self._told.add(setting)
            self._bus.publish(Notice(sentence, Severity.WARNING))

    def _happened(self, event: object) -> None:
        """On the publisher's thread: only the moment is noted there."""
        self._lane.put(partial(self._tell, event, self._now()))

    def _tell(self, event: object, at: datetime) -> None:
        try:
            found = happenings(event, at, self._library)
        except EarmarkError as error:
            log.error("no hook ran at %s: %s", type(event).__name__, error)
            return
        for happening in found:
            self._run(happening)

    def _run(self, happening: Happening) -> None:
        if (program := self._programs.get(happening.setting)) is None:
            return
        home = str(Path.home())
        try:
            self._runner.run(
                happening.setting,
                program,
                json.dumps(happening.facts) + "\n",
                happening.environment,
                home if os.path.isdir(home) else "/",  # noqa: PTH112
                self._hooks.seconds,
            )
        except OSError as error:
            log.error("hooks.%s: the process that runs it can't be started: %s", happening.setting, error)

    def _over(self, outcome: Outcome) -> None:
        """On the runner's thread."""
        if outcome.outcome == ENDED:
            return
        why = problem_of(outcome.outcome, outcome.code, outcome.errors)
        log.warning("hooks.%s (%s) %s %s", outcome.setting, outcome.words[0], why, outcome.errors)
        if outcome.outcome != DROPPED and outcome.setting not in self._told:
            self._told.add(outcome.setting)
            sentence = _(
                "Your program for “hooks.{setting}” failed: {program} {problem}. Further failures: earmark doctor",
                setting=outcome.setting,
                program=clean_line(outcome.words[0], 100),
                problem=why,
            )
            self._bus.publish(Notice(sentence, Severity.WARNING))
