"""Converts dates as people type them to epoch seconds: git's `approxidate` (`--since=2.weeks.ago`, `HEAD@{yesterday}`).

There are two readers, tried one after the other. The strict one accepts ISO 8601, RFC 2822 and git's own `@1112911993
-0700`; it succeeds only with a complete date *and* a time. The lenient one then goes through the words: each word or
number changes a calendar that began as "now", and unknown words are skipped. It has no errors; text without any known
word is "now".

Both read the local time zone through `time.localtime`. The caller passes "now"; no clock is read.
"""

import time
from collections.abc import Callable

from ..limits import step

_MONTHS: tuple[bytes, ...] = (b"january", b"february", b"march", b"april", b"may", b"june")
_MONTHS += (b"july", b"august", b"september", b"october", b"november", b"december")
_WEEKDAYS = (b"sundays", b"mondays", b"tuesdays", b"wednesdays", b"thursdays", b"fridays", b"saturdays")
_NUMBERS = (b"one", b"two", b"three", b"four", b"five", b"six", b"seven", b"eight", b"nine", b"ten")
_UNITS = ((b"seconds", 1), (b"minutes", 60), (b"hours", 3600), (b"days", 86400), (b"weeks", 604800))
_DAY = 86400

#: hours east of Greenwich, in the order git tries the names (summer time counted in)
_ZONES = (
    *((b"idlw", -12), (b"nt", -11), (b"cat", -10), (b"hst", -10), (b"hdt", -9), (b"yst", -9), (b"ydt", -8)),
    *((b"pst", -8), (b"pdt", -7), (b"mst", -7), (b"mdt", -6), (b"cst", -6), (b"cdt", -5), (b"est", -5)),
    *((b"edt", -4), (b"ast", -3), (b"adt", -2), (b"wat", -1), (b"gmt", 0), (b"utc", 0), (b"z", 0), (b"wet", 0)),
    *((b"bst", 1), (b"cet", 1), (b"met", 1), (b"mewt", 1), (b"mest", 2), (b"cest", 2), (b"mesz", 2), (b"fwt", 1)),
    *((b"fst", 2), (b"eet", 2), (b"eest", 3), (b"wast", 7), (b"wadt", 8), (b"cct", 8), (b"jst", 9), (b"east", 10)),
    *((b"eadt", 11), (b"gst", 10), (b"nzt", 12), (b"nzst", 12), (b"nzdt", 13), (b"idle", 12)),
)
_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


class _Calendar:
    """The fields of a moment; -1 for missing ones. Months count from 0, years are complete (2005)."""

    __slots__ = ("day", "dst", "hour", "minute", "month", "second", "weekday", "year")

    def __init__(self) -> None:
        self.year = self.month = self.day = self.hour = self.minute = self.second = self.dst = -1
        self.weekday = 0

    def set(self, moment: time.struct_time) -> None:
        self.year, self.month, self.day = moment.tm_year, moment.tm_mon - 1, moment.tm_mday
        self.hour, self.minute, self.second = moment.tm_hour, moment.tm_min, moment.tm_sec
        self.weekday, self.dst = (moment.tm_wday + 1) % 7, moment.tm_isdst

    def local(self) -> int:
        """Epoch seconds of the fields as local time; -1 if C's mktime fails. Out-of-range fields carry over."""
        fields = (self.year, self.month + 1, self.day, self.hour, self.minute, self.second, 0, 0, self.dst)
        try:
            return int(time.mktime(fields))
        except (OverflowError, ValueError):
            return -1

    def utc(self) -> int | None:
        """Epoch seconds of the fields as UTC; None outside of 1970 to 2099 or if a field is missing."""
        year = self.year - 1970
        if not 0 <= year <= 129 or not 0 <= self.month <= 11 or min(self.hour, self.minute, self.second) < 0:
            return None
        leap_day_due = self.month >= 2 and (year + 2) % 4 == 0
        days = year * 365 + (year + 1) // 4 + _BEFORE_MONTH[self.month] + self.day - (not leap_day_due)
        return days * _DAY + self.hour * 3600 + self.minute * 60 + self.second

    def blank(self) -> bool:
        return max(self.year, self.month, self.day, self.hour, self.minute, self.second) < 0

    def dated(self) -> bool:
        return min(self.year, self.month, self.day) >= 0

    def set_time(self, hour: int, minute: int, second: int) -> bool:
        """Set the time of day; returns False for an invalid one. The leap second and 24 o'clock are valid."""
        if not (0 <= hour <= 24 and 0 <= minute < 60 and 0 <= second <= 60):
            return False
        self.hour, self.minute, self.second = hour, minute, second
        return True

    def set_date(self, year: int, month: int, day: int, now: int | None) -> bool:
        """Set the date; returns False for an invalid one. With `now`, also for one more than ten days in the future."""
        if not (0 < month < 13 and 0 < day < 32):
            return False
        whole = _whole_year(year)
        if now is None:
            self.month, self.day = month - 1, day
            if whole is None:
                return False
            self.year = whole
            return True
        if year == -1:
            whole = time.gmtime(now).tm_year
        if whole is None:
            return False
        trial = _Calendar()
        trial.year, trial.month, trial.day = whole, month - 1, day
        trial.hour, trial.minute, trial.second = self.hour, self.minute, self.second
        then = trial.utc()
        if then is not None and now + 10 * _DAY < then:
            return False
        self.month, self.day = month - 1, day
        if year != -1:
            self.year = whole
        return True


