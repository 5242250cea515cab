//! A large estate, on SQLite and on PostgreSQL: what pages and guardrails ask for over HTTP, and
//! one run of the cost optimizer over everything.
//!
//! Each kind of request is sent one after the other over a kept connection. Its guardrails are
//! asked by every request for an open recommendation: the answer says whether it may be executed.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::estate::{AGENT, Content, Size, fill, measure};
use crate::generate::{Random, SEED};
use crate::latency::Latencies;
use crate::peer::Server;
use crate::process;
use crate::results::{Results, System};
use crate::service::{Service, TOKEN};
use crate::wire::{self, Connection, number_after};

/// Longest wait for the answer of a run.
const RUN: Duration = Duration::from_secs(3_600);

/// Measures the estate on both databases.
pub(crate) fn run(
    programs: &Path,
    dir: &Path,
    size: Size,
    queries: usize,
    results: &mut Results,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let home = dir.join("estate");
    let _ = std::fs::remove_dir_all(&home);
    let sqlite = home.join("sqlite");
    let file = sqlite.join("state").join("reeve.db");
    std::fs::create_dir_all(file.parent().context("no folder")?)?;
    let file = file.canonicalize().unwrap_or(std::path::absolute(&file)?);
    let url = format!("sqlite://{}", file.display());
    let place = Place {
        programs,
        data: &sqlite,
        url: &url,
        size,
        queries,
    };
    place.measure("sqlite", "SQLite", &runtime, results)?;

    let _ = std::fs::remove_dir_all(&sqlite);
    let server = Server::start(dir)?;
    let postgres = home.join("postgresql");
    let url = server.url();
    let place = Place {
        programs,
        data: &postgres,
        url: &url,
        size,
        queries,
    };
    place.measure("postgresql", "PostgreSQL", &runtime, results)?;

    let _ = std::fs::remove_dir_all(&home);
    Ok(())
}

/// One estate on one database.
struct Place<'a> {
    programs: &'a Path,
    data: &'a Path,
    url: &'a str,
    size: Size,
    queries: usize,
}

impl Place<'_> {
    fn measure(
        &self,
        key: &str,
        name: &str,
        runtime: &tokio::runtime::Runtime,
        results: &mut Results,
    ) -> Result<()> {
        std::fs::create_dir_all(self.data.join("keys"))?;
        let begun = Instant::now();
        runtime.block_on(fill(self.url, self.data, self.size))?;
        let points = runtime.block_on(measure(self.data, self.size))?;
        results.note(format!(
            "estate on {name}: {} resources, {} recommendations of which {} are open, {points} points, put in within {:.0} s",
            self.size.resources,
            self.size.recommendations,
            self.size.open(),
            begun.elapsed().as_secs_f64()
        ));

        let service = Service::start(self.programs, self.data, &[("REEVE_STATE_URL", self.url)])?;
        self.pages(key, name, &service, results)?;
        self.agent_run(key, name, &service, results)?;

        service.stop()
    }

    /// Asks for each page; how long the answers took.
    fn pages(&self, key: &str, name: &str, service: &Service, results: &mut Results) -> Result<()> {
        let mut connection = Connection::open(service.address)?;
        for page in &PAGES {
            let mut random = Random::new(
                SEED ^ page
                    .key
                    .bytes()
                    .fold(0, |hash, byte| hash * 31 + u64::from(byte)),
            );
            let (mut times, mut first) = (Latencies::default(), None);
            for _ in 0..self.queries {
                let path = (page.path)(&mut random, self.size);
                let request = wire::request("GET", &path, TOKEN, "application/json", b"");
                let begun = Instant::now();
                let (head, body) = connection.send(&request)?;
                let took = begun.elapsed();
                if head.status != 200 {
                    bail!("{path}: {} {}", head.status, String::from_utf8_lossy(body));
                }
                first.get_or_insert(took);
                times.push(took);
            }
            let how = format!(
                "{} requests over HTTP, one after the other; the first took {:.1} ms, the longest {:.1} ms",
                times.count(),
                first.unwrap_or_default().as_secs_f64() * 1e3,
                times.max()
            );
            for (share, quantile) in [(0.5, "p50"), (0.99, "p99")] {
                let figure = format!("estate.{key}.{}.{quantile}", page.key);
                let what = format!("estate on {name}: {}, {quantile}", page.what);
                results.add(
                    System::Reeve,
                    &figure,
                    &what,
                    times.quantile(share),
                    "ms",
                    &how,
                );
            }
        }

        Ok(())
    }

    fn agent_run(
        &self,
        key: &str,
        name: &str,
        service: &Service,
        results: &mut Results,
    ) -> Result<()> {
        let before = process::memory(service.pid())?;
        let path = format!("/api/v1/intelligence/agents/{AGENT}/run");
        let request = wire::request("POST", &path, TOKEN, "application/json", b"{}");
        let mut connection = Connection::open_for(service.address, RUN)?;
        let begun = Instant::now();
        let (head, body) = connection.send(&request)?;
        let took = begun.elapsed();
        if head.status != 200 {
            bail!("{path}: {} {}", head.status, String::from_utf8_lossy(body));
        }

        let seen = number_after(body, "\"resources_seen\":").context("a run without resources")?;
        let found = number_after(body, "\"recommendations\":").unwrap_or_default();
        let memory = process::memory(service.pid())?;
        let how = format!(
            "{seen} resources seen, {found} recommendations found or found again, over HTTP"
        );
        let mut add = |figure: &str, what: &str, value: f64, unit| {
            let (figure, what) = (
                format!("estate.{key}.{figure}"),
                format!("estate on {name}: {what}"),
            );
            results.add(System::Reeve, &figure, &what, value, unit, &how);
        };

        add(
            "run",
            "one run of the cost optimizer over everything",
            took.as_secs_f64(),
            "s",
        );

        let gib = |bytes: u64| bytes as f64 / (1_u64 << 30) as f64;
        add(
            "run.memory",
            "memory of the service, peak resident",
            gib(memory.peak),
            "GiB",
        );

        add(
            "run.memory.before",
            "memory before the run, peak resident",
            gib(before.peak),
            "GiB",
        );

        Ok(())
    }
}

