//! Searching and counting over everything that was stored: pages of 50 with their exact total, and
//! counts by value.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::bodies::Bodies;
use crate::generate::{GAP_MS, Generator, Random, SEED, START_MS};
use crate::latency::Latencies;
use crate::questions::{Asker, KINDS, Kind, Question};
use crate::results::{Results, System, say};
use crate::service::{Service, TOKEN};
use crate::wire::{self, Connection, number_after};

/// A kind is left when its questions have taken this long together, and twenty were asked.
const ENOUGH: Duration = Duration::from_secs(30);

/// Fields to count by.
pub(crate) const COUNTED: [(&str, &str); 3] = [
    ("event_type", "event type"),
    ("user", "user"),
    ("hour", "hour"),
];

/// Totals by kind, in the order of the questions.
pub(crate) type Totals = Vec<(&'static str, Vec<u64>)>;

/// The questions of a run are the same for both systems.
pub(crate) fn random_of(kind: &Kind) -> Random {
    Random::new(
        SEED ^ kind
            .key
            .bytes()
            .fold(0, |hash, byte| hash * 31 + u64::from(byte)),
    )
}

/// Writes the questions of a run over so many entries, kind and query a line. Those about
/// identifiers need the entries themselves and are left out.
pub(crate) fn print(queries: u64, entries: u64) -> Result<()> {
    let generator = Generator::new(SEED);
    let end_ms = START_MS + (entries as f64 * GAP_MS) as i64;
    let mut out = String::new();

    for kind in KINDS.iter().filter(|kind| kind.key != "event") {
        let mut asker = Asker {
            world: generator.world(),
            ids: &[],
            end_ms,
            random: random_of(kind),
        };
        for _ in 0..queries {
            out.push_str(&format!("{}\t{}\n", kind.key, asker.ask(kind.key).query));
        }
    }

    Ok(std::io::stdout().write_all(out.as_bytes())?)
}

/// Asks `queries` questions of each kind; gives the totals that were answered.
pub(crate) fn search(
    service: &Service,
    generator: &Generator,
    bodies: &Bodies,
    queries: usize,
    results: &mut Results,
) -> Result<Totals> {
    let mut connection = Connection::open(service.address)?;
    let mut totals = Vec::new();

    for kind in &KINDS {
        let mut asker = Asker {
            world: generator.world(),
            ids: &bodies.ids,
            end_ms: bodies.end_ms,
            random: random_of(kind),
        };
        let (mut times, mut answered, mut first) = (Latencies::default(), Vec::new(), None);
        let all = Instant::now();
        for number in 0..queries {
            if number >= 20 && all.elapsed() > ENOUGH {
                break;
            }
            let (took, total) = asked(&mut connection, &asker.ask(kind.key))?;
            first.get_or_insert(took);
            times.push(took);
            answered.push(total);
        }
        let hits = answered.iter().filter(|&&total| total > 0).count();
        let largest = answered.iter().max().copied().unwrap_or_default();
        let how = format!(
            "page of 50 with exact total, over HTTP, {} questions, {hits} of them with hits, at most {largest}; the first took {:.1} ms; each is itself recorded in the log, with fdatasync",
            answered.len(),
            first.unwrap_or_default().as_secs_f64() * 1e3
        );
        report(
            results,
            System::Reeve,
            &format!("search.{}", kind.key),
            &format!("search: {}", kind.what),
            &times,
            &how,
        );
        totals.push((kind.key, answered));
    }

    Ok(totals)
}

/// Asks one question of each kind, right after a start with nothing in the page cache.
pub(crate) fn cold(
    service: &Service,
    generator: &Generator,
    bodies: &Bodies,
    results: &mut Results,
) -> Result<()> {
    let mut connection = Connection::open(service.address)?;
    let mut timings = Vec::new();

    for kind in &KINDS {
        let random = Random::new(SEED);
        let mut asker = Asker {
            world: generator.world(),
            ids: &bodies.ids,
            end_ms: bodies.end_ms,
            random,
        };
        let (took, _) = asked(&mut connection, &asker.ask(kind.key))?;
        timings.push(format!("{} {:.0} ms", kind.what, took.as_secs_f64() * 1e3));
    }

    results.note(format!(
        "search, the first questions after a start with nothing in the page cache, in this order: {}",
        timings.join(", ")
    ));
    Ok(())
}

fn asked(connection: &mut Connection, question: &Question) -> Result<(Duration, u64)> {
    let body = serde_json::json!({"query": question.query, "limit": 50}).to_string();
    let begun = Instant::now();
    let total = total_of(connection, &body).with_context(|| question.query.clone())?;
    Ok((begun.elapsed(), total))
}

/// Adds p50, p99 and the longest.
pub(crate) fn report(
    results: &mut Results,
    system: System,
    key: &str,
    what: &str,
    times: &Latencies,
    how: &str,
) {
    results.add(
        system,
        &format!("{key}.p50"),
        &format!("{what}, p50"),
        times.quantile(0.5),
        "ms",
        how,
    );

    results.add(
        system,
        &format!("{key}.p99"),
        &format!("{what}, p99"),
        times.quantile(0.99),
        "ms",
        "",
    );

    results.add(
        system,
        &format!("{key}.max"),
        &format!("{what}, longest"),
        times.max(),
        "ms",
        "",
    );
}

fn total_of(connection: &mut Connection, body: &str) -> Result<u64> {
    let request = wire::request(
        "POST",
        "/api/v1/audit-logs/search",
        TOKEN,
        "application/json",
        body.as_bytes(),
    );
    let (head, answer) = connection.send(&request)?;

    if head.status != 200 {
        bail!(
            "answered {}: {}",
            head.status,
            String::from_utf8_lossy(answer)
        );
    }

    // The page's own `total` comes after its items, whose open members may have one too.
    let at = memchr::memmem::rfind(answer, b"\"total\":").context("an answer without a total")?;
    number_after(&answer[at..], "\"total\":").context("an answer without a total")
}

/// Counts everything by event type, user and hour, `rounds` times each.
pub(crate) fn counts(service: &Service, rounds: usize, results: &mut Results) -> Result<()> {
    let mut connection = Connection::open(service.address)?;
    for (field, what) in COUNTED {
        let body =
            serde_json::json!({"query": "", "limit": 1, "aggregations": [field]}).to_string();
        let (mut times, mut total) = (Latencies::default(), 0);
        for _ in 0..rounds {
            let begun = Instant::now();
            total = total_of(&mut connection, &body)?;
            times.push(begun.elapsed());
        }
        let how = format!("over all {total} entries, over HTTP, {rounds} times");
        report(
            results,
            System::Reeve,
            &format!("counts.{field}"),
            &format!("counts by {what}"),
            &times,
            &how,
        );
    }

    say("");
    Ok(())
}
