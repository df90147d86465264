"""The hours of a day in which a host may measure."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

DAY_MINUTES = 24 * 60


@dataclass(frozen=True)
class Hours:
    """From one minute of the day until another, which may be on the next day."""

    begin: int
    end: int

    @classmethod
    def parse(cls, text: str) -> "Hours":
        """`22:00-07:00`. Raises ValueError with what is wrong."""
        match = re.fullmatch(r"(\d{1,2}):(\d\d)-(\d{1,2}):(\d\d)", text)
        if not match:
            raise ValueError(f"'{text}' is not of the form 22:00-07:00")
        first, last = int(match[1]) * 60 + int(match[2]), int(match[3]) * 60 + int(match[4])
        if int(match[2]) > 59 or int(match[4]) > 59 or max(first, last) > DAY_MINUTES:
            raise ValueError(f"'{text}' names a time that no day has")
        if first % DAY_MINUTES == last % DAY_MINUTES:
            raise ValueError(f"'{text}' begins when it ends: leave hours out to measure always")
        return cls(first % DAY_MINUTES, last % DAY_MINUTES)

    def seconds_until_open(self, now: datetime) -> float:
        """0 within the hours, else how long it is until they begin."""
        return 0.0 if self._spent(now) < self._length() else self._until(self.begin, now)

    def seconds_until_closed(self, now: datetime) -> float:
        """How long it is until the hours end; within them."""
        return self._until(self.end, now)

    def __str__(self) -> str:
        return "-".join(f"{one // 60:02}:{one % 60:02}" for one in (self.begin, self.end))

    def _length(self) -> float:
        return (self.end - self.begin) % DAY_MINUTES * 60

    def _spent(self, now: datetime) -> float:
        """Seconds since they last began."""
        return (_of_day(now) - self.begin * 60) % (DAY_MINUTES * 60)

    def _until(self, minute: int, now: datetime) -> float:
        return (minute * 60 - _of_day(now)) % (DAY_MINUTES * 60)


def _of_day(now: datetime) -> float:
    """Seconds by the clock on the wall, as whoever wrote the hours reads it."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return (now - midnight) / timedelta(seconds=1)
