//! Contract of every [`AlertStore`].

use std::sync::Arc;

use anyhow::Result;
use jiff::Timestamp;
use reeve_access::AccessError;
use reeve_alerts::{
    AlertProgress, AlertRule, AlertStore, ChangeTally, Degradation, DegradedBy, DegradedRule,
    Evaluator, EvaluatorChanges, EvaluatorLimits, Firing, FiringEntry, FiringFilter, FiringGrowth,
    FiringId, FiringStatus, GroupKey, Observed, RuleDraft, RuleId, RuleSettings, RuleState,
    StoredState, StoredTally,
};
use reeve_audit::{Actor, Entry, EventId, EventType, Severity};

type Outcome = std::result::Result<(), AccessError>;

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + second)?)
}

/// A rule with something in every field.
///
/// # Errors
/// None, as long as the settings are right.
pub fn rule(id: &str, name: &str) -> Result<AlertRule> {
    let draft = RuleDraft {
        name: name.to_owned(),
        description: "Five \"failures\"; é".to_owned(),
        condition: "event_type:authentication.login AND status:failed".to_owned(),
        count: 5,
        window: "5m".to_owned(),
        group_by: vec!["actor.email".to_owned(), "ip".to_owned()],
        channels: vec!["email".to_owned(), "slack".to_owned()],
        recipients: vec!["security@acme.example".to_owned()],
        severity: "high".to_owned(),
        class: Some("failed_authentication".to_owned()),
        ..RuleDraft::default()
    };
    let settings = RuleSettings::read(draft).map_err(|errors| anyhow::anyhow!("{errors:?}"))?;

    Ok(AlertRule {
        id: RuleId(id.to_owned()),
        settings,
        state: RuleState::Enabled,
        silenced_until: Some(at(60)?),
        revision: 1,
        version: 1,
        created_by: "ann".to_owned(),
        created_at: at(0)?,
        updated_at: at(1)?,
    })
}

