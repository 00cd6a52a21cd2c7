"""Dates in the format of warnings and lists of candidates; `render.dates` cannot be imported from this package."""

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def rfc2822(epoch: int, tz: int) -> str:
    """`Sat, 21 Nov 2026 03:06:00 +0130`; tz in git's form (130)."""
    days, seconds = divmod(epoch + zone_minutes(tz) * 60, 86400)
    year, month, day = civil(days)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{_DAYS[(days + 3) % 7]}, {day} {_MONTHS[month - 1]} {year} {clock} {tz:+05}"


def zone_minutes(tz: int) -> int:
    """git's +0130 (130) in minutes (90)."""
    return (abs(tz) // 100 * 60 + abs(tz) % 100) * (-1 if tz < 0 else 1)


def ident_day(ident: bytes) -> str:
    """`2026-11-21`: the day of an ident line (`Name <mail> seconds zone`), in its own zone."""
    words = ident.rpartition(b">")[2].split(None, 2)
    if len(words) < 2 or not words[0].isdigit() or len(words[0]) > 18 or not words[1].lstrip(b"+-").isdigit():
        return "1970-01-01"
    year, month, day = civil((int(words[0]) + zone_minutes(int(words[1][:8])) * 60) // 86400)
    return f"{year:04}-{month:02}-{day:02}"


def civil(days: int) -> tuple[int, int, int]:
    """Days since 1970 as (year, month, day), for any year."""
    shifted = days + 719468  # counted from 1 March of year 0, so that the leap day comes last
    era, day_of_era = divmod(shifted, 146097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return year_of_era + era * 400 + (month <= 2), month, day
