//! Contract of every [`RolloutStore`].

use std::sync::Arc;

use anyhow::Result;
use jiff::Timestamp;
use reeve_estate::{ResourceId, StoreError};
use reeve_recommend::agent::AgentId;
use reeve_recommend::recommendation::{RecommendationId, RecommendationType};
use reeve_recommend::rollout::{
    Gate, GateCheck, MemberBlock, MemberState, Rollout, RolloutFilter, RolloutId, RolloutMember,
    RolloutSettings, RolloutStatus, RolloutStore, Stage, Verdict,
};

/// A rollout with every field filled, version 1.
///
/// # Errors
/// A text is not a valid time.
pub fn rollout(id: &str, agent: &str, created_at_ms: i64) -> Result<Rollout> {
    let created_at = Timestamp::from_millisecond(created_at_ms)?;
    Ok(Rollout {
        id: RolloutId(id.into()),
        name: "Resize 2 virtual machines".into(),
        agent_id: AgentId(agent.into()),
        kind: RecommendationType::RightSize,
        settings: RolloutSettings {
            canary: 2,
            validation_s: 3600,
            shares_percent: vec![12.5, 50.0],
            max_failures: 1,
            min_confidence: Some(81.5),
        },
        stage: Stage::Validation,
        wave: 0,
        status: RolloutStatus::Held,
        reason: Some("the gate of validation holds it".into()),
        members: vec![RolloutMember {
            recommendation: RecommendationId("rec-1".into()),
            resource: ResourceId::new("i-1"),
            name: "web-1".into(),
            critical: true,
            wave: 0,
            state: MemberState::NotEnoughData,
            detail: "3 samples after the change, 12 are needed".into(),
            block: Some(MemberBlock {
                guardrail: reeve_recommend::guardrail::GuardrailName::CoolDown,
                message: "it was changed 1.0 h ago".into(),
            }),
            accepted: true,
        }],
        gates: vec![Gate {
            stage: Stage::Validation,
            wave: 0,
            verdict: Verdict::Overridden,
            checks: vec![GateCheck {
                name: "hours watched".into(),
                found: 0.1 + 0.2,
                needed: 24.0,
                at_most: false,
            }],
            words: "hours watched: 0.3 (at least 24)".into(),
            at: "2026-11-20T10:00:00.000000001Z".parse()?,
            by: Some("ann@example.com".into()),
        }],
        by: "olga@example.com".into(),
        created_at,
        stage_since: "2026-11-20T10:00:00Z".parse()?,
        updated_at: "2026-11-20T11:00:00Z".parse()?,
        version: 1,
    })
}

fn is_conflict<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Conflict(_)))
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn RolloutStore>) -> Result<()> {
    let all = RolloutFilter::default();
    assert_eq!(
        store.rollout_list(&all).await?.1,
        0,
        "the suite needs an empty store"
    );

    let first = rollout("ro-1", "a-1", 1_000)?;
    store.rollout_insert(&first).await?;
    assert_eq!(store.rollout_get(&first.id).await?, first);
    assert!(is_conflict(&store.rollout_insert(&first).await));

    let second = rollout("ro-2", "a-1", 2_000)?;
    assert!(
        is_conflict(&store.rollout_insert(&second).await),
        "one of an agent and kind at a time"
    );

    let other_kind = Rollout {
        kind: RecommendationType::InstanceType,
        ..rollout("ro-3", "a-1", 3_000)?
    };
    store.rollout_insert(&other_kind).await?;
    store
        .rollout_insert(&rollout("ro-4", "a-2", 4_000)?)
        .await?;

    let ended = Rollout {
        status: RolloutStatus::Completed,
        reason: None,
        version: 2,
        ..first.clone()
    };
    store.rollout_update(&ended).await?;

    assert_eq!(store.rollout_get(&first.id).await?, ended);
    assert!(
        is_conflict(&store.rollout_update(&ended).await),
        "the same version again"
    );
    store.rollout_insert(&second).await?;
    let again = Rollout {
        status: RolloutStatus::Running,
        version: 3,
        ..ended.clone()
    };

    assert!(
        is_conflict(&store.rollout_update(&again).await),
        "beginning again beside another is refused"
    );

    let missing = rollout("ro-none", "a-9", 0)?;
    assert!(matches!(
        store.rollout_get(&missing.id).await,
        Err(StoreError::NotFound {
            what: "rollout",
            ..
        })
    ));

    assert!(matches!(
        store.rollout_update(&missing).await,
        Err(StoreError::NotFound { .. })
    ));

    let cases: &[(RolloutFilter, &[&str], u64)] = &[
        (all.clone(), &["ro-4", "ro-3", "ro-2", "ro-1"], 4),
        (
            RolloutFilter {
                limit: 2,
                offset: 1,
                ..all.clone()
            },
            &["ro-3", "ro-2"],
            4,
        ),
        (
            RolloutFilter {
                agent: Some(AgentId("a-2".into())),
                ..all.clone()
            },
            &["ro-4"],
            1,
        ),
        (
            RolloutFilter {
                kind: Some(RecommendationType::InstanceType),
                ..all.clone()
            },
            &["ro-3"],
            1,
        ),
        (
            RolloutFilter {
                status: vec![RolloutStatus::Completed],
                ..all.clone()
            },
            &["ro-1"],
            1,
        ),
    ];

    for (filter, wanted, total) in cases {
        let (found, count) = store.rollout_list(filter).await?;
        let ids: Vec<&str> = found.iter().map(|one| one.id.0.as_str()).collect();
        assert_eq!((ids.as_slice(), count), (*wanted, *total), "{filter:?}");
    }

    Ok(())
}
