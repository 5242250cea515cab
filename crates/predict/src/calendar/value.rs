//! Values of iCalendar properties: dates, times in their zones, durations (RFC 5545, 3.3.4 to
//! 3.3.6).

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::CalendarError;

/// A date or time as the calendar's wall shows it, and the zone of that wall.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wall {
    pub(super) at: DateTime,
    pub(super) zone: TimeZone,
    /// A date without a time.
    pub(super) whole_day: bool,
}

impl Wall {
    /// Returns the instant. A time that a change of clocks skips is read with the offset before it;
    /// of a time that occurs twice the first is taken (RFC 5545, 3.3.5).
    pub(super) fn instant(&self) -> Result<Timestamp, CalendarError> {
        place(self.at, &self.zone)
    }
}

/// Returns the instant of a local time in a zone.
pub(super) fn place(at: DateTime, zone: &TimeZone) -> Result<Timestamp, CalendarError> {
    let zoned = zone.to_ambiguous_zoned(at).compatible();
    zoned
        .map(|zoned| zoned.timestamp())
        .map_err(|error| CalendarError(format!("{at} cannot be placed: {error}")))
}

/// A date (`20261224`), a time of a wall (`20261224T180000`) or of UTC (with `Z`).
pub(super) fn wall(text: &str, zone: &TimeZone) -> Result<Wall, CalendarError> {
    let wrong = || {
        CalendarError(format!(
            "{:?} is no date or time",
            text.chars().take(40).collect::<String>()
        ))
    };

    let (local, utc) = text
        .strip_suffix('Z')
        .map_or((text, false), |local| (local, true));
    let number = |from: usize, to: usize| -> Option<i16> {
        let digits = local.get(from..to)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let small = |from: usize, to: usize| number(from, to).and_then(|n| i8::try_from(n).ok());
    let date = || Date::new(number(0, 4)?, small(4, 6)?, small(6, 8)?).ok();

    match (local.len(), local.as_bytes().get(8)) {
        (8, None) if !utc => {
            let date = date().ok_or_else(wrong)?;
            Ok(Wall {
                at: date.to_datetime(Time::midnight()),
                zone: zone.clone(),
                whole_day: true,
            })
        }
        (15, Some(b'T')) => {
            // A leap second is the last second of its minute here.
            let time = || Time::new(small(9, 11)?, small(11, 13)?, small(13, 15)?.min(59), 0).ok();
            let (date, time) = date().zip(time()).ok_or_else(wrong)?;
            let zone = if utc { TimeZone::UTC } else { zone.clone() };
            Ok(Wall {
                at: date.to_datetime(time),
                zone,
                whole_day: false,
            })
        }
        _ => Err(wrong()),
    }
}

/// A duration (`PT1H30M`, `P2D`, `P1W`) that does not run backwards.
pub(super) fn duration(text: &str) -> Result<Span, CalendarError> {
    let wrong = || {
        CalendarError(format!(
            "{:?} is no duration",
            text.chars().take(40).collect::<String>()
        ))
    };

    let plain = text.strip_prefix('+').unwrap_or(text);
    let units = |c: char| c.is_ascii_digit() || "PTWDHMS".contains(c);

    // Years and months are not RFC 5545's: an M before the T would be one.
    let before_time = plain.split('T').next().unwrap_or_default();
    if !plain.starts_with('P') || !plain.chars().all(units) || before_time.contains('M') {
        return Err(wrong());
    }

    plain.parse().map_err(|_| wrong())
}
