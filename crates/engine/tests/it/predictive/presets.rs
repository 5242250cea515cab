//! Every rule that comes with Reeve fires where its condition is met.

use jiff::SignedDuration;
use reeve_estate::{Metric, ResourceKind};
use reeve_predict::{CalendarInput, Outcome, RuleId, RuleStore as _};
use reeve_recommend::ports::Clock as _;

use super::{filling_up, fixture, plateau, running_out, text};
use crate::world::{operator, resource, volume_of};

const MAINTENANCE: &str = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:m\nSUMMARY:Switch upgrade\nDTSTART:20261116T091500Z\nDTEND:20261116T111500Z\n\
    END:VEVENT\nEND:VCALENDAR\n";

#[tokio::test]
async fn every_rule_that_comes_with_reeve_fires() {
    let it = fixture();
    it.agent("learning").await;

    // Twelve minutes before a peak that comes every day at nine.
    it.world.clock.advance(SignedDuration::from_mins(528));
    let now = it.world.clock.now();
    it.world.put(resource(
        "i-1",
        ResourceKind::VirtualMachine,
        Some("m5.large"),
    ));
    let mut disk = volume_of("vol-1", "i-1");
    disk.specification.storage_gib = Some(100.0);
    it.world.put(disk);
    it.measure("i-1", Metric::DiskUtilization, 20, filling_up(3.0));
    it.database("db-1", 100.0);
    it.measure("db-1", Metric::FreeStorage, 20, running_out(100.0, 3.0));
    it.connections_run_out("db-1");

    for id in ["lb-peak", "lb-limit"] {
        let mut balancer = resource(id, ResourceKind::LoadBalancer, None);
        balancer.service = "elb".to_owned();
        it.world.put(balancer);
    }

    it.measure("lb-peak", Metric::RequestRate, 28, |back| {
        plateau(now - SignedDuration::from_mins(back))
    });
    // Calls that rise by 1.5 a second each minute, and pass a limit of 1,000 in eight minutes.
    it.measure("lb-limit", Metric::RequestRate, 3, |back| {
        let base = 100.0 + f64::from((back / 5 % 5) as u8);
        if back < 600 {
            base + (600 - back) as f64 * 1.48
        } else {
            base
        }
    });

    it.world.tag("lb-limit", "reeve:rate-limit", "1000");
    let calendar = CalendarInput {
        name: text("work"),
        kind: text("maintenance"),
        text: text(MAINTENANCE),
        ..Default::default()
    };

    it.service
        .calendar_put(calendar, None, &operator())
        .await
        .unwrap();
    it.service.seed().await.unwrap();
    let mut fired = Vec::new();

    for rule in it.rules.rule_list().await.unwrap() {
        let found = it
            .service
            .evaluate(&RuleId(rule.id.0.clone()), &operator())
            .await
            .unwrap();
        let foreseen = found
            .iter()
            .filter(|one| one.outcome == Outcome::Foreseen && one.recommendation.is_some());
        let mut on: Vec<&str> = foreseen.map(|one| one.resource.as_str()).collect();
        on.sort_unstable();
        fired.push((rule.id.0.clone(), on.join(" ")));
    }

    fired.sort();
    let fired: Vec<(&str, &str)> = fired
        .iter()
        .map(|(rule, on)| (rule.as_str(), on.as_str()))
        .collect();
    assert_eq!(
        fired,
        [
            ("api-rate-limit-exhaustion", "lb-limit"),
            ("database-connections-saturation", "db-1"),
            ("disk-space-full", "db-1 i-1"),
            ("maintenance-failover", "db-1 lb-limit lb-peak"),
            ("traffic-pre-scale", "lb-peak"),
            ("traffic-warm-cache", "lb-peak"),
        ]
    );
}
