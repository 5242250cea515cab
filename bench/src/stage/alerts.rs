//! Alert rules: ten thousand of them, and entries that arrive as fast as the service takes them,
//! until the last is evaluated and what fired is kept.
//!
//! Rules are made over the interface and watch users, resources, accounts, networks and kinds of
//! event of the generated estate, as people write them: one in five hundred has no condition that
//! an index could use. Appending shares the two cores with evaluating, and counts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use super::append::CONNECTIONS;
use crate::bodies::BATCH;
use crate::generate::{Generator, Random, SEED};
use crate::process;
use crate::results::{Results, System};
use crate::service::{Service, TOKEN};
use crate::wire::{self, Connection, number_after};

/// Rules in all: those that an installation comes with, and those that are made.
const RULES: usize = 10_000;
/// Entries that are evaluated at most: their requests are held in memory.
const ENTRIES: u64 = 200_000;
/// Longest wait for the evaluation of the last entry.
const PATIENCE: Duration = Duration::from_secs(300);
const HOW: &str = "appended over HTTP meanwhile, each batch answered after fdatasync; position, counts and firings kept in SQLite";

/// Makes the rules, appends `entries` more entries from `end_ms` on, and waits until all are
/// evaluated.
pub(crate) fn run(
    service: &Service,
    generator: &Generator,
    end_ms: i64,
    entries: u64,
    results: &mut Results,
) -> Result<()> {
    let made = Instant::now();
    make_rules(service, generator)?;
    let making = made.elapsed().as_secs_f64();
    let entries = entries.min(ENTRIES);
    let requests = requests(generator.further(3, end_ms), entries);

    // What making the rules was recorded with is evaluated before the clock runs.
    until_evaluated(service, service.size()?)?;
    let fired_before = firings(service)?;
    let before = process::cpu(service.pid())?;
    let begun = Instant::now();
    append(service, &requests)?;
    let appended = begun.elapsed().as_secs_f64();
    until_evaluated(service, service.size()?)?;
    let took = begun.elapsed().as_secs_f64();
    let cpu = process::cpu(service.pid())?.since(before).total();
    let fired = firings(service)? - fired_before;
    let mut add = |key: &str, what: &str, value: f64, unit| {
        results.add(System::Reeve, key, what, value, unit, HOW)
    };

    add(
        "alerts.rate",
        &format!("alerts: {RULES} rules, entries appended and evaluated"),
        entries as f64 / took,
        "entries/s",
    );

    add(
        "alerts.behind",
        "until the last entry was evaluated after it was acknowledged",
        took - appended,
        "s",
    );

    add(
        "alerts.cpu",
        "processor time of the service an entry, appending included",
        cpu * 1e6 / entries as f64,
        "us",
    );

    add(
        "alerts.rules",
        "making rules over the interface",
        RULES as f64 / making,
        "rules/s",
    );

    results.note(format!("alerts: {fired} firings of {entries} entries"));
    Ok(())
}

fn make_rules(service: &Service, generator: &Generator) -> Result<()> {
    let mut random = Random::new(SEED ^ 0xa1e7);
    let mut connection = Connection::open(service.address)?;
    let ready = existing_rules(service)?;

    for number in ready..RULES {
        let rule = json!({
            "name": format!("Bench {number}"),
            "condition": condition(number, generator, &mut random),
            "threshold": { "count": 3 + number % 40, "window": "10m" },
            "group_by": if number.is_multiple_of(2) { "user" } else { "actor.ip_address" },
            "severity": "medium",
        });
        let request = wire::request(
            "POST",
            "/api/v1/audit-logs/alerts",
            TOKEN,
            "application/json",
            rule.to_string().as_bytes(),
        );
        let (head, body) = connection.send(&request)?;
        if head.status != 201 {
            bail!(
                "rule {number} was answered {}: {}",
                head.status,
                String::from_utf8_lossy(body)
            );
        }
    }

    Ok(())
}

