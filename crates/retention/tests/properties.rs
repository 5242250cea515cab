//! Properties of retention over generated policies and segments: nothing is due before the last of
//! its entries may go, and nothing that a hold or a missing policy could cover is due at all.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use reeve_retention::{
    HoldAnswer, PERMANENT, PolicySet, RetentionPolicy, SegmentSurvey, SegmentVerdict, course,
};

const TYPES: [&str; 6] = [
    "authentication.login",
    "resource.view",
    "resource.machine.stop",
    "policy.modify",
    "ledger.expire",
    "zone.other",
];
const PATTERNS: [&str; 6] = [
    "*",
    "authentication.*",
    "resource.*",
    "resource.machine.*",
    "policy.modify",
    "ledger.*",
];

fn policies() -> impl Strategy<Value = PolicySet> {
    let policy = (1..400_u32, 0..400_u32, 0..4_u32);
    let chosen = prop::collection::vec((any::<prop::sample::Index>(), policy), 1..6);
    chosen.prop_map(|chosen| {
        let mut patterns: BTreeMap<&str, (u32, u32, u32)> = BTreeMap::new();
        for (at, periods) in chosen {
            patterns.insert(PATTERNS[at.index(PATTERNS.len())], periods);
        }
        let policies = patterns.into_iter().enumerate();
        PolicySet {
            version: 1,
            policies: policies
                .map(
                    |(at, (pattern, (hot_days, warm_days, cold_years)))| RetentionPolicy {
                        name: format!("p{at}"),
                        event_types: vec![pattern.to_owned()],
                        hot_days,
                        warm_days,
                        cold_years,
                    },
                )
                .collect(),
        }
    })
}

fn surveys() -> impl Strategy<Value = SegmentSurvey> {
    let types = prop::collection::btree_map(0..TYPES.len(), 1..100_u64, 0..4);
    (types, 0..2_000_i64, 0..2_000_i64).prop_map(|(types, timestamp, recorded)| {
        let day = |days: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * days);
        SegmentSurvey {
            event_types: types
                .into_iter()
                .map(|(at, count)| (TYPES[at].to_owned(), count))
                .collect(),
            newest_timestamp: day(timestamp),
            newest_recorded_at: day(recorded),
        }
    })
}

proptest! {
    #[test]
    fn nothing_is_due_before_its_last_entry_may_go(policies in policies(), survey in surveys(), days in 0..6_000_i64) {
        prop_assert_eq!(policies.check(), Ok(()));
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * days);
        let verdict = survey.verdict(&policies, now, || HoldAnswer::Clear);
        if let SegmentVerdict::Due(at) = verdict {
            prop_assert!(at <= now && !survey.event_types.is_empty());
            prop_assert!(policies.may_expire(survey.newest_timestamp, now));
            for name in survey.event_types.keys() {
                let policy = policies.policy_for(name).unwrap();
                for clock in [survey.newest_timestamp, survey.newest_recorded_at] {
                    prop_assert!(policy.tiers(clock).delete_at <= now);
                }
                prop_assert!(!name.starts_with("ledger."));
            }
            // The same segment a moment before its time, and under a hold, stays.
            let before = at - SignedDuration::from_millis(1);
            prop_assert!(!matches!(survey.verdict(&policies, before, || HoldAnswer::Clear), SegmentVerdict::Due(_)));
            let held = HoldAnswer::Held(BTreeMap::from([("h".into(), "unreadable".into())]));
            prop_assert!(matches!(survey.verdict(&policies, now, || held), SegmentVerdict::Held(_)));
        }
    }

    #[test]
    fn an_entry_more_never_makes_a_segment_go_earlier(policies in policies(), survey in surveys(), more in 0..TYPES.len()) {
        let mut larger = survey.clone();
        larger.event_types.insert(TYPES[more].to_owned(), 1);
        match (survey.tiers(&policies), larger.tiers(&policies)) {
            (Some(before), Some(after)) => prop_assert!(after.delete_at >= before.delete_at),
            (None, Some(_)) => prop_assert!(survey.event_types.is_empty()),
            (_, None) => {}
        }
    }

    #[test]
    fn the_course_has_every_entry_once(policies in policies(), surveys in prop::collection::vec(surveys(), 0..20), days in 0..6_000_i64) {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * days);
        let found = course(&policies, surveys.iter().map(|survey| (survey, 3, 7)), now);
        let tiers = found.policies.iter().flat_map(|row| [row.hot, row.warm, row.cold, row.due]);
        let (entries, bytes) = tiers.fold((0, 0), |sum, tier| (sum.0 + tier.entries, sum.1 + tier.bytes));
        prop_assert_eq!((entries, bytes), (3 * surveys.len() as u64, 7 * surveys.len() as u64));
        prop_assert!(found.policies.iter().filter(|row| row.policy == PERMANENT).all(|row| row.next_expiry.is_none()));
    }
}
