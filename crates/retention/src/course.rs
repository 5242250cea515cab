//! The course of the log under a set of policies: what is in which tier now, what is deleted, and
//! when.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::policy::PERMANENT;
use crate::policy_set::PolicySet;
use crate::segment::SegmentSurvey;

/// Entries and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    pub entries: u64,
    pub bytes: u64,
}

/// Course of the entries whose segments one policy decides about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyCourse {
    /// Name of the policy; `permanent` for entries that never expire.
    pub policy: String,
    pub hot: Extent,
    pub warm: Extent,
    pub cold: Extent,
    /// Entries whose period has passed already.
    pub due: Extent,
    /// Earliest deletion after now.
    pub next_expiry: Option<Timestamp>,
    /// Entries that are deleted then, within a day of it.
    pub next: Extent,
    /// Earliest and latest of the times at which entries of it are deleted.
    pub first_expiry: Option<Timestamp>,
    pub last_expiry: Option<Timestamp>,
}

/// Course of all segments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    /// One for each policy in their order, then the permanent entries if there are any.
    pub policies: Vec<PolicyCourse>,
}

impl Extent {
    /// Adds entries and their bytes.
    pub fn add(&mut self, entries: u64, bytes: u64) {
        self.entries += entries;
        self.bytes += bytes;
    }
}

/// Returns the course at a moment. Each segment is given with its number of entries and bytes.
pub fn course<'s>(
    policies: &PolicySet,
    segments: impl IntoIterator<Item = (&'s SegmentSurvey, u64, u64)>,
    now: Timestamp,
) -> Course {
    let mut rows: BTreeMap<&str, PolicyCourse> = BTreeMap::new();
    let mut upcoming: BTreeMap<&str, Vec<(Timestamp, u64, u64)>> = BTreeMap::new();

    for (survey, entries, bytes) in segments {
        let Some(dates) = survey.tiers(policies) else {
            rows.entry(PERMANENT).or_default().hot.add(entries, bytes);
            continue;
        };
        let name = survey.policy(policies).unwrap_or(PERMANENT);
        let row = rows.entry(name).or_default();
        let tier = match now {
            now if now < dates.warm_at => &mut row.hot,
            now if now < dates.cold_at => &mut row.warm,
            now if now < dates.delete_at => &mut row.cold,
            _ => &mut row.due,
        };
        tier.add(entries, bytes);
        row.first_expiry = Some(
            row.first_expiry
                .map_or(dates.delete_at, |first| first.min(dates.delete_at)),
        );
        row.last_expiry = Some(
            row.last_expiry
                .map_or(dates.delete_at, |last| last.max(dates.delete_at)),
        );
        if dates.delete_at > now {
            upcoming
                .entry(name)
                .or_default()
                .push((dates.delete_at, entries, bytes));
        }
    }

    for (name, times) in upcoming {
        let Some(row) = rows.get_mut(name) else {
            continue;
        };
        row.next_expiry = times.iter().map(|(at, ..)| *at).min();
        let within = row
            .next_expiry
            .and_then(|next| next.checked_add(jiff::SignedDuration::from_hours(24)).ok());
        for (at, entries, bytes) in times {
            if within.is_some_and(|within| at < within) {
                row.next.add(entries, bytes);
            }
        }
    }

    let names = policies
        .policies
        .iter()
        .map(|policy| policy.name.as_str())
        .chain(rows.contains_key(PERMANENT).then_some(PERMANENT));
    let named = names.map(|name| PolicyCourse {
        policy: name.to_owned(),
        ..rows.get(name).cloned().unwrap_or_default()
    });

    Course {
        policies: named.collect(),
    }
}