/// A page, or what one asks for.
struct Page {
    key: &'static str,
    what: &'static str,
    path: fn(&mut Random, Size) -> String,
}

const PAGES: [Page; 10] = [
    Page {
        key: "dashboard",
        what: "dashboard",
        path: |_, _| "/api/v1/intelligence/dashboard".to_owned(),
    },
    Page {
        key: "list",
        what: "list of recommendations, a page of 50 of all",
        path: |random, _| {
            format!(
                "/api/v1/intelligence/recommendations?limit=50&offset={}",
                random.below(20) * 50
            )
        },
    },
    Page {
        key: "open",
        what: "list of open recommendations, a page of 50",
        path: |random, _| {
            let status = "open,pending_approval,approved,scheduled,snoozed";
            format!(
                "/api/v1/intelligence/recommendations?limit=50&status={status}&offset={}",
                random.below(20) * 50
            )
        },
    },
    Page {
        key: "ended",
        what: "list of dismissed recommendations of one type, a page of 50",
        path: |random, _| {
            let kind =
                ["right_size", "idle_resource_cleanup", "reserved_instances"][random.below(3)];
            format!("/api/v1/intelligence/recommendations?limit=50&status=dismissed&type={kind}")
        },
    },
    Page {
        key: "detail",
        what: "an open recommendation, with the guardrails' decision",
        path: |random, size| {
            let id = Content::recommendation_id(random.below(size.open() as usize) as u64);
            format!("/api/v1/intelligence/recommendations/{}", id.0)
        },
    },
    Page {
        key: "guardrail",
        what: "guardrail check of an open recommendation, with the reasons against it",
        path: |random, size| {
            let id = Content::recommendation_id(random.below(size.open() as usize) as u64);
            format!("/api/v1/intelligence/recommendations/{}/diagnosis", id.0)
        },
    },
    Page {
        key: "guardrails",
        what: "use of the guardrails",
        path: |_, _| "/api/v1/intelligence/guardrails/status".to_owned(),
    },
    Page {
        key: "resources",
        what: "list of resources, a page of 50",
        path: |random, _| {
            format!(
                "/api/v1/resources?limit=50&offset={}",
                random.below(100) * 50
            )
        },
    },
    Page {
        key: "actions",
        what: "list of actions, a page of 50",
        path: |random, _| {
            format!(
                "/api/v1/intelligence/actions?limit=50&offset={}",
                random.below(20) * 50
            )
        },
    },
    Page {
        key: "costs",
        what: "cost of the estate",
        path: |_, _| "/api/v1/costs".to_owned(),
    },
];
