//! Contract of every [`AnomalyStore`] and every [`ThreatStore`].

use std::sync::Arc;

use anyhow::Result;
use jiff::Timestamp;
use reeve_anomalies::chain::{AttackChain, AttackChainStore};
use reeve_anomalies::threat::feed::{FeedFormat, ThreatFeed};
use reeve_anomalies::threat::{ListState, ThreatList, ThreatStore};
use reeve_anomalies::{
    Anomaly, AnomalyClass, AnomalyFeedback, AnomalyFilter, AnomalyId, AnomalySettings,
    AnomalyStatus, AnomalyStore, CauseCandidate, CauseChange, CauseGrade, Contribution, Direction,
    FeedbackKind, Hypothesis, HypothesisKind, Investigation, InvestigationEvidence,
    InvestigationLink, Lesson, LessonKind, LikelyCause, Lookup, Place, ProbableCause, Reaction,
    Reading, RelatedEntry, Remediation, Response, RuledOut, SecurityActivity, Sensitivity, Source,
    Stage, Support, ThresholdKey,
};
use reeve_estate::{Metric, StoreError};
use reeve_recommend::action::ActionId;
use reeve_recommend::recommendation::{Priority, RecommendationId};

fn contribution() -> Contribution {
    Contribution {
        resource: "i-1".into(),
        description: "m5.large".into(),
        observed: 240.5,
        expected: 0.0,
        currency: "USD".into(),
    }
}

fn activity() -> Result<SecurityActivity> {
    Ok(SecurityActivity {
        sign_ins: true,
        refused: 25,
        accounts: ["ann@example.com".to_owned()].into(),
        addresses: ["203.0.113.9".parse()?].into(),
        entries: vec!["e-1".to_owned()],
        ..SecurityActivity::default()
    })
}

/// An anomaly with every field filled, version 1.
///
/// # Errors
/// A text is not a valid time.
pub fn anomaly(id: &str, place: &str, started_at_ms: i64) -> Result<Anomaly> {
    let started_at = Timestamp::from_millisecond(started_at_ms)?;
    Ok(Anomaly {
        id: AnomalyId(id.into()),
        incident: AnomalyId(id.into()),
        class: AnomalyClass::Performance,
        status: AnomalyStatus::Open,
        severity: Priority::Medium,
        title: "cpu_utilization of web-1 is 97, expected 31".into(),
        place: Place {
            id: place.into(),
            name: "web-1".into(),
            kind: "virtual_machine".into(),
            provider: Some("aws".into()),
            account: Some("123456789012".into()),
            region: Some("eu-west-1".into()),
            service: Some("ec2".into()),
        },
        readings: vec![Reading {
            metric: Some(Metric::CpuUtilization),
            at: started_at,
            value: 97.25,
            expected: 31.1 + 0.2,
            low: 20.0,
            high: 44.0,
            score: 0.93,
            indication: "a jump".into(),
        }],
        deviation_percent: Some(210.7),
        contributions: vec![contribution()],
        activity: Some(activity()?),
        investigation: Some(investigation(started_at)),
        remediation: Some(Remediation {
            description: "Resize web-1".into(),
            recommendation: Some(RecommendationId("rec-1".into())),
            action: Some(ActionId("ac-1".into())),
            has_plan: true,
            by_hand: Some("it is in a group".into()),
        }),
        cause: Some(LikelyCause::ChangeByReeve(Some(ActionId("ac-1".into())))),
        evidence: vec!["nothing else changed".into()],
        advice: "Look at it.".into(),
        related_entries: vec![RelatedEntry {
            sequence: u64::MAX,
            event_id: "e-1".into(),
            at: started_at,
            actor_id: Some("AIDA1".into()),
            actor_email: None,
            operation: "ModifyInstanceAttribute".into(),
        }],
        responses: vec![Response {
            stage: Stage::Alert,
            at: started_at,
            detail: "told".into(),
        }],
        feedback: vec![AnomalyFeedback {
            kind: FeedbackKind::Planned,
            comments: Some("a load test".into()),
            by: "ann@example.com".into(),
            at: started_at,
            withdrawn: Some((started_at, "bob@example.com".into())),
        }],
        started_at,
        last_at: "2026-11-20T11:00:00Z".parse()?,
        detected_at: "2026-11-20T10:05:00Z".parse()?,
        resolved_at: Some("2026-11-20T12:00:00Z".parse()?),
        reopened_at: Some("2026-11-20T11:30:00Z".parse()?),
        key: format!("performance/{place}"),
        version: 1,
    })
}

