//! Resources that a rule looks at.

use reeve_estate::{Metric, ResourceKind};
use reeve_predict::{Outcome, RuleInput, RuleStore as _};

use super::{disk, filling_up, fixture, running_out};
use crate::world::{operator, resource, volume_of};

#[tokio::test]
async fn a_rule_looks_at_every_resource_of_a_large_estate() {
    let it = fixture();
    it.agent("learning").await;
    for number in 0..1_100 {
        it.database(&format!("db-{number:04}"), 100.0);
    }

    for measured in ["db-0000", "db-0499", "db-0500", "db-1099"] {
        it.measure(measured, Metric::FreeStorage, 20, running_out(100.0, 3.0));
    }

    let rule = it.rule(disk()).await;
    let found = it.service.evaluate(&rule, &operator()).await.unwrap();
    let mut found: Vec<&str> = found.iter().map(|one| one.resource.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, ["db-0000", "db-0499", "db-0500", "db-1099"]);

    let said = it.rules.rule_get(&rule).await.unwrap().last_result.unwrap();
    assert_eq!(
        said,
        "4 resources: 4 expected to reach the limit, 0 with too little data, 4 recommended"
    );
}

#[tokio::test]
async fn the_likeliest_predictions_of_a_large_estate_become_recommendations() {
    let it = fixture();
    it.agent("learning").await;

    for number in 0..60 {
        let id = format!("db-{number:04}");
        it.database(&id, 100.0);
        // The later its identifier, the sooner its storage runs out.
        it.measure(
            &id,
            Metric::FreeStorage,
            20,
            running_out(100.0, 4.0 - f64::from(number) / 20.0),
        );
    }

    let rule = it.rule(disk()).await;
    let found = it.service.evaluate(&rule, &operator()).await.unwrap();
    assert_eq!(found.len(), 60);

    let told = found.iter().filter(|one| one.recommendation.is_some());
    assert_eq!(told.count(), 50);

    let last = found
        .iter()
        .find(|one| one.resource.as_str() == "db-0059")
        .unwrap();
    assert!(
        last.recommendation.is_some(),
        "soonest, though last by identifier: {last:?}"
    );

    let first = found
        .iter()
        .find(|one| one.resource.as_str() == "db-0000")
        .unwrap();
    assert_eq!(
        first.not_recommended.as_deref(),
        Some("this evaluation already created 50 recommendations")
    );
}

#[tokio::test]
async fn the_disk_of_a_machine_fills_as_its_agent_measures_it() {
    let it = fixture();
    it.agent("learning").await;
    it.world.put(resource(
        "i-1",
        ResourceKind::VirtualMachine,
        Some("m5.large"),
    ));
    let mut disk_of_machine = volume_of("vol-1", "i-1");
    disk_of_machine.specification.storage_gib = Some(100.0);
    it.world.put(disk_of_machine);
    it.measure("i-1", Metric::DiskUtilization, 20, filling_up(3.0));
    let rule = it.rule(disk()).await;
    let found = it.service.evaluate(&rule, &operator()).await.unwrap();
    let said: Vec<_> = found
        .iter()
        .map(|one| (one.resource.as_str(), one.outcome, one.limit))
        .collect();
    assert_eq!(
        said,
        [("i-1", Outcome::Foreseen, Some(100.0))],
        "the machine tells of its disk, once"
    );

    assert_eq!(
        it.world.only("vol-1").await.title,
        "Expand the storage of vol-1-name from 100 to 125 GiB"
    );

    // A rule about the disk itself reads the file system of its machine.
    let named = RuleInput {
        resources: Some(vec!["vol-1".to_owned()]),
        ..disk()
    };
    let of_disk = it.rule(named).await;
    let found = it.service.evaluate(&of_disk, &operator()).await.unwrap();
    assert_eq!(
        (found[0].resource.as_str(), found[0].outcome),
        ("vol-1", Outcome::Foreseen),
        "{found:?}"
    );

    // Ten of a hundred GiB free count as full at 90 percent.
    let ten_gib = RuleInput {
        value: Some(Some(10.0 * reeve_estate::GIB)),
        ..disk()
    };
    let early = it.service.preview(ten_gib, &operator()).await.unwrap();
    assert_eq!(early[0].limit, Some(90.0));

    // With a second disk nobody knows which one fills.
    it.world.put(volume_of("vol-2", "i-1"));
    let found = it.service.evaluate(&of_disk, &operator()).await.unwrap();
    assert_eq!(found[0].outcome, Outcome::Abstained);
    assert!(
        found[0].reasons[0].to_string().contains("several disks"),
        "{found:?}"
    );
}
