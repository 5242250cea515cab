//! Contract of every [`AgentStore`].

mod races;
mod samples;
mod sums;

use std::sync::Arc;

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ActErrorKind, ConnectionId, Money, Provider, ResourceId, StoreError};
use reeve_recommend::action::{Action, ActionId, ActionStatus, Purpose};
use reeve_recommend::agent::emergency::StandingApproval;
use reeve_recommend::agent::{
    Agent, AgentId, AgentType, Mode, PassedOver, RunDetails, RunExtent, RunPosition, RunReport,
};
use reeve_recommend::approval::{Approval, ApprovalId, ApprovalStatus};
use reeve_recommend::change::{ChangeRegistry, Effect};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::portfolio::{Family, Level, PORTFOLIOS, Portfolio};
use reeve_recommend::ports::{AgentStore, RecommendationFilter};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{
    Closing, Priority, Recommendation, RecommendationId, RecommendationType,
};

pub use samples::{
    action, agent, approval, change_control, exclusion, feedback, recommendation,
    standing_approval, typed_plan,
};

fn is_missing<T>(result: Result<T, StoreError>, what: &str) -> bool {
    matches!(result, Err(StoreError::NotFound { what: found, .. }) if found == what)
}

fn is_conflict<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Conflict(_)))
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn AgentStore>) -> Result<()> {
    agents(&*store).await?;
    recommendations_there_and_back(&*store).await?;
    one_open_per_resource_and_type(&*store).await?;
    lists(&*store).await?;
    a_removed_agent_leaves_closed_recommendations(&*store).await?;
    approvals(&*store).await?;
    actions(&*store).await?;
    feedback_is_kept(&*store).await?;
    exclusions(&*store).await?;
    standing_approvals(&*store).await?;
    guardrails(&*store).await?;
    typed_forms_are_kept(&*store).await?;
    races::one_claim_wins(store.clone()).await?;
    races::one_open_recommendation_wins(store.clone()).await?;

    races::one_guardrail_change_wins(store).await
}

/// Runs the suite of sums and narrow lists on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn sums(store: Arc<dyn AgentStore>) -> Result<()> {
    sums::run(&*store).await
}

/// A simulated commitment of two levels.
fn portfolio() -> Portfolio {
    let level = |hourly: f64, coverage: f64| Level {
        hourly,
        coverage,
        utilisation: 0.9 + 0.01,
        cost: 0.1 + 0.2,
        on_demand: 0.125,
        losing_weeks: 0.25,
        room: -0.1,
    };
    Portfolio {
        family: Family {
            provider: Provider::Aws,
            account: "111122223333".into(),
        },
        machines: 7,
        hours: 672,
        discount: 0.28,
        wording: "An assumption".into(),
        use_monthly: Money::from_usd(1_234.56),
        paid_share: Some(0.92),
        levels: vec![level(0.0, 0.0), level(1.1, 0.8)],
        best: level(1.1, 0.8),
        safe: level(0.9, 0.7),
        held_out_saving_monthly: Money::from_usd(-12.5),
    }
}

