//! Volumes that are hardly used, from what the agent on their machine sends to CloudWatch to the
//! advice over HTTP.

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{EC2, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;
use crate::unused::found;

const REGION: &str = "us-east-1";

/// Days of the used share of a file system, as the CloudWatch agent sends it. moto compares every
/// point with every period that is asked for, so no more is put than the question needs.
async fn filled(moto: &Moto, machine: &str, (path, kind): (&str, &str), share: f64, days: i64) {
    let now = Timestamp::now();
    let point = |back: i64| {
        (
            now - SignedDuration::from_mins(5 * back),
            share + (back % 2) as f64,
        )
    };
    let points: Vec<(Timestamp, f64)> = (1..=days * 288).rev().map(point).collect();

    let dimensions = [
        ("InstanceId", machine),
        ("path", path),
        ("device", "nvme0n1p1"),
        ("fstype", kind),
    ];

    let metric = Metric {
        namespace: "CWAgent",
        name: "disk_used_percent",
        unit: "Percent",
        dimensions: &dimensions,
    };

    moto.metric(REGION, metric, &points).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_measured_volume_that_is_hardly_used_is_found_and_no_other() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    let (mut machines, mut volumes) = (Vec::new(), Vec::new());

    for _ in 0..3 {
        // A machine with the one root volume of the test's own size.
        let parameters = [
            ("ImageId", "ami-1e749f67"),
            ("InstanceType", "m5.large"),
            ("MinCount", "1"),
            ("MaxCount", "1"),
            ("BlockDeviceMapping.1.DeviceName", "/dev/sda1"),
            ("BlockDeviceMapping.1.Ebs.VolumeSize", "500"),
            ("BlockDeviceMapping.1.Ebs.VolumeType", "gp3"),
        ];
        let parameters: Vec<(String, String)> = parameters
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
        let started = moto
            .query(&EC2, REGION, "RunInstances", &parameters)
            .await
            .unwrap();
        machines.push(texts(&started, "instanceId")[0].to_owned());
        let filter = [
            ("Filter.1.Name", "attachment.instance-id"),
            ("Filter.1.Value.1", machines.last().unwrap().as_str()),
        ];
        let filter: Vec<(String, String)> = filter
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
        let answer = moto
            .query(&EC2, REGION, "DescribeVolumes", &filter)
            .await
            .unwrap();
        volumes.push(texts(&answer, "volumeId")[0].to_owned());
    }

    filled(&moto, &machines[0], ("/", "xfs"), 11.0, 12).await;
    filled(&moto, &machines[0], ("/run", "tmpfs"), 60.0, 1).await;
    filled(&moto, &machines[1], ("/", "xfs"), 11.0, 12).await;
    filled(&moto, &machines[1], ("/data", "xfs"), 11.0, 1).await;

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let all = found(&admin, "storage_optimizer").await;
    let of = |id: &String| all.iter().find(|one| one["resource"]["id"] == **id);
    let finding = of(&volumes[0]).unwrap_or_else(|| panic!("{all:#?}"));
    assert_eq!(
        (&finding["rule"], &finding["plan"]),
        (&json!("shrink_volumes"), &Value::Null),
        "{finding:#}"
    );

    let title = format!("Move {} (500 GiB) to a volume of 90 GiB", volumes[0]);
    assert_eq!(finding["title"], title.as_str());
    assert_eq!(finding["savings"]["monthly"], 32.8, "{finding:#}");
    assert!(
        of(&volumes[1]).is_none(),
        "two file systems are not told apart: {all:#?}"
    );
    assert!(of(&volumes[2]).is_none(), "nothing measures it: {all:#?}");
}
