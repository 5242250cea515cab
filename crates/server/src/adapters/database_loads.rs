//! Sampler of the load of databases: their sessions, the totals of their statements, and plans.
//!
//! Nothing that a reading gives contains a literal: texts and conditions are masked before they are
//! stored. Totals are compared with those of the reading before, which is kept in memory: after a
//! start the first reading gives no use of statements.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_audit::Obstacle;
use reeve_connect_databases::{DatabaseError, DatabaseSession};
use reeve_databases::{DatabaseStatement, Engine, StatementSource, is_plannable, without_literals};
use reeve_estate::database_load::{
    KnownStatement, LOAD_INTERVAL_S, MOST_STATEMENTS, StatementPlan, StatementUse,
};
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, DatabaseKey, DatabaseLoad, DatabaseLoadStore,
    EstateStore, LoadReading, Provider, ResourceFilter, ResourceId, ResourceKind,
};
use tokio::time::{Instant, sleep, timeout};

use super::clouds::CloudRegistry;
use super::running::Running;

/// Looks at the sessions of a server in one reading.
const LOOKS: u32 = 5;
/// Pause between two looks.
const PAUSE: Duration = Duration::from_secs(2);
/// Longest time of a reading.
const READING: Duration = Duration::from_secs(90);
/// Plans that are taken in one reading.
const PLANS: usize = 5;
/// Age at which a plan is taken again: statistics of the tables change.
const PLAN_AGE: SignedDuration = SignedDuration::from_hours(12);
/// Longest time between two totals that are compared: the use in it belongs to one interval.
const LONGEST: Duration = Duration::from_secs(3 * LOAD_INTERVAL_S.unsigned_abs());

/// Time before the start of a demonstration that loads are simulated for.
const SIMULATED: SignedDuration = SignedDuration::from_hours(48);

const MYSQL_PLANS: &str = "MariaDB and MySQL plan no statement without its values";

/// Sampler of the databases that have connections of their own.
pub(crate) struct DatabaseSampler {
    pub(crate) loads: Arc<dyn DatabaseLoadStore>,
    pub(crate) estate: Arc<dyn EstateStore>,
    pub(crate) clouds: Arc<CloudRegistry>,
    pub(crate) running: Running<ConnectionId>,
    pub(crate) totals: Mutex<HashMap<DatabaseKey, StatementTotals>>,
}

/// Totals of the statements of a database, as a reading found them.
pub(crate) struct StatementTotals {
    read_at: Instant,
    by_id: HashMap<String, StatementUse>,
}

/// Outcome of a reading.
struct Sampled {
    load: DatabaseLoad,
    statements: Vec<KnownStatement>,
    engine: Engine,
    version: String,
    /// Reason and remedy where no statements are known.
    missing: Option<(String, String)>,
}

impl DatabaseSampler {
    /// Reads the load of a connection's database, unless that is going on already.
    ///
    /// # Errors
    /// The load could not be kept. That the server could not be read is part of its reading.
    pub(crate) async fn read_now(&self, connection: &Connection) -> Result<(), Obstacle> {
        let Some(_turn) = self.running.begin(&connection.id) else {
            return Ok(());
        };
        if matches!(connection.credentials, ConnectionCredentials::Simulated) {
            return self.read_simulated(connection).await;
        }
        let Some(database) = database_of(connection) else {
            return Ok(());
        };

        let known = self.loads.database_statements(&database).await;
        let known = known.map_err(Obstacle::of)?;
        let sampling = self.sample(connection, &database, &known);
        let sampled = match timeout(READING, sampling).await {
            Ok(sampled) => sampled,
            Err(_) => Err(Obstacle::of(format_args!(
                "reading it took longer than {} s",
                READING.as_secs()
            ))),
        };
        let reading = self.kept(database, sampled).await?;
        let put = self.loads.database_reading_put(&reading).await;
        put.map_err(Obstacle::of)
    }

