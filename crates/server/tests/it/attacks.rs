//! Attacks that the log shows become incidents within a minute, one each: the demonstration's own,
//! the same in CloudTrail's records of a real account, and one that was recorded right before a
//! power cut.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use reeve_connect_simulated::SimulatedEstate;
use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::service::{ADMIN_TOKEN, Service, reeve};
use serde_json::{Value, json};

/// Time within which an attack must be reported.
const A_MINUTE: Duration = Duration::from_secs(60);

/// Entries of the simulated company as they are sent.
pub(crate) fn activity(estate: &SimulatedEstate, from: Timestamp, to: Timestamp) -> Vec<Value> {
    let sent = |entry: &reeve_audit::Entry| {
        let mut sent: Value = serde_json::from_str(&entry.to_json(to).to_string()).unwrap();
        let members = sent.as_object_mut().unwrap();
        for beside in ["recorded_at", "category", "integrity"] {
            members.remove(beside);
        }
        sent
    };
    estate.activity(from, to).iter().map(sent).collect()
}

/// Imports records into a folder that nobody serves.
pub(crate) fn import(data: &Path, format: &str, records: &[Value]) {
    let file = data.join("records.jsonl");
    std::fs::write(
        &file,
        records
            .iter()
            .map(|record| format!("{record}\n"))
            .collect::<String>(),
    )
    .unwrap();

    let (data, file) = (data.to_str().unwrap(), file.to_str().unwrap());
    let output = reeve(&[
        "audit",
        "import",
        "--format",
        format,
        "--data-dir",
        data,
        file,
    ])
    .unwrap();

    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Security anomalies, once there are as many as expected; the test fails where they take longer
/// than a minute.
async fn deliveries(api: &Api, count: usize) -> Vec<Value> {
    let begun = Instant::now();
    let path = "intelligence/anomalies?type=security&limit=100";
    let found = until("the incidents", A_MINUTE, async || {
        let all = api.get(path).await.expect(200);
        (all.items().len() >= count).then(|| all.items().to_vec())
    })
    .await;

    println!(
        "{} incidents after {:?}: {:?}",
        found.len(),
        begun.elapsed(),
        titles(&found)
    );

    found
}

fn titles(found: &[Value]) -> Vec<&str> {
    found
        .iter()
        .map(|one| one["title"].as_str().unwrap())
        .collect()
}

/// One look later it is still one incident each.
async fn looked_again(api: &Api, marker: Value, before: &[Value]) {
    let _ = api.post("audit-logs", marker).await.expect(201);
    // The marker is an incident of its own: once it is told, everything before it was judged.
    let after = deliveries(api, before.len() + 1).await;
    assert_eq!(after.len(), before.len() + 1, "{:?}", titles(&after));
}

/// Entry that fires a rule, whoever the actor is.
pub(crate) fn marker() -> Value {
    json!([{
        "event_type": "policy.modify", "timestamp": Timestamp::now().to_string(),
        "actor": { "type": "user", "id": "marker" },
        "resource": { "type": "trail", "id": "main" },
        "action": { "operation": "DeleteTrail", "status": "success", "method": "api" },
    }])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demonstrations_attack_is_one_incident_within_a_minute() {
    let home = tempfile::tempdir().unwrap();
    let now = Timestamp::now();

    // Sign-ins are guessed three minutes after the beginning, a key is used abroad after eight.
    let begun = now - SignedDuration::from_mins(12);
    let estate = SimulatedEstate::new(7, begun);
    let attacks = begun + SignedDuration::from_mins(2);
    import(
        home.path(),
        "jsonl",
        &activity(&estate, now - SignedDuration::from_hours(30 * 24), attacks),
    );
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();

    // Its own entry tells that the past was read for its lesson, so that what follows is news.
    let first = json!([{
        "event_type": "policy.modify", "timestamp": now.to_string(), "actor": { "type": "user", "id": "before" },
        "action": { "operation": "DeleteTrail", "status": "success", "method": "api" },
    }]);
    until(
        "the past to be read",
        Duration::from_secs(120),
        async || {
            let _ = admin.post("audit-logs", first.clone()).await.expect(201);
            let all = admin
                .get("intelligence/anomalies?type=security")
                .await
                .expect(200);
            (!all.items().is_empty()).then_some(())
        },
    )
    .await;

    let entries = activity(&estate, attacks, now);
    let suspicious = entries
        .iter()
        .filter(|one| one["metadata"]["tags"].to_string().contains("suspicious"))
        .count();
    assert!(suspicious >= 30 + 6, "{suspicious}");

    let _ = admin
        .post("audit-logs", Value::Array(entries))
        .await
        .expect(201);
    let found = deliveries(&admin, 3).await;
    assert_eq!(
        found.len(),
        3,
        "one each, and the one before: {:?}",
        titles(&found)
    );

    let of = |kind: &str| {
        found
            .iter()
            .filter(|one| one["resource"]["kind"] == kind)
            .collect::<Vec<_>>()
    };

    let [guessing] = of("address")[..] else {
        panic!("{:?}", titles(&found))
    };

    let title = guessing["title"].as_str().unwrap();
    assert!(
        title.starts_with("Password spray from 203.0.113."),
        "{title}"
    );
    the_spray_has_one_set_of_numbers(&admin, guessing["id"].as_str().unwrap()).await;
    let keys: Vec<_> = of("principal")
        .into_iter()
        .filter(|one| one["resource"]["id"].as_str().unwrap().starts_with("AKIA"))
        .collect();
    let [key] = keys[..] else {
        panic!("{:?}", titles(&found))
    };

    assert!(
        key["evidence"].to_string().contains("country (BR)"),
        "{}",
        key["evidence"]
    );
    the_stolen_key_is_told_as_refused(&admin, key["id"].as_str().unwrap()).await;
    the_attack_has_one_set_of_numbers(&admin, [guessing, key]).await;
    looked_again(&admin, marker(), &found).await;
}

async fn anomaly(api: &Api, id: &str) -> Value {
    api.get(&format!("intelligence/anomalies/{id}"))
        .await
        .expect(200)
        .body
}

/// Number of entries that a search for these identifiers finds, as the page's link into the log
/// asks.
async fn found_in_the_log(api: &Api, ids: &Value) -> usize {
    let ids: Vec<String> = ids
        .as_array()
        .unwrap()
        .iter()
        .map(|id| format!("\"{}\"", id.as_str().unwrap()))
        .collect();
    let query = format!("event_id:({})", ids.join(" OR "));
    let path = format!("audit-logs?limit=100&query={}", encoded(&query));

    api.get(&path).await.expect(200).items().len()
}

/// Title, cause and evidence count every attempt of the spray, whatever moment the alarm was raised
/// at.
async fn the_spray_has_one_set_of_numbers(api: &Api, id: &str) {
    let spray = until("every attempt of the spray", A_MINUTE, async || {
        let spray = anomaly(api, id).await;
        (spray["activity"]["refused"] == 30).then_some(spray)
    })
    .await;
    let activity = &spray["activity"];
    let counts = format!(
        "30 failed sign-ins on {} accounts, none succeeded",
        activity["account_count"]
    );
    for text in [&spray["title"], &spray["likely_cause"], &spray["facts"][0]] {
        assert!(text.as_str().unwrap().contains(&counts), "{counts}: {text}");
    }

    assert_eq!(
        activity["accounts"].as_array().unwrap().len() as u64,
        activity["account_count"].as_u64().unwrap()
    );

    let numbers = spray["facts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fact| fact.to_string().contains("failed sign-ins"));
    assert_eq!(numbers.count(), 1, "{}", spray["facts"]);
    assert_eq!(spray["severity"], "medium", "nothing succeeded");
    assert_eq!(found_in_the_log(api, &activity["entry_ids"]).await, 20);
}

/// Spray and stolen key are one incident: list, page and dashboard have the same identifier and
/// numbers.
async fn the_attack_has_one_set_of_numbers(api: &Api, members: [&Value; 2]) {
    let ids = members.map(|member| member["id"].as_str().unwrap());
    let [spray, key] = [anomaly(api, ids[0]).await, anomaly(api, ids[1]).await];
    let incident = &spray["incident"];
    assert_eq!(incident, &key["incident"], "one set of numbers");
    for member in [&spray, &key] {
        assert_eq!(member["incident_id"], incident["id"]);
    }

    let of = |member: &Value, what: &str| member["activity"][what].as_u64().unwrap();
    let attempts = [&spray, &key]
        .map(|member| of(member, "succeeded") + of(member, "refused"))
        .into_iter()
        .sum::<u64>();
    assert_eq!(incident["entries"], attempts, "{incident}");
    assert_eq!(
        (&incident["severity"], &key["severity"]),
        (&spray["severity"], &json!("medium")),
        "the worst"
    );
    assert_eq!(incident["started_at"], spray["started_at"]);
    let title = incident["title"].as_str().unwrap();
    // Both have the severity of the incident, so that either leads it.
    let leads = [&spray, &key].map(|one| one["title"].as_str().unwrap());
    let is_lead = |lead: &&str| title == format!("{lead}, and 1 related anomaly");
    assert!(leads.iter().any(is_lead), "{title}");

    let path = format!(
        "intelligence/anomalies?incident={}",
        incident["id"].as_str().unwrap()
    );
    let listed = api.get(&path).await.expect(200);
    assert_eq!(listed.items().len(), 2, "{:?}", titles(listed.items()));
    assert!(
        listed
            .items()
            .iter()
            .all(|member| &member["incident"] == incident)
    );

    let all = api
        .get("intelligence/anomalies?limit=1000")
        .await
        .expect(200);
    let incidents: std::collections::BTreeSet<&str> = all
        .items()
        .iter()
        .map(|one| one["incident_id"].as_str().unwrap())
        .collect();
    let dashboard = api.get("intelligence/dashboard").await.expect(200).body;
    assert_eq!(dashboard["anomalies_detected"], incidents.len() as u64);
}

/// Refused calls are told as refused; the spray from the same network is linked.
async fn the_stolen_key_is_told_as_refused(api: &Api, id: &str) {
    let key = anomaly(api, id).await;
    let activity = &key["activity"];
    let cause = key["likely_cause"].as_str().unwrap();
    assert!(
        activity["refused_operations"]
            .to_string()
            .contains("CreateAccessKey"),
        "{activity}"
    );

    assert!(cause.contains("refused"), "{cause}");

    let (title, done) = (
        key["title"].as_str().unwrap(),
        &activity["succeeded_operations"],
    );
    let named = done
        .as_array()
        .unwrap()
        .iter()
        .any(|one| title.contains(one.as_str().unwrap()));
    assert!(title.contains("refused") || named, "{title}: {done}");

    let count = activity["entry_ids"].as_array().unwrap().len();
    assert_eq!(found_in_the_log(api, &activity["entry_ids"]).await, count);

    let related = &key["related"];
    assert!(
        related
            .to_string()
            .contains("the same network 203.0.113.0/24"),
        "{related}"
    );
}

/// A record of CloudTrail.
fn record(
    n: usize,
    at: Timestamp,
    user: &str,
    address: &str,
    (service, name, error): (&str, &str, Option<&str>),
) -> Value {
    let mut record = json!({
        "eventVersion": "1.09", "eventID": format!("00000000-0000-4000-8000-{n:012}"),
        "eventTime": at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "eventSource": format!("{service}.amazonaws.com"), "eventName": name, "awsRegion": "eu-west-1",
        "sourceIPAddress": address, "userAgent": "Boto3/1.35.0", "recipientAccountId": "111122223333",
        "eventType": if name == "ConsoleLogin" { "AwsConsoleSignIn" } else { "AwsApiCall" },
        "userIdentity": { "type": "IAMUser", "principalId": format!("AIDA{user}"), "accountId": "111122223333",
            "arn": format!("arn:aws:iam::111122223333:user/{user}"), "userName": user },
    });

    if name == "ConsoleLogin" {
        let how = if error.is_some() {
            "Failure"
        } else {
            "Success"
        };
        record["responseElements"] = json!({ "ConsoleLogin": how });
        record["additionalEventData"] = json!({ "MFAUsed": "Yes" });
    } else {
        record["userIdentity"]["accessKeyId"] = json!("AKIAIOSFODNN7EXAMPLE");
    }

    if let Some(error) = error {
        record["errorCode"] = json!(error);
    }

    record
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_accounts_records_tell_the_same() {
    let home = tempfile::tempdir().unwrap();
    let now = Timestamp::now();
    let people = ["ann", "ben", "cem", "dora", "eva", "finn"];

    // Three weeks in which a robot deploys and people sign in and look around.
    let mut past = Vec::new();
    for hour in (1..21 * 24).rev() {
        let at = now - SignedDuration::from_hours(hour);
        for operation in ["DescribeServices", "UpdateService"] {
            past.push(record(
                past.len(),
                at,
                "ci",
                "198.51.100.7",
                ("ecs", operation, None),
            ));
        }
        let person = people[hour as usize % 6];
        past.push(record(
            past.len(),
            at,
            person,
            "192.0.2.20",
            ("signin", "ConsoleLogin", None),
        ));
        past.push(record(
            past.len(),
            at,
            person,
            "192.0.2.20",
            ("ec2", "DescribeInstances", None),
        ));
    }

    import(home.path(), "cloudtrail", &past);
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    until(
        "the past to be read",
        Duration::from_secs(120),
        async || {
            let _ = admin.post("audit-logs", marker()).await.expect(201);
            let all = admin
                .get("intelligence/anomalies?type=security")
                .await
                .expect(200);
            (!all.items().is_empty()).then_some(())
        },
    )
    .await;

    let denied = Some("AccessDenied");
    let tries = [
        ("sts", "GetCallerIdentity", None),
        ("secretsmanager", "ListSecrets", None),
        ("secretsmanager", "GetSecretValue", None),
        ("iam", "CreateAccessKey", denied),
        ("ec2", "RunInstances", denied),
    ];

    let at = |second: i64| now - SignedDuration::from_secs(400 - second);
    let mut attack: Vec<Value> = tries
        .iter()
        .enumerate()
        .map(|(n, what)| record(10_000 + n, at(n as i64 * 20), "ci", "203.0.113.9", *what))
        .collect();

    attack.extend((0..30).map(|n| {
        let what = ("signin", "ConsoleLogin", Some("Failed authentication"));
        record(
            20_000 + n,
            at(n as i64 * 9),
            people[n % 6],
            "203.0.113.200",
            what,
        )
    }));

    let file = home.path().join("attack.jsonl");
    std::fs::write(
        &file,
        attack
            .iter()
            .map(|record| format!("{record}\n"))
            .collect::<String>(),
    )
    .unwrap();

    let (url, file) = (service.url().to_owned(), file.to_str().unwrap().to_owned());
    let sent = tokio::task::spawn_blocking(move || {
        reeve(&[
            "audit",
            "import",
            "--format",
            "cloudtrail",
            "--url",
            &url,
            "--token",
            ADMIN_TOKEN,
            &file,
        ])
    });
    assert!(sent.await.unwrap().unwrap().status.success());

    let found = deliveries(&admin, 3).await;
    let places: Vec<&str> = found
        .iter()
        .map(|one| one["resource"]["id"].as_str().unwrap())
        .collect();
    assert!(places.contains(&"203.0.113.200"), "{places:?}");
    assert_eq!(
        places.iter().filter(|id| id.contains("ci")).count(),
        1,
        "{places:?}"
    );

    assert_eq!(
        found.len(),
        3,
        "one each, and the marker: {:?}",
        titles(&found)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_recorded_before_a_power_cut_are_evaluated_after_it() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    until("a first look", Duration::from_secs(120), async || {
        let _ = admin.post("audit-logs", marker()).await.expect(201);
        let all = admin
            .get("intelligence/anomalies?type=security")
            .await
            .expect(200);
        (!all.items().is_empty()).then_some(())
    })
    .await;

    let mut late = marker();
    late[0]["actor"]["id"] = json!("late");
    let _ = admin.post("audit-logs", late).await.expect(201);
    service.kill().unwrap();
    let again = Service::serve(home.path(), &[]).unwrap();
    let found = deliveries(&again.admin(), 2).await;
    assert!(
        found.iter().any(|one| one["resource"]["id"] == "late"),
        "{:?}",
        titles(&found)
    );
}
