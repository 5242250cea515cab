//! States of one profile a resource, learned from the resource's own hours of CPU: how they are trained, kept and read.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::Metric;
use reeve_learn::Point;
use serde::{Deserialize, Serialize};

use reeve_recommend::models::{Material, between};
use reeve_recommend::models::{NotTrained, Trained};

/// Hours a resource has to have been seen for.
pub(super) const ENOUGH_HOURS: usize = 8 * 24;

/// What is kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Profiles<P> {
    format: u32,
    /// By the resource's identifier.
    pub(super) resources: BTreeMap<String, P>,
}

impl<P: Serialize> Profiles<P> {
    /// Learns a profile of each resource that has one in `[begin, until)`.
    pub(super) fn train(
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
            return Err(NotTrained(format!("no resource was seen for {ENOUGH_HOURS} hours")));
        }
        let kept = serde_json::to_string(&Profiles { format: 1, resources });
        let state = kept.map_err(|error| NotTrained(error.to_string()))?;
        Ok(Trained { state, span_days: material.span_days(Metric::CpuUtilization, until), samples })
    }
}

/// Reads a state again.
pub(super) fn read<'s, P: Deserialize<'s>>(state: &'s str) -> Result<Profiles<P>, NotTrained> {
    serde_json::from_str(state).map_err(|error| NotTrained(format!("the kept state: {error}")))
}
