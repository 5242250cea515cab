//! Contract of sums and narrow lists: they say what reading every record would say.

use std::collections::BTreeMap;

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Money, ResourceId};
use reeve_recommend::action::{
    Action, ActionId, ActionStatus, Purpose, SavingEnd, WatchVerdict, realised_savings,
};
use reeve_recommend::agent::{AgentId, AgentType};
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::ports::{AgentStore, RecommendationFilter};
use reeve_recommend::recommendation::combined::{added_cost, combined_savings};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::{AnomalyId, OriginCause};
use reeve_recommend::recommendation::totals::{
    ActionFilter, ApprovalFilter, Dismissals, RecommendationTotal, StepOutcomes,
};
use reeve_recommend::recommendation::{
    Closing, Priority, Recommendation, RecommendationId, RecommendationType,
};

use super::samples::{action, agent, approval, feedback, recommendation};

/// Kinds on one resource: two exclude each other, one waits for another, one is independent.
const KINDS: [RecommendationType; 4] = [
    RecommendationType::RightSize,
    RecommendationType::IdleResourceCleanup,
    RecommendationType::ReservedInstances,
    RecommendationType::Encryption,
];

/// Runs the suite on an empty store.
pub(super) async fn run(store: &dyn AgentStore) -> Result<()> {
    fill(store).await?;
    lists(store).await?;
    totals(store).await?;
    savings(store).await?;
    outcomes(store).await?;
    all_or_none(store).await?;
    approvals(store).await?;
    actions(store).await?;
    a_removed_agent(store).await
}

/// A recommendation for number `n`: each attribute changes at a pace of its own.
fn numbered(n: usize) -> Result<Recommendation> {
    let base = recommendation(&format!("n-{n:03}"), &format!("i-{}", n / KINDS.len()))?;
    let mut subject = base.subject.clone();
    (subject.account, subject.service) = (
        format!("account-{}", n % 3),
        ["ec2", "EC2", "rds"][n % 3].to_owned(),
    );
    subject.target_type = (!n.is_multiple_of(5)).then(|| format!("m5.size-{}", n % 2));

    // Some cost more than they save.
    let sign = if n.is_multiple_of(9) { -1.0 } else { 1.0 };
    let by_hand = if n.is_multiple_of(7) {
        vec!["delete_by_hand".to_owned()]
    } else {
        Vec::new()
    };

    let price = |every: usize, usd: f64| (!n.is_multiple_of(every)).then(|| Money::from_usd(usd));
    let origin = reeve_recommend::recommendation::origin::Origin {
        cause: if n.is_multiple_of(4) {
            OriginCause::Anomaly(AnomalyId("x:1".into()))
        } else {
            OriginCause::Run
        },
        ..base.origin.clone()
    };

    Ok(Recommendation {
        agent_id: [
            Some(AgentId("a-one".into())),
            Some(AgentId("a-two".into())),
            None,
        ][n % 3]
            .clone(),
        origin,
        kind: KINDS[n % KINDS.len()],
        priority: Priority::ALL[n % Priority::ALL.len()],
        confidence: (n % 100) as f64,
        savings_monthly: price(6, sign * 5.0 * n as f64),
        savings_after_discounts: price(2, sign * 4.0 * n as f64),
        monthly_cost: price(3, 60.0),
        reason_codes: by_hand,
        updated_at: base.updated_at + SignedDuration::from_hours(n as i64),
        expires_at: base.expires_at + SignedDuration::from_hours(n as i64),
        blocked: None,
        exception: None,
        taken_back_by: n.is_multiple_of(5).then(|| "ann@example.com".to_owned()),
        subject,
        ..base
    })
}

