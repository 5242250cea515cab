//! Parameters of MariaDB and MySQL.

use super::{MIB, PoorBuffer, Proposal};
use crate::advice::{DatabaseAdvice, Unjudged};
use crate::observation::Observation;
use crate::unit::{bytes, count};

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
    let Some(buffer) = PoorBuffer::find(observation, "innodb_buffer_pool_size")? else {
        return Ok(None);
    };

    let activity = &observation.activity;
    let sessions = activity
        .peak_connections
        .or(activity.connections)
        .unwrap_or(1.0);
    let per_session = session_bytes(observation);
    let budget = buffer.memory * SERVER_SHARE - sessions * per_session;
    let size = buffer.database.unwrap_or(f64::MAX);
    let value = (budget.min(size.max(128.0 * MIB) * 1.1) / (128.0 * MIB)).floor() * 128.0 * MIB;
    let reason = format!(
        "80 % of {} memory less {} sessions x {} = {}",
        bytes(buffer.memory),
        count(sessions),
        bytes(per_session),
        bytes(budget)
    );
    Ok(buffer.proposal(value, "reads", reason))
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
