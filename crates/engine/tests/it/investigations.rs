//! Investigations: the sources that were read, the hypotheses in order, and their record in the
//! log.

use jiff::SignedDuration;
use reeve_anomalies::{
    Anomaly, AnomalyClass, Contribution, Finding, HypothesisKind, InvestigationLink, LikelyCause,
    Lookup, RelatedEntry, Source, Support,
};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventType, Json, ResourceRef};
use reeve_estate::{Attribute, ConnectionId, Metric, ResourceChange, ResourceId};
use reeve_recommend::caller::Caller;
use reeve_recommend::ports::{Clock, Recorder as _};

use crate::anomalies::{anomalies, finding};
use crate::world::World;

fn lookups(of: &Anomaly, source: Source) -> Vec<Lookup> {
    let investigation = of.investigation.as_ref().expect("it was investigated");
    investigation
        .lookups
        .iter()
        .filter(|one| one.source == source)
        .cloned()
        .collect()
}

/// Adds a point of now to a series.
fn rises(world: &World, id: &str, metric: Metric, value: f64) {
    let now = world.clock.now();
    let mut all = world.memory.series.lock();
    let series = all
        .iter_mut()
        .find(|one| one.resource == ResourceId::new(id) && one.metric == metric)
        .unwrap();
    series.points.push((now, value));
}

#[tokio::test]
async fn an_investigation_says_what_was_looked_at_and_what_follows() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    world.machine("i-1", "m5.large", 30.0);
    rises(&world, "i-1", Metric::NetworkIn, 250_000.0);
    let of = service
        .report(finding(&world, "i-1", 0.9), &Caller::system())
        .await
        .unwrap()
        .unwrap();
    let measured = lookups(&of, Source::Metrics);
    assert_eq!(
        measured.len(),
        12,
        "every metric of a machine: {measured:?}"
    );

    let network = measured
        .iter()
        .find(|one| one.subject == "network_in")
        .unwrap();
    assert!(
        network
            .result
            .starts_with("higher than usual: 244 KiB/s on average"),
        "{}",
        network.result
    );

    assert_eq!(
        network.from,
        world.clock.now() - SignedDuration::from_hours(7 * 24)
    );

    let credits = measured
        .iter()
        .find(|one| one.subject == "cpu_credit_balance")
        .unwrap();
    assert_eq!(
        (credits.found, credits.result.as_str()),
        (Some(0), "no samples")
    );

    for (source, result) in [
        (Source::Actions, "Reeve changed nothing"),
        (
            Source::Inventory,
            "nothing changed that inventories show; the last 2 hours count",
        ),
        (Source::Anomalies, "no other anomaly"),
        (Source::AuditLog, "no entry that you may see"),
    ] {
        let found = lookups(&of, source);
        assert_eq!(
            (found[0].found, found[0].result.as_str()),
            (Some(0), result),
            "{source}"
        );
        assert!(found[0].from < found[0].to, "{source}");
    }

    let first = &of.investigation.as_ref().unwrap().hypotheses[0];
    assert_eq!(
        (first.kind, first.support),
        (HypothesisKind::HigherDemand, Support::Moderate)
    );
    assert_eq!(
        of.cause_in_words(),
        "more work arrived: network in rose with it",
        "the best hypothesis is the likely cause"
    );

    assert_eq!(
        first.evidence[0].link,
        Some(InvestigationLink::Metric(Metric::NetworkIn))
    );
    assert!(
        first.evidence[0].text.ends_with("5 times as high"),
        "{}",
        first.evidence[0].text
    );

    let entries = world.entries();
    let recorded = entries
        .iter()
        .find(|one| one.action.operation.as_deref() == Some("anomaly.investigate"))
        .unwrap();
    let kept = recorded.metadata.extra.get("investigation").unwrap();
    let Some(Json::Array(looked)) = kept.get("lookups") else {
        panic!("{kept:?}")
    };

    assert_eq!(looked.len(), 17);

    let Some(Json::Array(hypotheses)) = kept.get("hypotheses") else {
        panic!("{kept:?}")
    };

    assert_eq!(
        hypotheses[0].get("kind"),
        Some(&Json::from("higher_demand"))
    );
}

#[tokio::test]
async fn nothing_found_is_said_and_unreadable_sources_too() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    world
        .log
        .unreadable
        .store(true, std::sync::atomic::Ordering::Relaxed);
    let of = service
        .report(finding(&world, "i-9", 0.9), &Caller::system())
        .await
        .unwrap()
        .unwrap();
    let investigation = of.investigation.clone().unwrap();
    assert!(
        investigation.hypotheses.is_empty() && of.cause == Some(LikelyCause::Unknown),
        "{:?}",
        of.cause
    );

    assert!(
        lookups(&of, Source::Metrics)
            .iter()
            .all(|one| one.result == "no samples")
    );

    let log = &lookups(&of, Source::AuditLog)[0];
    assert_eq!(
        (log.found, log.result.as_str()),
        (None, "the log could not be read")
    );
    assert!(
        of.responses[1].detail.ends_with("no likely cause)"),
        "{}",
        of.responses[1].detail
    );
}