/// A judgement whose form with an entry of the log is kept beside it.
fn probable_cause(at: Timestamp) -> ProbableCause {
    let judged = |change: CauseChange| ProbableCause {
        at,
        grade: CauseGrade::Likely,
        statement: "sg-1".into(),
        candidates: vec![CauseCandidate {
            resource: "sg-1".into(),
            name: "shop".into(),
            kind: "security_group".into(),
            grade: CauseGrade::Likely,
            onset: Some(at),
            reasons: vec!["it was changed".into()],
            changes: vec![change],
        }],
        ruled_out: vec![RuledOut {
            resource: "i-2".into(),
            name: "mail".into(),
            reason: "it was measured, and did not deviate".into(),
        }],
        ruled_out_total: 1,
        unmeasured: vec!["cache".into()],
        resources: 4,
        dependencies: 3,
        measured: 2,
        limits: vec!["2 further neighbors".into()],
        with_entries: None,
    };
    let change = |entry: Option<RelatedEntry>| CauseChange {
        at,
        text: "it was changed".into(),
        link: Some(InvestigationLink::Entry("e-1".into())),
        entry,
    };
    let entry = RelatedEntry {
        sequence: 7,
        event_id: "e-1".into(),
        at,
        actor_id: None,
        actor_email: Some("ann@example.com".into()),
        operation: "RevokeSecurityGroupEgress".into(),
    };
    ProbableCause {
        with_entries: Some(Box::new(judged(change(Some(entry))))),
        ..judged(change(None))
    }
}

/// An investigation with every kind of link.
fn investigation(at: Timestamp) -> Investigation {
    let lookup = |found, result: &str| Lookup {
        source: Source::Metrics,
        subject: "request_rate".into(),
        from: at,
        to: at,
        found,
        result: result.into(),
    };

    let links = [
        InvestigationLink::Action(ActionId("ac-1".into())),
        InvestigationLink::Resource("i-1".into()),
        InvestigationLink::Anomaly(AnomalyId("an-0".into())),
        InvestigationLink::Metric(Metric::RequestRate),
        InvestigationLink::Entry("e-1".into()),
    ];
    let evidence = links.into_iter().map(Some).chain([None]);

    Investigation {
        at,
        lookups: vec![
            lookup(Some(2016), "higher than usual"),
            lookup(None, "the samples could not be read"),
        ],
        hypotheses: vec![Hypothesis {
            kind: HypothesisKind::HigherDemand,
            support: Support::Moderate,
            statement: "more work arrived".into(),
            evidence: evidence
                .map(|link| InvestigationEvidence {
                    text: "twice as many".into(),
                    link,
                })
                .collect(),
        }],
        probable_cause: Some(probable_cause(at)),
    }
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn AnomalyStore>) -> Result<()> {
    there_and_back(&*store).await?;
    lists(&*store).await?;
    incidents(&*store).await?;
    lessons(&*store).await?;
    settings(&*store).await
}

/// An anomaly has one lesson; another takes its place.
async fn lessons(store: &dyn AnomalyStore) -> Result<()> {
    assert_eq!(store.anomaly_lessons().await?, []);

    let lesson = |anomaly: &str, at: &str, metric: Option<Metric>| -> Result<Lesson> {
        Ok(Lesson {
            anomaly: AnomalyId(anomaly.into()),
            key: ThresholdKey {
                class: AnomalyClass::Operational,
                metric,
                direction: Direction::Below,
                place: "i-1".into(),
            },
            kind: LessonKind::FalseAlarm,
            excess: 1.1 + 0.2,
            started_at: "2026-11-20T10:00:00Z".parse()?,
            at: at.parse()?,
            by: "ann@example.com".into(),
            withdrawn: None,
        })
    };
    let first = lesson("an-1", "2026-11-20T11:00:00Z", Some(Metric::FreeStorage))?;

    let second = lesson("an-2", "2026-11-20T12:00:00Z", None)?;
    for one in [&first, &second] {
        store.anomaly_lesson_put(one).await?;
    }

    assert_eq!(
        store.anomaly_lessons().await?,
        [second.clone(), first.clone()],
        "newest first"
    );

    let withdrawn = Some(("2026-11-20T13:00:00Z".parse()?, "bob@example.com".into()));
    let taken_back = Lesson {
        withdrawn,
        kind: LessonKind::RemedyHeld,
        ..first
    };
    store.anomaly_lesson_put(&taken_back).await?;
    assert_eq!(store.anomaly_lessons().await?, [second, taken_back]);

    Ok(())
}

