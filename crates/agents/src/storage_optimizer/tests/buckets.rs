//! Buckets: which get a rule, and why others get none.

use reeve_estate::{Document, ResourceKind, ResourceState};
use reeve_recommend::agent::Impact;
use reeve_recommend::agent::settings::SettingValue;
use reeve_recommend::judgement::{Facts, Judgement};
use serde_json::{Value, json};

use super::{Case, judge};
use crate::cost_optimizer::tests::estate::resource;

fn bucket(document: Value) -> (Case, Document) {
    let mut case = Case::volume("gp3", 1.0, None, None);
    case.volume = resource("assets", ResourceKind::Bucket, "s3", None);
    case.volume.state = ResourceState::Available;
    (case, Document::new(document))
}

fn judged((case, document): &(Case, Document)) -> Judgement {
    case.with(|facts| {
        judge(&Facts {
            document: Some(document),
            ..*facts
        })
    })
}

fn code(document: Value) -> &'static str {
    let judgement = judged(&bucket(document));
    assert!(
        judgement.proposals.is_empty(),
        "{}",
        judgement.proposals[0].title
    );
    judgement.abstentions[0].code
}

fn rule(action: &str) -> Value {
    json!({ "ID": "own", "Status": "Enabled", "Filter": { "Prefix": "" }, action: {} })
}

const ABORTS: &str = "AbortIncompleteMultipartUpload";
const EXPIRES: &str = "NoncurrentVersionExpiration";

#[test]
fn the_safe_rule_comes_first_and_can_be_taken_back() {
    let bare = judged(&bucket(json!({ "Versioning": { "Status": "Enabled" } })));
    let found = &bare.proposals[0];
    let plan = found.plan.as_ref().unwrap();
    assert_eq!((found.rule, plan.reversible), ("abort_uploads", true));
    assert_eq!(
        (found.savings_monthly, found.impact.cost_percent),
        (None, None),
        "nobody counts uploads"
    );

    let parameters = &plan.change.as_ref().unwrap().parameters;
    assert_eq!(
        parameters
            .as_object()
            .unwrap()
            .get("from")
            .and_then(|from| from.as_str()),
        Some("none")
    );

    let aborts =
        json!({ "Versioning": { "Status": "Suspended" }, "Lifecycle": { "Rule": rule(ABORTS) } });
    let expiring = judged(&bucket(aborts.clone()));
    let found = &expiring.proposals[0];
    assert_eq!(
        (found.rule, found.plan.as_ref().unwrap().reversible),
        ("expire_versions", false)
    );
    assert!(
        found.impact_level >= Impact::Medium,
        "versions do not come back"
    );
    assert!(
        found.explanation.factors[2].contains("after 90 days, but for the 1 newest"),
        "{:?}",
        found.explanation
    );

    let (case, document) = bucket(aborts);
    let off = (
        case.set("expire_versions.enabled", SettingValue::Flag(false)),
        document,
    );
    assert_eq!(judged(&off).abstentions[0].code, "configured");

    let (case, document) = bucket(json!({ "Versioning": { "Status": "Enabled" } }));
    let off = (
        case.set("abort_uploads.enabled", SettingValue::Flag(false)),
        document,
    );
    assert_eq!(judged(&off).proposals[0].rule, "expire_versions");
}

#[test]
fn what_has_rules_or_must_not_get_any_stays_as_it_is() {
    let with = |rules: Value| json!({ "Versioning": { "Status": "Enabled" }, "Lifecycle": { "Rule": rules } });
    assert_eq!(
        code(with(json!([rule(ABORTS), rule(EXPIRES)]))),
        "configured"
    );
    assert_eq!(
        code(json!({ "Versioning": {}, "Lifecycle": { "Rule": rule(ABORTS) } })),
        "configured"
    );
    assert_eq!(
        code(with(json!([
            rule(ABORTS),
            rule("NoncurrentVersionTransition")
        ]))),
        "has_transitions"
    );

    let moving = judged(&bucket(with(json!([
        rule("Transition"),
        rule("NoncurrentVersionTransition")
    ]))));
    assert_eq!(
        moving.proposals[0].rule, "abort_uploads",
        "what moves objects says nothing about uploads"
    );
    assert_eq!(
        code(with(
            json!({ "ID": "old", "Prefix": "", "Status": "Enabled" })
        )),
        "legacy_rules"
    );

    assert_eq!(code(json!({ "Lifecycle": "[not read]" })), "not_described");
    assert_eq!(code(json!({ "ObjectLock": {} })), "object_lock");

    let mut off = rule(ABORTS);
    off["Status"] = json!("Disabled");
    assert_eq!(
        judged(&bucket(with(off))).proposals[0].rule,
        "abort_uploads",
        "a rule that is off aborts nothing"
    );

    let (mut case, document) = bucket(json!({}));
    case.volume
        .tags
        .insert("reeve:ignore".to_owned(), "true".to_owned());
    assert_eq!(judged(&(case, document)).abstentions[0].code, "opted_out");
}