def _whole_year(year: int) -> int | None:
    """The complete year for 1970 to 2099, or for 71 to 99 and 0 to 37 of the two centuries; None for any other
    number."""
    if 1970 <= year < 2100:
        return year
    if 70 < year < 100:
        return 1900 + year
    return 2000 + year if 0 <= year < 38 else None


def _digits(text: bytes, at: int) -> int:
    """The end of the digits that begin at `at`."""
    end = at
    while text[end : end + 1].isdigit():
        end += 1
    return end


def _letters(text: bytes, at: int) -> int:
    """The end of the letters that begin at `at`."""
    end = at
    while text[end : end + 1].isalpha():
        end += 1
    return end


def _match(text: bytes, at: int, word: bytes) -> int:
    """The number of letters at `at` that agree with a lower case word; 0 if the word there continues differently."""
    count = 0
    size = len(text)
    while at + count < size:
        letter = text[at + count : at + count + 1].lower()
        if letter != word[count : count + 1]:
            return 0 if letter.isalnum() else count
        count += 1
    return count


def _number(text: bytes, start: int, end: int) -> int:
    """Digits as C reads them into 64 bits."""
    return min(int(text[start:end][:40] or b"0"), (1 << 64) - 1)


def _separated(text: bytes, at: int, end: int, when: _Calendar, now: int) -> int:
    """Read numbers with a separator: `12:30[:59]`, `2005-04-07`, `4/7/05`, `7.4.2005`. Returns their end; `at` if none
    is valid."""
    mark = text[end : end + 1]
    first = _number(text, at, end)
    start, end = end + 1, _digits(text, end + 1)
    second, third = _number(text, start, end), -1
    if text[end : end + 1] == mark and text[end + 1 : end + 2].isdigit():
        start, end = end + 1, _digits(text, end + 1)
        third = _number(text, start, end)
    if mark == b":":
        if not when.set_time(first, second, max(third, 0)):
            return at
        if text[end : end + 1] == b"." and text[end + 1 : end + 2].isdigit() and when.dated():
            end = _digits(text, end + 1)  # skip a fraction of a second
        return end
    fits = first > 70 and (when.set_date(first, second, third, None) or when.set_date(first, third, second, None))
    # month first, except with dots: these have the day first
    fits = fits or (mark != b"." and when.set_date(third, first, second, now))
    fits = fits or when.set_date(third, second, first, now)
    fits = fits or (mark == b"." and when.set_date(third, first, second, now))
    return end if fits else at