async fn agents(store: &dyn AgentStore) -> Result<()> {
    assert!(
        store.agent_list(None).await?.is_empty(),
        "the suite needs an empty store"
    );

    let first = agent("a-2", AgentType::COST_OPTIMIZER, 1_000)?;
    store.agent_insert(&first).await?;
    store
        .agent_insert(&agent("a-1", AgentType::SPOT_OPTIMIZER, 2_000)?)
        .await?;
    assert!(is_conflict(&store.agent_insert(&first).await));

    let ids = async |of_type| -> Result<Vec<String>> {
        Ok(store
            .agent_list(of_type)
            .await?
            .into_iter()
            .map(|agent| agent.id.0)
            .collect())
    };
    assert_eq!(ids(None).await?, ["a-2", "a-1"], "oldest first");

    assert_eq!(ids(Some(AgentType::SPOT_OPTIMIZER)).await?, ["a-1"]);
    assert!(ids(Some(AgentType::DB_OPTIMIZER)).await?.is_empty());

    let mut details = RunDetails::default();
    details.put(&PORTFOLIOS, &vec![portfolio()])?;
    let run = RunReport {
        run_id: "r-1".into(),
        extent: RunExtent::Full,
        started_at: "2026-11-20T10:00:00.000000001Z".parse()?,
        finished_at: "2026-11-20T10:00:01Z".parse()?,
        resources_seen: 120,
        resources_judged: Some(100),
        days_observed: 30,
        complete_since: None,
        position: Some(RunPosition {
            basis: "b".into(),
            readings: "r".into(),
            revisions: [(ConnectionId("c-1".into()), 7)].into(),
        }),
        recommendations: 7,
        applied: 1,
        skipped: vec![("too little data".into(), 3)],
        passed_over: vec![PassedOver {
            reason: "too little data".into(),
            count: 2,
            resources: vec![("i-1".into(), "web-1".into())],
        }],
        details,
        error: Some("one connection did not answer".into()),
    };

    let changed = Agent {
        mode: Mode::Active,
        confidence_threshold: 90.1 + 0.2,
        version: first.version + 1,
        last_run: Some(run.clone()),
        last_change_run: Some(RunReport {
            extent: RunExtent::Changes,
            ..run
        }),
        ..first.clone()
    };
    store.agent_update(&changed).await?;

    let kept = store.agent_get(&first.id).await?;
    assert_eq!(kept, changed);
    let portfolios = kept.last_run.and_then(|run| run.details.get(&PORTFOLIOS));
    assert_eq!(
        portfolios,
        Some(vec![portfolio()]),
        "with its exact amounts"
    );
    assert!(
        is_conflict(&store.agent_update(&changed).await),
        "the same version again"
    );
    assert!(
        is_conflict(
            &store
                .agent_update(&Agent {
                    version: changed.version + 2,
                    ..changed.clone()
                })
                .await
        ),
        "a gap"
    );

    assert!(is_conflict(
        &store
            .agent_update(&Agent {
                version: 0,
                ..changed.clone()
            })
            .await
    ));

    assert_eq!(
        store.agent_get(&first.id).await?,
        changed,
        "a refused update changes nothing"
    );

    assert!(is_missing(
        store
            .agent_update(&agent("a-none", AgentType::COST_OPTIMIZER, 1)?)
            .await,
        "agent"
    ));

    assert!(is_missing(
        store.agent_get(&AgentId("a-none".into())).await,
        "agent"
    ));
    assert!(is_missing(
        store.agent_delete(&AgentId("a-none".into())).await,
        "agent"
    ));
    Ok(())
}

async fn recommendations_there_and_back(store: &dyn AgentStore) -> Result<()> {
    let made = recommendation("rec-1", "i-1")?;
    store.recommendation_insert(&made).await?;
    assert_eq!(store.recommendation_get(&made.id).await?, made);

    let changed = Recommendation {
        status: Status::Snoozed,
        snoozed_until: Some("2026-12-01T00:00:00Z".parse()?),
        status_reason: Some("after the \"freeze\"".into()),
        savings_monthly: Some(Money::from_micros(i64::MIN)),
        savings_after_discounts: None,
        monthly_cost: None,
        plan: None,
        confidence: 0.1 + 0.2,
        version: made.version + 1,
        ..made.clone()
    };
    store.recommendation_update(&changed).await?;

    assert_eq!(store.recommendation_get(&made.id).await?, changed);
    assert!(is_conflict(&store.recommendation_update(&changed).await));
    assert!(is_missing(
        store
            .recommendation_update(&recommendation("rec-none", "i-1")?)
            .await,
        "recommendation"
    ));

    assert!(is_missing(
        store
            .recommendation_get(&RecommendationId("rec-none".into()))
            .await,
        "recommendation"
    ));

    let broken = Recommendation {
        confidence: f64::NAN,
        version: changed.version + 1,
        ..changed.clone()
    };

    assert!(
        matches!(
            store.recommendation_update(&broken).await,
            Err(StoreError::Backend(_))
        ),
        "no unreadable records"
    );

    assert_eq!(store.recommendation_get(&made.id).await?, changed);
    end(store, &changed, Status::Dismissed).await?;
    Ok(())
}

