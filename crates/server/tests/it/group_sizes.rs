//! Sizes of scaling groups, from the metrics of their members to a refresh by a new version of the
//! launch template, and back.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{AUTOSCALING, EC2, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;
use crate::unused::{ended, execute, found, rolled_back};

const REGION: &str = "us-east-1";
const DAYS: i64 = 16;

/// Sixteen days of quiet CPU and memory of every member of a group; its members.
async fn quiet(moto: &Moto, group: &str) -> Vec<String> {
    let named = [(
        "AutoScalingGroupNames.member.1".to_owned(),
        group.to_owned(),
    )];
    let answer = moto
        .query(&AUTOSCALING, REGION, "DescribeAutoScalingGroups", &named)
        .await
        .unwrap();
    let members: Vec<String> = texts(&answer, "InstanceId")
        .into_iter()
        .map(str::to_owned)
        .collect();
    let now = Timestamp::now();

    for id in &members {
        for (namespace, name, level) in [
            ("AWS/EC2", "CPUUtilization", 6.0),
            ("CWAgent", "mem_used_percent", 20.0),
        ] {
            let point = |back: i64| {
                (
                    now - SignedDuration::from_mins(5 * back),
                    level + (back % 3) as f64,
                )
            };
            let points: Vec<(Timestamp, f64)> = (1..=DAYS * 288).rev().map(point).collect();
            let metric = Metric {
                namespace,
                name,
                unit: "Percent",
                dimensions: &[("InstanceId", id)],
            };
            moto.metric(REGION, metric, &points).await.unwrap();
        }
    }

    members
}

/// Version of the launch template of a group, and the sizes of its members.
async fn sizes(moto: &Moto, group: &str) -> (String, Vec<String>) {
    let named = [(
        "AutoScalingGroupNames.member.1".to_owned(),
        group.to_owned(),
    )];
    let answer = moto
        .query(&AUTOSCALING, REGION, "DescribeAutoScalingGroups", &named)
        .await
        .unwrap();
    let of = |name: &str| {
        texts(&answer, name)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };

    // The members' versions come before that of the group or after it, by the order of the members'
    // names.
    let own = answer.split("<Instances>").next().unwrap().to_owned()
        + answer.split("</Instances>").nth(1).unwrap();
    (
        texts(&own, "Version")
            .first()
            .map(|version| (*version).to_owned())
            .unwrap_or_default(),
        of("InstanceType"),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_get_a_smaller_size_by_a_refresh_and_the_former_one_back() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::refreshing().await.unwrap();

    for name in ["web", "changed", "newest"] {
        moto.scaling_group(REGION, name, "m5.2xlarge", 2)
            .await
            .unwrap();
        quiet(&moto, name).await;
    }

    for name in ["web", "changed"] {
        moto.group_version(REGION, name, "1").await.unwrap();
    }

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let _ = connect(&admin, moto.endpoint()).await;
    let all = found(&admin, "cost_optimizer").await;
    let of = |name: &str| all.iter().find(|one| one["resource"]["name"] == name);
    assert!(
        of("newest").is_none(),
        "it follows the newest version: {all:#?}"
    );

    let finding = of("web").unwrap_or_else(|| panic!("{all:#?}"));
    assert_eq!(
        (
            &finding["type"],
            &finding["plan"]["change"]["name"],
            &finding["plan"]["reversible"]
        ),
        (
            &json!("right_size"),
            &json!("change_group_size"),
            &json!(true)
        )
    );

    assert_eq!(finding["plan"]["restart_needed"], false);
    // Half of $0.384 an hour, for two members.
    assert_eq!(finding["savings"]["monthly"], 280.32, "{finding:#}");

    execute(&admin, &manager, finding).await;
    let action = ended(&admin, finding).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");
    assert_eq!(
        sizes(&moto, "web").await,
        ("2".to_owned(), vec!["m5.xlarge".to_owned(); 2])
    );
    rolled_back(&admin, &action, Duration::from_secs(120)).await;
    assert_eq!(
        sizes(&moto, "web").await,
        ("1".to_owned(), vec!["m5.2xlarge".to_owned(); 2])
    );

    let id = finding["resource"]["id"].as_str().unwrap();
    let story = admin
        .get(&format!(
            "audit-logs?query=resource.id:%22{id}%22&limit=100"
        ))
        .await
        .expect(200);

    let refreshed = |entry: &&Value| entry["changes"]["after"]["member_types"] == "m5.xlarge";
    assert!(
        story.items().iter().any(|entry| refreshed(&entry)),
        "{}",
        story.text
    );

    // Somebody made another version before the plan was carried out.
    let finding = of("changed").unwrap();
    let version = [
        ("LaunchTemplateName", "changed"),
        ("SourceVersion", "1"),
        ("LaunchTemplateData.KeyName", "ops"),
    ];

    let version: Vec<(String, String)> = version
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
    moto.query(&EC2, REGION, "CreateLaunchTemplateVersion", &version)
        .await
        .unwrap();
    moto.group_version(REGION, "changed", "2").await.unwrap();
    execute(&admin, &manager, finding).await;
    let action = ended(&admin, finding).await;
    assert_eq!(action["status"], "aborted", "{action:#}");
    assert_eq!(
        sizes(&moto, "changed").await,
        ("2".to_owned(), vec!["m5.2xlarge".to_owned(); 2])
    );
}
