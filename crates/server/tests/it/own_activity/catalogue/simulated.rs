//! The simulated estate of the demo, whose history is long enough to train models on.

use reeve_audit::events;
use reeve_testkit::http::Api;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

use super::{Emitted, by_reeve, by_user, verify};

pub(super) const EMITTED: &[Emitted] = &[
    by_reeve(&events::MODEL, "scheduled", "model"),
    Emitted {
        actor: "agent",
        ..by_reeve(&events::EVIDENCE, "automation", "agent")
    },
    by_user(&events::OBJECTIVE_CREATE, "objective"),
    by_user(&events::OBJECTIVE_MODIFY, "objective"),
    by_user(&events::OBJECTIVE_DELETE, "objective"),
    by_reeve(&events::OBJECTIVE_BURN, "system", "objective"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_demo_does_by_itself_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::demo(home.path()).unwrap();
    objective(&service.admin()).await;
    verify(&service.admin(), "simulated", EMITTED).await;
}

/// An objective that no answer meets: its budget burns from the first measurement on.
async fn objective(admin: &Api) {
    let balancers = admin.get("resources?type=load_balancer").await.expect(200);
    let balancer = balancers.items()[0]["id"].as_str().unwrap().to_owned();
    let objective = |service: Value, target: f64| {
        json!({
            "name": "Answers", "service": service, "metric": "response_time", "target": target,
            "share_percent": 99.0, "window_days": 7,
        })
    };
    let path = "intelligence/objectives";
    let of_balancer = json!({ "resource_id": balancer });
    let made = admin
        .post(path, objective(of_balancer.clone(), 0.000_001))
        .await
        .expect(201);
    assert_eq!(
        made.body["standing"]["budget"]["is_broken"], true,
        "{}",
        made.text
    );

    let one = format!("{path}/{}", made.text_at("/id"));
    let course = admin.get(&format!("{one}/course")).await.expect(200);
    let points = course.body["points"].as_array().unwrap();
    assert!(points.last().unwrap()["left_percent"].as_f64().unwrap() < 0.0);
    let of_tag = json!({ "tag": { "name": "team", "value": "shop" } });
    let _ = admin.put(&one, objective(of_tag, 3600.0)).await.expect(200);
    let refused = admin.post(path, objective(json!({}), 0.2)).await;
    let refused = refused.problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "service");
    let _ = admin.delete(&one).await.expect(204);
}
