//! Every format version that was ever written continues reading: one fixture each, made once and
//! never edited.

#![allow(clippy::unwrap_used)]

mod alerts;
mod anomalies;
mod budgets;
mod foreseen;
mod notifications;
mod reports;

use reeve_testkit::contract::{agents as samples, estate, saved_searches};
use serde_json::Value;

use super::*;

/// Checks that the current program writes every member of the fixture; it may add later ones.
fn check<R: Serialize>(row: &R, fixture: &str) {
    let written: Value = serde_json::from_str(&encode(row).unwrap()).unwrap();
    let fixture: Value = serde_json::from_str(fixture).unwrap();
    assert!(
        holds(&written, &fixture),
        "the format lost something; written is {written:#}"
    );
}

fn holds(written: &Value, fixture: &Value) -> bool {
    match (written, fixture) {
        (Value::Object(written), Value::Object(fixture)) => fixture.iter().all(|(name, value)| {
            written
                .get(name)
                .is_some_and(|written| holds(written, value))
        }),
        (Value::Array(written), Value::Array(fixture)) => {
            written.len() == fixture.len()
                && written
                    .iter()
                    .zip(fixture)
                    .all(|(written, fixture)| holds(written, fixture))
        }
        _ => written == fixture,
    }
}

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/",
            $name,
            ".json"
        ))
    };
}

// Below the macro, which it uses.
mod signing_in;
mod sources;

#[test]
fn recommendation_v1() {
    let sample = samples::recommendation("rec-1", "i-1").unwrap();
    check(
        &recommendation::RecommendationRow::from(&sample),
        fixture!("recommendation-v1"),
    );

    let row: recommendation::RecommendationRow = decode(fixture!("recommendation-v1")).unwrap();
    // What was written before there were rankings has none, and its risk is its impact level.
    let explanation = reeve_recommend::recommendation::Explanation {
        risk: sample.impact_level,
        ..without_models(sample.clone()).explanation
    };

    // Nor had it a cause, an exception, or a person who took it back.
    let origin = reeve_recommend::recommendation::origin::Origin {
        cause: reeve_recommend::recommendation::origin::OriginCause::Run,
        ..sample.origin.clone()
    };
    let older = reeve_recommend::recommendation::Recommendation {
        origin,
        exception: None,
        taken_back_by: None,
        ranking: reeve_recommend::recommendation::ranking::Ranking::default(),
        explanation,
        ..sample
    };

    assert_eq!(row.into_recommendation().unwrap(), older);
}

/// A recommendation as releases wrote it before explanations had the range of the confidence, named
/// the models that decided, and kept the kinds of their factors.
fn without_models(
    sample: reeve_recommend::recommendation::Recommendation,
) -> reeve_recommend::recommendation::Recommendation {
    let texts = sample.explanation.factors.texts().into_iter();
    let explanation = reeve_recommend::recommendation::Explanation {
        models: Vec::new(),
        confidence_range: None,
        factors: texts
            .map(|text| (reeve_recommend::recommendation::FactorKind::Unsorted, text))
            .collect(),
        ..sample.explanation.clone()
    };

    reeve_recommend::recommendation::Recommendation {
        explanation,
        ..sample
    }
}

#[test]
fn recommendation_v2() {
    let sample = samples::recommendation("rec-1", "i-1").unwrap();
    check(
        &recommendation::RecommendationRow::from(&sample),
        fixture!("recommendation-v2"),
    );

    let row: recommendation::RecommendationRow = decode(fixture!("recommendation-v2")).unwrap();
    assert_eq!(
        row.into_recommendation().unwrap(),
        without_models(sample.clone())
    );

    // Advice belongs to no agent.
    let advice = reeve_recommend::recommendation::Recommendation {
        agent_id: None,
        ..sample
    };
    let written = encode(&recommendation::RecommendationRow::from(&advice)).unwrap();
    let row: recommendation::RecommendationRow = decode(&written).unwrap();
    assert_eq!(row.into_recommendation().unwrap(), advice);
}

/// Plans have their typed change since format 3, and subjects and endings no longer hang on words.
#[test]
fn recommendation_v3() {
    let sample = reeve_recommend::recommendation::Recommendation {
        plan: Some(samples::typed_plan("i-1")),
        closing: Some(reeve_recommend::recommendation::Closing::Excluded),
        ..samples::recommendation("rec-1", "i-1").unwrap()
    };

    check(
        &recommendation::RecommendationRow::from(&sample),
        fixture!("recommendation-v3"),
    );

    let row: recommendation::RecommendationRow = decode(fixture!("recommendation-v3")).unwrap();
    assert_eq!(row.into_recommendation().unwrap(), without_models(sample));
}

