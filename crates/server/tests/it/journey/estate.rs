//! The account: machines and databases in moto with back-dated CloudWatch series, recorded ones
//! where the data is there. What is saved is computed here from the price list, not read from the
//! program.

use jiff::Timestamp;
use reeve_testkit::http::Api;
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::series::{Recording, recordings};
use reeve_testkit::moto::{EC2, Moto, test_data, texts};
use serde_json::{Value, json};

const REGION: &str = "us-east-1";

/// On-demand prices of us-east-1 in US dollars an hour, for clones without the price list.
const PRICES: &[(&str, f64)] = &[
    ("m5.large", 0.096),
    ("m5.xlarge", 0.192),
    ("m5.2xlarge", 0.384),
    ("m5.8xlarge", 1.536),
];

pub(super) struct Estate {
    moto: Moto,
    /// Runs at a few percent: too large.
    oversized: String,
    /// Does nothing at all.
    idle: String,
    /// A data volume of the idle one.
    volume: String,
    /// Machine with real load.
    busy: String,
    /// In a scaling group, and as quiet as the oversized one.
    grouped: Vec<String>,
}

/// Returns the recording of a name, or the similar generated one, ending now.
fn series(all: &[Recording], name: &str, look_alike: &str) -> Vec<(Timestamp, f64)> {
    let found = all
        .iter()
        .find(|one| one.name == name)
        .or_else(|| all.iter().find(|one| one.name == look_alike));
    let found = found
        .unwrap_or_else(|| panic!("neither {name} nor {look_alike}"))
        .clone();
    eprintln!(
        "CloudWatch: {} {}",
        found.name,
        if found.recorded {
            "as recorded"
        } else {
            "generated: no test data"
        }
    );

    found.ending_at(Timestamp::now()).points
}

impl Estate {
    pub(super) async fn start() -> Estate {
        let moto = Moto::start().await.unwrap();
        let machine = async |name: &str, size: &str| {
            moto.machines(REGION, size, 1, &[("Name", name), ("team", "platform")])
                .await
                .unwrap()
                .remove(0)
        };
        let oversized = machine("reports", "m5.2xlarge").await;

        let idle = machine("forgotten", "m5.8xlarge").await;
        let busy = machine("checkout", "m5.large").await;
        let volume = moto
            .volume(
                REGION,
                "gp3",
                40,
                Some(&idle),
                &[("Name", "forgotten-data")],
            )
            .await
            .unwrap();

        moto.database(
            REGION,
            "orders",
            "db.m5.xlarge",
            "postgres",
            &[("team", "shop")],
        )
        .await
        .unwrap();

        moto.scaling_group(REGION, "web", "m5.2xlarge", 2)
            .await
            .unwrap();
        let all = texts(
            &moto
                .query(&EC2, REGION, "DescribeInstances", &[])
                .await
                .unwrap(),
            "instanceId",
        )
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>();

        let own = [&oversized, &idle, &busy];
        let grouped: Vec<String> = all.into_iter().filter(|id| !own.contains(&id)).collect();
        assert_eq!(grouped.len(), 2);

        let estate = Estate {
            moto,
            oversized,
            idle,
            volume,
            busy,
            grouped,
        };
        estate.measure().await;

        estate
    }

    async fn measure(&self) {
        let all = recordings(&test_data().join("nab/realAWSCloudwatch")).unwrap();
        let low: Vec<_> = series(
            &all,
            "ec2_cpu_utilization_53ea38",
            "ec2_cpu_utilization_quiet",
        );

        let none = series(
            &all,
            "ec2_cpu_utilization_24ae8d",
            "ec2_cpu_utilization_quiet",
        );

        let work = series(
            &all,
            "ec2_cpu_utilization_5f5533",
            "ec2_cpu_utilization_daily",
        );

        let database = series(
            &all,
            "rds_cpu_utilization_cc0c53",
            "rds_cpu_utilization_daily",
        );
        let chatter: Vec<_> = none.iter().map(|(at, _)| (*at, 24_000.0)).collect();
        self.put(
            "InstanceId",
            &self.oversized,
            "AWS/EC2",
            "CPUUtilization",
            &low,
        )
        .await;

        self.put("InstanceId", &self.idle, "AWS/EC2", "CPUUtilization", &none)
            .await;
        self.put("InstanceId", &self.idle, "AWS/EC2", "NetworkIn", &chatter)
            .await;
        self.put("InstanceId", &self.idle, "AWS/EC2", "NetworkOut", &chatter)
            .await;
        self.put("InstanceId", &self.busy, "AWS/EC2", "CPUUtilization", &work)
            .await;
        self.put(
            "DBInstanceIdentifier",
            "orders",
            "AWS/RDS",
            "CPUUtilization",
            &database,
        )
        .await;

        for member in &self.grouped {
            self.put("InstanceId", member, "AWS/EC2", "CPUUtilization", &low)
                .await;
        }
    }

