//! Measures the answers to notices about spot capacity of a large estate, over the whole service.
//!
//! `cargo bench -p reeve-bench --bench notices -- [MACHINES] [STORM] [SECONDS]` (10,000, 1,000 and
//! 120): a stream of one notice a second for so many seconds, then a storm of notices at once. The
//! service is the program `$REEVE_BIN`, in a process of its own, over SQLite in a temporary folder;
//! the cloud is the strict account of the testkit, which throttles launches as EC2 does.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark answers on standard output"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::Api;
use reeve_testkit::service::{EMULATORS, Service};
use reeve_testkit::spot_cloud::{REGION, SpotCloud, SpotCloudSize};
use serde_json::{Value, json};

/// Time between a notice and the end of its machine.
const NOTICE: Duration = Duration::from_secs(120);
/// Time after which a part is not waited for any longer.
const PATIENCE: Duration = Duration::from_secs(900);
/// Target groups of the machines.
const TARGET_GROUPS: usize = 20;

#[tokio::main]
async fn main() -> Result<()> {
    let given: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
        .collect();
    let size = |at: usize, default: usize| given.get(at).copied().unwrap_or(default);
    let (machines, storm, seconds) = (size(0, 10_000), size(1, 1_000), size(2, 120));
    ensure!(machines >= storm + seconds, "fewer machines than notices");

    let home = tempfile::tempdir()?;
    let cloud = SpotCloud::serve(SpotCloudSize {
        machines,
        target_groups: TARGET_GROUPS,
        // What EC2 gives an account at first: a bucket of launches of single machines.
        launches: (1_000.0, 5.0),
        starts_in: Duration::from_secs(10),
    })
    .await?;
    let service = Service::serve(&home.path().join("data"), &[EMULATORS])?;
    let admin = service.admin();

    let begun = Instant::now();
    let connection = connect(&admin, &cloud).await?;
    println!(
        "{machines} machines, {TARGET_GROUPS} target groups; first sync {:.1} s",
        begun.elapsed().as_secs_f64()
    );
    agent(&admin).await?;
    let queue = json!({ "queue_url": cloud.queue() });
    let path = format!("connections/{connection}/spot-notices");
    let _ = admin.put(&path, queue).await.expect(200);

    let mut sent = BTreeMap::new();
    let mut beat = tokio::time::interval(Duration::from_secs(1));
    for number in 0..seconds {
        beat.tick().await;
        sent.insert(SpotCloud::machine(number), Instant::now());
        cloud.interrupt([number]);
    }
    answered(&admin, &cloud, &sent).await?;
    told(
        &format!("one notice a second for {seconds} s"),
        &admin,
        &cloud,
        &sent,
    )
    .await?;

    let now = Instant::now();
    let of_storm: BTreeMap<String, Instant> = (seconds..seconds + storm)
        .map(|number| (SpotCloud::machine(number), now))
        .collect();
    cloud.interrupt(seconds..seconds + storm);
    answered(&admin, &cloud, &of_storm).await?;
    told(
        &format!("{storm} notices at once"),
        &admin,
        &cloud,
        &of_storm,
    )
    .await?;

    let (calls, throttled) = cloud.calls();
    println!("calls of the cloud: {calls:?}; {throttled} launches throttled");
    Ok(())
}

