//! Contract of every [`ReportStore`].

use std::sync::Arc;

use anyhow::Result;
use jiff::Timestamp;
use reeve_access::{AccessError, AuditScope};
use reeve_reports::{
    Filters, GroupField, PeriodChoice, ReportDefinition, ReportId, ReportKind, ReportMetric,
    ReportPeriod, ReportRequest, ReportRun, ReportStore, Review, RunFile, RunFiles, RunFilter,
    RunId, RunProgress, RunState,
};
use reeve_schedule::Schedule;

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + second)?)
}

/// A report with something in every field.
///
/// # Errors
/// None, as long as the times are right.
pub fn report(id: &str, name: &str) -> Result<ReportDefinition> {
    Ok(ReportDefinition {
        id: ReportId(id.to_owned()),
        name: name.to_owned(),
        request: ReportRequest {
            kind: ReportKind::Custom {
                query: "event_type:authentication.login \"é\"".to_owned(),
                group_by: vec![GroupField::User, GroupField::EventType],
                metrics: vec![ReportMetric::EventCounts, ReportMetric::ResourcesAffected],
            },
            period: PeriodChoice::PreviousMonth,
            filters: Filters {
                accounts: vec!["123456789012".to_owned()],
                users: vec!["ann*".to_owned()],
                resources: vec!["i-0abc".to_owned()],
            },
        },
        schedule: Some(Schedule {
            pattern: "0 6 1 * *".to_owned(),
            time_zone: "Europe/Berlin".to_owned(),
        }),
        next_run_at: Some(at(3600)?),
        channels: vec!["Security".to_owned()],
        recipients: vec!["audit@acme.example".to_owned()],
        owner: "user-1".to_owned(),
        owner_email: "ann@acme.example".to_owned(),
        owner_token: Some("token-1".to_owned()),
        created_at: at(0)?,
        updated_at: at(1)?,
        version: 1,
    })
}

/// A run with something in every field, asked for at a second.
///
/// # Errors
/// None, as long as the times are right.
pub fn run_of(id: &str, report: &str, second: i64) -> Result<ReportRun> {
    Ok(ReportRun {
        id: RunId(id.to_owned()),
        report: ReportId(report.to_owned()),
        report_name: "SOC 2".to_owned(),
        request: ReportRequest {
            kind: ReportKind::Compliance {
                framework: "soc2".to_owned(),
            },
            period: PeriodChoice::Between(ReportPeriod {
                start: at(-86_400)?,
                end: at(0)?,
            }),
            filters: Filters::default(),
        },
        state: RunState::Queued,
        progress: RunProgress {
            position: 3,
            end: 9,
            entries: 2,
        },
        error: Some("the disk is full".to_owned()),
        summary: Some("{\"entries\":2}".to_owned()),
        files: RunFiles {
            json: RunFile {
                bytes: 1,
                sha256: "0a".repeat(32),
            },
            csv: RunFile {
                bytes: 2,
                sha256: "0b".repeat(32),
            },
            pdf: RunFile {
                bytes: 3,
                sha256: "0c".repeat(32),
            },
            manifest_bytes: 4,
        },
        user: "user-1".to_owned(),
        user_email: "ann@acme.example".to_owned(),
        token: None,
        scope: None,
        scheduled: true,
        cancelling: true,
        channels: vec!["Security".to_owned()],
        recipients: vec!["audit@acme.example".to_owned()],
        created_at: at(second)?,
        started_at: Some(at(second + 1)?),
        touched_at: at(second + 2)?,
        ended_at: None,
        version: 1,
    })
}

fn is_conflict<T>(outcome: &std::result::Result<T, AccessError>) -> bool {
    matches!(outcome, Err(AccessError::Conflict(_)))
}

fn is_missing<T>(outcome: &std::result::Result<T, AccessError>) -> bool {
    matches!(outcome, Err(AccessError::NotFound { .. }))
}

/// Runs the suite.
///
/// # Errors
/// The store failed.
///
/// # Panics
/// The store violates the contract.
pub async fn run(store: Arc<dyn ReportStore>) -> Result<()> {
    reports(&*store).await?;
    schedule(&*store).await?;
    reviews(&*store).await?;
    runs(&*store).await
}

async fn reviews(store: &dyn ReportStore) -> Result<()> {
    let review = |id: &str, report: &str, second| -> Result<Review> {
        Ok(Review {
            id: id.to_owned(),
            report: ReportId(report.to_owned()),
            run: RunId("run-0".to_owned()),
            question: "CC6.1.exception.1".to_owned(),
            entries: 7,
            up_to: 900,
            comment: "Known: \"é\", a change window.".to_owned(),
            user: "user-1".to_owned(),
            user_email: "ann@acme.example".to_owned(),
            created_at: at(second)?,
        })
    };

    let (first, second) = (
        review("review-1", "report-1", 1)?,
        review("review-2", "report-1", 2)?,
    );
    for review in [&first, &second, &review("review-3", "report-2", 3)?] {
        store.review_insert(review).await?;
    }

    let report = ReportId("report-1".to_owned());
    assert_eq!(
        store.review_list(&report, 10).await?,
        [second.clone(), first],
        "the latest first"
    );
    assert_eq!(store.review_list(&report, 1).await?, [second]);

    Ok(())
}