async fn there_and_back(store: &dyn AnomalyStore) -> Result<()> {
    let first = anomaly("an-1", "i-1", 1_000)?;
    store.anomaly_insert(&first).await?;
    assert_eq!(store.anomaly_get(&first.id).await?, first);

    let again = Anomaly {
        id: AnomalyId("an-again".into()),
        ..first.clone()
    };
    assert!(
        matches!(
            store.anomaly_insert(&again).await,
            Err(StoreError::Conflict(_))
        ),
        "one key and beginning once"
    );

    let next = Anomaly {
        status: AnomalyStatus::Resolved,
        version: 2,
        ..first.clone()
    };
    store.anomaly_update(&next).await?;
    assert_eq!(store.anomaly_get(&first.id).await?, next);
    assert!(
        matches!(
            store.anomaly_update(&next).await,
            Err(StoreError::Conflict(_))
        ),
        "the same version again"
    );

    let missing = store.anomaly_get(&AnomalyId("an-0".into())).await;
    assert!(matches!(
        missing,
        Err(StoreError::NotFound {
            what: "anomaly",
            ..
        })
    ));

    Ok(())
}

/// Anomalies of one incident are found together and count once.
async fn incidents(store: &dyn AnomalyStore) -> Result<()> {
    let began = Timestamp::from_millisecond(9_000)?;
    let first = anomaly("in-1", "ann", 9_000)?;
    let mut joined = anomaly("in-2", "ben", 9_001)?;
    joined.incident = first.id.clone();
    let mut later = anomaly("in-3", "cem", 9_002)?;
    for one in [&first, &joined, &later] {
        store.anomaly_insert(one).await?;
    }

    assert_eq!(store.anomaly_incidents(began).await?, 2);
    let of_first = AnomalyFilter {
        incidents: vec![first.id.clone()],
        ..AnomalyFilter::default()
    };
    let (found, total) = store.anomaly_list(&of_first).await?;
    assert_eq!((found, total), (vec![joined, first.clone()], 2));

    later.incident = first.id;
    later.version += 1;
    store.anomaly_update(&later).await?;
    assert_eq!(store.anomaly_incidents(began).await?, 1);
    assert_eq!(store.anomaly_list(&of_first).await?.1, 3);

    Ok(())
}

