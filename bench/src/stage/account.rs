//! Syncs of one account with very many volumes: the first, one without differences, and one with a
//! thousand.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::append::gib;
use super::reports::post;
use crate::account::{Account, REGION};
use crate::process::{self, Watch};
use crate::results::{Results, System};
use crate::service::Service;

/// Longest wait for one sync.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// Volumes whose tag differs in the third sync.
const CHANGED: u64 = 1_000;

/// Measures syncs of an account with so many volumes.
pub(crate) fn run(programs: &Path, dir: &Path, volumes: u64, results: &mut Results) -> Result<()> {
    let data = dir.join("account");
    let _ = std::fs::remove_dir_all(&data);
    std::fs::create_dir_all(&data)?;
    let account = Account::serve(volumes)?;
    let service = Service::start(
        programs,
        &data,
        &[("REEVE_OUTBOUND", r#"{ allow = ["127.0.0.0/8"] }"#)],
    )?;
    let before = process::memory(service.pid())?.resident;
    let connection = json!({
        "name": "large", "provider": "aws", "regions": [REGION], "endpoint": format!("http://{}", account.address),
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG" },
    });
    let connection = post(&service, "/api/v1/connections", &connection)?;
    let id = connection["id"]
        .as_str()
        .context("a connection without an identifier")?
        .to_owned();
    let path = format!("/api/v1/connections/{id}");
    let mut last = String::new();

    for (key, what) in [
        ("first", "the first sync"),
        ("unchanged", "a sync without differences"),
        ("changed", "a sync in which 1,000 volumes differ"),
    ] {
        if key == "changed" {
            account.change(CHANGED.min(volumes));
        }
        let watch = Watch::start(service.pid(), Duration::from_millis(50));
        let begun = Instant::now();
        if key != "first" {
            post(&service, &format!("{path}/sync"), &json!({}))?;
        }
        last = synced(&service, &path, &last)?;
        let took = begun.elapsed().as_secs_f64();
        let peak = watch
            .seen()
            .iter()
            .map(|(_, memory)| memory.resident)
            .max()
            .unwrap_or_default();
        let how = format!(
            "{volumes} volumes of one region, {} pages so far; resident before the first sync {:.2} GiB",
            account.pages(),
            gib(before)
        );
        let mut add = |figure: &str, what: String, value: f64, unit| {
            results.add(
                System::Reeve,
                &format!("account.{key}.{figure}"),
                &what,
                value,
                unit,
                &how,
            );
        };
        add("time", format!("large account: {what}"), took, "s");
        add(
            "memory",
            format!("large account: {what}, peak resident memory"),
            gib(peak),
            "GiB",
        );
    }

    service.stop()?;
    let _ = std::fs::remove_dir_all(&data);
    Ok(())
}

/// Waits for the end of a sync after the one that ended at `last`; the time of its end.
fn synced(service: &Service, path: &str, last: &str) -> Result<String> {
    let begun = Instant::now();
    loop {
        let connection: Value = serde_json::from_slice(&service.get(path)?)?;
        let ended = connection["last_sync"]["finished_at"]
            .as_str()
            .unwrap_or_default();
        if !ended.is_empty() && ended != last {
            return Ok(ended.to_owned());
        }
        if begun.elapsed() > PATIENCE {
            bail!("no sync ended within {PATIENCE:?}: {connection}");
        }
        process::pause(Duration::from_millis(50));
    }
}