/// Moves a recommendation to an end; gives it as it is then.
async fn end(
    store: &dyn AgentStore,
    recommendation: &Recommendation,
    status: Status,
) -> Result<Recommendation> {
    let ended = Recommendation {
        status,
        version: recommendation.version + 1,
        ..recommendation.clone()
    };
    store.recommendation_update(&ended).await?;
    Ok(ended)
}

async fn one_open_per_resource_and_type(store: &dyn AgentStore) -> Result<()> {
    let open = recommendation("rec-2", "db-prod")?;
    store.recommendation_insert(&open).await?;
    let again = recommendation("rec-3", "db-prod")?;
    assert!(is_conflict(&store.recommendation_insert(&again).await));

    let mut over_another = again.clone();
    over_another.subject.connection.0 = "c-other".into();
    assert!(
        is_conflict(&store.recommendation_insert(&over_another).await),
        "the same resource over another connection"
    );

    let other_kind = Recommendation {
        kind: RecommendationType::IdleResourceCleanup,
        ..recommendation("rec-4", "db-prod")?
    };
    store.recommendation_insert(&other_kind).await?;
    let mut other_account = recommendation("rec-5", "db-prod")?;
    other_account.subject.account = "999999999999".into();
    store.recommendation_insert(&other_account).await?;
    let past = Recommendation {
        status: Status::Succeeded,
        ..recommendation("rec-6", "db-prod")?
    };
    store.recommendation_insert(&past).await?;

    for (id, status) in [("rec-2", Status::Verifying), ("rec-2", Status::RolledBack)] {
        let now = store
            .recommendation_get(&RecommendationId(id.into()))
            .await?;
        assert!(
            is_conflict(&store.recommendation_insert(&again).await),
            "still open as {}",
            now.status
        );
        end(store, &now, status).await?;
    }

    store.recommendation_insert(&again).await?;
    let ended = store.recommendation_get(&open.id).await?;
    let reopened = Recommendation {
        status: Status::Open,
        version: ended.version + 1,
        ..ended
    };

    assert!(
        is_conflict(&store.recommendation_update(&reopened).await),
        "reopening beside another is refused"
    );
    for open in [&again, &other_kind, &other_account] {
        end(store, open, Status::Expired).await?;
    }

    Ok(())
}

