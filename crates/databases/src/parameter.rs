//! Parameters of the server, each with the measurement that asks for a change.
//!
//! Memory is one budget: the buffer, and what every session may take beside it. Without the size of
//! the machine's memory no parameter grows that could exceed it. No parameter grows because a
//! statement lacks an index.

mod mysql;
mod postgresql;

use crate::advice::{
    AdviceCost, Area, CostUnit, DatabaseAdvice, DatabaseChange, Severity, Unjudged, titled,
};
use crate::change_statement::set_parameter;
use crate::engine::Engine;
use crate::observation::{DatabaseSetting, Observation};
use crate::unit::{bytes, count, percent};

pub(crate) use postgresql::is_switched_off;

pub(crate) const MIB: f64 = 1_048_576.0;
pub(crate) const GIB: f64 = 1_073_741_824.0;

/// Returns advice on settings of the server, and rules that lack a measurement.
pub(crate) fn judge(observation: &Observation) -> (Vec<DatabaseAdvice>, Vec<Unjudged>) {
    let (mut advice, mut unjudged) = match observation.engine {
        Engine::Postgresql => postgresql::judge(observation),
        Engine::Mariadb | Engine::Mysql => mysql::judge(observation),
    };
    match connections(observation) {
        Ok(found) => advice.extend(found),
        Err(missing) => unjudged.push(missing),
    }
    (advice, unjudged)
}

/// A value that a measurement asks for.
struct Proposal<'s> {
    setting: &'s DatabaseSetting,
    value: f64,
    is_size: bool,
    severity: Severity,
    reasons: Vec<String>,
}

/// Reads of the buffer before its share of hits says something.
const MIN_READS: f64 = 100_000.0;
/// Share of hits above which a larger buffer saves hardly anything.
const GOOD_HITS: f64 = 0.99;

/// A buffer of the server that serves too few of the reads asked of it.
struct PoorBuffer<'o> {
    setting: &'o DatabaseSetting,
    /// Bytes of the machine's memory.
    memory: f64,
    /// Bytes of the database; `None` where they are not known.
    database: Option<f64>,
    hit: f64,
    asked: f64,
}

impl<'o> PoorBuffer<'o> {
    /// Returns the buffer of a setting if it is a poor one. Without the size of the machine's memory
    /// no larger one can be advised.
    fn find(observation: &'o Observation, name: &str) -> Result<Option<Self>, Unjudged> {
        let server = &observation.server;
        let (Some(setting), Some(hit), Some(read)) = (
            observation.setting(name),
            server.blocks_hit,
            server.blocks_read,
        ) else {
            return Ok(None);
        };
        let asked = hit + read;
        if asked < MIN_READS || hit / asked >= GOOD_HITS {
            return Ok(None);
        }
        let memory = server
            .memory_bytes
            .ok_or_else(|| memory_unknown(&format!("tune_{name}")))?;
        Ok(Some(PoorBuffer {
            setting,
            memory,
            database: server.size_bytes,
            hit,
            asked,
        }))
    }

    /// Proposes so many bytes, if they are clearly more. `reads` is the engine's name for them.
    fn proposal(&self, value: f64, reads: &str, budget: String) -> Option<Proposal<'o>> {
        let hits = self.hit / self.asked;
        let before = self.setting.number().unwrap_or_default();
        (value > before * 1.2).then(|| Proposal {
            setting: self.setting,
            value: whole_mib(value),
            is_size: true,
            severity: if hits < 0.9 {
                Severity::High
            } else {
                Severity::Medium
            },
            reasons: vec![
                format!(
                    "{} of {} {reads} were in the buffer: {}",
                    count(self.hit),
                    count(self.asked),
                    percent(hits)
                ),
                budget,
                format!(
                    "the database has {}",
                    bytes(self.database.unwrap_or_default())
                ),
            ],
        })
    }
}

fn whole_mib(value: f64) -> f64 {
    (value / MIB).floor().max(1.0) * MIB
}

impl Proposal<'_> {
    fn advice(self, engine: Engine) -> DatabaseAdvice {
        let DatabaseSetting {
            name,
            needs_restart,
            ..
        } = self.setting;
        let before = self.setting.number().unwrap_or_default();
        let shown = |value: f64| match self.is_size {
            true => bytes(value),
            false => count(value),
        };
        let set = |value| set_parameter(engine, name, value, self.is_size);
        DatabaseAdvice {
            area: Area::Parameter,
            rule: format!("tune_{name}"),
            object: name.clone(),
            title: titled(&format!(
                "Set {name} to {} instead of {}",
                shown(self.value),
                shown(before)
            )),
            severity: self.severity,
            statements: set(self.value),
            undo: set(before),
            cost: AdviceCost {
                before,
                after: Some(self.value),
                unit: if self.is_size {
                    CostUnit::Bytes
                } else {
                    CostUnit::Value
                },
            },
            reasons: self.reasons,
            needs_restart: *needs_restart,
            change: (!needs_restart).then(|| DatabaseChange::SetParameter {
                name: name.clone(),
                from: before,
                to: self.value,
                // MariaDB keeps no value that is set while it runs.
                is_lasting: engine != Engine::Mariadb,
            }),
        }
    }
}

/// Share of `max_connections` from which sessions are about to be refused.
const SATURATED: f64 = 0.8;

/// Judges the number of connections. A greater limit is never advised: each session takes memory,
/// and a pooler serves the same clients with fewer.
fn connections(observation: &Observation) -> Result<Option<DatabaseAdvice>, Unjudged> {
    const RULE: &str = "connection_saturation";
    let limit = observation
        .setting("max_connections")
        .and_then(DatabaseSetting::number);
    let activity = &observation.activity;
    let peak = activity.peak_connections.or(activity.connections);
    let (Some(limit), Some(peak)) = (limit, peak) else {
        return Err(Unjudged::new(
            Area::Parameter,
            RULE,
            "the sessions or their limit could not be read",
            "grant pg_monitor (PostgreSQL) or PROCESS (MariaDB, MySQL) to the user",
        ));
    };

    let share = peak / limit.max(1.0);
    if share < SATURATED {
        return Ok(None);
    }
    let active = activity.active.unwrap_or_default();
    let pooled = "a pooler in transaction mode serves the same clients with fewer sessions, without their memory";
    Ok(Some(DatabaseAdvice::for_people(
        Area::Parameter,
        RULE,
        "max_connections",
        "Put a connection pooler in front of the database",
        if share >= 0.95 {
            Severity::Critical
        } else {
            Severity::High
        },
        AdviceCost {
            before: share * 100.0,
            after: None,
            unit: CostUnit::Percent,
        },
        vec![
            format!(
                "{} of {} connections were open at once: {:.0} %",
                count(peak),
                count(limit),
                share * 100.0
            ),
            format!("{} of them execute a statement now", count(active)),
            pooled.to_owned(),
        ],
    )))
}

/// Abstention of a rule that needs the size of the machine's memory.
fn memory_unknown(rule: &str) -> Unjudged {
    Unjudged::new(
        Area::Parameter,
        rule,
        "the memory of the machine is not known, and the server does not say it",
        "name it with --memory, such as --memory 16GiB",
    )
}

#[cfg(test)]
mod tests;
