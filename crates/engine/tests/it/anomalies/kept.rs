//! Anomalies and their lists in memory, and services over them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_anomalies::chain::{AttackChain, AttackChainStore};
use reeve_anomalies::threat::feed::{ThreatFeed, ThreatFeedReader};
use reeve_anomalies::threat::{ListState, ThreatList, ThreatStore};
use reeve_anomalies::{
    Anomaly, AnomalyFilter, AnomalyId, AnomalyPorts, AnomalyService, AnomalySettings, AnomalyStore,
    Lesson,
};
use reeve_audit::Obstacle;
use reeve_dependencies::{MapPorts, MapReader};
use reeve_estate::StoreError;

use crate::change_runs::described::Descriptions;
use crate::flows::TestFlows;
use crate::world::World;

/// A store of anomalies in memory.
#[derive(Default)]
pub(crate) struct Kept {
    pub(super) all: Mutex<Vec<Anomaly>>,
    pub(crate) settings: Mutex<AnomalySettings>,
    pub(super) lists: Mutex<Vec<ThreatList>>,
    pub(super) feeds: Mutex<Vec<ThreatFeed>>,
    /// Answer of every address; `None` is a failure.
    pub(super) answer: Mutex<Option<String>>,
    chains: Mutex<Vec<AttackChain>>,
    pub(crate) lessons: Mutex<Vec<Lesson>>,
    /// The next list is the one from before another process wrote.
    pub(super) stale: AtomicBool,
}

#[async_trait]
impl AttackChainStore for Kept {
    async fn attack_chain_put(&self, chain: &AttackChain) -> Result<(), StoreError> {
        let mut chains = self.chains.lock();
        chains.retain(|known| known.id != chain.id);
        chains.push(chain.clone());
        Ok(())
    }
    async fn attack_chain_get(&self, id: &str) -> Result<AttackChain, StoreError> {
        let chains = self.chains.lock();
        let found = chains.iter().find(|chain| chain.id == id).cloned();
        found.ok_or_else(|| StoreError::NotFound {
            what: "attack chain",
            id: id.to_owned(),
        })
    }
    async fn attack_chain_list(&self, since: Timestamp) -> Result<Vec<AttackChain>, StoreError> {
        let chains = self.chains.lock();
        let recent = chains.iter().filter(|chain| chain.last_at >= since);
        Ok(recent.cloned().collect())
    }
    async fn attack_chain_forget(&self, before: Timestamp) -> Result<(), StoreError> {
        self.chains.lock().retain(|chain| chain.last_at >= before);
        Ok(())
    }
}

#[async_trait]
impl ThreatStore for Kept {
    async fn threat_list_put(&self, list: &ThreatList) -> Result<(), StoreError> {
        let mut lists = self.lists.lock();
        lists.retain(|known| known.name != list.name);
        lists.push(list.clone());
        Ok(())
    }
    async fn threat_list_get(&self, name: &str) -> Result<ThreatList, StoreError> {
        let found = self
            .lists
            .lock()
            .iter()
            .find(|list| list.name == name)
            .cloned();
        found.ok_or_else(|| StoreError::NotFound {
            what: "threat list",
            id: name.to_owned(),
        })
    }
    async fn threat_list_delete(&self, name: &str) -> Result<(), StoreError> {
        self.lists.lock().retain(|list| list.name != name);
        Ok(())
    }
    async fn threat_list_all(&self) -> Result<Vec<ThreatList>, StoreError> {
        Ok(self.lists.lock().clone())
    }
    async fn threat_list_state(&self) -> Result<Vec<ListState>, StoreError> {
        let state = |list: &ThreatList| {
            let (name, updated_at) = (list.name.clone(), list.updated_at);
            ListState {
                name,
                updated_at,
                from_file: list.from_file,
            }
        };
        Ok(self.lists.lock().iter().map(state).collect())
    }
    async fn threat_feed_put(&self, feed: &ThreatFeed) -> Result<(), StoreError> {
        let mut feeds = self.feeds.lock();
        feeds.retain(|known| known.name != feed.name);
        feeds.push(feed.clone());
        Ok(())
    }
    async fn threat_feed_delete(&self, name: &str) -> Result<(), StoreError> {
        self.feeds.lock().retain(|feed| feed.name != name);
        Ok(())
    }
    async fn threat_feed_all(&self) -> Result<Vec<ThreatFeed>, StoreError> {
        Ok(self.feeds.lock().clone())
    }
}

#[async_trait]
impl ThreatFeedReader for Kept {
    fn check(&self, url: &str) -> Result<(), Obstacle> {
        if url.starts_with("https://") {
            Ok(())
        } else {
            Err(Obstacle::of("must begin with https://"))
        }
    }
    async fn read(&self, _: &str) -> Result<String, Obstacle> {
        let answer = self.answer.lock().clone();
        answer.ok_or_else(|| Obstacle::of("the server answered with 503"))
    }
}

