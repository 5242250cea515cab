//! Interruptions of spot machines, as a source of facts: the model that is learned from the estate's
//! own, and what is known of the pool and the machine at hand.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ConnectionId, Purchase, Resource, ResourceId, ResourceKind, ResourceState};
use reeve_learn::interruption::{History, InterruptionEnding, InterruptionModel, Lifetime};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::judgement::spot::{
    NoticeKind, SpotLife, SpotNotice, SpotRisk, SpotStore, family,
};
use tokio::sync::Mutex;

use crate::agent::scope::ScopeService;

/// Time for which a model is used again: a storm of notices must not be answered with as many fits.
const FRESH: SignedDuration = SignedDuration::from_mins(5);

/// Time for which the losses of a connection are used again.
const LOSSES_FRESH: SignedDuration = SignedDuration::from_secs(10);

/// Model learned at a time from a history of so many days.
#[derive(Clone)]
struct Learned {
    at: Timestamp,
    days: i64,
    model: Arc<InterruptionModel>,
    interruptions: usize,
    lives: usize,
}

/// Source of [`SpotRisk`]s, for machines and scaling groups.
pub struct Spots {
    scopes: Arc<ScopeService>,
    notices: Arc<dyn SpotStore>,
    learned: Arc<Mutex<Option<Learned>>>,
    losses: Arc<Mutex<KnownLosses>>,
}

/// Losses of each connection over so many days, with the time at which they were read.
type KnownLosses = HashMap<(ConnectionId, i64), (Timestamp, Arc<Losses>)>;

impl Spots {
    /// A source over the inventory and the stored notices.
    #[must_use]
    pub fn new(scopes: Arc<ScopeService>, notices: Arc<dyn SpotStore>) -> Self {
        Spots {
            scopes,
            notices,
            learned: Arc::default(),
            losses: Arc::default(),
        }
    }
}

impl FactSource for Spots {
    fn fact_type(&self) -> FactType {
        FactType::of::<SpotRisk>()
    }

    fn begin(&self, _: &Needs, need: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            scopes: Arc::clone(&self.scopes),
            notices: Arc::clone(&self.notices),
            learned: Arc::clone(&self.learned),
            days: need.days,
            losses: Arc::clone(&self.losses),
        })
    }
}

struct Loader {
    scopes: Arc<ScopeService>,
    notices: Arc<dyn SpotStore>,
    learned: Arc<Mutex<Option<Learned>>>,
    days: i64,
    /// A run loads its resources in parts, and each notice of a storm is a run of its own.
    losses: Arc<Mutex<KnownLosses>>,
}

/// Times of interruptions by pool, the oldest first.
type Losses = HashMap<String, Vec<Timestamp>>;

impl Loader {
    fn since(&self, now: Timestamp) -> Timestamp {
        now - SignedDuration::from_hours(24 * self.days)
    }

    async fn losses(
        &self,
        connection: &ConnectionId,
        now: Timestamp,
    ) -> Result<Arc<Losses>, EngineError> {
        let mut kept = self.losses.lock().await;
        let key = (connection.clone(), self.days);
        let fresh = kept
            .get(&key)
            .filter(|(at, _)| now.duration_since(*at).abs() < LOSSES_FRESH);
        if let Some((_, known)) = fresh {
            return Ok(Arc::clone(known));
        }

        let since = self.since(now);
        let notices = self.notices.spot_notices(connection, since).await?;
        let mut losses = Losses::new();
        for (notice, life) in interruptions(&notices) {
            losses.entry(life.pool()).or_default().push(notice.at);
        }
        let losses = Arc::new(losses);
        kept.insert(key, (now, Arc::clone(&losses)));
        Ok(losses)
    }