async fn lists(store: &dyn AnomalyStore) -> Result<()> {
    let mut second = anomaly("an-2", "i-2", 3_000)?;
    second.class = AnomalyClass::Security;
    store.anomaly_insert(&second).await?;
    store
        .anomaly_insert(&anomaly("an-3", "i-1", 2_000)?)
        .await?;
    let ids = async |filter: AnomalyFilter| -> Result<(Vec<String>, u64)> {
        let (found, total) = store.anomaly_list(&filter).await?;
        Ok((
            found.into_iter().map(|anomaly| anomaly.id.0).collect(),
            total,
        ))
    };

    let all = AnomalyFilter::default;
    assert_eq!(
        ids(all()).await?,
        (vec!["an-2".into(), "an-3".into(), "an-1".into()], 3),
        "newest first"
    );

    assert_eq!(
        ids(AnomalyFilter {
            limit: 1,
            offset: 1,
            ..all()
        })
        .await?,
        (vec!["an-3".into()], 3)
    );

    assert_eq!(
        ids(AnomalyFilter {
            class: Some(AnomalyClass::Security),
            ..all()
        })
        .await?
        .0,
        ["an-2"]
    );

    assert_eq!(
        ids(AnomalyFilter {
            status: vec![AnomalyStatus::Resolved],
            ..all()
        })
        .await?
        .0,
        ["an-1"]
    );

    assert_eq!(
        ids(AnomalyFilter {
            place: Some("i-1".into()),
            ..all()
        })
        .await?
        .0,
        ["an-3", "an-1"]
    );

    assert_eq!(
        ids(AnomalyFilter {
            key: Some("performance/i-2".into()),
            ..all()
        })
        .await?
        .0,
        ["an-2"]
    );

    for (account, known) in [
        ("123456789012", vec!["an-2", "an-3", "an-1"]),
        ("999999999999", vec![]),
    ] {
        let of_account = AnomalyFilter {
            accounts: vec![account.to_owned()],
            ..all()
        };
        let total = known.len() as u64;
        assert_eq!(
            ids(of_account).await?,
            (known.into_iter().map(str::to_owned).collect(), total)
        );
    }

    let since = Some(Timestamp::from_millisecond(2_000)?);
    assert_eq!(
        ids(AnomalyFilter { since, ..all() }).await?.0,
        ["an-2", "an-3"]
    );
    Ok(())
}

async fn settings(store: &dyn AnomalyStore) -> Result<()> {
    assert_eq!(
        store.anomaly_settings_get().await?,
        AnomalySettings::default(),
        "the defaults when never set"
    );

    let mut wanted = AnomalySettings {
        version: 1,
        ..AnomalySettings::default()
    };
    wanted.cost.threshold_percent = 12.5;
    wanted.performance.metrics = vec![Metric::RequestRate];
    wanted.security.sensitivity = Sensitivity::High;
    wanted.security.threat_intelligence = false;
    wanted.cost.action = Reaction::Alert;
    wanted.performance.action = Reaction::AutoRemediate;
    let early = AnomalySettings {
        version: 2,
        ..wanted.clone()
    };
    assert!(matches!(
        store.anomaly_settings_put(&early).await,
        Err(StoreError::Conflict(_))
    ));
    store.anomaly_settings_put(&wanted).await?;
    assert_eq!(store.anomaly_settings_get().await?, wanted);
    assert!(
        matches!(
            store.anomaly_settings_put(&wanted).await,
            Err(StoreError::Conflict(_))
        ),
        "the same version again"
    );

    store.anomaly_settings_put(&early).await?;
    assert_eq!(store.anomaly_settings_get().await?, early);
    assert_eq!(store.anomaly_looked_get().await?, None);
    for text in ["2026-11-20T12:00:00Z", "2026-11-20T12:00:15.5Z"] {
        store.anomaly_looked_put(text.parse()?).await?;
        assert_eq!(store.anomaly_looked_get().await?, Some(text.parse()?));
    }

    cursor(store).await
}

/// Only one of two processes that judged the same entries moves the cursor.
async fn cursor(store: &dyn AnomalyStore) -> Result<()> {
    let conflicts = |outcome| matches!(outcome, Err(StoreError::Conflict(_)));
    assert_eq!(store.anomaly_cursor().await?, None);
    assert!(
        conflicts(store.anomaly_advance(Some(0), 7).await),
        "it stands nowhere yet"
    );
    store.anomaly_advance(None, 7).await?;
    assert!(
        conflicts(store.anomaly_advance(None, 9).await),
        "it stands somewhere"
    );
    assert_eq!(store.anomaly_cursor().await?, Some(7));
    store.anomaly_advance(Some(7), 70).await?;
    assert!(conflicts(store.anomaly_advance(Some(7), 71).await));
    assert_eq!(store.anomaly_cursor().await?, Some(70));
    store.anomaly_advance(Some(70), 70).await?;

    Ok(())
}

