//! Every change that is data, made and taken back on moto: the call is sent, the description shows
//! what the row says, and the way back leads to what was there before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use reeve_connect_aws::AwsConnection;
use reeve_estate::{
    Act, Described, DescriptionReading, DescriptionSink, Observe, Provider, Resource, StoreError,
};
use reeve_recommend::change::{
    Change, ConfigurationChange, ConfigurationRow, Goal, Reversal, Task, Work,
};
use reeve_testkit::moto::Moto;
use serde::Deserialize;
use serde_json::Value;
use tokio::process::Command;

use crate::{connection, open};

const REGION: &str = "us-east-1";
/// Region in which the seed makes nothing, for changes of what a region lacks.
const BARE_REGION: &str = "eu-west-1";
/// Changes that moto 5.2.5 cannot take or does not show, with the reason. Their calls follow the API
/// references of their services, and their samples are tested.
const LACKING: &[(&str, &str)] = &[
    (
        "collect_group_metrics",
        "it records no metric where none is named, and has no DisableMetricsCollection",
    ),
    ("create_access_analyzer", "it has no Access Analyzer"),
    (
        "enable_cache_minor_upgrades",
        "it ignores AutoMinorVersionUpgrade",
    ),
    (
        "enable_cluster_iam_authentication",
        "it sets a member that it does not show",
    ),
    (
        "enable_container_insights",
        "it has no UpdateClusterSettings",
    ),
    (
        "enable_database_cluster_logs",
        "it ignores CloudwatchLogsExportConfiguration",
    ),
    ("enable_detailed_monitoring", "it has no MonitorInstances"),
    ("enable_file_system_backups", "it has no PutBackupPolicy"),
    ("enable_function_tracing", "it ignores TracingConfig"),
    (
        "encrypt_table",
        "it ignores the SSESpecification of UpdateTable",
    ),
    (
        "find_unusual_activity",
        "it never shows HasInsightSelectors",
    ),
    ("limit_machine_lifetime", "it ignores MaxInstanceLifetime"),
    (
        "make_build_project_private",
        "it has no UpdateProjectVisibility",
    ),
    (
        "protect_group_from_deletion",
        "it ignores DeletionProtection",
    ),
    (
        "protect_image_from_deregistration",
        "it has no EnableImageDeregistrationProtection",
    ),
    (
        "protect_kubernetes_cluster_from_deletion",
        "it ignores deletionProtection",
    ),
    (
        "protect_log_group_from_deletion",
        "it has no PutLogGroupDeletionProtection",
    ),
    (
        "rebalance_group_capacity",
        "its UpdateAutoScalingGroup ignores CapacityRebalance",
    ),
    ("require_imdsv2_of_image", "it ignores ImdsSupport"),
    (
        "scan_images_on_push",
        "it shows the scanning rules of the registry alone",
    ),
    (
        "sign_topic_with_sha256",
        "it does not show SignatureVersion",
    ),
];

/// More calls than any way back has.
const MOST_CALLS_BACK: usize = 5;

/// Resource that the seed made for a change.
#[derive(Deserialize)]
struct Seeded {
    #[serde(default)]
    id: String,
    #[serde(default)]
    with: BTreeMap<String, Value>,
    error: Option<String>,
}

#[derive(Default)]
struct Kept(Mutex<Vec<Described>>);

#[async_trait::async_trait]
impl DescriptionSink for Kept {
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError> {
        self.0.lock().extend(page);
        Ok(())
    }