    async fn put(
        &self,
        dimension: &str,
        id: &str,
        namespace: &str,
        name: &str,
        points: &[(Timestamp, f64)],
    ) {
        let unit = if name == "CPUUtilization" {
            "Percent"
        } else {
            "Bytes"
        };

        let metric = Metric {
            namespace,
            name,
            unit,
            dimensions: &[(dimension, id)],
        };

        self.moto.metric(REGION, metric, points).await.unwrap();
    }

    pub(super) fn endpoint(&self) -> &str {
        self.moto.endpoint()
    }

    /// Checks that the inventory has all resources, with their samples.
    pub(super) async fn is_listed(&self, admin: &Api) {
        let mut listed = Vec::new();
        for kind in ["virtual_machine", "volume", "database"] {
            let found = admin
                .get(&format!("resources?limit=1000&type={kind}"))
                .await
                .expect(200);
            listed.extend(found.items().to_vec());
        }

        let of = |id: &str| {
            listed
                .iter()
                .find(|one| one["id"] == id)
                .unwrap_or_else(|| panic!("no {id}"))
        };
        assert_eq!(of(&self.oversized)["instance_type"], "m5.2xlarge");

        assert_eq!(of(&self.oversized)["tags"]["team"], "platform");
        assert_eq!(of(&self.volume)["storage_gib"], 40.0);

        let arn = format!("arn:aws:rds:{REGION}:123456789012:db:orders");
        assert_eq!(
            (&of(&arn)["type"], &of(&arn)["name"]),
            (&json!("database"), &json!("orders"))
        );

        let web = |group: &Value| group.as_str().is_some_and(|name| name.ends_with("/web"));
        assert!(
            self.grouped.iter().all(|id| web(&of(id)["group"])),
            "{listed:#?}"
        );

        let path = format!(
            "resources/{}/samples?metrics=cpu_utilization&start_time={}",
            self.oversized,
            ago(15)
        );
        let samples = admin.get(&path).await.expect(200);
        let points = samples.body["series"][0]["data_points"].as_u64().unwrap();
        assert!(points > 14 * 280, "{points} points");
    }

    /// The right-sizing of the oversized machine, with every figure checked.
    pub(super) fn right_size<'a>(&self, found: &'a [Value]) -> &'a Value {
        let one = only(found, &self.oversized);
        assert_eq!(
            (&one["type"], &one["rule"]),
            (&json!("right_size"), &json!("downsize_underutilized"))
        );
        assert_eq!(one["resource"]["instance_type"], "m5.2xlarge");
        assert_eq!(
            one["resource"]["target_type"], "m5.xlarge",
            "half is what the guardrail allows"
        );

        let saving = cents((price("m5.2xlarge") - price("m5.xlarge")) * 730.0);
        assert_eq!(one["savings"]["monthly"].as_f64(), Some(saving));
        assert_eq!(
            one["savings"]["current_monthly_cost"].as_f64(),
            Some(cents(price("m5.2xlarge") * 730.0))
        );
        assert_eq!(one["impact_level"], "medium");
        assert!(
            one["not_measured"]
                .as_array()
                .unwrap()
                .contains(&json!("memory")),
            "{one:#}"
        );

        let steps: Vec<&str> = kinds(&one["plan"]["steps"]);
        assert_eq!(
            steps,
            [
                "precondition",
                "snapshot",
                "stop",
                "modify",
                "start",
                "verify"
            ]
        );

        explained(one, &["p95 CPU", "730 hours"]);
        one
    }

    /// The stop of the idle machine.
    pub(super) fn idle<'a>(&self, found: &'a [Value]) -> &'a Value {
        let one = only(found, &self.idle);
        assert_eq!(
            (&one["type"], &one["rule"]),
            (
                &json!("idle_resource_cleanup"),
                &json!("identify_idle_resources")
            )
        );

        assert_eq!(
            one["savings"]["monthly"].as_f64(),
            Some(cents(price("m5.8xlarge") * 730.0))
        );
        assert_eq!(
            one["impact_level"], "high",
            "more than a thousand dollars a month"
        );
        assert!(
            one["not_measured"]
                .as_array()
                .unwrap()
                .contains(&json!("memory")),
            "{one:#}"
        );

        let steps = kinds(&one["plan"]["steps"]);
        assert_eq!(
            (steps.first(), steps.last()),
            (Some(&"precondition"), Some(&"verify")),
            "{steps:?}"
        );

        assert!(
            steps.iter().position(|kind| *kind == "stop")
                > steps.iter().rposition(|kind| *kind == "snapshot")
        );
        assert!(
            !steps
                .iter()
                .any(|kind| kind.contains("delete") || kind.contains("terminate"))
        );
        explained(one, &["0 %", "730 hours"]);

        one
    }

    /// Busy machines and members of a group get no recommendation of their own; a database has the
    /// list price of its engine.
    pub(super) fn left_alone(&self, found: &[Value]) {
        for id in self.grouped.iter().chain([&self.busy]) {
            assert!(
                !found.iter().any(|one| one["resource"]["id"] == **id),
                "{id} is none of the agent's: {found:#?}"
            );
        }

        for one in found
            .iter()
            .filter(|one| one["resource"]["name"] == "orders")
        {
            assert!(one["savings"]["monthly"].as_f64() > Some(0.0), "{one:#}");
        }
    }

    /// The cloud itself says so.
    pub(super) async fn is_resized(&self, action: &Value) {
        let seen = self.machine(&self.oversized).await;
        assert_eq!(
            (texts(&seen, "instanceType"), state(&seen)),
            (vec!["m5.xlarge"], "running".to_owned()),
            "{action:#}"
        );
        assert_eq!(action["steps"].as_array().unwrap().len(), 6);
        assert!(
            action["steps"]
                .as_array()
                .unwrap()
                .iter()
                .all(|step| step["ok"] == true),
            "{action:#}"
        );
    }

    /// Stopped, not terminated; every disk of it has a snapshot.
    pub(super) async fn is_stopped_and_kept(&self, action: &Value) {
        let seen = self.machine(&self.idle).await;
        assert_eq!(state(&seen), "stopped", "{action:#}");

        let volumes: Vec<&str> = texts(&seen, "volumeId");
        assert!(
            volumes.contains(&self.volume.as_str()) && volumes.len() >= 2,
            "{volumes:?}"
        );

        for volume in volumes {
            let by_volume = [("Filter.1.Name", "volume-id"), ("Filter.1.Value.1", volume)];
            let by_volume = by_volume.map(|(k, v)| (k.to_owned(), v.to_owned()));
            let kept = self
                .moto
                .query(&EC2, REGION, "DescribeSnapshots", &by_volume)
                .await
                .unwrap();
            assert_eq!(texts(&kept, "snapshotId").len(), 1, "{volume}: {kept}");
        }
    }

    async fn machine(&self, id: &str) -> String {
        let of = [("InstanceId.1".to_owned(), id.to_owned())];
        self.moto
            .query(&EC2, REGION, "DescribeInstances", &of)
            .await
            .unwrap()
    }
}