/// Lists of indicators.
///
/// # Errors
/// The store violates the contract.
pub async fn threats(store: Arc<dyn ThreatStore>) -> Result<()> {
    let list = |name: &str, text: &str, at: &str| -> Result<ThreatList> {
        let (name, text, by) = (
            name.to_owned(),
            text.to_owned(),
            "ann@example.com".to_owned(),
        );
        Ok(ThreatList {
            name,
            from_file: false,
            updated_at: at.parse()?,
            by,
            text,
            indicators: 1,
        })
    };

    let missing = |answer: std::result::Result<ThreatList, StoreError>| {
        matches!(answer, Err(StoreError::NotFound { .. }))
    };
    assert!(store.threat_list_all().await?.is_empty() && missing(store.threat_list_get("b").await));

    let first = list("b", "203.0.113.7 # of \u{e9}", "2026-11-20T12:00:00Z")?;
    let other = ThreatList {
        from_file: true,
        ..list("a", "10.0.0.0/8", "2026-11-20T12:00:01Z")?
    };
    store.threat_list_put(&first).await?;
    store.threat_list_put(&other).await?;
    assert_eq!(store.threat_list_all().await?, [other.clone(), first]);

    let next = list("b", "203.0.113.8", "2026-11-20T13:00:00Z")?;
    store.threat_list_put(&next).await?;
    assert_eq!(store.threat_list_get("b").await?, next);

    let state = store.threat_list_state().await?;
    let one = |list: &ThreatList| {
        let (name, updated_at) = (list.name.clone(), list.updated_at);
        ListState {
            name,
            updated_at,
            from_file: list.from_file,
        }
    };
    assert_eq!(state, [one(&other), one(&next)]);

    let feed = |name: &str, hours: u32| -> Result<ThreatFeed> {
        let url = "https://feeds.example/a?b=c".to_owned();
        let now = "2026-11-20T12:00:00Z".parse()?;
        Ok(ThreatFeed {
            error: Some("the server answered with 503".to_owned()),
            ..ThreatFeed::new(name, url, FeedFormat::Stix, hours, now)?
        })
    };
    store.threat_feed_put(&feed("b", 1)?).await?;
    store.threat_feed_put(&feed("a", 2)?).await?;
    store.threat_feed_put(&feed("b", 3)?).await?;
    assert_eq!(
        store.threat_feed_all().await?,
        [feed("a", 2)?, feed("b", 3)?]
    );
    store.threat_feed_delete("a").await?;
    assert!(store.threat_feed_delete("a").await.is_err());

    // A list is removed with its feed.
    store.threat_list_delete("b").await?;
    assert_eq!(store.threat_feed_all().await?, []);
    assert!(matches!(
        store.threat_list_delete("b").await,
        Err(StoreError::NotFound { .. })
    ));
    assert_eq!(store.threat_list_all().await?, [other]);

    Ok(())
}

/// Runs the contract of attack chains on an empty store.
///
/// # Errors
/// The store violates the contract.
pub async fn chains(store: Arc<dyn AttackChainStore>) -> Result<()> {
    let chain = |id: &str, last_at: &str| -> Result<AttackChain> {
        Ok(AttackChain {
            id: id.to_owned(),
            principal: "ann".to_owned(),
            account: "1".to_owned(),
            principals: vec!["ann".to_owned()],
            steps: Vec::new(),
            reached: "access".to_owned(),
            probability: 0.25,
            next: Vec::new(),
            reachable: Vec::new(),
            stops: Vec::new(),
            started_at: "2026-11-20T12:00:00Z".parse()?,
            last_at: last_at.parse()?,
            predicted_at: None,
        })
    };
    let (old, new) = (
        chain("a", "2026-11-20T12:00:00Z")?,
        chain("b", "2026-11-21T12:00:00Z")?,
    );
    store.attack_chain_put(&old).await?;
    store.attack_chain_put(&new).await?;

    assert_eq!(
        store.attack_chain_list(old.last_at).await?,
        [new.clone(), old.clone()]
    );
    assert_eq!(
        store.attack_chain_list(new.last_at).await?,
        std::slice::from_ref(&new),
        "from its last step on"
    );

    let grown = AttackChain {
        probability: 0.75,
        predicted_at: Some(new.last_at),
        ..new.clone()
    };
    store.attack_chain_put(&grown).await?;
    assert_eq!(store.attack_chain_get("b").await?, grown);

    store.attack_chain_forget(new.last_at).await?;
    let gone = store.attack_chain_get("a").await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })));
    assert_eq!(store.attack_chain_get("b").await?, grown);

    Ok(())
}
