//! A retention policy: event types, and the time that their entries stay in each tier.

use jiff::{Timestamp, ToSpan as _, tz::TimeZone};
use reeve_audit::EventType;
use serde::{Deserialize, Serialize};

/// Class of entries that never expire: those that prove deletions, and those that no policy covers.
pub const PERMANENT: &str = "permanent";

/// Longest name, bytes.
const LONGEST_NAME: usize = 40;
/// A century: longer periods are mistakes.
const MOST_DAYS: u32 = 36_500;
const MOST_YEARS: u32 = 100;
/// Patterns of one policy.
const MAX_PATTERNS: usize = 100;

/// Time that entries of some event types stay in each tier, one tier after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionPolicy {
    /// Name: lower-case letters, digits, `-` and `_`. New segments carry it as their class.
    pub name: String,
    /// Event types (`resource.delete`), beginnings of them (`authentication.*`), or `*` for all.
    pub event_types: Vec<String>,
    /// Days in the hot tier, at least 1.
    pub hot_days: u32,
    /// Days in the warm tier after that; 0 skips it.
    pub warm_days: u32,
    /// Calendar years in the cold tier after that; 0 means that entries are deleted after warm.
    pub cold_years: u32,
}

/// Times at which entries leave the tiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TierDates {
    /// End of the hot tier.
    pub warm_at: Timestamp,
    /// End of the warm tier.
    pub cold_at: Timestamp,
    /// End of the cold tier: entries are deleted.
    pub delete_at: Timestamp,
}

impl RetentionPolicy {
    /// Returns the times at which entries leave the tiers, counted from their clock: the later of
    /// `timestamp` and `recorded_at`. Days have 24 hours; years are calendar years of UTC, and of
    /// the 29th of February the 28th is its anniversary. Times after the year 9999 are cut to it.
    pub fn tiers(&self, clock: Timestamp) -> TierDates {
        let days = |from: Timestamp, days: u32| {
            from.checked_add((i64::from(days) * 24).hours())
                .unwrap_or(Timestamp::MAX)
        };
        let warm_at = days(clock, self.hot_days);
        let cold_at = days(warm_at, self.warm_days);
        let delete_at = cold_at
            .to_zoned(TimeZone::UTC)
            .checked_add(i64::from(self.cold_years).years())
            .map_or(Timestamp::MAX, |end| end.timestamp());

        TierDates {
            warm_at,
            cold_at,
            delete_at,
        }
    }

    /// Returns the first fault of the policy as the member and a sentence about it.
    pub(crate) fn fault(&self) -> Option<(&'static str, String)> {
        let named = (1..=LONGEST_NAME).contains(&self.name.len())
            && self
                .name
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
        if !named {
            let message = format!(
                "must have 1 to {LONGEST_NAME} lower-case letters, digits, hyphens and underscores"
            );
            return Some(("name", message));
        }
        if self.name == PERMANENT {
            let message = format!("{PERMANENT} is the class of entries that never expire");
            return Some(("name", message));
        }
        if self.event_types.is_empty() || self.event_types.len() > MAX_PATTERNS {
            let message = format!("must have 1 to {MAX_PATTERNS} event types");
            return Some(("event_types", message));
        }
        if let Some(wrong) = self.event_types.iter().find(|text| !is_pattern(text)) {
            let message = format!(
                "{wrong} is neither an event type such as resource.delete nor authentication.* nor *"
            );
            return Some(("event_types", message));
        }
        if !(1..=MOST_DAYS).contains(&self.hot_days) {
            return Some(("hot_days", format!("must be 1 to {MOST_DAYS} days")));
        }
        if self.warm_days > MOST_DAYS {
            return Some(("warm_days", format!("must be 0 to {MOST_DAYS} days")));
        }
        (self.cold_years > MOST_YEARS)
            .then(|| ("cold_years", format!("must be 0 to {MOST_YEARS} years")))
    }
}

/// Returns `true` for an event type, for the beginning of one and `.*`, and for `*`.
fn is_pattern(text: &str) -> bool {
    let example = match text.strip_suffix(".*") {
        Some(parts) => format!("{parts}.x"),
        None => text.to_owned(),
    };
    text == "*" || EventType::new(example).is_ok()
}

/// Returns the weight of a pattern that covers an event type: an exact name weighs more than any
/// beginning, a longer beginning more than a shorter one. `None` if it does not cover the type.
pub(crate) fn weight(pattern: &str, event_type: &str) -> Option<usize> {
    match pattern.strip_suffix('*') {
        // A beginning ends with its dot, so that `resource.*` does not cover `resources.delete`.
        Some(beginning) => event_type.starts_with(beginning).then_some(beginning.len()),
        None => (pattern == event_type).then_some(usize::MAX),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn policy(hot_days: u32, warm_days: u32, cold_years: u32) -> RetentionPolicy {
        RetentionPolicy {
            name: "default".into(),
            event_types: vec!["*".into()],
            hot_days,
            warm_days,
            cold_years,
        }
    }

    #[test]
    fn tiers_follow_each_other() {
        for (days, clock, expected) in [
            (
                (90, 365, 7),
                "2026-01-01T00:00:00Z",
                [
                    "2026-04-01T00:00:00Z",
                    "2027-04-01T00:00:00Z",
                    "2034-04-01T00:00:00Z",
                ],
            ),
            (
                (30, 90, 0),
                "2026-01-01T00:00:00Z",
                [
                    "2026-01-31T00:00:00Z",
                    "2026-05-01T00:00:00Z",
                    "2026-05-01T00:00:00Z",
                ],
            ),
            (
                (1, 0, 1),
                "2024-02-28T12:00:00.5Z",
                [
                    "2024-02-29T12:00:00.5Z",
                    "2024-02-29T12:00:00.5Z",
                    "2025-02-28T12:00:00.5Z",
                ],
            ),
        ] {
            let (hot, warm, cold) = days;
            let dates = policy(hot, warm, cold).tiers(clock.parse().unwrap());
            let expected = expected.map(|text| text.parse::<Timestamp>().unwrap());
            assert_eq!([dates.warm_at, dates.cold_at, dates.delete_at], expected);
        }
    }

    #[test]
    fn the_end_of_time_is_no_early_end() {
        let dates = policy(MOST_DAYS, MOST_DAYS, MOST_YEARS).tiers(Timestamp::MAX);
        assert_eq!(dates.delete_at, Timestamp::MAX);
    }

    #[test]
    fn faults_name_their_member() {
        type Change = fn(&mut RetentionPolicy);
        let cases: [(&str, Change); 8] = [
            ("name", |policy| policy.name = "Default".into()),
            ("name", |policy| policy.name = PERMANENT.into()),
            ("name", |policy| policy.name = "../x".into()),
            ("event_types", |policy| policy.event_types.clear()),
            ("event_types", |policy| {
                policy.event_types = vec!["a*".into()]
            }),
            ("hot_days", |policy| policy.hot_days = 0),
            ("warm_days", |policy| policy.warm_days = MOST_DAYS + 1),
            ("cold_years", |policy| policy.cold_years = MOST_YEARS + 1),
        ];
        assert_eq!(policy(1, 0, 0).fault(), None);
        for (member, change) in cases {
            let mut changed = policy(1, 0, 0);
            change(&mut changed);
            assert_eq!(changed.fault().map(|(member, _)| member), Some(member));
        }
    }
}
