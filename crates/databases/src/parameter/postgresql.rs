//! Parameters of PostgreSQL.

use super::{GIB, MIB, PoorBuffer, Proposal, memory_unknown, whole_mib};
use crate::advice::{DatabaseAdvice, Severity, Unjudged};
use crate::observation::{DatabaseSetting, Observation};
use crate::unit::{bytes, count, percent};

/// Bytes of a block.
const BLOCK: f64 = 8_192.0;
/// Share of memory for the buffer: beyond a quarter PostgreSQL caches twice with the kernel.
const BUFFER_SHARE: f64 = 0.25;
/// Share of memory that the sorts of all sessions may take together.
const SORT_SHARE: f64 = 0.25;
/// Greatest `work_mem` without a known memory.
const SORT_CAP: f64 = 64.0 * MIB;
/// Share of checkpoints on request from which the write-ahead log is too small.
const REQUESTED: f64 = 0.3;

pub(super) fn judge(observation: &Observation) -> (Vec<DatabaseAdvice>, Vec<Unjudged>) {
    let mut proposals = Vec::new();
    let mut unjudged = Vec::new();
    for rule in [shared_buffers, effective_cache_size] {
        match rule(observation) {
            Ok(found) => proposals.extend(found),
            Err(missing) => unjudged.push(missing),
        }
    }
    proposals.extend(work_mem(observation));
    proposals.extend(max_wal_size(observation));

    let advice = proposals
        .into_iter()
        .map(|one| one.advice(observation.engine));
    (advice.collect(), unjudged)
}

fn shared_buffers(observation: &Observation) -> Result<Option<Proposal<'_>>, Unjudged> {
    let Some(buffer) = PoorBuffer::find(observation, "shared_buffers")? else {
        return Ok(None);
    };

    let share = buffer.memory * BUFFER_SHARE;
    // A buffer larger than the database holds nothing more.
    let value = share.min(buffer.database.unwrap_or(f64::MAX).max(128.0 * MIB));
    let reason = format!(
        "a quarter of {} memory is {}",
        bytes(buffer.memory),
        bytes(share)
    );
    Ok(buffer.proposal(value, "blocks", reason))
}

fn effective_cache_size(observation: &Observation) -> Result<Option<Proposal<'_>>, Unjudged> {
    let Some(setting) = observation.setting("effective_cache_size") else {
        return Ok(None);
    };
    let Some(memory) = observation.server.memory_bytes else {
        return Err(memory_unknown("tune_effective_cache_size"));
    };
    let before = setting.number().unwrap_or_default();
    let value = whole_mib(memory * 0.7);
    let is_off = before < memory * 0.4 || before > memory;
    Ok(is_off.then(|| Proposal {
        setting,
        value,
        is_size: true,
        severity: Severity::Low,
        reasons: vec![
            format!(
                "the planner takes {} for the size of all caches; the machine has {}",
                bytes(before),
                bytes(memory)
            ),
            format!("70 % of the memory is {}", bytes(value)),
            "it takes no memory: it only makes the planner weigh index scans rightly".to_owned(),
        ],
    }))
}

/// Sorts and hashes that spill ask for more, within a budget for all sessions.
fn work_mem(observation: &Observation) -> Option<Proposal<'_>> {
    let setting = observation.setting("work_mem")?;
    let before = setting.number()?;
    let spilling = observation
        .statements()
        .iter()
        .filter(|one| one.temporary_writes > 0.0);
    let spilling: Vec<_> = spilling.collect();
    let spilled: f64 = spilling
        .iter()
        .map(|one| one.temporary_writes * BLOCK)
        .sum();
    // The statement that spills most in all, by what one call of it spills.
    let worst = spilling
        .iter()
        .max_by(|one, other| one.temporary_writes.total_cmp(&other.temporary_writes))?;
    let per_call = worst.temporary_writes * BLOCK / worst.calls.max(1.0);
    if spilled < 100.0 * MIB && spilling.len() < 3 {
        return None;
    }

    let activity = &observation.activity;
    let peak = activity
        .peak_connections
        .or(activity.connections)
        .unwrap_or(1.0)
        .max(10.0);
    let most = match observation.server.memory_bytes {
        Some(memory) => memory * SORT_SHARE / peak,
        None => SORT_CAP,
    };
    // In memory a sort takes about twice what it writes to disk.
    let value = power_of_two((before + per_call) * 2.0).min(whole_mib(most));
    (value > before * 1.5).then(|| Proposal {
        setting,
        value,
        is_size: true,
        severity: Severity::Medium,
        reasons: vec![
            format!(
                "{} statements wrote {} of temporary files",
                spilling.len(),
                bytes(spilled)
            ),
            format!(
                "a call of the one that wrote most writes {}",
                bytes(per_call)
            ),
            format!(
                "{} x {} sessions = {} at most for one sort each",
                bytes(value),
                count(peak),
                bytes(value * peak)
            ),
            match observation.server.memory_bytes {
                Some(memory) => format!(
                    "a quarter of {} memory is {}",
                    bytes(memory),
                    bytes(memory * SORT_SHARE)
                ),
                None => format!(
                    "the memory of the machine is not known: not above {}",
                    bytes(SORT_CAP)
                ),
            },
        ],
    })
}

fn max_wal_size(observation: &Observation) -> Option<Proposal<'_>> {
    let setting = observation.setting("max_wal_size")?;
    let (timed, requested) = observation.server.checkpoints?;
    let share = requested / (timed + requested).max(1.0);
    let before = setting.number()?;
    if requested < 10.0 || share < REQUESTED || before >= 64.0 * GIB {
        return None;
    }
    Some(Proposal {
        setting,
        value: before * 2.0,
        is_size: true,
        severity: Severity::Medium,
        reasons: vec![
            format!(
                "{} of {} checkpoints were requested before their time: {}",
                count(requested),
                count(timed + requested),
                percent(share)
            ),
            "the write-ahead log filled up, or someone asked for a checkpoint".to_owned(),
            format!("it takes up to {} of disk", bytes(before * 2.0)),
        ],
    })
}

/// The next power of two, from 4 MiB on.
fn power_of_two(value: f64) -> f64 {
    let mut power = 4.0 * MIB;
    while power < value && power < 4.0 * GIB {
        power *= 2.0;
    }
    power
}

/// Returns `true` if a setting that protects data is off.
pub(crate) fn is_switched_off(observation: &Observation, name: &str) -> bool {
    observation
        .setting(name)
        .is_some_and(DatabaseSetting::is_off)
}