fn condition(number: usize, generator: &Generator, random: &mut Random) -> String {
    let world = generator.world();
    let user = &world.users[random.below(world.users.len())];
    let resource = &world.resources[random.below(world.resources.len())];
    let event_type = crate::generate::event_type(random);

    match number % 10 {
        0 | 1 => format!("user:{:?} AND status:(failed OR denied)", user.id),
        2 | 3 => format!("resource:{:?} AND event_type:{event_type}", resource.id),
        4 => format!(
            "event_type:{event_type} AND status:failed AND account:{:?} AND resource.region:{}",
            resource.account, resource.region
        ),
        5 => format!(
            "actor.ip_address:{}.* AND event_type:{event_type} AND status:denied",
            user.network
        ),
        6 => format!(
            "resource.type:{} AND account:{:?} AND user:{:?}",
            resource.kind, resource.account, user.id
        ),
        7 => format!(
            "event_type:{event_type} AND resource.region:{} AND user:{:?}",
            resource.region, user.id
        ),
        8 => format!("resource:{:?} AND NOT status:success", resource.id),
        _ if number % 500 == 9 => {
            format!("NOT event_type:resource.* AND NOT status:success OR zq{number}")
        }
        _ => format!("user:{:?} AND resource.type:{}", user.id, resource.kind),
    }
}

fn requests(mut generator: Generator, entries: u64) -> Vec<Vec<u8>> {
    let (mut requests, mut made, mut body) = (Vec::new(), 0, Vec::new());
    while made < entries {
        body.clear();
        let count = BATCH.min(entries - made);
        for _ in 0..count {
            generator.push(&mut body);
            body.push(b'\n');
        }
        requests.push(wire::request(
            "POST",
            "/api/v1/audit-logs",
            TOKEN,
            "application/x-ndjson",
            &body,
        ));
        made += count;
    }

    requests
}

fn append(service: &Service, requests: &[Vec<u8>]) -> Result<()> {
    let next = AtomicUsize::new(0);
    let one = || -> Result<()> {
        let mut connection = Connection::open(service.address)?;
        while let Some(request) = requests.get(next.fetch_add(1, Ordering::Relaxed)) {
            loop {
                let (head, body) = connection.send(request)?;
                match head.status {
                    201 => break,
                    429 | 503 => process::pause(Duration::from_secs(head.retry_after.unwrap_or(1))),
                    status => bail!("answered {status}: {}", String::from_utf8_lossy(body)),
                }
            }
        }
        Ok(())
    };

    std::thread::scope(|scope| {
        let connections: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(one)).collect();
        connections.into_iter().try_for_each(|connection| {
            connection
                .join()
                .map_err(|_| anyhow::anyhow!("a connection's thread panicked"))
                .flatten()
        })
    })
}

/// Waits until the entries before a position are evaluated.
fn until_evaluated(service: &Service, position: u64) -> Result<()> {
    let begun = Instant::now();
    loop {
        let metrics = service.get("/metrics")?;
        let evaluated = number_after(&metrics, "\nreeve_alerts_evaluated_entries ")
            .context("no such metric")?;
        if evaluated >= position {
            return Ok(());
        }
        if begun.elapsed() > PATIENCE {
            bail!("{evaluated} of {position} entries were evaluated within {PATIENCE:?}");
        }
        process::pause(Duration::from_millis(20));
    }
}

/// Returns the number of rules that the service has.
fn existing_rules(service: &Service) -> Result<usize> {
    let answer = service.get("/api/v1/audit-logs/alerts?limit=1")?;
    let total = number_after(&answer, "\"total\":").context("a list without a total")?;
    Ok(usize::try_from(total)?)
}

fn firings(service: &Service) -> Result<u64> {
    let answer = service.get("/api/v1/audit-logs/alerts/firings?limit=1")?;
    number_after(&answer, "\"total\":").context("a list without a total")
}
