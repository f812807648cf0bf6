"""On which day a week begins: by the territory of a locale.

The table is that of `firstDay` in the Unicode CLDR's supplemental data (`weekData`); what isn't in it begins on Monday.
"""

import re

MONDAY, FRIDAY, SATURDAY, SUNDAY = 0, 4, 5, 6
_FIRST_DAYS = {
    FRIDAY: "MV",
    SATURDAY: "AE AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY",
    SUNDAY: (
        "AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH"
        " PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW"
    ),
}
_LOCALE = re.compile(r"[A-Za-z]{2,3}(?:_[A-Z][a-z]{3})?[_-]([A-Z]{2})(?![A-Za-z])")
"""As in `en_US.UTF-8`, `sr_Latn_RS`, `de_AT@euro`."""


def first_day_of(locale_name: str) -> int:
    """Monday is 0, as `date.weekday` has it: also where the name says no territory."""
    found = _LOCALE.match(locale_name)
    territory = found[1] if found else ""
    return next((day for day, territories in _FIRST_DAYS.items() if territory in territories.split()), MONDAY)