#[test]
fn factors_keep_their_kinds_and_those_of_an_earlier_release_their_order() {
    use reeve_recommend::recommendation::FactorKind;

    let mut sample = samples::recommendation("rec-1", "i-1").unwrap();
    sample
        .explanation
        .factors
        .add(FactorKind::Confidence, "Safe on 23 of 23 past days");
    sample
        .explanation
        .factors
        .add(FactorKind::Price, "$70 a month");
    let written = encode(&recommendation::RecommendationRow::from(&sample)).unwrap();
    let row: recommendation::RecommendationRow = decode(&written).unwrap();
    assert_eq!(
        row.into_recommendation().unwrap().explanation.factors,
        sample.explanation.factors
    );

    let mut older: Value = serde_json::from_str(&written).unwrap();
    let explanation = older["row"]["explanation"].as_object_mut().unwrap();
    explanation.remove("factor_kinds").unwrap();
    explanation["factors"].as_array_mut().unwrap().reverse();
    let row: recommendation::RecommendationRow = decode(&older.to_string()).unwrap();
    let read = row.into_recommendation().unwrap().explanation.factors;
    let mut reversed = sample.explanation.factors.texts();
    reversed.reverse();
    assert_eq!(read.texts(), reversed);
}

#[test]
fn a_finding_of_an_earlier_release_tells_by_its_codes_and_words() {
    let older = fixture!("recommendation-v2").replace("cpu_below_20_for_14_days", "iac_managed");
    let read = decode::<recommendation::RecommendationRow>(&older)
        .unwrap()
        .into_recommendation()
        .unwrap();
    assert!(read.subject.managed_by_code && read.plan.is_some_and(|plan| plan.hash_version() == 1));

    let mut ended: Value = serde_json::from_str(&older).unwrap();
    ended["row"]["status_reason"] = "excluded: it is being replaced".into();
    let ended = decode::<recommendation::RecommendationRow>(&ended.to_string()).unwrap();
    let read = ended.into_recommendation().unwrap();
    assert_eq!(
        read.closing,
        Some(reeve_recommend::recommendation::Closing::Excluded)
    );
}

#[test]
fn a_finding_that_an_agent_of_another_type_held_is_advice_now() {
    let isolation = fixture!("recommendation-v1")
        .replace("downsize_underutilized", "auto_quarantine")
        .replace("cpu_below_20_for_14_days", "anomaly:an-1");
    let read = decode::<recommendation::RecommendationRow>(&isolation)
        .unwrap()
        .into_recommendation()
        .unwrap();
    assert_eq!(read.agent_id, None, "an agent for savings held it");
    assert_eq!(
        read.origin.agent_type,
        reeve_recommend::agent::AgentType::SECURITY_INTELLIGENCE
    );
    assert_eq!(read.origin.cause.id(), Some("an-1"));
}

#[test]
fn a_saving_without_a_price_is_none_and_was_zero() {
    let sample = samples::recommendation("rec-1", "i-1").unwrap();
    let unpriced = reeve_recommend::recommendation::Recommendation {
        savings_monthly: None,
        not_measured: vec!["price".to_owned()],
        ..sample.clone()
    };
    let written = encode(&recommendation::RecommendationRow::from(&unpriced)).unwrap();
    let row: recommendation::RecommendationRow = decode(&written).unwrap();
    assert_eq!(row.into_recommendation().unwrap(), unpriced);

    // Versions before wrote a zero; one that is meant has a price.
    let older = written.replace("\"savings_monthly\":null", "\"savings_monthly\":0");
    assert_ne!(older, written);

    let row: recommendation::RecommendationRow = decode(&older).unwrap();
    assert_eq!(row.into_recommendation().unwrap().savings_monthly, None);

    let meant = older.replace("\"not_measured\":[\"price\"]", "\"not_measured\":[]");
    let row: recommendation::RecommendationRow = decode(&meant).unwrap();
    assert_eq!(
        row.into_recommendation()
            .unwrap()
            .savings_monthly
            .map(reeve_estate::Money::micros),
        Some(0)
    );
}

#[test]
fn agent_v1() {
    let sample = samples::agent(
        "a-1",
        reeve_recommend::agent::AgentType::COST_OPTIMIZER,
        1_000,
    )
    .unwrap();
    check(&sample, fixture!("agent-v1"));

    let read: reeve_recommend::agent::Agent = decode(fixture!("agent-v1")).unwrap();
    // Agents had no schedule, waiver or settings of their own then.
    let settings = reeve_recommend::agent::settings::AgentSettings::default();
    let older = reeve_recommend::agent::Agent {
        schedule: None,
        learning_waived: None,
        settings,
        ..sample
    };

    assert_eq!(read, older);
}

#[test]
fn approval_v1() {
    let sample = samples::approval("ap-1", "rec-1", 1_000).unwrap();
    check(&sample, fixture!("approval-v1"));

    let read: reeve_recommend::approval::Approval = decode(fixture!("approval-v1")).unwrap();
    let then = reeve_recommend::approval::Approval {
        delegated: Vec::new(),
        reminded_at: None,
        exception: None,
        ..sample
    };

    assert_eq!(read, then);
}