/// A hundred and twenty recommendations, moved to a state each; some with feedback, some with
/// measured savings.
async fn fill(store: &dyn AgentStore) -> Result<()> {
    assert!(
        store.recommendation_totals().await?.is_empty(),
        "the suite needs an empty store"
    );

    let all: Vec<Recommendation> = (0..120).map(numbered).collect::<Result<_>>()?;
    for chunk in all.chunks(50) {
        store.recommendation_insert_all(chunk).await?;
    }

    for (n, made) in all.iter().enumerate().filter(|(n, _)| n % 3 != 1) {
        let status = Status::ALL[n % Status::ALL.len()];
        let closing = match status {
            Status::Dismissed if n.is_multiple_of(4) => Some(Closing::Excluded),
            Status::Expired => Some(Closing::ResourceGone),
            _ => None,
        };
        let moved = Recommendation {
            status,
            closing,
            version: 2,
            ..made.clone()
        };
        store.recommendation_update(&moved).await?;
        if n.is_multiple_of(8) {
            store
                .feedback_insert(&feedback(&format!("f-{n}"), &made.id.0, 1_000)?)
                .await?;
        }
        if matches!(status, Status::Succeeded | Status::RolledBack) {
            measured(store, n, &made.id.0).await?;
        }
    }

    Ok(())
}

/// An action that is watched, and whose saving is measured then, or found to be overruled.
async fn measured(store: &dyn AgentStore, n: usize, recommendation: &str) -> Result<()> {
    let mut begun = action(&format!("ac-{n}"), recommendation, 1_000 * n as i64)?;
    begun.status = ActionStatus::Succeeded;
    let watch = begun.watch.take();
    store.action_insert(&begun).await?;

    if n.is_multiple_of(2) {
        let mut after = Action {
            watch,
            version: 2,
            ..begun
        };
        if let Some(watch) = after.watch.as_mut().filter(|_| n.is_multiple_of(4)) {
            watch.verdict = WatchVerdict::Overruled;
        }
        if let Some(watch) = after.watch.as_mut().filter(|_| n.is_multiple_of(6)) {
            let at = Timestamp::from_second(86_400 * (20_000 + n as i64))?;
            watch.ended = Some(SavingEnd {
                at,
                reason: "state is running, not stopped".to_owned(),
            });
        }
        store.action_update(&after).await?;
    }

    Ok(())
}

async fn everything(store: &dyn AgentStore) -> Result<Vec<Recommendation>> {
    Ok(store
        .recommendation_list(&RecommendationFilter::default())
        .await?
        .0)
}

/// Filters of requests and of the engine.
fn filters() -> Result<Vec<RecommendationFilter>> {
    let any = RecommendationFilter::default;
    let at = |text: &str| text.parse::<Timestamp>();
    let open: Vec<Status> = Status::ALL
        .iter()
        .copied()
        .filter(|status| !status.is_end())
        .collect();

    Ok(vec![
        any(),
        RecommendationFilter {
            is_open: true,
            ..any()
        },
        RecommendationFilter {
            status: open,
            ..any()
        },
        RecommendationFilter {
            status: vec![Status::Expired, Status::Open],
            ..any()
        },
        RecommendationFilter {
            agent: Some("a-one".into()),
            is_open: true,
            ..any()
        },
        RecommendationFilter {
            agent: Some(AgentType::COST_OPTIMIZER.as_str().into()),
            ..any()
        },
        RecommendationFilter {
            kind: Some(RecommendationType::ReservedInstances),
            ..any()
        },
        RecommendationFilter {
            priority: Some(Priority::High),
            is_open: true,
            ..any()
        },
        RecommendationFilter {
            min_confidence: Some(30.0),
            ..any()
        },
        RecommendationFilter {
            ids: vec![
                RecommendationId("n-003".into()),
                RecommendationId("n-050".into()),
            ],
            ..any()
        },
        RecommendationFilter {
            resources: vec![ResourceId::new("i-1"), ResourceId::new("i-2")],
            ..any()
        },
        RecommendationFilter {
            resources: vec![ResourceId::new("i-3")],
            status: vec![Status::Dismissed, Status::Open],
            updated_since: Some(at("2026-11-20T12:00:00Z")?),
            ..any()
        },
        RecommendationFilter {
            cause: Some(OriginCause::Anomaly(AnomalyId("x:1".into()))),
            is_open: true,
            ..any()
        },
        RecommendationFilter {
            cause: Some(OriginCause::Run),
            ..any()
        },
        RecommendationFilter {
            closing: Some(Closing::ResourceGone),
            agent: Some("a-two".into()),
            ..any()
        },
        RecommendationFilter {
            due_by: Some(at("2026-12-21T20:00:00Z")?),
            ..any()
        },
        RecommendationFilter {
            due_by: Some(at("2026-11-20T10:00:00Z")?),
            ..any()
        },
    ])
}

