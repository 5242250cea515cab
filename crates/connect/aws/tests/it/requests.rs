//! Requests that change no resource: a higher quota, against an endpoint that refuses what Service
//! Quotas refuses, and a document of Systems Manager, on moto.

use std::sync::{Arc, Mutex};

use reeve_estate::{Act, ActErrorKind, Applied, Observe, Resource, ResourceKind};
use reeve_recommend::change::{DocumentOperation, DocumentTargets, QuotaOperation};
use reeve_testkit::moto::Moto;
use serde_json::{Value, json};

use crate::strict::answering;
use crate::{by_id, connection, open};

const REGION: &str = "us-east-1";

/// State of the quotas of an account: one quota, and the requests for it, the newest first.
#[derive(Debug, Default)]
struct Quotas {
    value: f64,
    requests: Vec<(f64, &'static str)>,
}

type Refusal = (u16, &'static str);

impl Quotas {
    /// Answers as Service Quotas does.
    fn answer(&mut self, action: &str, body: &str) -> Option<Result<String, Refusal>> {
        let asked: Value = serde_json::from_str(body).ok()?;
        let known = asked["ServiceCode"] == "ec2" && asked["QuotaCode"] == "L-1216C47A";
        let answer = match action {
            _ if !known => Err((400, "NoSuchResourceException")),
            "GetServiceQuota" => Ok(json!({
                "Quota": { "QuotaCode": "L-1216C47A", "Value": self.value, "Adjustable": true }
            })),
            "ListRequestedServiceQuotaChangeHistoryByQuota" => {
                let entry = |(value, status): &(f64, &str)| json!({ "DesiredValue": value, "Status": status });
                let requests: Vec<Value> = self.requests.iter().map(entry).collect();
                Ok(json!({ "RequestedQuotas": requests }))
            }
            "RequestServiceQuotaIncrease" => self.request(asked["DesiredValue"].as_f64()?),
            _ => return None,
        };
        Some(answer.map(|body| body.to_string()))
    }

    fn request(&mut self, value: f64) -> Result<Value, Refusal> {
        if value <= self.value {
            return Err((400, "IllegalArgumentException"));
        }
        let is_open = |(_, status): &(f64, &str)| matches!(*status, "PENDING" | "CASE_OPENED");
        if self.requests.iter().any(is_open) {
            return Err((400, "ResourceAlreadyExistsException"));
        }

        self.requests.insert(0, (value, "PENDING"));
        Ok(json!({ "RequestedQuota": { "DesiredValue": value, "Status": "PENDING" } }))
    }
}

fn quota(from: u32, to: u32) -> QuotaOperation {
    QuotaOperation {
        service: "ec2".to_owned(),
        quota: "L-1216C47A".to_owned(),
        from,
        to,
    }
}

fn balancer() -> Resource {
    Resource {
        kind: ResourceKind::LoadBalancer,
        region: REGION.to_owned(),
        ..reeve_testkit::contract::estate::resource("test", "lb-1").unwrap()
    }
}

#[tokio::test]
async fn a_quota_is_requested_once_and_only_where_the_rule_knows_it() {
    let quotas = Arc::new(Mutex::new(Quotas {
        value: 100.0,
        ..Quotas::default()
    }));
    let shared = Arc::clone(&quotas);
    let endpoint = answering(Box::new(move |action, body, _| {
        shared.lock().unwrap().answer(action, body)
    }))
    .await;
    let aws = open(&connection(&endpoint, &[REGION])).await;
    let balancer = balancer();
    let apply = async |operation: QuotaOperation| aws.apply(&balancer, &operation).await;

    let other_unit = apply(quota(1_000, 1_250)).await.unwrap_err();
    assert!(
        other_unit.message.contains("correct the limit of the rule"),
        "{other_unit:?}"
    );
    assert_eq!(quotas.lock().unwrap().requests, []);

    for _ in 0..3 {
        let applied = apply(quota(100, 125)).await.unwrap();
        assert_eq!(applied, Applied::Accepted);
        assert_eq!(quotas.lock().unwrap().requests, [(125.0, "PENDING")]);
    }

    quotas.lock().unwrap().requests[0].1 = "DENIED";
    let declined = apply(quota(100, 125)).await.unwrap_err();
    assert!(declined.message.contains("DENIED"), "{declined:?}");

    // Granted meanwhile: nothing is left to request.
    *quotas.lock().unwrap() = Quotas {
        value: 125.0,
        requests: Vec::new(),
    };
    assert_eq!(apply(quota(100, 125)).await.unwrap(), Applied::Accepted);
    assert_eq!(quotas.lock().unwrap().requests, []);

    let unknown = QuotaOperation {
        quota: "L-0".to_owned(),
        ..quota(100, 125)
    };
    let unknown = apply(unknown).await.unwrap_err();
    assert_eq!(
        (unknown.kind, unknown.message.as_str()),
        (ActErrorKind::Other, "AWS has no quota L-0 of ec2")
    );
}

#[tokio::test]
async fn a_document_runs_once_for_an_occasion() {
    let moto = Moto::start().await.unwrap();
    let id = moto
        .machines(REGION, "m5.large", 1, &[("team", "shop")])
        .await
        .unwrap()
        .remove(0);
    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let seen = aws.inventory().await.unwrap();
    let machine = by_id(&seen, &id);
    let run = |document: &str, occasion: &str| DocumentOperation {
        document: document.to_owned(),
        targets: DocumentTargets::Machine,
        occasion: occasion.to_owned(),
    };

    let foreign = aws
        .apply(machine, &run("AWS-RunShellScript", "2026-11-26T14"))
        .await
        .unwrap_err();
    assert!(foreign.message.contains("begin with reeve-"), "{foreign:?}");

    let warm = run("reeve-warm-cache", "2026-11-26T14");
    assert_eq!(aws.apply(machine, &warm).await.unwrap(), Applied::Pending);
    assert_eq!(
        aws.apply(machine, &warm).await.unwrap(),
        Applied::Accepted,
        "it succeeded, and is not run again"
    );

    let next = run("reeve-warm-cache", "2026-11-26T15");
    assert_eq!(aws.apply(machine, &next).await.unwrap(), Applied::Pending);

    let members = DocumentOperation {
        targets: DocumentTargets::Members,
        ..warm
    };
    let refused = aws.apply(machine, &members).await.unwrap_err();
    assert!(refused.message.contains("members of groups"), "{refused:?}");
}