    /// Returns the model of the estate; one that was learned minutes ago is used again.
    async fn learned(&self, now: Timestamp) -> Result<Learned, EngineError> {
        let mut kept = self.learned.lock().await;
        if let Some(known) = kept
            .as_ref()
            .filter(|known| known.days == self.days && now.duration_since(known.at).abs() < FRESH)
        {
            return Ok(known.clone());
        }

        let mut notices = Vec::new();
        for connection in self.scopes.connections().await? {
            let own = self.notices.spot_notices(&connection.id, self.since(now));
            notices.extend(own.await?);
        }
        let machines = self
            .scopes
            .of_kinds(&[ResourceKind::VirtualMachine])
            .await?;
        let lifetimes = lifetimes(&machines, &notices, now);
        let interruptions = interruptions(&notices).count();
        let lives = lifetimes.len();
        let history = History {
            lifetimes,
            signals: Vec::new(),
        };
        let found = Learned {
            at: now,
            days: self.days,
            model: Arc::new(InterruptionModel::fit(&history)),
            interruptions,
            lives,
        };
        *kept = Some(found.clone());
        Ok(found)
    }
}

fn interruptions(notices: &[SpotNotice]) -> impl Iterator<Item = (&SpotNotice, &SpotLife)> {
    notices
        .iter()
        .filter(|notice| notice.kind == NoticeKind::Interruption)
        .filter_map(|notice| Some((notice, notice.life.as_ref()?)))
}

/// Lives of the spot machines that the inventory or a notice tells of.
fn lifetimes(machines: &[Resource], notices: &[SpotNotice], now: Timestamp) -> Vec<Lifetime> {
    let life = |life: &SpotLife, end: Timestamp, ending| {
        let start = life.started_at?;
        (start < end).then(|| Lifetime {
            pool: life.pool(),
            family: family(&life.instance_type).to_owned(),
            start_ms: start.as_millisecond(),
            end_ms: end.as_millisecond(),
            ending,
        })
    };
    let mut lives: Vec<Lifetime> = interruptions(notices)
        .filter_map(|(notice, known)| life(known, notice.at, InterruptionEnding::Interrupted))
        .collect();

    let taken: HashSet<(&ResourceId, Option<Timestamp>)> = interruptions(notices)
        .map(|(notice, known)| (&notice.resource, known.started_at))
        .collect();
    for machine in machines {
        let is_known = taken.contains(&(&machine.id, machine.created_at));
        if machine.purchase != Some(Purchase::Spot) || is_known {
            continue;
        }
        let (end, ending) = match machine.state {
            ResourceState::Running => (now, InterruptionEnding::Running),
            _ => (machine.observed_at, InterruptionEnding::Stopped),
        };
        lives.extend(SpotLife::of_machine(machine).and_then(|known| life(&known, end, ending)));
    }
    lives.sort_by_key(|one| (one.end_ms, one.start_ms));
    lives
}

#[async_trait]
impl FactLoader for Loader {
    async fn load(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        (_, now): (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let learned = self.learned(now).await?;
        let losses = self.losses(connection, now).await?;

        for resource in resources {
            let pool = SpotLife::of_machine(resource).map(|life| life.pool());
            let own = pool.and_then(|pool| losses.get(&pool));
            facts.entry(resource.id.clone()).or_default().put(SpotRisk {
                model: Arc::clone(&learned.model),
                interruptions: learned.interruptions,
                lives: learned.lives,
                history_days: self.days,
                losses: own.cloned().unwrap_or_default(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_testkit::contract::estate::running;

    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours)
    }

    /// A machine that was taken back is one life, though the inventory still has it.
    #[test]
    fn a_life_ends_with_its_notice() {
        let mut machine = running("i-1", ResourceKind::VirtualMachine, Some("m5.large"));
        machine.purchase = Some(Purchase::Spot);
        machine.created_at = Some(at(10));
        let mut other = machine.clone();
        other.id = ResourceId::new("i-2");
        let notice = SpotNotice {
            event: "e-1".to_owned(),
            kind: NoticeKind::Interruption,
            resource: machine.id.clone(),
            at: at(15),
            received_at: at(15),
            detail: None,
            life: SpotLife::of_machine(&machine),
            group: None,
            successor: None,
        };

        let lives = lifetimes(&[machine, other], &[notice], at(20));
        let ends: Vec<_> = lives
            .iter()
            .map(|life| (life.end_ms, life.ending))
            .collect();
        assert_eq!(
            ends,
            [
                (at(15).as_millisecond(), InterruptionEnding::Interrupted),
                (at(20).as_millisecond(), InterruptionEnding::Running)
            ]
        );
    }
}