async fn lists(store: &dyn AgentStore) -> Result<()> {
    let all = everything(store).await?;
    let names = |found: &[Recommendation]| {
        let mut names: Vec<String> = found.iter().map(|one| one.id.0.clone()).collect();
        names.sort();
        names
    };

    for filter in filters()? {
        let wanted: Vec<Recommendation> = all
            .iter()
            .filter(|one| filter.matches(one))
            .cloned()
            .collect();
        let (found, total) = store.recommendation_list(&filter).await?;
        assert_eq!(names(&found), names(&wanted), "{filter:?}");
        assert_eq!(total, wanted.len() as u64, "{filter:?}");
        let (page, total) = store
            .recommendation_list(&RecommendationFilter {
                limit: 3,
                offset: 2,
                ..filter.clone()
            })
            .await?;
        assert_eq!(
            total,
            wanted.len() as u64,
            "the total of a page, {filter:?}"
        );
        assert_eq!(
            page,
            found.into_iter().skip(2).take(3).collect::<Vec<_>>(),
            "{filter:?}"
        );
    }

    let said = RecommendationFilter {
        has_feedback: true,
        ..RecommendationFilter::default()
    };
    let (said, _) = store.recommendation_list(&said).await?;
    let feedback: Vec<String> = store
        .feedback_list(None)
        .await?
        .into_iter()
        .map(|said| said.recommendation.0)
        .collect();

    assert!(!said.is_empty());
    assert_eq!(names(&said).len(), feedback.len());
    assert!(said.iter().all(|one| feedback.contains(&one.id.0)));

    Ok(())
}

/// Totals by what they are summed by.
type Sums = BTreeMap<(Option<String>, String, String, bool, bool), (u64, u64, i64, u64, i64, i64)>;

fn add(sums: &mut Sums, total: &RecommendationTotal) {
    let key = (
        total.agent.as_ref().map(|id| id.0.clone()),
        total.status.as_str().to_owned(),
        total.priority.as_str().to_owned(),
        total.is_by_hand,
        total.is_taken_back,
    );
    let sum = sums.entry(key).or_default();
    sum.0 += total.count;

    sum.1 += total.unpriced;
    sum.2 += total.expected.micros();
    sum.3 += total.measured;
    sum.4 += total.measured_expected.micros();
    sum.5 += total.realised.micros();
}

async fn totals(store: &dyn AgentStore) -> Result<()> {
    let (mut expected, mut found) = (Sums::new(), Sums::new());
    let (mut measured, mut ended) = (0, 0);

    for one in everything(store).await? {
        let saving = realised_savings(&store.action_list(Some(&one.id), None).await?);
        let has_ended = saving.ended_at.is_some();
        measured += u64::from(saving.monthly.is_some());
        ended += u64::from(has_ended);
        let realised = saving.monthly.filter(|_| !has_ended);
        let saving = if has_ended {
            Money::ZERO
        } else {
            one.expected_savings().unwrap_or(Money::ZERO)
        };
        let total = RecommendationTotal {
            agent: one.agent_id.clone(),
            status: one.status,
            priority: one.priority,
            is_by_hand: one.is_by_hand(),
            is_taken_back: one.taken_back_by.is_some(),
            count: 1,
            unpriced: u64::from(one.expected_savings().is_none()),
            expected: saving,
            measured: u64::from(realised.is_some() || has_ended),
            measured_expected: realised.map_or(Money::ZERO, |_| saving),
            realised: realised.unwrap_or(Money::ZERO),
        };
        add(&mut expected, &total);
    }

    for total in store.recommendation_totals().await? {
        add(&mut found, &total);
    }

    assert!(
        measured > 0 && ended > 0,
        "some savings are measured, some have ended"
    );
    assert_eq!(found, expected);
    Ok(())
}