async fn lists(store: &dyn AgentStore) -> Result<()> {
    let base = store
        .recommendation_list(&RecommendationFilter::default())
        .await?
        .1;
    let recommended = |id: &str, priority, usd: f64, confidence| -> Result<Recommendation> {
        let mut made = recommendation(id, id)?;
        made.agent_id = Some(AgentId("a-list".into()));
        made.origin.agent_type = AgentType::STORAGE_OPTIMIZER;
        made.subject.account = "222222222222".into();
        made.subject.connection.0 = "c-list".into();
        made.savings_monthly = Some(Money::from_usd(usd));
        // What is expected to bring most comes first; the rest by priority and saving.
        made.ranking.expected_value = if id == "l-medium-2" { 100.0 } else { 50.0 };
        Ok(Recommendation {
            priority,
            confidence,
            ..made
        })
    };

    let all = [
        recommended("l-low", Priority::Low, 9_000.0, 99.0)?,
        recommended("l-high-small", Priority::High, 1.0, 50.0)?,
        recommended("l-high-big", Priority::High, 100.0, 70.0)?,
        recommended("l-critical", Priority::Critical, -5.0, 10.0)?,
        Recommendation {
            kind: RecommendationType::Encryption,
            ..recommended("l-medium", Priority::Medium, 0.0, 80.0)?
        },
        Recommendation {
            status: Status::Dismissed,
            ..recommended("l-medium-2", Priority::Medium, 3.0, 80.5)?
        },
    ];

    for made in &all {
        store.recommendation_insert(made).await?;
    }

    let sorted = &[
        "l-medium-2",
        "l-critical",
        "l-high-big",
        "l-high-small",
        "l-medium",
        "l-low",
    ][..];

    let mine = RecommendationFilter {
        agent: Some("a-list".into()),
        ..RecommendationFilter::default()
    };
    let cases: &[(RecommendationFilter, &[&str], u64)] = &[
        (mine.clone(), sorted, 6),
        (
            RecommendationFilter {
                agent: Some("storage_optimizer".into()),
                ..mine.clone()
            },
            sorted,
            6,
        ),
        (
            RecommendationFilter {
                account: Some("222222222222".into()),
                ..RecommendationFilter::default()
            },
            sorted,
            6,
        ),
        (
            RecommendationFilter {
                account: Some("c-list".into()),
                ..RecommendationFilter::default()
            },
            sorted,
            6,
        ),
        (
            RecommendationFilter {
                limit: 2,
                ..mine.clone()
            },
            &sorted[..2],
            6,
        ),
        (
            RecommendationFilter {
                limit: 2,
                offset: 4,
                ..mine.clone()
            },
            &sorted[4..],
            6,
        ),
        (
            RecommendationFilter {
                offset: 5,
                ..mine.clone()
            },
            &sorted[5..],
            6,
        ),
        (
            RecommendationFilter {
                offset: 6,
                ..mine.clone()
            },
            &[],
            6,
        ),
        (
            RecommendationFilter {
                status: vec![Status::Dismissed],
                ..mine.clone()
            },
            &["l-medium-2"],
            1,
        ),
        (
            RecommendationFilter {
                status: vec![Status::Dismissed, Status::Open],
                ..mine.clone()
            },
            sorted,
            6,
        ),
        (
            RecommendationFilter {
                status: vec![Status::Executing],
                ..mine.clone()
            },
            &[],
            0,
        ),
        (
            RecommendationFilter {
                kind: Some(RecommendationType::Encryption),
                ..mine.clone()
            },
            &["l-medium"],
            1,
        ),
        (
            RecommendationFilter {
                priority: Some(Priority::High),
                ..mine.clone()
            },
            &["l-high-big", "l-high-small"],
            2,
        ),
        (
            RecommendationFilter {
                min_confidence: Some(80.0),
                ..mine.clone()
            },
            &["l-medium-2", "l-medium", "l-low"],
            3,
        ),
        (
            RecommendationFilter {
                min_confidence: Some(80.1),
                ..mine.clone()
            },
            &["l-medium-2", "l-low"],
            2,
        ),
        (
            RecommendationFilter {
                resource: Some("l-low".into()),
                ..mine.clone()
            },
            &["l-low"],
            1,
        ),
        (
            RecommendationFilter {
                agent: Some("a-none".into()),
                ..mine
            },
            &[],
            0,
        ),
    ];

    for (filter, expected, total) in cases {
        let (found, found_total) = store.recommendation_list(filter).await?;
        let ids: Vec<_> = found
            .iter()
            .map(|recommendation| recommendation.id.0.as_str())
            .collect();
        assert_eq!(
            (ids.as_slice(), found_total),
            (*expected, *total),
            "{filter:?}"
        );
    }

    assert_eq!(
        store
            .recommendation_list(&RecommendationFilter::default())
            .await?
            .1,
        base + 6
    );

    Ok(())
}

