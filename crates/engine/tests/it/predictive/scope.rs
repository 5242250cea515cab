//! Resources that a rule looks at.

use reeve_estate::Metric;
use reeve_predict::RuleStore as _;

use super::{disk, fixture, running_out};
use crate::world::operator;

#[tokio::test]
async fn a_rule_over_a_large_estate_says_how_many_it_did_not_look_at() {
    let it = fixture();
    it.agent("learning").await;
    for number in 0..1_100 {
        it.database(&format!("db-{number:04}"), 100.0);
    }
    for measured in ["db-0000", "db-0499", "db-0500"] {
        it.measure(measured, Metric::FreeStorage, 20, running_out(100.0, 3.0));
    }
    let rule = it.rule(disk()).await;
    let found = it.service.evaluate(&rule, &operator()).await.unwrap();
    let found: Vec<&str> = found.iter().map(|one| one.resource.as_str()).collect();
    assert_eq!(found, ["db-0000", "db-0499"], "the first 500 by identifier");
    let said = it.rules.rule_get(&rule).await.unwrap().last_result.unwrap();
    assert!(said.contains("600 more were not looked at"), "{said}");
}