async fn savings(store: &dyn AgentStore) -> Result<()> {
    let (mut priced, mut added) = (0, 0);
    for filter in filters()? {
        let (all, _) = store.recommendation_list(&filter).await?;
        let open: Vec<Recommendation> =
            all.into_iter().filter(|one| !one.status.is_end()).collect();
        let found = store.recommendation_savings(&filter).await?;
        let unpriced = open
            .iter()
            .filter(|one| one.expected_savings().is_none())
            .count() as u64;
        assert_eq!(
            (found.combined, found.unpriced),
            (combined_savings(&open), unpriced),
            "{filter:?}"
        );
        assert_eq!(found.added, added_cost(&open), "{filter:?}");
        added += u64::from(found.added > Money::ZERO);
        priced += u64::from(found.combined > Money::ZERO);
    }

    assert!(
        priced > 3 && added > 0,
        "the filters find savings, and what costs more"
    );
    savings_by_day(store).await?;
    standing(store).await
}

/// Standing savings by pages: each that succeeded and has not ended, once, with its action where
/// one succeeded.
async fn standing(store: &dyn AgentStore) -> Result<()> {
    let mut expected = Vec::new();
    for one in everything(store).await? {
        let actions = store.action_list(Some(&one.id), None).await?;
        if one.status == Status::Succeeded && realised_savings(&actions).ended_at.is_none() {
            expected.push((
                one.updated_at,
                one.id.0.clone(),
                actions.first().map(|action| action.id.clone()),
            ));
        }
    }

    expected.sort_by(|a, b| (b.0, &b.1).cmp(&(a.0, &a.1)));
    let (mut found, mut before) = (Vec::new(), None);

    loop {
        let page = store.standing_savings(before, 3).await?;
        let Some((last, _)) = page.last() else { break };
        before = Some((last.updated_at, last.id.clone()));
        found.extend(
            page.into_iter()
                .map(|(one, action)| (one.updated_at, one.id.0, action.map(|action| action.id))),
        );
    }

    assert!(found.len() > 3, "several pages");
    assert_eq!(found, expected);
    Ok(())
}

async fn savings_by_day(store: &dyn AgentStore) -> Result<()> {
    let mut expected: BTreeMap<i64, (Money, Money)> = BTreeMap::new();
    for one in everything(store).await? {
        if one.status == Status::Succeeded && !one.is_by_hand() {
            let realised = realised_savings(&store.action_list(Some(&one.id), None).await?);
            let (saving, measured) = (
                one.expected_savings().unwrap_or(Money::ZERO),
                realised.monthly.unwrap_or(Money::ZERO),
            );
            let sum = expected
                .entry(one.updated_at.as_second().div_euclid(86_400))
                .or_default();
            *sum = (sum.0 + saving, sum.1 + measured);
            if let Some(at) = realised.ended_at {
                let sum = expected
                    .entry(at.as_second().div_euclid(86_400))
                    .or_default();
                *sum = (sum.0 - saving, sum.1 - measured);
            }
        }
    }

    let found = store.recommendation_savings_by_day().await?;
    let found: Vec<(i64, (Money, Money))> = found
        .into_iter()
        .map(|day| (day.day.as_second() / 86_400, (day.expected, day.realised)))
        .collect();
    assert!(found.len() > 1, "several days");
    assert_eq!(found, expected.into_iter().collect::<Vec<_>>());

    Ok(())
}

