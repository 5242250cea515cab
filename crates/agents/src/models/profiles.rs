//! Training of states that hold one profile a resource.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::Metric;
use reeve_learn::Point;
use serde::Serialize;

use reeve_recommend::models::{Material, NotTrained, Profiles, Trained, between};

/// Hours a resource has to have been seen for.
pub(super) const ENOUGH_HOURS: usize = 8 * 24;

/// Learns a profile of each resource that has one from its hours of CPU in `[begin, until)`.
pub(super) fn train<P: Serialize>(
    material: &Material,
    begin: Timestamp,
    until: Timestamp,
    profile: impl Fn(&[Point]) -> Option<P>,
) -> Result<Trained, NotTrained> {
    let mut resources = BTreeMap::new();
    let mut samples = 0;

    for (resource, points) in material.hourly(Metric::CpuUtilization) {
        let seen = between(&points, begin, until);
        if let Some(profile) = profile(seen) {
            samples += seen.len() as u64;
            resources.insert(resource.id.0.clone(), profile);
        }
    }

    if resources.is_empty() {
        return Err(NotTrained(format!(
            "no resource was seen for {ENOUGH_HOURS} hours"
        )));
    }

    let state = Profiles::new(resources).text()?;
    Ok(Trained {
        state,
        span_days: material.span_days(Metric::CpuUtilization, until),
        samples,
    })
}

/// Joins states of parts that have no resource in common.
pub(super) fn join(states: &[String]) -> Result<String, NotTrained> {
    let mut resources = BTreeMap::new();
    for state in states {
        resources.extend(Profiles::<serde_json::Value>::parse(state)?.resources);
    }
    Profiles::new(resources).text()
}