async fn a_removed_agent_leaves_closed_recommendations(store: &dyn AgentStore) -> Result<()> {
    store
        .agent_insert(&agent("a-gone", AgentType::COST_OPTIMIZER, 5_000)?)
        .await?;
    let cases = [
        ("g-open", Status::Open, Status::Expired),
        ("g-scheduled", Status::Scheduled, Status::Expired),
        ("g-testing", Status::Testing, Status::Dismissed),
        ("g-executing", Status::Executing, Status::Executing),
        ("g-verifying", Status::Verifying, Status::Verifying),
        ("g-succeeded", Status::Succeeded, Status::Succeeded),
    ];

    for (id, status, _) in cases {
        let made = Recommendation {
            agent_id: Some(AgentId("a-gone".into())),
            status,
            ..recommendation(id, id)?
        };
        store.recommendation_insert(&made).await?;
    }

    store.agent_delete(&AgentId("a-gone".into())).await?;
    assert!(is_missing(
        store.agent_get(&AgentId("a-gone".into())).await,
        "agent"
    ));

    for (id, before, after) in cases {
        let kept = store
            .recommendation_get(&RecommendationId(id.into()))
            .await?;
        assert_eq!(kept.status, after, "{id}");
        assert_eq!(
            (kept.version, kept.status_reason.is_some()),
            if before == after {
                (1, false)
            } else {
                (2, true)
            },
            "{id}"
        );
    }

    Ok(())
}

async fn approvals(store: &dyn AgentStore) -> Result<()> {
    let first = approval("ap-1", "rec-1", 1_000)?;
    store.approval_insert(&first).await?;
    store
        .approval_insert(&approval("ap-2", "rec-2", 2_000)?)
        .await?;
    assert!(is_conflict(&store.approval_insert(&first).await));

    let ids = async |recommendation: Option<&str>| -> Result<Vec<String>> {
        let recommendation =
            recommendation.map(|recommendation| RecommendationId(recommendation.into()));
        Ok(store
            .approval_list(recommendation.as_ref())
            .await?
            .into_iter()
            .map(|approval| approval.id.0)
            .collect())
    };
    assert_eq!(ids(None).await?, ["ap-2", "ap-1"], "newest first");

    assert_eq!(ids(Some("rec-1")).await?, ["ap-1"]);

    let rejected = Approval {
        status: ApprovalStatus::Rejected,
        signed: vec![],
        reason: Some("not in December".into()),
        version: first.version + 1,
        ..first.clone()
    };
    store.approval_update(&rejected).await?;

    assert_eq!(store.approval_get(&first.id).await?, rejected);
    assert!(is_conflict(&store.approval_update(&rejected).await));
    assert!(is_missing(
        store
            .approval_update(&approval("ap-none", "rec-1", 1)?)
            .await,
        "approval request"
    ));

    assert!(is_missing(
        store.approval_get(&ApprovalId("ap-none".into())).await,
        "approval request"
    ));
    Ok(())
}

async fn actions(store: &dyn AgentStore) -> Result<()> {
    let first = action("ac-1", "rec-1", 1_000)?;
    store.action_insert(&first).await?;
    store
        .action_insert(&action("ac-2", "rec-2", 2_000)?)
        .await?;
    assert!(is_conflict(&store.action_insert(&first).await));

    let ids = async |recommendation: Option<&str>, since: Option<i64>| -> Result<Vec<String>> {
        let recommendation =
            recommendation.map(|recommendation| RecommendationId(recommendation.into()));
        let since = since.map(Timestamp::from_millisecond).transpose()?;
        Ok(store
            .action_list(recommendation.as_ref(), since)
            .await?
            .into_iter()
            .map(|action| action.id.0)
            .collect())
    };
    assert_eq!(ids(None, None).await?, ["ac-2", "ac-1"], "newest first");

    assert_eq!(ids(Some("rec-1"), None).await?, ["ac-1"]);
    assert_eq!(ids(None, Some(1_001)).await?, ["ac-2"]);
    assert_eq!(
        ids(None, Some(2_000)).await?,
        ["ac-2"],
        "the time itself is in"
    );
    assert!(ids(Some("rec-1"), Some(1_001)).await?.is_empty());
    actions_on_a_resource(store).await?;
    let unsettled = async |since: i64| -> Result<Vec<String>> {
        let since = Timestamp::from_millisecond(since)?;
        Ok(store
            .action_unsettled(since)
            .await?
            .into_iter()
            .map(|action| action.id.0)
            .collect())
    };
    let before = unsettled(0).await?;

    let done = Action {
        status: ActionStatus::RolledBack,
        finished_at: Some(first.started_at + SignedDuration::from_secs(90)),
        reason: Some("the size did not stick".into()),
        steps: vec![],
        version: first.version + 1,
        ..first.clone()
    };
    store.action_update(&done).await?;

    assert_eq!(store.action_get(&first.id).await?, done);
    assert_eq!(before, ["ac-2", "ac-1"], "both work, newest first");
    assert_eq!(
        unsettled(91_000).await?,
        ["ac-2", "ac-1"],
        "undone at that time, or since"
    );
    assert_eq!(unsettled(91_001).await?, ["ac-2"]);
    assert!(is_conflict(&store.action_update(&done).await));
    assert!(is_missing(
        store.action_update(&action("ac-none", "rec-1", 1)?).await,
        "action"
    ));
    assert!(is_missing(
        store.action_get(&ActionId("ac-none".into())).await,
        "action"
    ));

    Ok(())
}