async fn outcomes(store: &dyn AgentStore) -> Result<()> {
    let (all, feedback) = (everything(store).await?, store.feedback_list(None).await?);
    let silent = |one: &&Recommendation| !feedback.iter().any(|said| said.recommendation == one.id);

    for kinds in [&KINDS[..1], &KINDS[..]] {
        let own = |one: &&Recommendation| kinds.contains(&one.kind);
        let by_people = |one: &&Recommendation| {
            one.status == Status::Dismissed && one.closing != Some(Closing::Excluded)
        };
        let dismissed = all
            .iter()
            .filter(own)
            .filter(silent)
            .filter(by_people)
            .count() as u64;
        let found: Vec<Dismissals> = store.recommendation_dismissals(kinds).await?;
        assert_eq!(
            found.iter().map(|found| found.count).sum::<u64>(),
            dismissed
        );
        assert!(found.iter().all(|found| kinds.contains(&found.kind)));
        let known: Vec<&Recommendation> = all.iter().filter(own).filter(silent).collect();
        let count =
            |is: fn(&Recommendation) -> bool| known.iter().filter(|one| is(one)).count() as u64;
        let succeeded = count(|one| one.status == Status::Succeeded);
        let failed = count(|one| {
            one.status == Status::Failed
                || (one.status == Status::RolledBack && one.taken_back_by.is_none())
        });
        let found: Vec<StepOutcomes> = store.recommendation_outcomes(kinds).await?;
        assert_eq!(
            found.iter().map(|found| found.succeeded).sum::<u64>(),
            succeeded
        );
        assert_eq!(found.iter().map(|found| found.failed).sum::<u64>(), failed);
    }

    Ok(())
}

async fn all_or_none(store: &dyn AgentStore) -> Result<()> {
    let before = (
        everything(store).await?.len(),
        store.recommendation_totals().await?,
    );
    let several = [
        recommendation("all-1", "i-all")?,
        recommendation("all-2", "i-all")?,
    ];
    let refused = store.recommendation_insert_all(&several).await;
    assert!(
        super::is_conflict(&refused),
        "two that are open on one resource"
    );
    assert_eq!(
        (
            everything(store).await?.len(),
            store.recommendation_totals().await?
        ),
        before
    );

    Ok(())
}

async fn approvals(store: &dyn AgentStore) -> Result<()> {
    for n in 0..6 {
        let made = approval(&format!("ap-{n}"), &format!("n-00{}", n % 2), 1_000 * n)?;
        let status = if n < 4 {
            ApprovalStatus::Pending
        } else {
            ApprovalStatus::Rejected
        };
        store
            .approval_insert(&reeve_recommend::approval::Approval { status, ..made })
            .await?;
    }

    let of = |number: &str| Some(RecommendationId(number.to_owned()));
    let any = ApprovalFilter::default;
    let cases: [(ApprovalFilter, &[&str], u64); 4] = [
        (
            ApprovalFilter {
                status: Some(ApprovalStatus::Pending),
                ..any()
            },
            &["ap-3", "ap-2", "ap-1", "ap-0"],
            4,
        ),
        (
            ApprovalFilter {
                limit: 2,
                offset: 1,
                ..any()
            },
            &["ap-4", "ap-3"],
            6,
        ),
        (
            ApprovalFilter {
                status: Some(ApprovalStatus::Rejected),
                limit: 1,
                ..any()
            },
            &["ap-5"],
            2,
        ),
        (
            ApprovalFilter {
                recommendation: of("n-001"),
                ..any()
            },
            &["ap-5", "ap-3", "ap-1"],
            3,
        ),
    ];

    for (filter, expected, total) in cases {
        let (found, all) = store.approval_page(&filter).await?;
        let ids: Vec<&str> = found
            .iter()
            .map(|approval| approval.id.0.as_str())
            .collect();
        assert_eq!((ids.as_slice(), all), (expected, total), "{filter:?}");
    }

    Ok(())
}

