//! Tests of breakers.

use super::*;

fn at(hours: i64) -> Timestamp {
    Timestamp::constant(1_767_225_600, 0) + SignedDuration::from_hours(hours)
}

fn name() -> RunbookName {
    RunbookName("resume-group".to_owned())
}

fn limits() -> BreakerLimits {
    BreakerLimits {
        failures: 2,
        of_all: 3,
        window: TimeSpan::from_hours(48),
        open_for: TimeSpan::from_hours(24),
    }
}

fn applied(resource: &str, hour: i64, outcome: Outcome) -> Application {
    Application {
        action: ActionId(format!("{resource}-{hour}")),
        recommendation: RecommendationId("r".to_owned()),
        runbook: name(),
        connection: ConnectionId("c-1".to_owned()),
        resource: ResourceId::new(resource),
        name: resource.to_owned(),
        started_at: at(hour),
        finished_at: at(hour),
        verify_at: at(hour + 1),
        outcome,
        detail: "the condition holds".to_owned(),
        settled_at: (outcome != Outcome::Verifying).then(|| at(hour + 1)),
    }
}

fn opened(all: &[Application], breakers: &[Breaker], hour: i64) -> Vec<Option<String>> {
    let last = all.last().expect("an application");
    opened_by(last, &limits(), all, breakers, at(hour))
        .into_iter()
        .map(|one| one.resource.map(|own| own.name))
        .collect()
}

/// Complaint 4: the same fix for ever, counted as success.
#[test]
fn changes_that_went_through_and_did_not_help_open_the_breaker() {
    use Outcome::{Effective, Failed, Ineffective, TakenBack, Unverified};
    let one = || Some("i-1".to_owned());
    let all = [applied("i-1", 0, Ineffective)];
    assert_eq!(opened(&all, &[], 1), []);
    for second in [Ineffective, Unverified, Failed] {
        let all = [applied("i-1", 0, Ineffective), applied("i-1", 2, second)];
        assert_eq!(opened(&all, &[], 3), [one()], "{second}");
    }
    for second in [Effective, TakenBack] {
        let all = [applied("i-1", 0, Ineffective), applied("i-1", 1, second)];
        assert_eq!(opened(&all, &[], 3), [], "{second}");
    }
    // Outside the window.
    let all = [
        applied("i-1", 0, Ineffective),
        applied("i-1", 60, Ineffective),
    ];
    assert_eq!(opened(&all, &[], 61), []);
}

#[test]
fn failures_on_several_resources_open_the_breaker_of_the_runbook() {
    let all = ["i-1", "i-2", "i-3"].map(|one| applied(one, 0, Outcome::Ineffective));
    assert_eq!(opened(&all[..2], &[], 1), []);
    assert_eq!(opened(&all, &[], 1), [None]);
}

#[test]
fn failures_before_a_person_closed_it_count_no_more_and_time_alone_gives_one_trial() {
    let all = [
        applied("i-1", 0, Outcome::Ineffective),
        applied("i-1", 2, Outcome::Ineffective),
    ];
    let mut breaker = opened_by(&all[1], &limits(), &all, &[], at(3)).remove(0);
    assert!(breaker.is_open(at(4)) && !breaker.is_open(at(27)));

    let next = [all.to_vec(), vec![applied("i-1", 28, Outcome::Ineffective)]].concat();
    let known = std::slice::from_ref(&breaker);
    assert_eq!(
        opened(&next, known, 29).len(),
        2,
        "the pair, and the third of all"
    );

    breaker.closed_at = Some(at(4));
    breaker.closed_by = Some("ann@example.com".to_owned());
    let known = std::slice::from_ref(&breaker);
    let next = [all.to_vec(), vec![applied("i-1", 6, Outcome::Ineffective)]].concat();
    assert_eq!(opened(&next, known, 7), [None]);
}

#[test]
fn a_gate_tells_what_keeps_a_runbook_from_being_applied() {
    let place = (ConnectionId("c-1".to_owned()), ResourceId::new("i-1"));
    let (name, limits) = (name(), limits());
    let gate = |breakers: &[Breaker], all: &[Application]| {
        Gate::of(
            (&name, &limits),
            (&place.0, &place.1),
            breakers,
            all,
            at(10),
        )
    };
    assert_eq!(gate(&[], &[]), Gate::Free { failures: 0 });
    let verifying = [applied("i-1", 9, Outcome::Verifying)];
    assert_eq!(gate(&[], &verifying), Gate::Verifying { until: at(10) });
    let failed = [
        applied("i-1", 5, Outcome::Ineffective),
        applied("i-2", 5, Outcome::Failed),
    ];
    assert_eq!(gate(&[], &failed), Gate::Free { failures: 1 });

    let open = Breaker {
        runbook: name.clone(),
        resource: None,
        opened_at: at(9),
        closes_at: at(33),
        failures: 3,
        reason: String::new(),
        closed_at: None,
        closed_by: None,
    };
    let own = Breaker {
        resource: Some(BreakerResource {
            connection: place.0.clone(),
            id: place.1.clone(),
            name: "i-1".to_owned(),
        }),
        ..open.clone()
    };
    assert_eq!(
        gate(std::slice::from_ref(&own), &[]),
        Gate::Open(own.clone())
    );
    assert_eq!(gate(&[own, open.clone()], &verifying), Gate::Open(open));
}