fn state(instance: &str) -> String {
    texts(texts(instance, "instanceState")[0], "name")[0].to_owned()
}

fn ago(days: i64) -> String {
    let at = Timestamp::now() - jiff::SignedDuration::from_hours(24 * days);
    format!("{}Z", &at.to_string()[..19])
}

fn only<'a>(found: &'a [Value], id: &str) -> &'a Value {
    let of: Vec<&Value> = found
        .iter()
        .filter(|one| one["resource"]["id"] == id)
        .collect();
    assert_eq!(of.len(), 1, "{id}: {found:#?}");
    of[0]
}

fn kinds(steps: &Value) -> Vec<&str> {
    steps
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["kind"].as_str().unwrap())
        .collect()
}

/// A price from the list; of the facts above where the list is missing.
fn price(size: &str) -> f64 {
    let list =
        std::fs::read_to_string(test_data().join("pricing/aws_on_demand.csv")).unwrap_or_default();
    let listed = list.lines().find_map(|line| {
        line.strip_prefix(&format!("{REGION},{size},"))?
            .parse()
            .ok()
    });

    let known = PRICES
        .iter()
        .find(|(name, _)| *name == size)
        .map(|(_, price)| *price);
    listed
        .or(known)
        .unwrap_or_else(|| panic!("no price of {size}"))
}

fn cents(dollars: f64) -> f64 {
    (dollars * 100.0).round() / 100.0
}

/// Every field of the explanation is there and made of numbers.
fn explained(one: &Value, words: &[&str]) {
    let confidence = one["confidence"].as_f64().unwrap();
    assert!(confidence > 0.0 && confidence <= 100.0, "{confidence}");

    let explanation = &one["explanation"];
    assert_eq!(explanation["confidence"], one["confidence"]);

    let factors = explanation["explanation"]["factors"].as_array().unwrap();
    let all = factors
        .iter()
        .chain([&one["impact"]["cost"]])
        .map(|f| f.as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n");

    assert!(
        words.iter().all(|word| all.contains(word)),
        "{words:?} in {all}"
    );
    assert!(
        explanation["data_points"].as_u64().unwrap() >= 14 * 280,
        "{explanation:#}"
    );
    assert_eq!(
        (&explanation["similar_cases"], &explanation["success_rate"]),
        (&json!(0), &Value::Null)
    );

    for pointer in [
        "/action",
        "/risk_level",
        "/estimated_impact/cost_reduction",
        "/estimated_impact/performance_impact",
    ] {
        assert!(
            explanation
                .pointer(pointer)
                .and_then(Value::as_str)
                .is_some_and(|text| !text.is_empty()),
            "{pointer}"
        );
    }

    let path = explanation["decision_path"].as_array().unwrap();
    assert!(
        path.len() >= 4
            && path
                .iter()
                .all(|step| matches!(step["answer"].as_str(), Some("yes" | "no" | "unknown")))
    );

    assert!(
        path.iter()
            .all(|step| !step["check"].as_str().unwrap().is_empty() && step["detail"].is_string())
    );
}