async fn reports(store: &dyn ReportStore) -> Result<()> {
    let first = report("report-1", "Sign-ins")?;
    store.report_insert(&first, 2).await?;
    assert_eq!(store.report_get(&first.id).await?, first);
    assert!(
        is_conflict(
            &store
                .report_insert(&report("report-2", "Sign-ins")?, 2)
                .await
        ),
        "a name is taken once"
    );

    store
        .report_insert(&report("report-2", "Alerts")?, 2)
        .await?;
    assert!(
        is_conflict(&store.report_insert(&report("report-3", "More")?, 2).await),
        "there is a bound"
    );

    let names: Vec<_> = store
        .report_list()
        .await?
        .into_iter()
        .map(|report| report.name)
        .collect();
    assert_eq!(names, ["Alerts", "Sign-ins"]);

    let changed = ReportDefinition {
        name: "Sign-ins, weekly".to_owned(),
        version: 2,
        ..first.clone()
    };
    store.report_update(&changed).await?;
    assert!(
        is_conflict(&store.report_update(&changed).await),
        "of two writers one wins"
    );
    assert_eq!(store.report_get(&first.id).await?, changed);

    let second = ReportId("report-2".to_owned());
    store.report_delete(&second).await?;
    assert!(
        is_missing(&store.report_get(&second).await)
            && is_missing(&store.report_delete(&second).await)
    );

    Ok(())
}

async fn schedule(store: &dyn ReportStore) -> Result<()> {
    assert!(store.report_due(at(3599)?).await?.is_empty());

    let due = store.report_due(at(3600)?).await?.remove(0);
    let moved = ReportDefinition {
        next_run_at: Some(at(7200)?),
        version: due.version + 1,
        ..due
    };
    let run = run_of("scheduled", "report-1", 0)?;
    store.run_insert(&run, Some(&moved)).await?;
    let other = run_of("scheduled-too", "report-1", 0)?;
    assert!(
        is_conflict(&store.run_insert(&other, Some(&moved)).await),
        "of two processes one adds the run"
    );
    assert!(
        is_missing(&store.run_get(&other.id).await),
        "and nothing of the other is left"
    );
    assert!(store.report_due(at(3600)?).await?.is_empty());
    store.run_delete(&run.id).await?;

    Ok(())
}

async fn runs(store: &dyn ReportStore) -> Result<()> {
    let first = run_of("run-1", "report-1", 100)?;
    store.run_insert(&first, None).await?;
    store
        .run_insert(&run_of("run-2", "report-2", 200)?, None)
        .await?;
    assert_eq!(store.run_get(&first.id).await?, first);
    assert_eq!(
        store.run_next(at(0)?).await?,
        Some(first.clone()),
        "the oldest that waits"
    );

    let running = ReportRun {
        state: RunState::Running,
        version: 2,
        scope: Some(AuditScope {
            accounts: ["111122223333".to_owned()].into(),
            log_from: Some(at(0)?),
            ..AuditScope::default()
        }),
        ..first.clone()
    };
    store.run_update(&running).await?;
    assert!(
        is_conflict(&store.run_update(&running).await),
        "of two processes one takes it"
    );
    assert_eq!(
        store.run_next(at(0)?).await?.map(|run| run.id.0),
        Some("run-2".to_owned())
    );
    assert_eq!(
        store.run_next(at(103)?).await?,
        Some(running.clone()),
        "one that stands still is taken up again"
    );

    let ended = ReportRun {
        state: RunState::Succeeded,
        ended_at: Some(at(300)?),
        version: 3,
        ..running
    };
    store.run_update(&ended).await?;

    assert_eq!(
        store.run_next(at(9000)?).await?.map(|run| run.id.0),
        Some("run-2".to_owned())
    );

    let filter = RunFilter {
        limit: 10,
        ..RunFilter::default()
    };
    let (listed, total) = store.run_list(&filter).await?;
    let ids: Vec<_> = listed.iter().map(|run| run.id.0.as_str()).collect();
    assert_eq!(
        (ids, total),
        (vec!["run-2", "run-1"], 2),
        "the latest first"
    );

    assert!(
        listed.iter().all(|run| run.summary.is_none()),
        "a list does not read the findings"
    );

    let (listed, total) = store
        .run_list(&RunFilter {
            report: Some(first.report.clone()),
            ..filter.clone()
        })
        .await?;

    assert_eq!((listed.len(), total), (1, 1));
    assert_eq!(
        store
            .run_list(&RunFilter {
                kind: Some("custom".to_owned()),
                ..filter
            })
            .await?
            .1,
        0
    );

    assert!(store.run_ended_before(at(300)?, 10).await?.is_empty());
    assert_eq!(store.run_ended_before(at(301)?, 10).await?.len(), 1);
    store.run_delete(&first.id).await?;
    assert!(
        is_missing(&store.run_get(&first.id).await)
            && is_missing(&store.run_delete(&first.id).await)
    );

    Ok(())
}