#[tokio::test]
async fn hypotheses_are_ranked_and_link_to_what_they_rest_on() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    let system = Caller::system();

    for other in ["i-2", "i-3"] {
        service
            .report(finding(&world, other, 0.9), &system)
            .await
            .unwrap();
    }

    world.unmeasured("i-1");
    let now = world.clock.now();
    world.memory.seen.lock().push(ResourceChange {
        resource: ResourceId::new("i-1"),
        connection: ConnectionId("c-1".to_owned()),
        attribute: Attribute::InstanceType,
        last_seen_at: now - SignedDuration::from_mins(15),
        seen_at: now - SignedDuration::from_mins(10),
        before: "m5.xlarge".to_owned(),
        after: "m5.large".to_owned(),
    });

    let of = service
        .report(finding(&world, "i-1", 0.9), &system)
        .await
        .unwrap()
        .unwrap();
    let found = &of.investigation.as_ref().unwrap().hypotheses;
    let kinds: Vec<_> = found.iter().map(|one| (one.kind, one.support)).collect();
    assert_eq!(
        kinds,
        [
            (HypothesisKind::ChangeByOthers, Support::Strong),
            (HypothesisKind::SharedCause, Support::Moderate)
        ]
    );

    assert_eq!(
        found[0].evidence[0].link,
        Some(InvestigationLink::Resource("i-1".to_owned()))
    );
    assert_eq!(found[1].evidence.len(), 2);
    assert!(matches!(
        &found[1].evidence[0].link,
        Some(InvestigationLink::Anomaly(_))
    ));
    assert_eq!(of.cause_in_words(), found[0].statement);
}

#[tokio::test]
async fn entries_of_the_log_are_a_hypothesis_for_their_readers_alone() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    let event = Entry::new(EventType::from_static("api.call"))
        .by(Actor::user("u-1").with_email("ann@example.com"))
        .on(ResourceRef::new("virtual_machine", "i-1").in_cloud("aws", "111122223333", "us-east-1"))
        .with_action(
            "ModifyInstanceAttribute",
            ActionStatus::Success,
            ActionMethod::Console,
        )
        .at(world.clock.now() - SignedDuration::from_mins(9));
    world.log.record(vec![event]).await.unwrap();

    let of = service
        .report(finding(&world, "i-1", 0.9), &Caller::system())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(of.related_entries.len(), 1);

    let blind = of.investigation_for(&[]).unwrap();
    assert_eq!(Some(&blind), of.investigation.as_ref());
    assert!(blind.hypotheses.is_empty(), "{blind:?}");

    let entries: Vec<&RelatedEntry> = of.related_entries.iter().collect();
    let seeing = of.investigation_for(&entries).unwrap();
    let first = &seeing.hypotheses[0];
    assert_eq!(
        (first.kind, first.support),
        (HypothesisKind::LoggedOperation, Support::Strong)
    );
    assert_eq!(
        first.evidence[0].link,
        Some(InvestigationLink::Entry(entries[0].event_id.clone()))
    );

    let log = seeing
        .lookups
        .iter()
        .find(|one| one.source == Source::AuditLog)
        .unwrap();

    assert_eq!(
        (log.found, log.result.as_str()),
        (Some(1), "1 entry that changed it")
    );
}

#[tokio::test]
async fn spending_is_laid_to_the_resources_that_make_it() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    let found = finding(&world, "111/EC2/USD", 0.9);
    let reading = reeve_anomalies::Reading {
        metric: None,
        ..found.readings[0].clone()
    };
    let part = |resource: &str, observed: f64, expected: f64| Contribution {
        resource: resource.to_owned(),
        description: "m5.4xlarge".to_owned(),
        observed,
        expected,
        currency: "USD".to_owned(),
    };

    let contributions = vec![
        part(
            "arn:aws:ec2:us-east-1:111122223333:instance/i-7",
            160.0,
            0.0,
        ),
        part("i-1", 30.0, 20.0),
    ];

    let place = reeve_anomalies::Place {
        kind: "spend".to_owned(),
        ..found.place.clone()
    };
    let spending = Finding {
        class: AnomalyClass::Cost,
        readings: vec![reading],
        contributions,
        place,
        ..found
    };

    let of = service
        .report(spending, &Caller::system())
        .await
        .unwrap()
        .unwrap();
    let hypotheses = &of.investigation.as_ref().unwrap().hypotheses;
    assert_eq!(
        (hypotheses[0].kind, hypotheses[0].support),
        (HypothesisKind::NewResource, Support::Strong)
    );
    assert_eq!(
        hypotheses[0].statement,
        "i-7 costs where it cost nothing: 160.00 instead of 0.00 USD"
    );
    assert_eq!(
        (hypotheses[1].kind, hypotheses[1].support),
        (HypothesisKind::CostlierResource, Support::Moderate)
    );

    let charges = lookups(&of, Source::Charges);
    assert_eq!(charges[0].result, "2 resources make the difference");
}
