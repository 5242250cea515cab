//! Parameters of MariaDB and MySQL.

use super::{MIB, Proposal, memory_unknown};
use crate::advice::{DatabaseAdvice, Severity, Unjudged};
use crate::observation::Observation;
use crate::unit::{bytes, count, percent};

/// Reads of the buffer before a share of hits says something.
const MIN_READS: f64 = 100_000.0;
const GOOD_HITS: f64 = 0.99;
/// Share of memory for buffer and sessions together; the rest is for the system.
const SERVER_SHARE: f64 = 0.8;
/// Memory of a session, where its settings are not read.
const SESSION: f64 = 3.0 * MIB;

pub(super) fn judge(observation: &Observation) -> (Vec<DatabaseAdvice>, Vec<Unjudged>) {
    match buffer_pool(observation) {
        Ok(found) => {
            let advice = found.map(|one| one.advice(observation.engine));
            (advice.into_iter().collect(), Vec::new())
        }
        Err(missing) => (Vec::new(), vec![missing]),
    }
}

fn buffer_pool(observation: &Observation) -> Result<Option<Proposal<'_>>, Unjudged> {
    let server = &observation.server;
    let (Some(setting), Some(hit), Some(read)) = (
        observation.setting("innodb_buffer_pool_size"),
        server.blocks_hit,
        server.blocks_read,
    ) else {
        return Ok(None);
    };
    let asked = hit + read;
    let hits = hit / asked.max(1.0);
    if asked < MIN_READS || hits >= GOOD_HITS {
        return Ok(None);
    }
    let memory = server
        .memory_bytes
        .ok_or_else(|| memory_unknown("tune_innodb_buffer_pool_size"))?;

    let activity = &observation.activity;
    let sessions = activity
        .peak_connections
        .or(activity.connections)
        .unwrap_or(1.0);
    let per_session = session_bytes(observation);
    let budget = memory * SERVER_SHARE - sessions * per_session;
    let size = server.size_bytes.unwrap_or(f64::MAX);
    let value = (budget.min(size.max(128.0 * MIB) * 1.1) / (128.0 * MIB)).floor() * 128.0 * MIB;
    let before = setting.number().unwrap_or_default();
    Ok((value > before * 1.2).then(|| Proposal {
        setting,
        value,
        is_size: true,
        severity: if hits < 0.9 {
            Severity::High
        } else {
            Severity::Medium
        },
        reasons: vec![
            format!(
                "{} of {} reads were in the buffer: {}",
                count(hit),
                count(asked),
                percent(hits)
            ),
            format!(
                "80 % of {} memory less {} sessions x {} = {}",
                bytes(memory),
                count(sessions),
                bytes(per_session),
                bytes(budget)
            ),
            format!(
                "the database has {}",
                bytes(server.size_bytes.unwrap_or_default())
            ),
        ],
    }))
}

/// Buffers that one session may allocate.
fn session_bytes(observation: &Observation) -> f64 {
    let names = [
        "sort_buffer_size",
        "join_buffer_size",
        "read_buffer_size",
        "read_rnd_buffer_size",
        "thread_stack",
    ];
    let numbers = names
        .iter()
        .filter_map(|name| observation.setting(name)?.number());
    let sum: f64 = numbers.sum();
    if sum > 0.0 { sum } else { SESSION }
}
