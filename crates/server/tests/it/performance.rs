//! `performance_optimizer` from a load balancer's metrics to members that serve before a rise, and
//! back; objectives of a queue and a balancer.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::until;
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{AUTOSCALING, ELASTICACHE, Moto, RDS, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{applied, connect, findings_of, pairs};

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";
const DAYS: i64 = 21;

/// Puts three weeks of a metric, a point every five minutes, by minutes from now.
async fn measure(
    moto: &Moto,
    (namespace, name): (&str, &str),
    (dimension, id): (&str, &str),
    value: impl Fn(i64) -> f64,
) {
    let now = Timestamp::now();
    let points: Vec<(Timestamp, f64)> = (1..=DAYS * 288)
        .rev()
        .map(|back| (now - SignedDuration::from_mins(5 * back), value(-5 * back)))
        .collect();
    let metric = Metric {
        namespace,
        name,
        unit: "Count",
        dimensions: &[(dimension, id)],
    };
    moto.metric(REGION, metric, &points).await.unwrap();
}

/// Least, desired and most members of the group, as the cloud says.
async fn members(moto: &Moto) -> [u32; 3] {
    let answer = moto
        .query(&AUTOSCALING, REGION, "DescribeAutoScalingGroups", &[])
        .await
        .unwrap();
    ["MinSize", "DesiredCapacity", "MaxSize"].map(|name| texts(&answer, name)[0].parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_serve_before_a_rise_that_returns() {
    let moto = Moto::start().await.unwrap();
    moto.scaling_group(REGION, "web", "m5.large", 2)
        .await
        .unwrap();
    moto.group_bounds(REGION, "web", 1, 12).await.unwrap();
    let group = moto
        .query(&AUTOSCALING, REGION, "DescribeAutoScalingGroups", &[])
        .await
        .unwrap();
    let machines: Vec<String> = texts(&group, "InstanceId")
        .into_iter()
        .map(str::to_owned)
        .collect();
    let balancer = moto
        .load_balancer(REGION, "web", &machines, &[])
        .await
        .unwrap();

    // From 10 to 80 requests a second within five minutes, a quarter of an hour from now each day.
    let rate = |minute: i64| {
        let high = (15..615).contains(&minute.rem_euclid(1440));
        if high { 80.0 } else { 10.0 }
    };
    let name = balancer.split_once(":loadbalancer/").unwrap().1;
    let requests = ("AWS/ApplicationELB", "RequestCount");
    measure(&moto, requests, ("LoadBalancer", name), |minute| {
        300.0 * rate(minute)
    })
    .await;
    let errors = ("AWS/ApplicationELB", "HTTPCode_Target_5XX_Count");
    measure(&moto, errors, ("LoadBalancer", name), |minute| {
        300.0 * 0.05 * rate(minute)
    })
    .await;

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let agent = json!({
        "agent_type": "performance_optimizer", "name": "Performance", "mode": "safe_mode", "learning_period": "14d",
        "confidence_threshold": "60%", "auto_apply": { "enabled": false }, "reason": "three weeks are measured",
        "settings": {
            "scale_before_traffic_spike": { "requests_per_member": "10" },
            "metrics": { "error_rate": "1%" },
        },
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");

    // At first it says what it would have done.
    let found = findings_of(&admin, &agent, PATIENCE).await;
    let of = |found: &[Value], rule: &str| {
        let one = found.iter().find(|one| one["rule"] == rule);
        one.unwrap_or_else(|| panic!("{found:#?}")).clone()
    };
    let foreseen = of(&found, "scale_before_traffic_spike");
    assert_eq!(foreseen["plan"], Value::Null, "{foreseen:#}");
    assert!(
        foreseen["reason_codes"]
            .as_array()
            .unwrap()
            .contains(&json!("forecast_only")),
        "{foreseen:#}"
    );
    assert_eq!(members(&moto).await, [1, 2, 12]);

    // One request in twenty fails, where one in a hundred may.
    let missed = of(&found, "metrics");
    assert_eq!(missed["resource"]["aspect"], "error_rate", "{missed:#}");

    let settings =
        json!({ "settings": { "scale_before_traffic_spike": { "forecast_only": "false" } } });
    let _ = admin
        .patch(&format!("intelligence/agents/{agent}"), settings)
        .await
        .expect(200);
    let found = findings_of(&admin, &agent, PATIENCE).await;
    let foreseen = found
        .iter()
        .find(|one| one["plan"]["change"]["name"] == "scale_group")
        .unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!(foreseen["type"], "auto_scaling");

    let path = format!(
        "intelligence/recommendations/{}/execute",
        foreseen["id"].as_str().unwrap()
    );
    let begun = admin
        .post(&path, json!({ "plan_hash": foreseen["plan"]["hash"] }))
        .await
        .expect(202);
    assert_ne!(begun.body["status"], "pending_approval", "{}", begun.text);
    until("the members are there", PATIENCE, || async {
        let [least, desired, _] = members(&moto).await;
        (least >= 8 && desired >= 8).then_some(())
    })
    .await;

    let action = until("the action is there", PATIENCE, || async {
        let actions = admin.get("intelligence/actions").await.expect(200);
        let own = |action: &&Value| action["recommendation_id"] == foreseen["id"];
        actions.items().iter().find(own).cloned()
    })
    .await;
    let undo = format!(
        "intelligence/actions/{}/rollback",
        action["id"].as_str().unwrap()
    );
    // They stay until the hour after the rise. People may end that early.
    let path = format!("intelligence/actions/{}", action["id"].as_str().unwrap());
    until("it holds", PATIENCE, || async {
        let now = admin.get(&path).await.expect(200).body;
        (now["waits"] == true && now["can_roll_back"] == true).then_some(())
    })
    .await;
    assert!(members(&moto).await[1] >= 8);
    let (_, maria) = admin.person("maria@acme.example", &["operator"], &[]).await;
    let asked = maria.post(&undo, json!({})).await.expect(202);
    assert_ne!(asked.body["status"], "running", "{}", asked.text);
    let ended = until("it is taken back", PATIENCE, || async {
        let now = admin.get(&path).await.expect(200).body;
        (now["status"] == "rolled_back").then_some(now)
    })
    .await;
    assert_eq!(ended["undone_by"], "maria@acme.example", "{ended:#}");
    let reason = ended["reason"].as_str().unwrap();
    assert!(
        reason.contains("ended early, asked for by maria@acme.example"),
        "{reason}"
    );
    assert_eq!(members(&moto).await, [1, 2, 12], "as it was");
    let again = maria.post(&undo, json!({})).await.expect(409);
    assert!(again.text.contains("rolled_back"), "{}", again.text);
}

/// The group `quiet` of four members behind a balancer that answers no request since half an hour.
async fn idle_group(moto: &Moto) {
    moto.scaling_group(REGION, "quiet", "m5.large", 4)
        .await
        .unwrap();
    moto.group_bounds(REGION, "quiet", 1, 8).await.unwrap();
    let group = moto
        .query(&AUTOSCALING, REGION, "DescribeAutoScalingGroups", &[])
        .await
        .unwrap();
    let machines: Vec<String> = texts(&group, "InstanceId")
        .into_iter()
        .map(str::to_owned)
        .collect();
    let balancer = moto
        .load_balancer(REGION, "quiet", &machines, &[])
        .await
        .unwrap();
    let name = balancer.split_once(":loadbalancer/").unwrap().1;
    let one = ("LoadBalancer", name);
    let requests = ("AWS/ApplicationELB", "RequestCount");
    measure(
        moto,
        requests,
        one,
        |minute| {
            if minute >= -30 { 0.0 } else { 600.0 }
        },
    )
    .await;
    let time = ("AWS/ApplicationELB", "TargetResponseTime");
    measure(moto, time, one, |_| 0.1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_members_end_by_name_and_as_many_start_again() {
    let moto = Moto::start().await.unwrap();
    idle_group(&moto).await;
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let mut guardrails = admin.get("intelligence/guardrails").await.expect(200).body;
    guardrails["cost_impact"]["max_decrease"] = json!("80%");
    let _ = admin
        .put("intelligence/guardrails", guardrails)
        .await
        .expect(200);
    let agent = json!({
        "agent_type": "performance_optimizer", "name": "Performance", "mode": "safe_mode", "learning_period": "14d",
        "confidence_threshold": "60%", "auto_apply": { "enabled": false }, "reason": "three weeks are measured",
        "settings": { "scale_before_traffic_spike": { "requests_per_member": "10" } },
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");
    let found = findings_of(&admin, &agent, PATIENCE).await;
    let idle = found
        .iter()
        .find(|one| one["plan"]["change"]["name"] == "end_members")
        .unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!(members(&moto).await, [1, 4, 8]);

    let action = applied(&admin, idle).await;
    let [_, left, _] = members(&moto).await;
    assert!(left < 4, "{left} members");

    let undo = format!("intelligence/actions/{action}/rollback");
    let _ = admin.post(&undo, json!({})).await.expect(202);
    until("as many members are there again", PATIENCE, || async {
        (members(&moto).await[1] == 4).then_some(())
    })
    .await;
}

/// A cache and a database in one network: the cache misses three of five keys and evicts about as
/// many, and the database mostly reads.
async fn cache_beside_database(moto: &Moto) {
    let (_, subnets) = moto.network(REGION).await.unwrap();
    let group = [
        ("CacheSubnetGroupName", "caches"),
        ("CacheSubnetGroupDescription", "caches"),
        ("SubnetIds.SubnetIdentifier.1", &subnets[0]),
    ];
    let cache = [
        ("CacheClusterId", "carts"),
        ("Engine", "redis"),
        ("CacheNodeType", "cache.m7g.large"),
        ("NumCacheNodes", "1"),
        ("CacheSubnetGroupName", "caches"),
    ];
    for (action, parameters) in [
        ("CreateCacheSubnetGroup", &group[..]),
        ("CreateCacheCluster", &cache[..]),
    ] {
        moto.query(&ELASTICACHE, REGION, action, &pairs(parameters))
            .await
            .unwrap();
    }
    let group = [
        ("DBSubnetGroupName", "databases"),
        ("DBSubnetGroupDescription", "databases"),
        ("SubnetIds.SubnetIdentifier.1", &subnets[0]),
        ("SubnetIds.SubnetIdentifier.2", &subnets[1]),
    ];
    let database = [
        ("DBInstanceIdentifier", "orders"),
        ("DBInstanceClass", "db.m5.large"),
        ("Engine", "postgres"),
        ("AllocatedStorage", "100"),
        ("MasterUsername", "admin"),
        ("MasterUserPassword", "not-a-secret"),
        ("DBSubnetGroupName", "databases"),
    ];
    for (action, parameters) in [
        ("CreateDBSubnetGroup", &group[..]),
        ("CreateDBInstance", &database[..]),
    ] {
        moto.query(&RDS, REGION, action, &pairs(parameters))
            .await
            .unwrap();
    }

    for (name, per_second) in [
        ("CacheHits", 60.0),
        ("CacheMisses", 90.0),
        ("Evictions", 80.0),
    ] {
        let of = ("CacheClusterId", "carts");
        measure(moto, ("AWS/ElastiCache", name), of, |_| 300.0 * per_second).await;
    }
    for (name, value) in [
        ("ReadIOPS", 900.0),
        ("WriteIOPS", 100.0),
        ("CPUUtilization", 70.0),
    ] {
        let of = ("DBInstanceIdentifier", "orders");
        measure(moto, ("AWS/RDS", name), of, |_| value).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cache_that_misses_is_found_and_named_at_the_database_beside_it() {
    let moto = Moto::start().await.unwrap();
    cache_beside_database(&moto).await;
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let agent = json!({
        "agent_type": "performance_optimizer", "name": "Performance", "mode": "safe_mode", "learning_period": "14d",
        "confidence_threshold": "60%", "auto_apply": { "enabled": false }, "reason": "three weeks are measured",
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");

    let found = findings_of(&admin, &agent, PATIENCE).await;
    let of = |kind: &str| {
        let own =
            |one: &&Value| one["type"] == "caching_strategy" && one["resource"]["type"] == kind;
        let one = found.iter().find(own);
        one.unwrap_or_else(|| panic!("{kind}: {found:#?}")).clone()
    };
    let cache = of("cache_node");
    assert_eq!(cache["title"], "Enlarge the cache carts", "{cache:#}");
    let text = cache.to_string();
    assert!(
        text.contains("40.0 % of 150 lookups a second were hits"),
        "{text}"
    );
    assert!(text.contains("it evicted 80 keys a second"), "{text}");

    let database = of("database");
    let codes = database["reason_codes"].as_array().unwrap();
    assert!(codes.contains(&json!("cache_misses")), "{database:#}");
    assert!(
        database
            .to_string()
            .contains("the cache carts in its network")
    );
}
