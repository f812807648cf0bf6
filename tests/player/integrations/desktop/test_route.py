"""Whether headphones were unplugged, from what the sound server says before and after."""

import pytest

from player.integrations.desktop.headphones import Route, Sink, lost

SPEAKERS = Sink("analog-output-speaker")
PLUGGED_IN = Sink("analog-output-headphones", frozenset({"hdmi-output-0"}))
UNPLUGGED = Sink("analog-output-speaker", frozenset({"analog-output-headphones"}))
PLAYING = Route("built-in", {"built-in": PLUGGED_IN, "hdmi": Sink()})


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(Route("built-in", {"built-in": UNPLUGGED, "hdmi": Sink()}), id="from headphones to speakers"),
        pytest.param(Route("hdmi", {"built-in": UNPLUGGED, "hdmi": Sink()}), id="and to another output"),
        pytest.param(Route("hdmi", {"hdmi": Sink()}), id="a card that is unplugged"),
        pytest.param(Route(), id="the only output"),
    ],
)
def test_what_is_unplugged_is_lost(after: Route) -> None:
    assert lost(PLAYING, after)


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(PLAYING, id="something else has changed"),
        pytest.param(Route("hdmi", PLAYING.sinks), id="the listener has sent the sound elsewhere"),
        pytest.param(Route("built-in", {"built-in": SPEAKERS}), id="or chosen the speakers"),
        pytest.param(Route("built-in", {"built-in": PLUGGED_IN}), id="another output is unplugged"),
        pytest.param(
            Route("built-in", {"built-in": Sink("analog-output-headphones", frozenset({"analog-output-headphones"}))}),
            id="nobody noticed the plug, but they are in use",
        ),
    ],
)
def test_else_nothing_is_lost(after: Route) -> None:
    assert not lost(PLAYING, after)


def test_headphones_that_are_plugged_in_lose_nothing() -> None:
    assert not lost(Route("built-in", {"built-in": UNPLUGGED}), PLAYING)


def test_nothing_can_be_lost_before_anything_is_known() -> None:
    assert not lost(Route(), PLAYING)


@pytest.mark.parametrize("port", ["analog-output-headphones", "headset-output", "[Out] Headphones", "handsfree-output"])
def test_ports_for_ears_by_their_usual_names(port: str) -> None:
    before = Route("built-in", {"built-in": Sink(port)})
    assert lost(before, Route("built-in", {"built-in": Sink("speaker", frozenset({port}))}))
