//! A rule on the response time of a load balancer, from its samples to the recommendation.

use reeve_estate::{Metric, ResourceKind};
use reeve_predict::{Outcome, RuleInput};
use reeve_recommend::agent::AgentType;

use super::{fixture, text};
use crate::world::{operator, resource};

fn slow_answers() -> RuleInput {
    RuleInput {
        name: text("slow answers"),
        agent_type: text(AgentType::PERFORMANCE_OPTIMIZER.as_str()),
        metric: text("response_time"),
        prediction: text("above"),
        value: Some(Some(0.7)),
        horizon: text("1d"),
        action: text("pre_scale"),
        approval: text("required"),
        ..RuleInput::default()
    }
}

#[tokio::test]
async fn a_response_time_that_rises_becomes_a_recommendation() {
    let it = fixture();
    it.agent("learning").await;
    for id in ["lb-slow", "lb-calm"] {
        let mut balancer = resource(id, ResourceKind::LoadBalancer, None);
        balancer.service = "elb".to_owned();
        it.world.put(balancer);
    }

    let noise = |back: i64| f64::from((back / 5 % 7) as u8) * 1e-4;
    it.measure("lb-calm", Metric::ResponseTime, 10, |back| {
        0.12 + noise(back)
    });
    // 0.2 ms more every five minutes, 0.696 s now: 0.7 s is passed within two hours.
    it.measure("lb-slow", Metric::ResponseTime, 10, |back| {
        let risen = (14_400 - back) as f64 / 5.0 * 0.0002;
        0.12 + risen + noise(back)
    });

    let rule = it.rule(slow_answers()).await;
    let found = it.service.evaluate(&rule, &operator()).await.unwrap();
    let outcome = |id: &str| {
        let prediction = found.iter().find(|one| one.resource.as_str() == id);
        prediction.map(|one| (one.outcome, one.samples))
    };
    let measured = Some(Metric::ResponseTime);
    assert_eq!(outcome("lb-slow"), Some((Outcome::Foreseen, measured)));
    assert_eq!(outcome("lb-calm"), Some((Outcome::NotForeseen, measured)));

    let recommendation = it.world.only("lb-slow").await;
    let factors = recommendation.explanation.factors.texts();
    assert!(
        factors
            .iter()
            .any(|text| text.starts_with("response time of lb-slow-name rises above 0.7")),
        "{factors:?}"
    );

    // Nothing says how long an answer may take, so that reaching a capacity needs a value.
    let full = RuleInput {
        prediction: text("saturation"),
        value: None,
        ..slow_answers()
    };
    let tried = it.service.preview(full, &operator()).await.unwrap();
    let slow = tried.iter().find(|one| one.resource.as_str() == "lb-slow");
    assert_eq!(
        slow.map(|one| (one.outcome, one.reasons[0].to_string())),
        Some((
            Outcome::Abstained,
            "The capacity for response time is not known: give the rule a value".to_owned()
        ))
    );
}