async fn actions(store: &dyn AgentStore) -> Result<()> {
    let begun = Timestamp::from_second(2_000_000_000)?;
    let at = |seconds: i64| begun + SignedDuration::from_secs(seconds);
    let made =
        |n: i64, status, purpose, agent: Option<&str>, run: Option<&str>| -> Result<Action> {
            let base = action(&format!("late-{n}"), "n-001", 0)?;
            let agent_id = agent.map(|id| AgentId(id.into()));
            let resource = ResourceId::new(format!("i-late-{}", n % 2));
            let run_id = run.map(str::to_owned);
            Ok(Action {
                id: ActionId(format!("late-{n}")),
                started_at: at(n),
                status,
                purpose,
                agent_id,
                run_id,
                resource,
                ..base
            })
        };

    let (apply, simulate) = (Purpose::Apply, Purpose::Simulate);
    store
        .action_insert(&made(
            0,
            ActionStatus::Succeeded,
            apply,
            Some("a-one"),
            Some("run-1"),
        )?)
        .await?;

    store
        .action_insert(&made(
            1,
            ActionStatus::Failed,
            apply,
            Some("a-one"),
            Some("run-1"),
        )?)
        .await?;

    store
        .action_insert(&made(
            2,
            ActionStatus::Aborted,
            apply,
            Some("a-one"),
            Some("run-1"),
        )?)
        .await?;

    store
        .action_insert(&made(
            3,
            ActionStatus::Succeeded,
            simulate,
            Some("a-one"),
            Some("run-1"),
        )?)
        .await?;

    store
        .action_insert(&made(
            4,
            ActionStatus::Succeeded,
            Purpose::Test,
            Some("a-two"),
            None,
        )?)
        .await?;

    store
        .action_insert(&made(5, ActionStatus::Running, apply, None, None)?)
        .await?;
    let counts = store.action_counts(at(0)).await?;
    assert_eq!(
        counts.begun, 3,
        "after the time: neither aborted nor simulated"
    );
    assert_eq!(
        counts.begun_by_agents,
        BTreeMap::from([(AgentId("a-one".into()), 1)])
    );
    assert_eq!(store.action_counts(at(-1)).await?.begun, 4);
    assert_eq!(store.action_count_of_run("run-1").await?, 2);
    assert_eq!(store.action_count_of_run("run-none").await?, 0);

    let statuses = BTreeMap::from_iter(store.action_statuses(at(0)).await?);
    let expected = [
        (ActionStatus::Running, 1),
        (ActionStatus::Succeeded, 2),
        (ActionStatus::Failed, 1),
    ];

    assert_eq!(
        statuses,
        BTreeMap::from_iter([(ActionStatus::Aborted, 1)].into_iter().chain(expected))
    );

    let any = || ActionFilter {
        since: Some(at(0)),
        ..ActionFilter::default()
    };

    let cases: [(ActionFilter, &[&str], u64); 4] = [
        (
            ActionFilter {
                limit: 2,
                offset: 1,
                ..any()
            },
            &["late-4", "late-3"],
            6,
        ),
        (
            ActionFilter {
                purpose: Some(apply),
                limit: 2,
                ..any()
            },
            &["late-5", "late-2"],
            4,
        ),
        (
            ActionFilter {
                resources: vec![ResourceId::new("i-late-1")],
                ..any()
            },
            &["late-5", "late-3", "late-1"],
            3,
        ),
        (
            ActionFilter {
                recommendations: vec![RecommendationId("n-none".into())],
                ..any()
            },
            &[],
            0,
        ),
    ];

    for (filter, expected, total) in cases {
        let (found, all) = store.action_page(&filter).await?;
        let ids: Vec<&str> = found.iter().map(|action| action.id.0.as_str()).collect();
        assert_eq!((ids.as_slice(), all), (expected, total), "{filter:?}");
    }

    Ok(())
}

/// Recommendations that close with their agent move in the totals too.
async fn a_removed_agent(store: &dyn AgentStore) -> Result<()> {
    store
        .agent_insert(&agent("a-one", AgentType::COST_OPTIMIZER, 5_000)?)
        .await?;
    store.agent_delete(&AgentId("a-one".into())).await?;
    totals(store).await
}