/// A firing with something in every field.
///
/// # Errors
/// None, as long as the times are right.
pub fn firing(id: &str, rule: &str, second: i64) -> Result<Firing> {
    Ok(Firing {
        id: FiringId(id.to_owned()),
        rule: RuleId(rule.to_owned()),
        revision: 3,
        rule_name: "Failures".to_owned(),
        severity: Severity::High,
        group_by: vec!["actor.email".to_owned(), "ip".to_owned()],
        group: GroupKey(r#"["ann@acme.example",null]"#.to_owned()),
        from: at(second - 300)?,
        until: at(second + 300)?,
        first_at: at(second - 10)?,
        last_at: at(second)?,
        detected_at: at(second)?,
        sequence: u64::try_from(second)?,
        count: 1,
        entries: vec![FiringEntry {
            event_id: "e\"1".to_owned(),
            sequence: 7,
            at_ms: 12,
        }],
        silenced: true,
        status: FiringStatus::Open,
        assignee: None,
        note: None,
        handled_by: None,
        handled_at: None,
        version: 1,
    })
}

fn is_conflict(result: &Outcome) -> bool {
    matches!(result, Err(AccessError::Conflict(_)))
}

fn is_missing<T>(result: &std::result::Result<T, AccessError>) -> bool {
    matches!(result, Err(AccessError::NotFound { .. }))
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn AlertStore>) -> Result<()> {
    rules(&*store).await?;
    state(&*store).await?;
    firings(&*store).await?;
    two_processes_count_each_entry_once(store).await
}

async fn rules(store: &dyn AlertStore) -> Result<()> {
    let before = store.alert_rule_generation().await?;
    let (first, second) = (rule("r-1", "b; DROP TABLE alert_rules")?, rule("r-2", "a")?);
    store.alert_rule_insert(&first, 2).await?;
    assert!(
        is_conflict(
            &store
                .alert_rule_insert(&rule("r-3", &first.settings.name)?, 2)
                .await
        ),
        "a name in use"
    );

    store.alert_rule_insert(&second, 2).await?;
    assert!(
        is_conflict(&store.alert_rule_insert(&rule("r-3", "c")?, 2).await),
        "one too many"
    );
    assert_eq!(store.alert_rule_get(&first.id).await?, first);
    assert_eq!(
        store.alert_rule_list().await?,
        [second.clone(), first.clone()]
    );
    assert_eq!(
        store.alert_rule_page(1, 0).await?,
        (vec![second.clone()], 2)
    );
    assert_eq!(store.alert_rule_page(1, 1).await?, (vec![first.clone()], 2));
    assert_eq!(store.alert_rule_page(1, 2).await?, (Vec::new(), 2));
    assert_eq!(
        store
            .alert_rule_named(&["a", "A", &first.settings.name])
            .await?,
        [second.clone(), first.clone()]
    );

    assert!(
        store.alert_rule_named(&["A"]).await?.is_empty()
            && store.alert_rule_named(&[]).await?.is_empty()
    );

    let between = store.alert_rule_generation().await?;
    assert!(between > before);

    let changed = first
        .with_state(RuleState::Disabled, at(9)?)
        .silenced(None, at(10)?);
    let changed = AlertRule {
        version: 2,
        ..changed
    };
    store.alert_rule_update(&changed).await?;
    assert_eq!(store.alert_rule_get(&first.id).await?, changed);
    assert!(
        is_conflict(&store.alert_rule_update(&changed).await),
        "a stale version"
    );
    assert!(is_missing(
        &store.alert_rule_update(&rule("r-9", "z")?).await
    ));
    assert!(store.alert_rule_generation().await? > between);
    store.alert_rule_delete(&second.id).await?;
    assert!(is_missing(&store.alert_rule_delete(&second.id).await));
    assert!(is_missing(&store.alert_rule_get(&second.id).await));

    Ok(())
}

async fn state(store: &dyn AlertStore) -> Result<()> {
    assert_eq!(store.alert_progress().await?, None);

    let begun = AlertProgress {
        position: 5,
        clock: None,
    };
    store
        .alert_advance(None, begun, &EvaluatorChanges::default())
        .await?;
    assert_eq!(store.alert_progress().await?, Some(begun));
    assert!(
        is_conflict(
            &store
                .alert_advance(None, begun, &EvaluatorChanges::default())
                .await
        ),
        "it has begun"
    );

    let tally = ChangeTally {
        matched: 9,
        late: 1,
        shared: 2,
        dropped: 4,
        fired: 3,
        last_matched_at: Some(at(4)?),
        ..ChangeTally::default()
    };

    let met = |second, since, is_new| -> Result<Degradation> {
        let (rule, rule_name) = (RuleId("r-1".into()), "b".to_owned());
        Ok(Degradation {
            rule,
            revision: 1,
            rule_name,
            by: DegradedBy::Groups,
            since: at(since)?,
            at: at(second)?,
            is_new,
        })
    };

    let kept = EvaluatorChanges {
        delta: vec![1, 0, 255],
        fired: vec![firing("f-0", "r-1", 20)?],
        degraded: vec![met(3, 3, true)?],
        ..EvaluatorChanges::default()
    };

    let next = AlertProgress {
        position: 9,
        clock: Some(at(4)?),
    };
    store.alert_advance(Some(5), next, &kept).await?;
    assert_eq!(store.alert_progress().await?, Some(next));

    let refused = EvaluatorChanges {
        fired: vec![firing("f-lost", "r-1", 21)?],
        ..kept.clone()
    };
    assert!(is_conflict(
        &store
            .alert_advance(
                Some(5),
                AlertProgress {
                    position: 8,
                    clock: None
                },
                &refused
            )
            .await
    ));

    assert!(
        is_missing(&store.firing_get(&FiringId("f-lost".into())).await),
        "nothing is kept of a refused move"
    );

    let read = StoredState {
        deltas: vec![vec![1, 0, 255]],
        ..StoredState::default()
    };
    assert_eq!(
        store.alert_state().await?,
        read,
        "nothing is kept of a refused move"
    );

    let more = EvaluatorChanges {
        delta: vec![2],
        degraded: vec![met(7, 3, false)?],
        ..EvaluatorChanges::default()
    };

    store
        .alert_advance(
            Some(9),
            AlertProgress {
                position: 10,
                clock: None,
            },
            &more,
        )
        .await?;

    store
        .alert_advance(
            Some(10),
            AlertProgress {
                position: 10,
                clock: None,
            },
            &EvaluatorChanges::default(),
        )
        .await?;

    assert_eq!(
        store.alert_state().await?.deltas,
        [vec![1, 0, 255], vec![2]],
        "in order, none without entries"
    );

    let (rule, by) = (RuleId("r-1".into()), DegradedBy::Groups);
    let degraded = DegradedRule {
        rule: rule.clone(),
        revision: 1,
        by,
        since: at(3)?,
        at: at(7)?,
    };
    assert_eq!(store.alert_degraded().await?, [degraded]);

    let whole = EvaluatorChanges {
        delta: vec![3],
        snapshot: Some(vec![vec![8], Vec::new(), vec![9]]),
        ..EvaluatorChanges::default()
    };

    store
        .alert_advance(
            Some(10),
            AlertProgress {
                position: 10,
                clock: None,
            },
            &whole,
        )
        .await?;

    let read = StoredState {
        snapshot: vec![vec![8], Vec::new(), vec![9]],
        ..StoredState::default()
    };
    assert_eq!(
        store.alert_state().await?,
        read,
        "a snapshot takes the place of the deltas"
    );

    let of = |rule: &str| StoredTally {
        rule: RuleId(rule.into()),
        revision: 1,
        tally,
    };
    store.alert_tally_put(&[of("r-1"), of("gone")]).await?;

    store.alert_tally_put(&[of("r-1")]).await?;
    assert_eq!(store.alert_tally(&rule, 1).await?, Some(tally));
    assert_eq!(store.alert_tally(&rule, 2).await?, None);

    let enabled = store
        .alert_rule_get(&rule)
        .await?
        .with_state(RuleState::Enabled, at(11)?);
    store.alert_rule_update(&enabled).await?;
    assert_eq!(
        store.alert_tally(&rule, 1).await?,
        None,
        "a new revision begins with nothing"
    );
    assert!(store.alert_degraded().await?.is_empty());

    let nothing = EvaluatorChanges {
        snapshot: Some(Vec::new()),
        ..EvaluatorChanges::default()
    };
    store
        .alert_advance(
            Some(10),
            AlertProgress {
                position: 10,
                clock: None,
            },
            &nothing,
        )
        .await?;

    assert_eq!(store.alert_state().await?, StoredState::default());
    Ok(())
}

async fn firings(store: &dyn AlertStore) -> Result<()> {
    let (second, third) = (firing("f-1", "r-1", 30)?, firing("f-2", "r-2", 40)?);
    let fired = EvaluatorChanges {
        fired: vec![second.clone(), third.clone()],
        ..EvaluatorChanges::default()
    };
    store
        .alert_advance(
            Some(10),
            AlertProgress {
                position: 11,
                clock: None,
            },
            &fired,
        )
        .await?;

    let page = FiringFilter {
        limit: 2,
        ..FiringFilter::default()
    };
    let (found, total) = store.firing_list(&page).await?;
    assert_eq!(
        (found, total),
        (vec![third.clone(), second.clone()], 3),
        "the latest first"
    );

    let filter = FiringFilter {
        rule: Some(RuleId("r-1".into())),
        offset: 1,
        ..page.clone()
    };

    assert_eq!(
        store.firing_list(&filter).await?,
        (vec![firing("f-0", "r-1", 20)?], 2)
    );
    assert_eq!(store.firing_get(&third.id).await?, third);

    let handled = Firing {
        status: FiringStatus::Resolved,
        assignee: Some("bob".into()),
        note: Some("é".into()),
        handled_by: Some("ann".into()),
        handled_at: Some(at(50)?),
        version: 2,
        ..third.clone()
    };
    store.firing_handle(&handled).await?;

    assert!(
        is_conflict(&store.firing_handle(&handled).await),
        "a stale version"
    );

    let entries = vec![FiringEntry {
        event_id: "e-9".into(),
        sequence: 9,
        at_ms: 13,
    }];

    let growth = FiringGrowth {
        id: third.id.clone(),
        first_at: at(1)?,
        last_at: at(45)?,
        count: 2,
        entries: entries.clone(),
    };

    // The same firing once more, as after a crash between two stores, changes nothing.
    let changes = EvaluatorChanges {
        fired: vec![third.clone()],
        grown: vec![growth],
        ..EvaluatorChanges::default()
    };

    store
        .alert_advance(
            Some(11),
            AlertProgress {
                position: 12,
                clock: None,
            },
            &changes,
        )
        .await?;

    let entries = [third.entries.clone(), entries].concat();
    let grown = Firing {
        count: 2,
        first_at: at(1)?,
        last_at: at(45)?,
        entries,
        ..handled
    };

    assert_eq!(
        store.firing_get(&third.id).await?,
        grown,
        "people's changes stay when it grows"
    );

    let resolved = FiringFilter {
        status: Some(FiringStatus::Resolved),
        ..page
    };
    assert_eq!(store.firing_list(&resolved).await?, (vec![grown], 1));

    let ids = |firings: Vec<Firing>| {
        firings
            .into_iter()
            .map(|firing| firing.id.0)
            .collect::<Vec<_>>()
    };

    assert_eq!(
        ids(store.firing_unrecorded(10).await?),
        ["f-0", "f-1", "f-2"],
        "oldest first"
    );

    store
        .firing_recorded(&["f-0", "f-2"].map(|id| FiringId(id.into())))
        .await?;
    store.firing_recorded(&[]).await?;
    assert_eq!(ids(store.firing_unrecorded(10).await?), ["f-1"]);
    store
        .firing_recorded(std::slice::from_ref(&second.id))
        .await?;
    assert!(is_missing(&store.firing_get(&FiringId("f-9".into())).await));

    Ok(())
}

/// Failed sign-ins of two users, one a second.
fn sign_in(sequence: u64) -> Result<(Entry, Timestamp)> {
    let user = if sequence.is_multiple_of(3) {
        "ann"
    } else {
        "bob"
    };

    let when = at(i64::try_from(sequence)?)?;
    let entry = Entry::new(EventType::from_static("authentication.login"))
        .with_id(EventId::new(format!("s-{sequence}"))?)
        .by(Actor::user(user))
        .at(when);
    Ok((entry, when))
}

fn evaluate(evaluator: &mut Evaluator, from: u64, to: u64) -> Result<EvaluatorChanges> {
    for sequence in from..to {
        let (entry, recorded_at) = sign_in(sequence)?;
        evaluator.observe(Observed {
            sequence,
            recorded_at,
            entry: &entry,
        });
    }

    evaluator.skip_to(to);
    Ok(evaluator.take_changes())
}

/// Evaluates until the end of the log; whatever another process has evaluated in between is read
/// from the store.
async fn process(
    store: Arc<dyn AlertStore>,
    rules: Vec<Arc<AlertRule>>,
    batch: u64,
    end: u64,
) -> Result<()> {
    loop {
        let Some(progress) = store.alert_progress().await? else {
            anyhow::bail!("it has begun")
        };
        let mut evaluator = Evaluator::new(EvaluatorLimits::default(), progress);
        evaluator.set_rules(rules.iter().cloned());
        // State read after the position may be newer than it; the move is refused then.
        evaluator.restore(&store.alert_state().await?)?;
        let mut from = progress.position;
        while from < end {
            let to = end.min(from + batch);
            let changes = evaluate(&mut evaluator, from, to)?;
            match store
                .alert_advance(Some(from), evaluator.progress(), &changes)
                .await
            {
                Ok(()) => from = to,
                Err(AccessError::Conflict(_)) => break,
                Err(error) => return Err(error.into()),
            }
            tokio::task::yield_now().await;
        }
        if from >= end {
            return Ok(());
        }
    }
}

async fn two_processes_count_each_entry_once(store: Arc<dyn AlertStore>) -> Result<()> {
    let counting = |id: &str, count, by: &str| -> Result<AlertRule> {
        let one = rule(id, id)?;
        let draft = RuleDraft {
            condition: "user:*".into(),
            count,
            group_by: vec![by.into()],
            ..one.settings.draft()
        };
        let settings = RuleSettings::read(draft).map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
        Ok(AlertRule { settings, ..one })
    };

    let rules = [
        counting("p-1", 4, "user")?,
        counting("p-2", 7, "event_type")?,
    ];
    for rule in &rules {
        store.alert_rule_insert(rule, 100).await?;
    }

    let rules: Vec<_> = rules.into_iter().map(Arc::new).collect();
    let (begin, end) = (12, 1_500);
    let mut alone = Evaluator::new(
        EvaluatorLimits::default(),
        AlertProgress {
            position: begin,
            clock: None,
        },
    );
    alone.set_rules(rules.iter().cloned());

    let mut expected = evaluate(&mut alone, begin, end)?.fired;
    let workers =
        [7, 11, 5].map(|batch| tokio::spawn(process(store.clone(), rules.clone(), batch, end)));
    for worker in workers {
        worker.await??;
    }

    let mut found = Vec::new();
    for rule in &rules {
        let filter = FiringFilter {
            rule: Some(rule.id.clone()),
            limit: 1_000,
            ..FiringFilter::default()
        };
        found.extend(store.firing_list(&filter).await?.0);
    }

    let mut restored = Evaluator::new(EvaluatorLimits::default(), AlertProgress::default());
    restored.set_rules(rules.iter().cloned());
    restored.restore(&store.alert_state().await?)?;
    let matched: Vec<_> = restored
        .take_tallies()
        .iter()
        .map(|stored| stored.tally.matched)
        .collect();
    assert_eq!(matched, [end - begin; 2], "each entry once");
    found.sort_by(|a, b| a.id.cmp(&b.id));
    expected.sort_by(|a, b| a.id.cmp(&b.id));
    assert!(expected.len() > 6);
    assert_eq!(found, expected);

    Ok(())
}