    async fn end(&self, _: DescriptionReading) -> Result<(), StoreError> {
        Ok(())
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The rows as the files have them now.
fn rows() -> Vec<&'static ConfigurationRow> {
    let files = std::fs::read_dir(folder("../../recommend/catalogue/changes/aws")).unwrap();
    let mut rows = Vec::new();
    for file in files {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let found = ConfigurationRow::read(Provider::Aws, &path.display().to_string(), &text);
        let found: &'static [ConfigurationRow] = found.unwrap().leak();
        rows.extend(found);
    }
    rows
}

async fn seeded(moto: &Moto, wanted: &[String]) -> BTreeMap<String, Seeded> {
    let python = std::env::var_os("REEVE_TEST_PYTHON").filter(|path| !path.is_empty());
    let made = Command::new(python.unwrap_or_else(|| "python3".into()))
        .arg(folder("tests/it/changes/seed.py"))
        .args([moto.endpoint(), REGION])
        .args(wanted)
        .output()
        .await
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    serde_json::from_slice(&made.stdout).unwrap()
}

fn goal(task: &Task) -> &dyn Goal {
    match &task.work {
        Work::Change(goal) => &**goal,
        other => panic!("{other:?} changes nothing"),
    }
}

/// Requests a goal until it is reached, as an execution does; returns the resource then.
async fn reach(aws: &AwsConnection, resource: &Resource, task: &Task) -> Result<Resource, String> {
    let goal = goal(task);
    let mut last = String::new();
    for _ in 0..3 {
        let seen = aws.observe_configuration(resource).await;
        let seen = seen.map_err(|error| error.message)?.resource;
        if goal.is_reached(&seen) {
            return Ok(seen);
        }
        last = task.difference(&seen).unwrap_or_default();
        let asked = aws.apply(resource, &*goal.operation(&seen)).await;
        asked.map_err(|error| error.message)?;
    }
    Err(format!("not reached: {last}"))
}

/// Makes a change and takes it back.
async fn there_and_back(
    aws: &AwsConnection,
    described: &Described,
    change: &ConfigurationChange,
) -> Result<(), String> {
    let resource = &described.resource;
    let target = resource.id.as_str();
    let tasks = change.tasks(target);

    let prior = aws.observe_configuration(resource).await;
    let prior = prior.map_err(|error| error.message)?.resource;
    let differs = tasks[0].expect.iter().find_map(|expectation| {
        (expectation.name == "configuration").then(|| expectation.difference(&prior))?
    });
    if let Some(difference) = differs {
        return Err(format!("precondition: {difference}"));
    }

    let mut seen = prior.clone();
    let (verified, steps) = tasks[1..].split_last().ok_or("no steps")?;
    for step in steps {
        seen = reach(aws, resource, step).await?;
    }
    if let Some(difference) = verified.difference(&seen) {
        return Err(format!("verify: {difference}"));
    }

    let is_reversible = matches!(change.reversal(), Reversal::Inverse);
    if is_reversible && change.undo(&prior, &seen).is_none() {
        return Err("nothing to undo".to_owned());
    }
    for _ in 0..MOST_CALLS_BACK {
        let Some(undo) = change.undo(&prior, &seen) else {
            return Ok(());
        };
        seen = reach(aws, resource, &undo)
            .await
            .map_err(|why| format!("undo: {why}"))?;
    }
    match change.undo(&prior, &seen) {
        Some(_) => Err("it is not undone".to_owned()),
        None => Ok(()),
    }
}

#[tokio::test]
async fn every_change_that_is_data_is_made_and_taken_back() {
    // Names in the environment limit the test while a row is written.
    let wanted = std::env::var("REEVE_CHANGES").unwrap_or_default();
    let wanted: Vec<String> = wanted.split_whitespace().map(str::to_owned).collect();

    let moto = Moto::start().await.unwrap();
    let made = seeded(&moto, &wanted).await;
    let aws = open(&connection(moto.endpoint(), &[REGION, BARE_REGION])).await;
    let kept = Kept::default();
    aws.describe(&kept).await.unwrap();
    let all = kept.0.into_inner();
    let mut faults = Vec::new();

    for row in rows() {
        let lacks = LACKING.iter().any(|(name, _)| *name == row.name);
        if lacks || (!wanted.is_empty() && !wanted.iter().any(|name| name == row.name)) {
            continue;
        }
        let mut fault = |why: String| faults.push(format!("{}: {why}", row.name));
        let Some(seeded) = made.get(row.name) else {
            fault("the seed has no resource for it".to_owned());
            continue;
        };
        if let Some(error) = &seeded.error {
            fault(error.clone());
            continue;
        }
        let found = all
            .iter()
            .find(|one| one.resource.id.as_str() == seeded.id && one.resource.kind == row.kind);
        let Some(described) = found else {
            fault(format!("{} is not described", seeded.id));
            continue;
        };

        let change = ConfigurationChange::on(
            row,
            &described.resource,
            &described.document,
            seeded.with.clone(),
        );
        match change {
            Err(obstacle) => fault(format!("{obstacle}; {}", described.document.text())),
            Ok(change) => {
                if let Err(why) = there_and_back(&aws, described, &change).await {
                    fault(why);
                }
            }
        }
    }

    assert!(faults.is_empty(), "{}\n", faults.join("\n"));
}
