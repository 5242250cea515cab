//! Each action of predictive rules has one agent type that answers it.

#![allow(clippy::unwrap_used)]

use reeve_estate::ResourceKind;
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::observation::{ForeseenCondition, Observation};
use reeve_recommend::predictive::ResponseKind;
use reeve_testkit::contract::predictive::{prediction, rule};

use crate::anomaly_answer::tests::{resource, terms};

#[test]
fn the_agent_type_that_an_action_belongs_to_answers_it_and_no_other_does() {
    let matrix = ApprovalMatrix::default();
    let database = resource("db-1", ResourceKind::Database, Some("db.m5.large"));
    let types = crate::registry();

    for kind in ResponseKind::ALL {
        let mut rule = rule("r-1", 0).unwrap();
        rule.response.kind = *kind;
        let foreseen = ForeseenCondition {
            rule: &rule,
            prediction: &prediction("p-1", &rule, 0).unwrap(),
            measured: &database,
            target: &database,
            account_cost: None,
        };
        let observation = Observation::Foreseen(&foreseen);
        let answering = types
            .iter()
            .filter(|row| row.answer(observation, terms(&matrix)).is_some());
        let names: Vec<_> = answering.map(|row| row.info().agent_type).collect();
        assert_eq!(names, [kind.agent_type()], "{kind}");

        let (_, answer) = types.answer(observation, terms(&matrix)).unwrap();
        assert_eq!(answer.proposal.kind, kind.recommendation(), "{kind}");
        assert_eq!(answer.proposal.rule, kind.as_str());
    }
}
