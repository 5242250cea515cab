//! The simulated estate from outside: what it holds, what it refuses, and that everything repeats.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod acting;
mod activity;
mod alterations;
mod group_sizes;
mod inventory;
mod keeping;
mod removals;
mod replacing;
mod series;
mod spending;
mod standbys;
mod tags;
mod volumes;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::{SignedDuration, Timestamp};
use reeve_connect_simulated::{Faults, SimulatedAccount, SimulatedEstate, SimulatedSettings};
use reeve_estate::{Metric, Observe, Resource, Sample, SampleQuery};

pub(crate) const SEED: u64 = 20_261_120;

pub(crate) fn anchor() -> Timestamp {
    "2026-11-20T10:00:00Z".parse().unwrap()
}

pub(crate) fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

/// A clock that tests move.
#[derive(Clone)]
pub(crate) struct Hands(Arc<AtomicI64>);

impl Hands {
    pub(crate) fn at(time: Timestamp) -> Self {
        Hands(Arc::new(AtomicI64::new(time.as_millisecond())))
    }
    pub(crate) fn forward(&self, by: SignedDuration) {
        self.0
            .fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::SeqCst)).unwrap()
    }
}

/// An estate without faults under a clock that tests move. Changes take the clouds' time on that
/// clock, but no call waits.
pub(crate) fn settings(hands: &Hands) -> SimulatedSettings {
    let hands = hands.clone();
    SimulatedSettings::new(SEED, anchor())
        .with_faults(Faults::none())
        .with_clock(move || hands.now())
}

pub(crate) fn quiet() -> (Arc<SimulatedEstate>, Hands) {
    let hands = Hands::at(anchor());
    (SimulatedEstate::with(settings(&hands)), hands)
}

/// The account behind the connection of a name.
pub(crate) fn account(estate: &SimulatedEstate, name: &str) -> Arc<SimulatedAccount> {
    let connection = estate
        .connections()
        .into_iter()
        .find(|connection| connection.name == name)
        .unwrap();
    estate.account(&connection.id).unwrap()
}

pub(crate) async fn named(account: &SimulatedAccount, name: &str) -> Resource {
    account
        .inventory()
        .await
        .unwrap()
        .resources
        .into_iter()
        .find(|resource| resource.name == name)
        .unwrap()
}

pub(crate) async fn points(
    account: &SimulatedAccount,
    resource: &Resource,
    metric: Metric,
    start: Timestamp,
    end: Timestamp,
) -> Vec<Sample> {
    let query = SampleQuery {
        resource: resource.clone(),
        metrics: vec![metric],
        start,
        end,
    };
    account.samples(&[query]).await.unwrap().samples
}

pub(crate) fn mean(samples: &[Sample]) -> f64 {
    samples.iter().map(|sample| sample.value).sum::<f64>() / samples.len() as f64
}

pub(crate) fn percentile(samples: &[Sample], share: f64) -> f64 {
    let mut values: Vec<f64> = samples.iter().map(|sample| sample.value).collect();
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share) as usize]
}