/// Beside `ac-1` and `ac-2`, which changed `i-1`.
async fn actions_on_a_resource(store: &dyn AgentStore) -> Result<()> {
    let twin = ResourceId::new("i-twin");
    let finished_at = Some(Timestamp::from_millisecond(3_000)?);
    let ended = Action {
        status: ActionStatus::Succeeded,
        finished_at,
        watch: None,
        ..action("ac-3", "rec-1", 500)?
    };

    store
        .action_insert(&Action {
            resource: twin.clone(),
            purpose: Purpose::Test,
            ..ended
        })
        .await?;

    let on = async |resource: &ResourceId, since: i64| -> Result<Vec<String>> {
        let found = store
            .action_on(resource, Timestamp::from_millisecond(since)?)
            .await?;
        Ok(found.into_iter().map(|action| action.id.0).collect())
    };

    assert_eq!(
        on(&ResourceId::new("i-1"), 0).await?,
        ["ac-2", "ac-1"],
        "newest first"
    );
    assert_eq!(on(&ResourceId::new("i-1"), 1_001).await?, ["ac-2"]);
    assert_eq!(
        on(&twin, 500).await?,
        ["ac-3"],
        "the resource that was changed, not the recommendation's"
    );

    Ok(())
}

/// The typed change of a plan, the cause that ended a recommendation, and the resource before an
/// action.
async fn typed_forms_are_kept(store: &dyn AgentStore) -> Result<()> {
    let planned = Recommendation {
        plan: Some(typed_plan("i-typed")),
        status: Status::Dismissed,
        closing: Some(Closing::Excluded),
        ..recommendation("rec-typed", "i-typed")?
    };
    store.recommendation_insert(&planned).await?;

    let kept = store.recommendation_get(&planned.id).await?;
    assert_eq!(kept, planned);

    let changes = ChangeRegistry::builtin();
    let read = kept
        .plan
        .as_ref()
        .map(|plan| changes.procedure(plan).map(|read| read.change().name()));
    assert_eq!(read, Some(Ok("resize_machine")), "it is intact");

    let prior = super::estate::resource("c-1", "i-typed")?;
    let mut moved = Action {
        prior: Some(Box::new(prior)),
        ..action("ac-typed", "rec-typed", 4_000)?
    };
    moved.status = ActionStatus::Failed;
    moved.steps[0].effect = Some(Effect::Restarts);
    moved.steps[0].refusal = Some(ActErrorKind::Denied);
    store.action_insert(&moved).await?;
    assert_eq!(store.action_get(&moved.id).await?, moved);

    Ok(())
}

async fn feedback_is_kept(store: &dyn AgentStore) -> Result<()> {
    let (late, early) = (
        feedback("f-1", "rec-1", 9_000)?,
        feedback("f-2", "rec-2", 1_000)?,
    );
    store.feedback_insert(&late).await?;
    store.feedback_insert(&early).await?;
    assert!(is_conflict(&store.feedback_insert(&late).await));
    assert_eq!(
        store.feedback_list(None).await?,
        [early, late.clone()],
        "oldest first"
    );

    assert_eq!(
        store.feedback_list(Some(&late.recommendation)).await?,
        [late]
    );
    Ok(())
}