#[test]
fn standing_approval_v1() {
    let sample = samples::standing_approval("sa-1", 1_000).unwrap();
    check(&sample, fixture!("standing-approval-v1"));
    let read: reeve_recommend::agent::emergency::StandingApproval =
        decode(fixture!("standing-approval-v1")).unwrap();
    assert_eq!(read, sample);
}

#[test]
fn action_v1() {
    let sample = samples::action("ac-1", "rec-1", 1_000).unwrap();
    check(&sample, fixture!("action-v1"));

    let read: reeve_recommend::action::Action = decode(fixture!("action-v1")).unwrap();
    let mut then = reeve_recommend::action::Action {
        watch: None,
        undone_by: None,
        ..sample
    };
    for (step, written) in then.steps.iter_mut().zip(&read.steps) {
        // The kind told the effect then.
        assert_eq!(written.effect(), step.effect());
        (step.made, step.effect) = (None, None);
    }
    assert_eq!(read, then);
}

#[test]
fn feedback_v1() {
    let sample = samples::feedback("f-1", "rec-1", 1_000).unwrap();
    check(&sample, fixture!("feedback-v1"));
    let read: reeve_recommend::recommendation::Feedback = decode(fixture!("feedback-v1")).unwrap();
    assert_eq!(read, sample);
}

#[test]
fn guardrails_v1() {
    let sample = reeve_recommend::guardrail::Guardrails::default();
    check(&sample, fixture!("guardrails-v1"));
    let read: reeve_recommend::guardrail::Guardrails = decode(fixture!("guardrails-v1")).unwrap();
    assert_eq!(read, sample);
}

#[test]
fn connection_v1() {
    let sample = estate::connection("c-1", 1_000).unwrap();
    let fixture = fixture!("connection-v1");
    check(&connection::ConnectionRow::from(&sample), fixture);
    assert!(
        !fixture.contains("AKIDEXAMPLE") && !fixture.contains("secret"),
        "credentials stand in no document"
    );

    let row: connection::ConnectionRow = decode(fixture).unwrap();
    assert!(row.into_connection(sample.credentials.clone()) == sample);
}

#[test]
fn resource_v1() {
    let sample = estate::resource("c-1", "i-1").unwrap();
    check(&sample, fixture!("resource-v1"));

    let read: reeve_estate::Resource = decode(fixture!("resource-v1")).unwrap();
    // Its release did not read whether the public address stays, so that an address which changes
    // is not ruled out.
    let mut then = sample;
    then.specification.public_address = reeve_estate::PublicAddress::NotRead;
    assert_eq!(read, then);
}

#[test]
fn plans_keep_the_losses_that_their_hash_covers() {
    let loss = reeve_recommend::plan::Loss {
        kind: reeve_recommend::plan::LossKind::Address,
        detail: "Its public IPv4 address goes back to the cloud".to_owned(),
        lasting: true,
    };
    let plan = samples::typed_plan("i-1").losing(vec![loss]);
    let sample = reeve_recommend::recommendation::Recommendation {
        plan: Some(plan),
        ..samples::recommendation("rec-1", "i-1").unwrap()
    };
    let written = encode(&recommendation::RecommendationRow::from(&sample)).unwrap();
    let row: recommendation::RecommendationRow = decode(&written).unwrap();
    let read = row.into_recommendation().unwrap();
    assert!(read.plan.as_ref().unwrap().is_intact());
    assert_eq!(read.plan, sample.plan);
}

#[test]
fn saved_search_v1() {
    let sample = saved_searches::saved_search("s-1", "u-1", "Failures");
    check(
        &saved_search::SavedSearchRow::from(&sample),
        fixture!("saved-search-v1"),
    );

    let row: saved_search::SavedSearchRow = decode(fixture!("saved-search-v1")).unwrap();
    let read = reeve_access::SavedSearch {
        description: row.description,
        query: row.query,
        filters: row.filters,
        start_time: row.start_time,
        end_time: row.end_time,
        columns: row.columns,
        ..sample.clone()
    };

    assert_eq!(read, sample);
}

#[test]
fn unreadable_rows_name_their_fault() {
    let message = |text: &str| {
        decode::<reeve_recommend::recommendation::Feedback>(text)
            .unwrap_err()
            .to_string()
    };

    assert_eq!(
        message(r#"{"v":2,"row":{"anything":1}}"#),
        "format 2 is newer than this program"
    );
    assert!(message(r#"{"v":1,"row":{}}"#).contains("missing field"));
    assert!(message("not json").contains("expected"));

    let unknown = fixture!("agent-v1").replace("safe_mode", "yolo");
    let error = decode::<reeve_recommend::agent::Agent>(&unknown).unwrap_err();
    assert!(error.to_string().contains("unknown variant `yolo`"));

    let broken = fixture!("feedback-v1").replace("1970-01-01T00:00:01Z", "yesterday");
    assert!(decode::<reeve_recommend::recommendation::Feedback>(&broken).is_err());
}
