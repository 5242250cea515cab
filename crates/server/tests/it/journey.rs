//! One estate, one agent, one provable trail: from CloudTrail records and a cloud account to a
//! change that was approved, made, recorded, and proven offline; and every kind of damage noticed.

mod damage;
mod estate;
mod story;
mod trail;

use std::path::Path;
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{EMULATORS, Service, verify};
use serde_json::{Value, json};

use estate::Estate;

/// Seals so rarely that part of the log is in segments and part in the write-ahead log at the end.
const SETTINGS: &[(&str, &str)] = &[
    ("REEVE_SEAL_AFTER_ENTRIES", "60"),
    ("REEVE_SEAL_AFTER_S", "600"),
    EMULATORS,
];

/// Users who answer recommendations, by role.
struct People {
    operator: Api,
    manager: Api,
    director: Api,
    security: Api,
    viewer: Api,
}

impl People {
    async fn hire(admin: &Api) -> People {
        let hire = async |name: &str, roles: &[&str]| {
            admin
                .person(&format!("{name}@acme.example"), roles, &[])
                .await
                .1
        };
        People {
            // Also a manager and a director: what keeps them from signing is that they asked.
            operator: hire("operator", &["operator", "manager", "director"]).await,
            manager: hire("manager", &["manager"]).await,
            director: hire("director", &["director"]).await,
            security: hire("security", &["security_analyst"]).await,
            viewer: hire("auditor", &["audit_administrator"]).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_an_account_to_a_proven_change() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let imported = trail::import(home.path(), &data);
    let estate = Estate::start().await;

    let service = Service::serve(&data, SETTINGS).unwrap();
    let admin = service.admin();
    trail::is_there(&admin, imported).await;
    trail::import_again(home.path(), &service, &admin, imported).await;
    let people = People::hire(&admin).await;
    connect(&admin, &estate).await;
    let agent = agent(&admin).await;
    let found = recommendations(&admin, &agent).await;

    let resize = estate.right_size(&found);
    let idle = estate.idle(&found);
    estate.left_alone(&found);
    let resized = carry_out(&people.operator, resize, &[("manager", &people.manager)]).await;
    let stopped = carry_out(
        &people.operator,
        idle,
        &[
            ("director", &people.director),
            ("security", &people.security),
        ],
    )
    .await;

    estate.is_resized(&resized).await;
    estate.is_stopped_and_kept(&stopped).await;
    let step = story::of_the_resize(&people.viewer, resize).await;
    story::of_the_stop(&people.viewer, idle).await;

    let proof = people
        .viewer
        .get(&format!("audit-logs/{step}/proof"))
        .await
        .expect(200)
        .text;

    let size = admin.size().await;
    let (status, took) = service.stop().unwrap();
    assert!(
        status.success() && took < Duration::from_secs(10),
        "{status} after {took:?}"
    );
    is_intact(home.path(), &data, &proof, size);
    damage::is_noticed(&data, home.path());
}

async fn connect(admin: &Api, estate: &Estate) {
    let connection = json!({
        "name": "acme-production", "provider": "aws", "regions": ["us-east-1"], "endpoint": estate.endpoint(), "allow_actions": true,
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG" },
    });
    let made = admin.post("connections", connection).await.expect(201);
    assert!(
        !made.text.contains("wJalrXUtnFEMI"),
        "the secret came back: {}",
        made.text
    );

    let path = format!("connections/{}", made.text_at("/id"));
    let tested = admin
        .post(&format!("{path}/test"), json!({}))
        .await
        .expect(200);
    assert_eq!(
        (&tested.body["ok"], &tested.body["account"]),
        (&json!(true), &json!("123456789012"))
    );

    // The schedule may have been faster: then a sync runs already.
    let begun = admin.post(&format!("{path}/sync"), json!({})).await;
    assert!(matches!(begun.status, 202 | 409), "{}", begun.text);

    let ready = until(
        "the connection is ready",
        Duration::from_secs(120),
        || async {
            let now = admin.get(&path).await.expect(200).body;
            assert_ne!(now["status"], "failed", "{now}");
            (now["status"] == "ready" && now["last_sync"].is_object()).then_some(now)
        },
    )
    .await;

    assert_eq!(ready["last_sync"]["denied"], json!([]));
    // moto has no access analyzers and no machines that Systems Manager manages.
    let lacking = |problem: &&Value| {
        let text = problem.as_str().unwrap_or_default();
        ![
            "access-analyzer:ListAnalyzers",
            "ssm:DescribeInstanceInformation",
        ]
        .iter()
        .any(|call| text.contains(call))
    };
    let problems = ready["last_sync"]["problems"].as_array().unwrap();
    let others: Vec<&Value> = problems.iter().filter(lacking).collect();
    assert!(others.is_empty(), "{others:?}");

    estate.is_listed(admin).await;
}

async fn agent(admin: &Api) -> String {
    let agent = json!({
        "agent_type": "cost_optimizer", "name": "Production cost optimizer", "mode": "active",
        "scope": { "accounts": ["acme-production"], "services": ["ec2", "rds"] },
        "learning_period": "14d", "confidence_threshold": "85%",
        "auto_apply": { "enabled": false, "max_impact": "low", "approval_required": "high_impact" },
        "reason": "the account has fourteen days of history",
    });
    let made = admin.post("intelligence/agents", agent).await.expect(201);
    assert_eq!(made.body["mode"], "active");

    made.text_at("/id")
}

async fn recommendations(admin: &Api, agent: &str) -> Vec<Value> {
    let path = format!("intelligence/agents/{agent}/run");
    // A new agent is due at once: the schedule's own run may be under way.
    let run = until("the agent ran", Duration::from_secs(60), || async {
        let answer = admin.post(&path, json!({})).await;
        assert!(matches!(answer.status, 200 | 409), "{}", answer.text);
        (answer.status == 200).then_some(answer.body)
    })
    .await;
    assert_eq!(run["error"], Value::Null, "{run}");

    let listed = admin
        .get(&format!(
            "intelligence/recommendations?agent={agent}&limit=1000"
        ))
        .await
        .expect(200);
    assert_eq!(listed.body["total"], listed.items().len());

    listed.items().to_vec()
}

/// Asks for the execution, sees that nobody signs their own request, has it signed, and waits for
/// its end; the action.
async fn carry_out(operator: &Api, of: &Value, signers: &[(&str, &Api)]) -> Value {
    let id = of["id"].as_str().unwrap();
    let path = format!("intelligence/recommendations/{id}");
    let stale = json!({ "plan_hash": "0".repeat(64) });
    let _ = operator
        .post(&format!("{path}/execute"), stale)
        .await
        .problem(409, "plan_changed");
    let asked = operator
        .post(
            &format!("{path}/execute"),
            json!({ "plan_hash": of["plan"]["hash"] }),
        )
        .await
        .expect(202);
    assert_eq!(asked.body["status"], "pending_approval", "{}", asked.text);

    let approval = format!("intelligence/approvals/{}", asked.text_at("/approval_id"));
    let waiting = operator.get(&approval).await.expect(200).body;
    let names: Vec<&str> = signers.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        (&waiting["needed"], &waiting["can_sign"]),
        (&json!(names), &json!([])),
        "{waiting}"
    );

    let own = operator
        .post(&format!("{approval}/approve"), json!({}))
        .await
        .problem(403, "forbidden");
    assert!(
        own.text_at("/detail").contains("someone else must approve"),
        "{}",
        own.text
    );

    for (index, (name, signer)) in signers.iter().enumerate() {
        let signed = signer
            .post(
                &format!("{approval}/approve"),
                json!({ "comment": "go on" }),
            )
            .await
            .expect(200);
        assert_eq!(signed.body["signed"][index]["signature"], **name);
        let last = index + 1 == signers.len();
        assert_eq!(
            signed.body["status"],
            if last { "approved" } else { "pending" }
        );
    }

    until("the action ended", Duration::from_secs(120), || async {
        let actions = operator
            .get("intelligence/actions?limit=1000")
            .await
            .expect(200);
        let action = actions
            .items()
            .iter()
            .find(|action| action["recommendation_id"] == id)?
            .clone();
        let status = action["status"].as_str().unwrap();
        assert!(matches!(status, "running" | "succeeded"), "{action:#}");
        let now = operator.get(&path).await.expect(200).body;
        (status == "succeeded" && now["status"] == "succeeded").then_some(action)
    })
    .await
}

fn is_intact(home: &Path, data: &Path, proof: &str, size: u64) {
    let (code, said) = verify(&[data.to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");

    let counts = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("entries "))
        .unwrap();
    let (checked, all) = counts
        .trim()
        .trim_end_matches(" checked")
        .split_once(" of ")
        .unwrap();

    // The service adds what it counted, and its end, while it stops.
    assert!(
        checked == all && all.parse::<u64>().unwrap() > size,
        "{size} entries before the end: {said}"
    );

    let file = home.join("step.tlog-proof");
    std::fs::write(&file, proof).unwrap();
    let key = std::fs::read_to_string(data.join("ledger/log.vkey")).unwrap();
    let check = |key: &str| verify(&[file.to_str().unwrap(), "--public-key", key.trim()]).unwrap();
    let (code, said) = check(&key);
    assert_eq!(code, Some(0), "{said}");

    // One changed character of the carried entry, and the proof proves nothing.
    let at = proof.find("extra ").map_or(proof.len() / 4, |at| at + 40);
    let mut broken = proof.as_bytes().to_vec();
    broken[at] = if broken[at] == b'A' { b'B' } else { b'A' };
    std::fs::write(&file, broken).unwrap();
    assert_eq!(check(&key).0, Some(1));
}