    /// Takes the loads of a simulated account's databases: of two days at first, then of each interval
    /// that is over.
    async fn read_simulated(&self, connection: &Connection) -> Result<(), Obstacle> {
        let Some(account) = self.clouds.simulated(connection) else {
            return Ok(());
        };
        let filter = ResourceFilter {
            connection: Some(connection.id.clone()),
            kind: Some(ResourceKind::Database),
            ..ResourceFilter::default()
        };
        let (resources, _) = self
            .estate
            .resource_list(&filter)
            .await
            .map_err(Obstacle::of)?;
        let now = Timestamp::now();
        for resource in resources {
            if account.database_load(&resource, now).is_none() {
                continue;
            }
            let database = DatabaseKey {
                connection: connection.id.clone(),
                resource: resource.id.clone(),
            };
            let kept = self
                .loads
                .database_loads(&database, now - SIMULATED, now)
                .await;
            let last = kept.map_err(Obstacle::of)?.last().map(|load| load.start);
            let interval = SignedDuration::from_secs(LOAD_INTERVAL_S);
            let mut at = last.map_or(now - SIMULATED, |last| last + interval);
            while at + interval <= now {
                if let Some((load, statements)) = account.database_load(&resource, at) {
                    let added = self
                        .loads
                        .database_load_add(&database, &load, &statements)
                        .await;
                    added.map_err(Obstacle::of)?;
                }
                at += interval;
            }

            let reading = LoadReading {
                engine: Engine::Postgresql.to_string(),
                version: "15.8".to_owned(),
                ..nothing_read(database)
            };
            let put = self.loads.database_reading_put(&reading).await;
            put.map_err(Obstacle::of)?;
        }
        Ok(())
    }

    /// Stores what was sampled; the reading says how it went.
    async fn kept(
        &self,
        database: DatabaseKey,
        sampled: Result<Sampled, Obstacle>,
    ) -> Result<LoadReading, Obstacle> {
        let mut reading = nothing_read(database);
        let sampled = match sampled {
            Ok(sampled) => sampled,
            Err(obstacle) => {
                obstacle.as_str().clone_into(&mut reading.failure);
                return Ok(reading);
            }
        };
        let stored = self
            .loads
            .database_load_add(&reading.database, &sampled.load, &sampled.statements)
            .await;
        stored.map_err(Obstacle::of)?;
        if sampled.engine.is_mysql_like() {
            MYSQL_PLANS.clone_into(&mut reading.no_plans);
        }
        reading.engine = sampled.engine.to_string();
        reading.version = sampled.version;
        (reading.no_statements, reading.remedy) = sampled.missing.unwrap_or_default();
        Ok(reading)
    }

    async fn sample(
        &self,
        connection: &Connection,
        database: &DatabaseKey,
        known: &[KnownStatement],
    ) -> Result<Sampled, Obstacle> {
        let server = self.clouds.database(connection);
        let server = server.map_err(|error| Obstacle::from(error.message))?;
        let opened = server.session().await;
        let mut session = opened.map_err(|error| Obstacle::from(error.message))?;
        let mut load = DatabaseLoad::at(Timestamp::now());
        for look in 0..LOOKS {
            if look > 0 {
                sleep(PAUSE).await;
            }
            load.add_look(session.waits().await.map_err(Obstacle::of)?);
        }

        let totals = session.statement_totals().await.map_err(Obstacle::of)?;
        let (listed, missing) = match totals {
            StatementSource::Read { statements, .. } => (statements, None),
            StatementSource::Missing { reason, remedy } => (Vec::new(), Some((reason, remedy))),
        };
        self.compare(database, &listed, &mut load);
        let statements = texts(&mut session, &load, &listed, known).await;
        Ok(Sampled {
            load,
            statements: statements.map_err(Obstacle::of)?,
            engine: session.engine(),
            version: session.version().to_owned(),
            missing,
        })
    }

    /// Writes the use of statements since the reading before into a load.
    fn compare(
        &self,
        database: &DatabaseKey,
        listed: &[DatabaseStatement],
        load: &mut DatabaseLoad,
    ) {
        let now = StatementTotals {
            read_at: Instant::now(),
            by_id: listed
                .iter()
                .map(|one| (one.id.clone(), total(one)))
                .collect(),
        };
        let mut totals = self.totals.lock();
        let before = totals.get(database);
        if let Some(before) = before.filter(|before| before.read_at.elapsed() < LONGEST) {
            load.counted_s = before.read_at.elapsed().as_secs_f64();
            let uses = now.by_id.values();
            load.statements = uses
                .filter_map(|statement| statement.since(before.by_id.get(&statement.id)))
                .collect();
            load.limit();
        }
        let _ = totals.insert(database.clone(), now);
    }
}