async fn connect(admin: &Api, cloud: &SpotCloud) -> Result<String> {
    let account = json!({
        "name": "estate", "provider": "aws", "regions": [REGION], "endpoint": cloud.endpoint(), "allow_actions": true,
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG" },
    });
    let made = admin.post("connections", account).await.expect(201);
    let path = format!("connections/{}", made.text_at("/id"));
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let now = admin.get(&path).await.expect(200).body;
        if now["status"] == "ready" && now["last_sync"].is_object() {
            return Ok(made.text_at("/id"));
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    anyhow::bail!("the first sync did not end")
}

/// An agent whose lane has room for every machine.
async fn agent(admin: &Api) -> Result<()> {
    let agent = json!({
        "agent_type": "spot_optimizer", "name": "Spot", "mode": "active", "reason": "a measurement",
        "confidence_threshold": "70%", "auto_apply": { "enabled": true, "max_impact": "low" },
        "settings": { "emergency": { "share_of_group": "100%", "acts_per_hour": 10_000 } },
    });
    let made = admin.post("intelligence/agents", agent).await.expect(201);
    let until = (Timestamp::now() + SignedDuration::from_hours(24)).to_string();
    let approval = json!({ "rule": "auto_fallback", "until": until, "reason": "two minutes" });
    let path = format!(
        "intelligence/agents/{}/standing-approvals",
        made.text_at("/id")
    );
    let _ = admin.post(&path, approval).await.expect(201);
    Ok(())
}

/// Recommendations of the notices by their machine.
async fn findings(admin: &Api) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let mut cursor = String::new();
    loop {
        let path = format!("intelligence/recommendations?type=spot_instances&limit=100{cursor}");
        let page = admin.get(&path).await.expect(200);
        for one in page.items() {
            let machine = one["resource"]["id"].as_str().unwrap_or_default();
            found.insert(machine.to_owned(), one.clone());
        }
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

/// Waits until each machine has a successor that serves, or its finding says why it has none.
async fn answered(admin: &Api, cloud: &SpotCloud, sent: &BTreeMap<String, Instant>) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let launches = cloud.launches();
        let serving = launches
            .iter()
            .filter(|one| sent.contains_key(&one.replaces))
            .filter(|one| cloud.served_at(&one.successor).is_some())
            .count();
        if serving >= sent.len() {
            return Ok(());
        }
        if begun.elapsed() > NOTICE {
            let found = findings(admin).await;
            let explained = sent.keys().filter(|machine| {
                let one = found.get(*machine);
                one.is_some_and(|one| {
                    one["blocked"].is_string() || one["status_reason"].is_string()
                })
            });
            if serving + explained.count() >= sent.len() {
                return Ok(());
            }
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    Ok(())
}

/// Prints how long the answers took, and the reasons of those that were none.
async fn told(
    words: &str,
    admin: &Api,
    cloud: &SpotCloud,
    sent: &BTreeMap<String, Instant>,
) -> Result<()> {
    let mut launched: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    let mut served = Vec::new();
    for launch in cloud.launches() {
        let Some(at) = sent.get(&launch.replaces) else {
            continue;
        };
        let own = launched.entry(launch.replaces.clone()).or_default();
        own.push(launch.at.duration_since(*at));
        served.extend(
            cloud
                .served_at(&launch.successor)
                .map(|serves| serves.duration_since(*at)),
        );
    }
    let twice = launched.values().filter(|own| own.len() > 1).count();
    let mut first: Vec<Duration> = launched
        .values()
        .filter_map(|own| own.first().copied())
        .collect();
    let in_time = served.iter().filter(|lasts| **lasts <= NOTICE).count();
    println!(
        "{words}: {} of {} launched, {twice} twice; {} serve, {in_time} within two minutes",
        launched.len(),
        sent.len(),
        served.len()
    );
    for (what, times) in [("launched", &mut first), ("serving", &mut served)] {
        times.sort_unstable();
        let at = |share: f64| {
            let place = ((times.len().max(1) - 1) as f64 * share) as usize;
            times.get(place).map_or(0.0, Duration::as_secs_f64)
        };
        println!(
            "  {what}: median {:.1} s, 99 of 100 within {:.1} s, last {:.1} s",
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }

    let found = findings(admin).await;
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for machine in sent
        .keys()
        .filter(|machine| !launched.contains_key(*machine))
    {
        let one = found.get(machine).unwrap_or(&Value::Null);
        let reason = one["blocked"].as_str().or(one["status_reason"].as_str());
        let words = reason.map_or_else(
            || format!("status {}", one["status"]),
            |text| text.to_owned(),
        );
        *reasons
            .entry(words.chars().take(100).collect())
            .or_default() += 1;
    }
    for (reason, count) in reasons {
        println!("  not launched, {count}: {reason}");
    }
    Ok(())
}
