//! Indexes that are in the way: never used, twice there, covered by a wider one, or invalid.
//!
//! An index that enforces a rule of the data, serves a foreign key, or by which replication finds
//! rows is never advised away. On a server with standbys no index is called unused, because each
//! standby has counters of its own.

use crate::advice::{
    AdviceCost, Area, CostUnit, DatabaseAdvice, DatabaseChange, Severity, Unjudged, titled,
};
use crate::change_statement::{drop_index, rebuild_index};
use crate::engine::Engine;
use crate::observation::{Constraint, DatabaseIndex, Observation};
use crate::quote;
use crate::thresholds::DatabaseThresholds;
use crate::unit::{bytes, count};

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Judges the indexes that exist.
pub(crate) fn judge(
    observation: &Observation,
    thresholds: &DatabaseThresholds,
) -> (Vec<DatabaseAdvice>, Vec<Unjudged>) {
    let mut advice = Vec::new();
    let mut named: Vec<&DatabaseIndex> = Vec::new();

    for index in observation
        .indexes
        .iter()
        .filter(|index| is_removable(index, true))
    {
        let found = match covering(observation, index, &named) {
            _ if !index.is_valid => Some((
                "invalid_index",
                "it is invalid: a build of it failed, and only writes still use it".to_owned(),
            )),
            Some((other, true)) => Some((
                "duplicate_index",
                format!("{} has the same columns", other.name),
            )),
            Some((other, false)) => Some((
                "redundant_index",
                format!("the columns of {} begin with its columns", other.name),
            )),
            None => None,
        };
        if let Some((rule, reason)) = found {
            named.push(index);
            advice.push(removal(observation.engine, index, rule, reason));
        }
    }

    let blind = blind_reason(observation, thresholds);
    if let Some(unjudged) = blind {
        return (advice, vec![unjudged]);
    }
    let unused = observation.indexes.iter().filter(|index| {
        let is_named = named.iter().any(|one| std::ptr::eq(*one, *index));
        !is_named && is_removable(index, false) && index.scans == Some(0.0)
    });
    let days = observation.server.counted_s.unwrap_or_default() / DAY;
    advice.extend(unused.map(|index| {
        let reason = format!("no scan of it in the {} days that are counted", count(days));
        removal(observation.engine, index, "unused_index", reason)
    }));
    (advice, Vec::new())
}

/// Returns `true` if dropping the index loses no rule of the data. A foreign key is served by any
/// index that begins with its columns, so that an index beside another one may go.
fn is_removable(index: &DatabaseIndex, has_other: bool) -> bool {
    let is_served_by_other = |one: &Constraint| has_other && *one == Constraint::ForeignKey;
    !index.is_unique && index.constraints.iter().all(is_served_by_other)
}

/// Returns the reason why counters do not show that an index is unused.
fn blind_reason(observation: &Observation, thresholds: &DatabaseThresholds) -> Option<Unjudged> {
    let unjudged = |reason: String, remedy: &str| {
        Some(Unjudged::new(Area::Index, "unused_index", reason, remedy))
    };
    if observation.server.is_standby {
        return unjudged(
            "the server is a standby, and its counters are its own".to_owned(),
            "analyze the primary",
        );
    }
    if observation
        .replication
        .replicas
        .is_some_and(|replicas| replicas > 0)
    {
        return unjudged(
            "standbys count the scans of their own queries, and they were not read".to_owned(),
            "look at pg_stat_user_indexes of each standby before dropping an index",
        );
    }
    if !observation
        .indexes
        .iter()
        .any(|index| index.scans.is_some())
    {
        return (!observation.indexes.is_empty())
            .then(|| {
                unjudged(
                    "scans of indexes are not counted".to_owned(),
                    scans_remedy(observation.engine),
                )
            })
            .flatten();
    }
    match observation.server.counted_s {
        Some(counted) if counted >= thresholds.unused_days * DAY => None,
        Some(counted) => unjudged(
            format!(
                "scans are counted for {:.1} days, and {} are needed",
                counted / DAY,
                thresholds.unused_days
            ),
            "wait, and do not reset the statistics",
        ),
        None => unjudged(
            "the time of the last reset of the statistics is not known".to_owned(),
            "",
        ),
    }
}