async fn standing_approvals(store: &dyn AgentStore) -> Result<()> {
    let (first, second) = (
        standing_approval("sa-1", 1_000)?,
        standing_approval("sa-2", 2_000)?,
    );
    let agent = first.agent.clone();
    store.standing_approval_insert(&first).await?;
    store.standing_approval_insert(&second).await?;
    assert!(is_conflict(&store.standing_approval_insert(&first).await));
    assert_eq!(
        store.standing_approval_list(&agent).await?,
        [second, first.clone()],
        "newest first"
    );
    let other = AgentId("a-other".into());
    assert!(store.standing_approval_list(&other).await?.is_empty());

    let changed = StandingApproval {
        reason: "a better reason".into(),
        version: 2,
        ..first.clone()
    };
    store.standing_approval_update(&changed).await?;
    assert!(is_conflict(&store.standing_approval_update(&changed).await));
    assert_eq!(store.standing_approval_list(&agent).await?[1], changed);

    assert_eq!(store.event_cursor().await?, None);
    store.event_advance(None, 7).await?;
    assert!(is_conflict(&store.event_advance(None, 8).await));
    assert!(is_conflict(&store.event_advance(Some(6), 8).await));
    store.event_advance(Some(7), 9).await?;
    assert_eq!(store.event_cursor().await?, Some(9));
    Ok(())
}

async fn exclusions(store: &dyn AgentStore) -> Result<()> {
    let (late, early) = (exclusion("e-1", 9_000)?, exclusion("e-2", 1_000)?);
    store.exclusion_insert(&late).await?;
    store.exclusion_insert(&early).await?;
    assert!(is_conflict(&store.exclusion_insert(&late).await));
    assert_eq!(
        store.exclusion_list().await?,
        [early.clone(), late.clone()],
        "oldest first"
    );
    let mut ended = exclusion("e-3", 1_000)?;
    ended.until = Some(jiff::Timestamp::from_millisecond(5_000)?);
    store.exclusion_insert(&ended).await?;
    let by = |ms: i64| async move {
        let by = jiff::Timestamp::from_millisecond(ms).unwrap_or_default();
        let ended = store.exclusions_ended(by).await?;
        let ids = ended.into_iter().map(|one| one.id.0);
        anyhow::Ok(ids.filter(|id| id == "e-3").count())
    };
    assert_eq!((by(4_999).await?, by(5_000).await?), (0, 1));
    store.exclusion_settle(&ended.id).await?;
    assert_eq!(by(9_999).await?, 0, "its end is said once");
    store.exclusion_delete(&ended.id).await?;
    store.exclusion_delete(&late.id).await?;
    assert!(is_missing(
        store.exclusion_delete(&late.id).await,
        "exclusion"
    ));
    assert_eq!(store.exclusion_list().await?, [early]);

    Ok(())
}

async fn guardrails(store: &dyn AgentStore) -> Result<()> {
    assert_eq!(
        store.guardrails_get().await?,
        Guardrails::default(),
        "the defaults when never set"
    );

    let first = Guardrails {
        kill_switch: true,
        max_degradation_percent: 2.5,
        version: 1,
        ..Guardrails::default()
    };

    assert!(is_conflict(
        &store
            .guardrails_put(&Guardrails {
                version: 2,
                ..first.clone()
            })
            .await
    ));

    store.guardrails_put(&first).await?;
    assert_eq!(store.guardrails_get().await?, first);
    assert!(is_conflict(&store.guardrails_put(&first).await));

    let second = Guardrails {
        breaker_reset_at: Some("2026-11-20T10:00:00Z".parse()?),
        change_control: change_control()?,
        version: 2,
        ..first
    };
    store.guardrails_put(&second).await?;

    assert_eq!(store.guardrails_get().await?, second);
    Ok(())
}