#[async_trait]
impl AnomalyStore for Kept {
    async fn anomaly_insert(&self, anomaly: &Anomaly) -> Result<(), StoreError> {
        let mut all = self.all.lock();
        if all
            .iter()
            .any(|known| known.key == anomaly.key && known.started_at == anomaly.started_at)
        {
            return Err(StoreError::Conflict("it exists already".to_owned()));
        }

        all.push(anomaly.clone());
        Ok(())
    }
    async fn anomaly_update(&self, anomaly: &Anomaly) -> Result<(), StoreError> {
        let mut all = self.all.lock();
        let known = all.iter_mut().find(|known| known.id == anomaly.id).unwrap();
        if known.version + 1 != anomaly.version {
            return Err(StoreError::Conflict("another change was faster".to_owned()));
        }
        *known = anomaly.clone();
        Ok(())
    }
    async fn anomaly_get(&self, id: &AnomalyId) -> Result<Anomaly, StoreError> {
        let found = self
            .all
            .lock()
            .iter()
            .find(|known| known.id == *id)
            .cloned();
        found.ok_or_else(|| StoreError::NotFound {
            what: "anomaly",
            id: id.0.clone(),
        })
    }
    async fn anomaly_list(
        &self,
        filter: &AnomalyFilter,
    ) -> Result<(Vec<Anomaly>, u64), StoreError> {
        if self.stale.swap(false, Ordering::Relaxed) {
            return Ok((Vec::new(), 0));
        }

        let fits = |anomaly: &&Anomaly| {
            filter.key.as_ref().is_none_or(|key| *key == anomaly.key)
                && (filter.status.is_empty() || filter.status.contains(&anomaly.status))
                && (filter.incidents.is_empty() || filter.incidents.contains(&anomaly.incident))
                && (filter.accounts.is_empty()
                    || anomaly
                        .place
                        .account
                        .as_ref()
                        .is_some_and(|account| filter.accounts.contains(account)))
                && filter.since.is_none_or(|since| anomaly.started_at >= since)
        };
        let mut found: Vec<Anomaly> = self.all.lock().iter().filter(fits).cloned().collect();
        found.sort_by_key(|recommendation| std::cmp::Reverse(recommendation.started_at));

        let total = found.len() as u64;
        Ok((found, total))
    }
    async fn anomaly_incidents(&self, since: Timestamp) -> Result<u64, StoreError> {
        let all = self.all.lock();
        let recent = all.iter().filter(|one| one.started_at >= since);
        let incidents: std::collections::BTreeSet<_> = recent.map(|one| &one.incident).collect();
        Ok(incidents.len() as u64)
    }
    async fn anomaly_lesson_put(&self, lesson: &Lesson) -> Result<(), StoreError> {
        let mut lessons = self.lessons.lock();
        lessons.retain(|known| known.anomaly != lesson.anomaly);
        lessons.push(lesson.clone());
        lessons.sort_by_key(|one| std::cmp::Reverse(one.at));
        Ok(())
    }
    async fn anomaly_lessons(&self) -> Result<Vec<Lesson>, StoreError> {
        Ok(self.lessons.lock().clone())
    }
    async fn anomaly_settings_get(&self) -> Result<AnomalySettings, StoreError> {
        Ok(self.settings.lock().clone())
    }
    async fn anomaly_settings_put(&self, settings: &AnomalySettings) -> Result<(), StoreError> {
        *self.settings.lock() = settings.clone();
        Ok(())
    }
    async fn anomaly_looked_get(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(None)
    }
    async fn anomaly_looked_put(&self, _: Timestamp) -> Result<(), StoreError> {
        Ok(())
    }
    async fn anomaly_cursor(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }
    async fn anomaly_advance(&self, _: Option<u64>, _: u64) -> Result<(), StoreError> {
        Ok(())
    }
}

pub(crate) fn anomalies(world: &World) -> (AnomalyService, Arc<Kept>) {
    let kept = Arc::new(Kept::default());
    (anomalies_over(world, &kept), kept)
}

/// A service of another process over the same store and log.
pub(super) fn anomalies_over(world: &World, kept: &Arc<Kept>) -> AnomalyService {
    let descriptions = Descriptions::new(&world.memory);
    AnomalyService::new(AnomalyPorts {
        anomalies: Arc::clone(kept) as _,
        agents: Arc::clone(&world.memory) as _,
        estate: Arc::clone(&world.memory) as _,
        samples: Arc::clone(&world.memory) as _,
        descriptions: descriptions.clone(),
        maps: MapReader::new(MapPorts {
            descriptions,
            flows: Arc::new(TestFlows::default()),
            samples: Arc::clone(&world.memory) as _,
        }),
        responses: Arc::clone(&world.engine.responses) as _,
        chains: Arc::clone(kept) as _,
        threats: Arc::clone(kept) as _,
        feed_reader: Arc::clone(kept) as _,
        identifier_key: [7; 32],
        recorder: Arc::clone(&world.log) as _,
        log: Arc::clone(&world.log) as _,
        catalogue: Arc::new(reeve_estate::PriceCatalogue::builtin().clone()),
        agent_types: reeve_agents::registry(),
        clock: Arc::clone(&world.clock) as _,
    })
}
