//! The estate: three accounts under one clock, and what differs from the seed's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_estate::{Connection, ConnectionId, ResourceId};
use serde_json::Value;

use crate::account::SimulatedAccount;
use crate::activity::{self, Scene};
use crate::company::ACCOUNTS;
use crate::load::Load;
use crate::saved::{self, RestoreError};
use crate::settings::SimulatedSettings;
use crate::world::World;

/// A company's three accounts.
#[derive(Debug)]
pub struct SimulatedEstate {
    pub(crate) world: Arc<World>,
    pub(crate) accounts: Vec<Arc<SimulatedAccount>>,
    scene: Scene,
}

impl SimulatedEstate {
    /// An estate that begins now, at the clouds' own speed, with mild faults. The same seed and
    /// beginning give the same estate.
    #[must_use]
    pub fn new(seed: u64, now: Timestamp) -> Arc<Self> {
        SimulatedEstate::with(SimulatedSettings::new(seed, now))
    }

    /// An estate with settings of its own.
    #[must_use]
    pub fn with(mut settings: SimulatedSettings) -> Arc<Self> {
        // Whole seconds survive being kept, so that a restored estate is the same to the last
        // digit.
        settings.anchor =
            Timestamp::from_second(settings.anchor.as_second()).unwrap_or(settings.anchor);
        let world = Arc::new(World {
            settings,
            changed: AtomicBool::new(true),
        });
        let accounts: Vec<_> = ACCOUNTS
            .iter()
            .map(|plan| Arc::new(SimulatedAccount::new(plan, world.clone())))
            .collect();
        let scene = Scene::new(&accounts, &world.settings);

        Arc::new(SimulatedEstate {
            world,
            accounts,
            scene,
        })
    }

    /// An estate as it was kept: seed, beginning and changes are the kept ones.
    ///
    /// # Errors
    /// The text was not written by [`Self::snapshot`].
    pub fn restore(kept: &Value) -> Result<Arc<Self>, RestoreError> {
        SimulatedEstate::restore_with(kept, SimulatedSettings::new(0, Timestamp::UNIX_EPOCH))
    }

    /// Restores an estate as [`Self::restore`] does, with other clock, faults and speed; seed and
    /// beginning of the settings are ignored.
    ///
    /// # Errors
    /// As [`Self::restore`].
    pub fn restore_with(
        kept: &Value,
        settings: SimulatedSettings,
    ) -> Result<Arc<Self>, RestoreError> {
        let kept = saved::read(kept)?;
        let estate = SimulatedEstate::with(SimulatedSettings {
            seed: kept.seed,
            anchor: kept.anchor,
            ..settings
        });

        for account in &estate.accounts {
            if let Some(conditions) = kept.accounts.get(&account.connection.id) {
                *account.conditions.lock() = conditions.clone();
            }
        }

        estate.world.changed.store(false, Ordering::Release);
        Ok(estate)
    }

    /// Returns the state to keep over a restart: seed, beginning, and the differences from the
    /// seed's estate. After it, [`Self::changed`] is `false` until something changes.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        // Before reading: a change in between is written again rather than lost.
        self.world.changed.store(false, Ordering::Release);
        let accounts = self.accounts.iter().map(|account| {
            let conditions = account.conditions.lock().clone();
            (account.connection.id.clone(), conditions)
        });
        saved::write(&self.world.settings, accounts)
    }

    /// Returns `true` if anything changed since the last [`Self::snapshot`]. A new estate counts as
    /// changed, since its beginning has to be stored.
    #[must_use]
    pub fn changed(&self) -> bool {
        self.world.changed.load(Ordering::Acquire)
    }

    /// The beginning of the demonstration.
    #[must_use]
    pub fn anchor(&self) -> Timestamp {
        self.world.settings.anchor
    }

    /// Returns the connections to the three accounts.
    #[must_use]
    pub fn connections(&self) -> Vec<Connection> {
        self.accounts
            .iter()
            .map(|account| account.connection.clone())
            .collect()
    }

    /// The account behind a connection.
    #[must_use]
    pub fn account(&self, id: &ConnectionId) -> Option<Arc<SimulatedAccount>> {
        self.accounts
            .iter()
            .find(|account| account.connection.id == *id)
            .cloned()
    }

    /// Returns the workload of a resource: the ground truth for tests and benchmarks of
    /// recommendations.
    #[must_use]
    pub fn load_of(&self, connection: &ConnectionId, resource: &ResourceId) -> Option<Load> {
        let account = self
            .accounts
            .iter()
            .find(|account| account.connection.id == *connection)?;
        let conditions = account.conditions.lock();
        account
            .asset(conditions.place(resource))
            .map(|asset| asset.load)
    }

    /// Returns the entries of people and programs from a time (inclusive) to a time (exclusive),
    /// oldest first. The same seed and beginning give the same entries, and neighbouring windows
    /// join without a seam. The caller appends the entries to a log.
    #[must_use]
    pub fn activity(&self, from: Timestamp, to: Timestamp) -> Vec<Entry> {
        activity::between(&self.scene, from, to)
    }
}
