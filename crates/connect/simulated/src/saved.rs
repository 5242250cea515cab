//! The kept form of an estate, version 1: JSON with seed, beginning and, per connection, what
//! differs from the seed's estate. Times are milliseconds since 1970. Another version, an unknown
//! member or a time out of range is refused.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId};
use reeve_recommend::change::VolumeSetup;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::condition::{Conditions, Downtime, SimulatedCondition, SnapshotRecord, Successor};
use crate::settings::SimulatedSettings;

const VERSION: u32 = 1;

/// Reason why a stored estate cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The state is not JSON of the expected form.
    #[error("not a stored estate: {0}")]
    Malformed(#[from] serde_json::Error),
    /// State of another version.
    #[error("the stored estate has version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// A time that is none.
    #[error("{0} milliseconds is outside of the supported times")]
    Time(i64),
}

/// A kept estate, read.
pub(crate) struct Kept {
    pub(crate) seed: u64,
    pub(crate) anchor: Timestamp,
    pub(crate) accounts: BTreeMap<ConnectionId, Conditions>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EstateRow {
    version: u32,
    /// Seed as text: not all JSON readers keep 64-bit numbers.
    seed: String,
    anchor_ms: i64,
    accounts: BTreeMap<String, AccountRow>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct AccountRow {
    resources: BTreeMap<String, ResourceRow>,
    snapshots: BTreeMap<String, SnapshotRow>,
    successors: BTreeMap<String, SuccessorRow>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    quarantines: BTreeSet<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResourceRow {
    sizes: Vec<(i64, String)>,
    downtimes: Vec<(i64, Option<i64>)>,
    settles_ms: Option<i64>,
    terminated_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    storage: Vec<(i64, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    setups: Vec<SetupRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    optimizing_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    members: Option<(u32, u32)>,
    #[serde(default, skip_serializing_if = "is_zero")]
    failovers: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    standbys: Vec<(i64, bool)>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    replicas: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replacement: Option<Vec<String>>,
    /// Machine in the place of a machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    successor: Option<reeve_estate::Successor>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tags: BTreeMap<String, Option<String>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    settings: BTreeMap<String, Option<Value>>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    lifecycle_rules: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    template_types: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    template_number: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refreshing_ms: Option<i64>,
}

/// Type, IOPS and throughput in MiB/s of a volume over time.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetupRow {
    from_ms: i64,
    storage_type: String,
    iops: Option<u32>,
    throughput_mibps: Option<u32>,
}

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SnapshotRow {
    of: String,
    description: String,
    complete_ms: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SuccessorRow {
    place: String,
    launched_ms: i64,
}

/// Writes the kept form.
pub(crate) fn write(
    settings: &SimulatedSettings,
    accounts: impl Iterator<Item = (ConnectionId, Conditions)>,
) -> Value {
    let row = EstateRow {
        version: VERSION,
        seed: settings.seed.to_string(),
        anchor_ms: settings.anchor.as_millisecond(),
        accounts: accounts
            .map(|(id, conditions)| (id.0, account_row(conditions)))
            .collect(),
    };
    // Nothing in a row can fail to be written: names are text and numbers are whole.
    serde_json::to_value(row).unwrap_or(Value::Null)
}

fn account_row(conditions: Conditions) -> AccountRow {
    let ms = Timestamp::as_millisecond;
    let resource = |condition: SimulatedCondition| ResourceRow {
        sizes: condition
            .sizes
            .into_iter()
            .map(|(at, size)| (ms(at), size))
            .collect(),
        downtimes: condition
            .downtimes
            .into_iter()
            .map(|down| (ms(down.from), down.to.map(ms)))
            .collect(),
        settles_ms: condition.settles_at.map(ms),
        terminated_ms: condition.terminated_at.map(ms),
        storage: condition
            .storage
            .into_iter()
            .map(|(at, gib)| (ms(at), gib))
            .collect(),
        setups: condition.setups.into_iter().map(setup_row).collect(),
        optimizing_ms: condition.optimizing_until.map(ms),
        members: condition.members,
        failovers: condition.failovers,
        standbys: condition
            .standbys
            .into_iter()
            .map(|(at, standby)| (ms(at), standby))
            .collect(),
        replicas: condition.replicas,
        groups: condition.groups,
        replacement: condition.replacement,
        successor: condition.successor,
        tags: condition.tags,
        settings: condition.settings,
        lifecycle_rules: condition.lifecycle_rules,
        template_types: condition.template_types,
        template_number: condition.template_number,
        refreshing_ms: condition.refreshing_until.map(ms),
    };

    AccountRow {
        resources: conditions
            .resources
            .into_iter()
            .map(|(id, condition)| (id.0, resource(condition)))
            .collect(),
        snapshots: conditions
            .snapshots
            .into_iter()
            .map(|(id, s)| {
                (
                    id,
                    SnapshotRow {
                        of: s.of.0,
                        description: s.description,
                        complete_ms: ms(s.complete_at),
                    },
                )
            })
            .collect(),
        successors: conditions
            .successors
            .into_iter()
            .map(|(id, s)| {
                (
                    id.0,
                    SuccessorRow {
                        place: s.place.0,
                        launched_ms: ms(s.launched_at),
                    },
                )
            })
            .collect(),
        quarantines: conditions.quarantines,
    }
}

fn setup_row((from, setup): (Timestamp, VolumeSetup)) -> SetupRow {
    let VolumeSetup {
        storage_type,
        iops,
        throughput_mibps,
    } = setup;
    SetupRow {
        from_ms: from.as_millisecond(),
        storage_type,
        iops,
        throughput_mibps,
    }
}

fn setup(row: SetupRow) -> Result<(Timestamp, VolumeSetup), RestoreError> {
    let SetupRow {
        from_ms,
        storage_type,
        iops,
        throughput_mibps,
    } = row;
    Ok((
        time(from_ms)?,
        VolumeSetup {
            storage_type,
            iops,
            throughput_mibps,
        },
    ))
}

/// Reads the kept form.
pub(crate) fn read(kept: &Value) -> Result<Kept, RestoreError> {
    let row = EstateRow::deserialize(kept)?;
    if row.version != VERSION {
        return Err(RestoreError::Version(row.version));
    }

    let not_a_seed = |_| serde::de::Error::custom("seed is not a number");
    let seed = row
        .seed
        .parse()
        .map_err(not_a_seed)
        .map_err(RestoreError::Malformed)?;

    let accounts = row
        .accounts
        .into_iter()
        .map(|(id, row)| Ok((ConnectionId(id), conditions(row)?)));
    Ok(Kept {
        seed,
        anchor: time(row.anchor_ms)?,
        accounts: accounts.collect::<Result<_, RestoreError>>()?,
    })
}

fn time(ms: i64) -> Result<Timestamp, RestoreError> {
    Timestamp::from_millisecond(ms).map_err(|_| RestoreError::Time(ms))
}

fn conditions(row: AccountRow) -> Result<Conditions, RestoreError> {
    let mut kept = Conditions {
        quarantines: row.quarantines,
        ..Conditions::default()
    };
    for (id, row) in row.resources {
        let sizes = row
            .sizes
            .into_iter()
            .map(|(at, size)| Ok((time(at)?, size)));
        let downs = row.downtimes.into_iter().map(|(from, to)| {
            Ok(Downtime {
                from: time(from)?,
                to: to.map(time).transpose()?,
            })
        });
        let standbys = row
            .standbys
            .into_iter()
            .map(|(at, standby)| Ok((time(at)?, standby)));
        let storage = row
            .storage
            .into_iter()
            .map(|(at, gib)| Ok((time(at)?, gib)));
        let condition = SimulatedCondition {
            sizes: sizes.collect::<Result<_, RestoreError>>()?,
            downtimes: downs.collect::<Result<_, RestoreError>>()?,
            settles_at: row.settles_ms.map(time).transpose()?,
            terminated_at: row.terminated_ms.map(time).transpose()?,
            storage: storage.collect::<Result<_, RestoreError>>()?,
            standbys: standbys.collect::<Result<_, RestoreError>>()?,
            setups: row
                .setups
                .into_iter()
                .map(setup)
                .collect::<Result<_, RestoreError>>()?,
            optimizing_until: row.optimizing_ms.map(time).transpose()?,
            members: row.members,
            failovers: row.failovers,
            replicas: row.replicas,
            groups: row.groups,
            replacement: row.replacement,
            successor: row.successor,
            tags: row.tags,
            settings: row.settings,
            lifecycle_rules: row.lifecycle_rules,
            template_types: row.template_types,
            template_number: row.template_number,
            refreshing_until: row.refreshing_ms.map(time).transpose()?,
        };
        kept.resources.insert(ResourceId(id), condition);
    }

    for (id, row) in row.snapshots {
        let complete_at = time(row.complete_ms)?;
        let record = SnapshotRecord {
            of: ResourceId(row.of),
            description: row.description,
            complete_at,
        };
        kept.snapshots.insert(id, record);
    }

    for (id, row) in row.successors {
        let successor = Successor {
            place: ResourceId(row.place),
            launched_at: time(row.launched_ms)?,
        };
        kept.successors.insert(ResourceId(id), successor);
    }

    Ok(kept)
}