fn scans_remedy(engine: Engine) -> &'static str {
    match engine {
        Engine::Postgresql => "grant pg_monitor to the user",
        Engine::Mariadb => "start the server with performance_schema=ON, or set userstat=1",
        Engine::Mysql => "start the server with performance_schema=ON",
    }
}

/// Returns an index that makes this one superfluous, and whether the two are equal. An index that
/// goes itself makes no other superfluous.
fn covering<'o>(
    observation: &'o Observation,
    index: &DatabaseIndex,
    named: &[&DatabaseIndex],
) -> Option<(&'o DatabaseIndex, bool)> {
    let is_named = |other: &DatabaseIndex| named.iter().any(|one| std::ptr::eq(*one, other));
    let others = observation.indexes.iter().filter(|other| {
        !std::ptr::eq(*other, index)
            && other.is_valid
            && !is_named(other)
            && other.schema == index.schema
            && other.table == index.table
            && other.method == index.method
            && other.predicate == index.predicate
    });

    let mut found = None;
    for other in others {
        let is_same = other.columns == index.columns
            && other.key_options == index.key_options
            && other.included == index.included;
        // Of two equal ones without a rule the one that comes first in the catalogue goes, so that
        // one of them stays.
        if is_same {
            return Some((other, true));
        }
        if is_prefix(index, other) {
            found = Some((other, false));
        }
    }
    found
}

fn is_prefix(index: &DatabaseIndex, other: &DatabaseIndex) -> bool {
    let is_held =
        |column: &String| other.columns.contains(column) || other.included.contains(column);
    index.method.eq_ignore_ascii_case("btree")
        && other.columns.len() > index.columns.len()
        && other.columns.starts_with(&index.columns)
        && other.key_options.starts_with(&index.key_options)
        && index.included.iter().all(is_held)
}

fn removal(engine: Engine, index: &DatabaseIndex, rule: &str, reason: String) -> DatabaseAdvice {
    let (statements, undo) = match engine {
        Engine::Postgresql => (
            vec![drop_index(engine, &index.schema, &index.table, &index.name)],
            vec![rebuild_index(&index.definition)],
        ),
        Engine::Mariadb | Engine::Mysql => mysql_removal(engine, index),
    };
    let verb = rule.split('_').next().unwrap_or_default();
    let scans = match index.scans {
        Some(scans) => format!("{} scans are counted", count(scans)),
        None => "its scans are not counted".to_owned(),
    };

    DatabaseAdvice {
        area: Area::Index,
        rule: rule.to_owned(),
        object: format!("{}.{}", index.schema, index.name),
        title: titled(&format!("Drop the {verb} index {}", index.name)),
        severity: match rule {
            "invalid_index" => Severity::Medium,
            _ => Severity::Low,
        },
        statements,
        undo,
        cost: AdviceCost {
            before: index.size_bytes,
            after: Some(0.0),
            unit: CostUnit::Bytes,
        },
        reasons: vec![
            reason,
            scans,
            format!(
                "it takes {} and a write for each change of {}.{}",
                bytes(index.size_bytes),
                index.schema,
                index.table
            ),
            "it enforces no rule and serves no foreign key or replica identity".to_owned(),
        ],
        needs_restart: false,
        // The optimizer of MariaDB and MySQL ignores an index first: that takes a person's look.
        change: (engine == Engine::Postgresql).then(|| DatabaseChange::DropIndex {
            schema: index.schema.clone(),
            table: index.table.clone(),
            name: index.name.clone(),
            definition: index.definition.clone(),
            is_unused: rule == "unused_index",
        }),
    }
}

/// The optimizer ignores the index first; it is dropped after a watch.
fn mysql_removal(engine: Engine, index: &DatabaseIndex) -> (Vec<String>, Vec<String>) {
    let table = quote::qualified(engine, &index.schema, &index.table);
    let name = quote::name(engine, &index.name);
    let hidden = if engine == Engine::Mariadb {
        "IGNORED"
    } else {
        "INVISIBLE"
    };
    (
        vec![
            format!("ALTER TABLE {table} ALTER INDEX {name} {hidden}"),
            drop_index(engine, &index.schema, &index.table, &index.name),
        ],
        vec![index.definition.clone()],
    )
}

#[cfg(test)]
mod tests;
