//! The plan of a run: which stages, over how many entries, where; and what happens when one fails.
//!
//! A stage that fails is told in the results, and those that do not need it go on. Results are
//! written after each stage.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::bodies::Bodies;
use crate::estate::Size;
use crate::generate::{Generator, SEED};
use crate::results::{Results, say};
use crate::service::{Service, TOKEN};
use crate::stage::ask::Totals;
use crate::{machine, peer, stage, yardstick};

/// Text that explains stages and variables.
pub(crate) const USAGE: &str = "
stages: append search counts reports exports single alerts disk verify restart postgres estate account (all by default; append always
  runs, except for estate and account alone)
variables: ENTRIES (10000000), PG_ENTRIES (as ENTRIES), PG_SECONDS (480: appending to PostgreSQL ends then), QUERIES (200 a kind),
  SINGLE_SECONDS (10), RESOURCES (100000) and RECOMMENDATIONS (1000000) of the stage estate,
  VOLUMES (285000) of the stage account, BENCH_DIR (target/bench; put it on the disk that is meant), BENCH_PROGRAMS (where reeve and reeve-verify are),
  KEEP=1 (leave the data where it is)";

const STAGES: [&str; 13] = [
    "append", "search", "counts", "reports", "exports", "single", "alerts", "disk", "verify",
    "restart", "postgres", "estate", "account",
];

struct Plan {
    stages: Vec<&'static str>,
    entries: u64,
    pg_entries: u64,
    pg_seconds: u64,
    queries: usize,
    single_seconds: u64,
    estate: Size,
    volumes: u64,
    dir: PathBuf,
    programs: PathBuf,
    keep: bool,
}

impl Plan {
    fn new(stages: &[&str]) -> Result<Self> {
        let named = |name: &&str| {
            let known = STAGES.iter().find(|known| *known == name).copied();
            known.with_context(|| format!("there is no stage {name}{USAGE}"))
        };
        let given = stages.iter().map(named).collect::<Result<Vec<_>>>()?;

        let entries = setting("ENTRIES", 10_000_000)?;
        let beside = std::env::current_exe()?
            .parent()
            .map(Path::to_owned)
            .unwrap_or_default();
        Ok(Self {
            stages: if given.is_empty() {
                STAGES.to_vec()
            } else {
                given
            },
            entries,
            pg_entries: setting("PG_ENTRIES", entries)?,
            pg_seconds: setting("PG_SECONDS", 480)?,
            queries: setting("QUERIES", 200)? as usize,
            single_seconds: setting("SINGLE_SECONDS", 10)?,
            estate: Size {
                resources: setting("RESOURCES", 100_000)?,
                recommendations: setting("RECOMMENDATIONS", 1_000_000)?,
            },
            volumes: setting("VOLUMES", 285_000)?,
            dir: std::env::var_os("BENCH_DIR")
                .map_or_else(|| PathBuf::from("target/bench"), PathBuf::from),
            programs: std::env::var_os("BENCH_PROGRAMS").map_or(beside, PathBuf::from),
            keep: setting("KEEP", 0)? != 0,
        })
    }

    fn has(&self, stage: &str) -> bool {
        self.stages.contains(&stage)
    }

    fn data(&self) -> PathBuf {
        self.dir.join("data")
    }
}

fn setting(name: &str, default: u64) -> Result<u64> {
    std::env::var(name).map_or(Ok(default), |text| {
        text.replace('_', "")
            .parse()
            .with_context(|| format!("{name}={text} is not a number"))
    })
}

/// A run: what is there and what was measured.
struct Run {
    plan: Plan,
    results: Results,
    generator: Generator,
    begun: Instant,
}

/// Runs the stages that are named, or all of them.
pub(crate) fn run(stages: &[&str]) -> Result<()> {
    let plan = Plan::new(stages)?;
    std::fs::create_dir_all(&plan.dir)?;

    for program in ["reeve", "reeve-verify"] {
        if !plan.programs.join(program).is_file() {
            bail!(
                "no {program} in {} (set BENCH_PROGRAMS)",
                plan.programs.display()
            );
        }
    }

    let facts = machine::facts(&plan.dir)?;
    for (name, value) in &facts {
        say(&format!("{name}: {value}"));
    }

    let results = Results::new(&plan.dir, facts);
    let mut run = Run {
        plan,
        results,
        generator: Generator::new(SEED),
        begun: Instant::now(),
    };
    let outcome = run.all();

    let _ = std::fs::remove_file(run.plan.dir.join("requests"));
    if !run.plan.keep {
        let _ = std::fs::remove_dir_all(run.plan.data());
    }

    if let Err(error) = outcome {
        run.results
            .failures
            .push(("append".into(), format!("{error:#}")));
    }

    run.results.facts.push((
        "whole run".into(),
        format!("{:.0} s", run.begun.elapsed().as_secs_f64()),
    ));
    run.results.save()?;
    say(&format!("\n{}", run.results.markdown()));
    say(&format!(
        "Written to {0}/results.md and {0}/results.json",
        run.plan.dir.display()
    ));

    match run.results.failures.as_slice() {
        [] => Ok(()),
        failed => bail!("{} stages failed", failed.len()),
    }
}