class _Strict:
    """The strict reader: all parts of a date in a mail, a commit or ISO 8601."""

    __slots__ = ("now", "offset", "text", "utc", "when")

    def __init__(self, text: bytes, now: int) -> None:
        self.text = text
        self.now = now
        self.when = _Calendar()
        self.offset: int | None = None  # minutes east
        self.utc = False  # the number was an epoch: no zone applies

    def read(self) -> tuple[int, int] | None:
        """Epoch seconds and minutes east of Greenwich; None if date or time is missing."""
        text, at = self.text, 0
        if text[:1] == b"@":
            given = _header_date(text[1:])
            if given is not None:
                return given
        while at < len(text) and text[at] != 10:
            letter = text[at : at + 1]
            if letter.isalpha():
                at = self._word(at)
            elif letter.isdigit():
                at = self._digits(at)
            elif letter in b"+-" and text[at + 1 : at + 2].isdigit():
                at = self._zone(at)
            else:
                at += 1
        stamp = self.when.utc()
        if stamp is None:
            return None
        offset = self.offset
        if offset is None:
            self.when.dst = -1
            away = stamp - self.when.local()
            offset = away // 60 if away > 0 else -(-away // 60)
        return (stamp if self.utc else stamp - offset * 60), offset

    def _word(self, at: int) -> int:
        step()
        text, when = self.text, self.when
        for month, name in enumerate(_MONTHS):
            size = _match(text, at, name)
            if size >= 3:
                when.month = month
                return at + size
        for weekday, name in enumerate(_WEEKDAYS):
            size = _match(text, at, name)
            if size >= 3:
                when.weekday = weekday
                return at + size
        for name, hours in _ZONES:
            size = _match(text, at, name)
            if size >= 3 or size == len(name):
                if self.offset is None:
                    self.offset = 60 * hours
                return at + size
        for name, add in ((b"pm", 12), (b"am", 0)):
            if _match(text, at, name) == 2:
                when.hour = _remainder(when.hour, 12) + add
                return at + 2
        return _letters(text, at)

    def _digits(self, at: int) -> int:
        text, when = self.text, self.when
        end = _digits(text, at)
        number, size = _number(text, at, end), end - at
        if number >= 100000000 and when.blank() and number < 1 << 63:
            try:
                when.set(time.gmtime(number))
            except (OverflowError, OSError, ValueError):
                pass
            else:
                self.utc = True
                return end
        if text[end : end + 1] in (b":", b".", b"/", b"-") and text[end + 1 : end + 2].isdigit():
            behind = _separated(text, at, end, when, self.now)
            if behind != at:
                return behind
        if size == 8:
            when.set_date(number // 10000, number // 100 % 100, number % 100, None)
            return end
        if size == 6:
            good = when.set_time(number // 10000, number // 100 % 100, number % 100)
            fraction = good and text[end : end + 1] == b"." and text[end + 1 : end + 2].isdigit()
            return _digits(text, end + 1) if fraction else end
        self._plain(number, size)
        return end

    def _plain(self, number: int, size: int) -> None:
        """A number by itself: with four digits a year or a zone, otherwise day, year or month, whichever is missing."""
        when = self.when
        if size == 4:
            if number <= 1400 and self.offset is None:
                self.offset = number // 100 * 60 + number % 100
            elif 1900 < number < 2100:
                when.year = number
        elif size > 2:
            return
        elif 0 < number < 32 and when.day < 0:
            when.day = number
        elif size == 2 and when.year < 0 and number < 10 and when.day >= 0:
            when.year = 2000 + number
        elif size == 2 and when.year < 0 and number >= 70:
            when.year = 1900 + number
        elif 0 < number < 13 and when.month < 0:
            when.month = number - 1

    def _zone(self, at: int) -> int:
        text = self.text
        end = _digits(text, at + 1)
        hour, minute, size = _number(text, at + 1, end), 0, end - at - 1
        if size == 4:
            hour, minute = divmod(hour, 100)
        elif size != 2:
            minute = 99
        elif text[end : end + 1] == b":":
            start, end = end + 1, _digits(text, end + 1)
            minute = _number(text, start, end) if end - start == 2 else 99
        if minute < 60 and hour < 24:
            self.offset = (hour * 60 + minute) * (-1 if text[at : at + 1] == b"-" else 1)
        return end


def _remainder(number: int, by: int) -> int:
    """C's %: the result has the number's sign."""
    return number % by if number >= 0 else -(-number % by)


def _header_date(text: bytes) -> tuple[int, int] | None:
    """`1112911993 -0700`, as in a commit's header, alone on its line."""
    end = _digits(text, 0)
    if not end or text[end : end + 1] != b" " or text[end + 1 : end + 2] not in (b"+", b"-"):
        return None
    zone = text[end + 2 : end + 6]
    if len(zone) != 4 or not zone.isdigit() or text[end + 6 : end + 7] not in (b"", b"\n"):
        return None
    stamp = _number(text, 0, end)
    offset = int(zone[:2]) * 60 + int(zone[2:])
    return None if stamp >= (1 << 64) - 1 else (stamp, -offset if text[end + 1 : end + 2] == b"-" else offset)


class _Lenient:
    """The lenient reader: a calendar that each word changes."""

    __slots__ = ("epoch", "now", "number", "text", "touched", "when")

    def __init__(self, text: bytes, now: int) -> None:
        self.text = text
        self.epoch = now
        self.now = _Calendar()
        self.now.set(time.localtime(now))
        self.when = _Calendar()
        self.when.set(time.localtime(now))
        self.when.year = self.when.month = self.when.day = -1
        self.number = 0  # read, and waiting for the word that names its unit
        self.touched = False

    def read(self) -> int:
        text, at = self.text, 0
        while at < len(text):
            letter = text[at : at + 1]
            if letter.isdigit():
                self._pending()
                at = self._digits(at)
                self.touched = True
            elif letter.isalpha():
                end = _letters(text, at)
                self.touched = self._word(at) or self.touched
                at = end
            else:
                at += 1
        self._pending()
        return self._settle(0)

    def _settle(self, ago: int) -> int:
        """Fill in a missing date (a later month is last year's), then go back by `ago` seconds."""
        when, now = self.when, self.now
        if when.day < 0:
            when.day = now.day
        if when.month < 0:
            when.month = now.month
        if when.year < 1900:  # C counts years from 1900; less means unset
            when.year = now.year - (when.month > now.month)
        stamp = when.local() - ago
        try:
            when.set(time.localtime(stamp))
        except (OverflowError, OSError, ValueError):
            pass
        return stamp

    def _pending(self) -> None:
        """A number without a unit: the day, otherwise the month, otherwise the year."""
        number, self.number = self.number, 0
        when = self.when
        if not number:
            return
        if when.day < 0 and number < 32:
            when.day = number
        elif when.month < 0 and number < 13:
            when.month = number - 1
        elif when.year < 1900:
            if 1969 < number < 2100:
                when.year = number
            elif 69 < number < 100:
                when.year = 1900 + number
            elif number < 38:
                when.year = 2000 + number

    def _digits(self, at: int) -> int:
        text = self.text
        end = _digits(text, at)
        if text[end : end + 1] in (b":", b".", b"/", b"-") and text[end + 1 : end + 2].isdigit():
            behind = _separated(text, at, end, self.when, self.epoch)
            if behind != at:
                return behind
        if text[at : at + 1] != b"0" or end - at <= 2:
            self.number = _int32(_number(text, at, end))
        return end

    def _word(self, at: int) -> bool:
        """Apply one word; returns False if it means nothing here."""
        step()
        text = self.text
        for month, name in enumerate(_MONTHS):
            if _match(text, at, name) >= 3:
                self.when.month = month
                return True
        for name, act in _SPECIAL:
            if _match(text, at, name) == len(name):
                act(self)
                return True
        if self.number:
            return self._unit(at)
        for value, name in enumerate((*_NUMBERS, b"last"), 1):
            if _match(text, at, name) == len(name):
                self.number = 1 if name == b"last" else value
                return True
        return False

    def _unit(self, at: int) -> bool:
        """Apply a word after a number: the unit."""
        text, when, number = self.text, self.when, self.number
        for name, seconds in _UNITS:
            if _match(text, at, name) >= len(name) - 1:
                self.number = 0
                self._settle(_int32(seconds * number))
                return True
        for weekday, name in enumerate(_WEEKDAYS):
            if _match(text, at, name) >= 3:
                self.number = 0
                back = when.weekday - weekday
                weeks = number if back <= 0 else number - 1
                self._settle(_int32((back + 7 * weeks) * _DAY))
                return True
        if _match(text, at, b"months") >= 5:
            self.number = 0
            self._settle(0)
            years, when.month = divmod(when.month - number, 12) if number > 0 else (0, when.month - number)
            when.year += years
            return True
        if _match(text, at, b"years") >= 4:
            self.number = 0
            self._settle(0)
            when.year -= number
            return True
        return False

    def clock(self, hour: int) -> None:
        """Go back to the last time it was that hour."""
        self._pending()
        when = self.when
        if when.hour < hour:
            self._settle(_DAY)
        when.hour, when.minute, when.second = hour, 0, 0

    def half(self, add: int) -> None:
        """Apply AM or PM to the number before it or to the time of day."""
        when = self.when
        if self.number:
            when.hour, when.minute, when.second = self.number, 0, 0
            self.number = 0
        when.hour = _remainder(when.hour, 12) + add

    def days_ago(self, days: int) -> None:
        self.number = 0
        self._settle(days * _DAY)

    def never(self) -> None:
        self.number = 0
        self.when.set(time.localtime(0))


_SPECIAL: tuple[tuple[bytes, Callable[[_Lenient], None]], ...] = (
    (b"yesterday", lambda words: words.days_ago(1)),
    (b"noon", lambda words: words.clock(12)),
    (b"midnight", lambda words: words.clock(0)),
    (b"tea", lambda words: words.clock(17)),
    (b"pm", lambda words: words.half(12)),
    (b"am", lambda words: words.half(0)),
    (b"never", lambda words: words.never()),
    (b"now", lambda words: words.days_ago(0)),
)


def _int32(number: int) -> int:
    """A number truncated to C's int."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def _until_nul(text: bytes) -> bytes:
    return text.partition(b"\0")[0]


def approxidate_careful(text: bytes, now: int) -> int | None:
    """Like `approxidate`; None for text without any known word."""
    text = _until_nul(text)
    strict = _Strict(text, now).read()
    if strict is not None:
        return strict[0] % (1 << 64)
    words = _Lenient(text, now)
    stamp = words.read() % (1 << 64)
    return stamp if words.touched else None


def approxidate(text: bytes, now: int) -> int:
    """Epoch seconds of a date in words, relative to `now`. Never fails: text without any known word is the current
    time.

    Mirrors the dates of git-log(1)'s `--since`; the result is unsigned, as git's is.
    """
    time = approxidate_careful(text, now)
    return now if time is None else time


def strict_date(text: bytes, now: int) -> tuple[int, int] | None:
    """(epoch seconds, minutes east of Greenwich) of a complete date, as in commits and mailed patches; otherwise None.
    Without a zone in the text it is the local zone at that time."""
    given = _Strict(_until_nul(text), now).read()
    return None if given is None or given[0] < 0 else given


def written_date(text: bytes, now: int) -> tuple[int, int] | None:
    """The same for the date option of a commit, where words that only mean a time are also accepted (`yesterday`)."""
    given = strict_date(text, now)
    if given is not None:
        return given
    meant = approxidate_careful(text, now)
    return None if meant is None else strict_date(b"@%d" % meant, now)


FOREVER = (1 << 63) - 1


def expiry(text: bytes, now: int) -> int | None:
    """The date up to which something has expired: `never` is 0, `now` and `all` are all time; None for an invalid
    date."""
    if text in (b"never", b"false"):
        return 0
    return FOREVER if text in (b"all", b"now") else approxidate_careful(text, now)
