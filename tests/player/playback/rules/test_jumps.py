from player.playback.rules import Jumps


def test_a_jump_leads_back_to_where_it_started() -> None:
    assert Jumps().jumped(5_000, 10.0).origin_ms == 5_000


def test_presses_in_quick_succession_are_one_jump() -> None:
    jumps = Jumps().jumped(5_000, 10.0).jumped(35_000, 11.5).jumped(65_000, 13.0)
    assert jumps.origin_ms == 5_000


def test_a_later_press_is_a_jump_of_its_own() -> None:
    assert Jumps().jumped(5_000, 10.0).jumped(40_000, 12.1).origin_ms == 40_000


def test_the_jump_back_can_be_undone_too() -> None:
    jumps = Jumps().jumped(5_000, 10.0).undone(36_000)
    assert jumps.origin_ms == 36_000
    assert jumps.jumped(5_100, 10.5).origin_ms == 5_100