impl Run {
    fn all(&mut self) -> Result<()> {
        if self
            .plan
            .stages
            .iter()
            .any(|stage| !["estate", "account"].contains(stage))
        {
            self.of_the_log()?;
        }

        self.stage("estate", |run| {
            let plan = &run.plan;
            stage::estate::run(
                &plan.programs,
                &plan.dir,
                plan.estate,
                plan.queries,
                &mut run.results,
            )
        });

        self.stage("account", |run| {
            let plan = &run.plan;
            stage::account::run(&plan.programs, &plan.dir, plan.volumes, &mut run.results)
        });
        Ok(())
    }

    fn of_the_log(&mut self) -> Result<()> {
        let (data, programs) = (self.plan.data(), self.plan.programs.clone());
        let _ = std::fs::remove_dir_all(&data);
        std::fs::create_dir_all(&data)?;
        let _ = std::fs::remove_file(data.with_extension("log"));
        say(&format!(
            "\nMaking the requests of {} entries",
            self.plan.entries
        ));
        let bodies = Bodies::write(&self.plan.dir, self.plan.entries)?;
        self.results
            .note(format!("{}, seed {SEED}", bodies.words()));
        let mut service = Some(Service::start(&programs, &data, &[])?);
        let mut totals = Totals::new();
        self.stage("append", |run| {
            stage::append::run(alive(&service)?, &data, &bodies, &mut run.results)
        });
        let _ = std::fs::remove_file(&bodies.path);
        self.stage("search", |run| {
            let (queries, generator) = (run.plan.queries, &run.generator);
            crate::service::until_settled(&run.plan.data());
            totals = stage::ask::search(
                alive(&service)?,
                generator,
                &bodies,
                queries,
                &mut run.results,
            )?;
            Ok(())
        });

        self.stage("counts", |run| {
            stage::ask::counts(
                alive(&service)?,
                (run.plan.queries / 4).max(5),
                &mut run.results,
            )
        });

        self.stage("reports", |run| {
            stage::reports::run(
                alive(&service)?,
                &programs,
                &data,
                &bodies,
                &mut run.results,
            )
        });

        self.stage("exports", |run| {
            stage::exports::run(
                alive(&service)?,
                &programs,
                &data,
                &bodies,
                &mut run.results,
            )
        });

        self.stage("single", |run| {
            let (seconds, generator) = (run.plan.single_seconds, &run.generator);
            stage::single::run(
                alive(&service)?,
                generator,
                bodies.end_ms,
                seconds,
                &mut run.results,
            )
        });

        self.stage("alerts", |run| {
            let (entries, generator) = (run.plan.entries, &run.generator);
            stage::alerts::run(
                alive(&service)?,
                generator,
                bodies.end_ms,
                entries,
                &mut run.results,
            )
        });

        self.stage("disk", |run| {
            if let Some(running) = service.take() {
                running.stop()?;
            }
            stage::disk::seal_all(&programs, &data)?;
            stage::disk::run(&data, bodies.mean_bytes(), &mut run.results)
        });

        self.stage("verify", |run| {
            if let Some(running) = service.take() {
                running.stop()?;
            }
            stage::verify::run(&programs, &data, &mut run.results)
        });

        self.stage("restart", |run| {
            drop(service.take());
            stage::restart::run(&programs, &data, &run.generator, &bodies, &mut run.results)?.stop()
        });
        drop(service.take());
        if self.plan.has("postgres") && !self.plan.keep {
            // Its disk and page cache are the peer's now.
            let _ = std::fs::remove_dir_all(&data);
        }

        self.stage("postgres", |run| {
            let task = peer::Task {
                dir: &run.plan.dir,
                entries: run.plan.pg_entries,
                seconds: run.plan.pg_seconds,
                queries: run.plan.queries,
                single_seconds: run.plan.single_seconds,
                bodies: &bodies,
                generator: &run.generator,
                totals: &totals,
            };
            peer::run(&task, &mut run.results)
        });

        Ok(())
    }

    /// Runs a stage if it is selected; a failure is recorded and reported.
    fn stage(&mut self, name: &str, work: impl FnOnce(&mut Self) -> Result<()>) {
        if name != "append" && !self.plan.has(name) {
            return;
        }

        let now = yardstick::measure();
        let speed = format!(
            "copies {:.1} GB/s, a fresh page {:.2} µs",
            now.copy_gb_s, now.page_us
        );
        say(&format!(
            "\n[{:.0} s] {name} (memory: {speed})",
            self.begun.elapsed().as_secs_f64()
        ));
        self.results
            .facts
            .push((format!("memory before `{name}`, one thread"), speed));

        if let Err(error) = work(self) {
            say(&format!("  FAILED: {error:#}"));
            self.results
                .failures
                .push((name.to_owned(), format!("{error:#}")));
        }

        if let Err(error) = self.results.save() {
            say(&format!("  the results could not be written: {error:#}"));
        }
    }
}

/// The service, where a stage before has not lost it.
fn alive(service: &Option<Service>) -> Result<&Service> {
    let service = service.as_ref().context("the service is not running")?;
    // A request that needs the token, so that a wrong one is told here.
    service
        .get("/api/v1/audit-logs?limit=1")
        .with_context(|| format!("the service does not answer to {TOKEN}"))?;
    Ok(service)
}