/// Reading of now without an outcome.
fn nothing_read(database: DatabaseKey) -> LoadReading {
    LoadReading {
        database,
        engine: String::new(),
        version: String::new(),
        read_at: Timestamp::now(),
        failure: String::new(),
        no_statements: String::new(),
        remedy: String::new(),
        no_plans: String::new(),
    }
}

/// Key of the database that a connection is of; `None` for a connection to a cloud.
fn database_of(connection: &Connection) -> Option<DatabaseKey> {
    let endpoint = connection.endpoint.clone()?;
    (connection.provider == Provider::Database).then(|| DatabaseKey {
        connection: connection.id.clone(),
        resource: ResourceId(endpoint),
    })
}

fn total(statement: &DatabaseStatement) -> StatementUse {
    StatementUse {
        id: statement.id.clone(),
        calls: statement.calls,
        total_ms: statement.total_ms,
        rows: statement.rows,
        rows_examined: statement.rows_examined,
        blocks_hit: statement.blocks_hit,
        blocks_read: statement.blocks_read,
        temporary_writes: statement.temporary_writes,
    }
}

/// Returns the statements of a load with their texts, and with new plans for some.
async fn texts(
    session: &mut DatabaseSession,
    load: &DatabaseLoad,
    listed: &[DatabaseStatement],
    known: &[KnownStatement],
) -> Result<Vec<KnownStatement>, DatabaseError> {
    let texts: HashMap<&str, &str> = listed
        .iter()
        .map(|one| (one.id.as_str(), one.text.as_str()))
        .collect();
    let now = Timestamp::now();
    let mut statements = Vec::new();
    for used in load.statements.iter().take(MOST_STATEMENTS) {
        let Some(&text) = texts.get(used.id.as_str()) else {
            continue;
        };
        let kept = known.iter().find(|one| one.id == used.id);
        statements.push(KnownStatement {
            id: used.id.clone(),
            text: without_literals(text),
            seen_at: load.start,
            plan: kept.and_then(|one| one.plan.clone()),
        });
    }

    let engine = session.engine();
    for place in to_plan(&statements, now, |id| is_plannable(engine, texts[id])) {
        let statement = &mut statements[place];
        let taken = session.plan(texts[statement.id.as_str()]).await?;
        let plan = taken.map(|root| StatementPlan {
            taken_at: now,
            root,
        });
        statement.plan = plan.or(statement.plan.take());
    }
    Ok(statements)
}

/// Places of the statements that are planned now. Those that wait take turns by the minute, so that
/// statements that cannot be planned do not hold back others for ever.
fn to_plan(
    statements: &[KnownStatement],
    now: Timestamp,
    is_plannable: impl Fn(&str) -> bool,
) -> Vec<usize> {
    let is_old = |plan: &StatementPlan| now.duration_since(plan.taken_at) > PLAN_AGE;
    let places = (0..statements.len()).filter(|&place| {
        let statement = &statements[place];
        statement.plan.as_ref().is_none_or(is_old) && is_plannable(&statement.id)
    });
    let mut waiting: Vec<usize> = places.collect();
    if waiting.len() > PLANS {
        let minute = usize::try_from(now.as_second() / 60).unwrap_or_default();
        let turn = minute * PLANS % waiting.len();
        waiting.rotate_left(turn);
        waiting.truncate(PLANS);
    }
    waiting
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn statements_without_a_plan_take_turns() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let statement = |number: usize, taken_at: Option<Timestamp>| KnownStatement {
            id: number.to_string(),
            text: "SELECT $1".to_owned(),
            seen_at: now,
            plan: taken_at.map(|taken_at| StatementPlan {
                taken_at,
                root: Default::default(),
            }),
        };
        let all: Vec<KnownStatement> = (0..12).map(|number| statement(number, None)).collect();
        let mut planned = Vec::new();
        for minute in 0..6 {
            let at = now + SignedDuration::from_mins(minute);
            let places = to_plan(&all, at, |id| id != "3");
            assert_eq!(places.len(), PLANS);
            planned.extend(places);
        }
        planned.sort_unstable();
        planned.dedup();
        assert_eq!(planned, [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);

        let hours = |hours| Some(now - SignedDuration::from_hours(hours));
        let all = [statement(0, hours(13)), statement(1, hours(1))];
        assert_eq!(to_plan(&all, now, |_| true), [0]);
    }
}
