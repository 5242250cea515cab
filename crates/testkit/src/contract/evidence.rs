//! Contract of every [`EvidenceStore`].

use anyhow::Result;
use reeve_estate::{ConnectionId, ResourceId, ResourceKind};
use reeve_recommend::agent::AgentId;
use reeve_recommend::judgement::evidence::{
    CheckAnswer, CheckResult, Evidence, EvidenceCount, EvidenceFilter, EvidenceStore,
};

fn evidence(resource: &str, check: &str, answer: CheckAnswer, at_ms: i64) -> Result<Evidence> {
    let at = jiff::Timestamp::from_millisecond(at_ms)?;
    Ok(Evidence {
        agent: AgentId("a-1".to_owned()),
        connection: ConnectionId("c-1".to_owned()),
        resource: ResourceId::new(resource),
        kind: ResourceKind::Bucket,
        name: "Invoices".to_owned(),
        account: "111122223333".to_owned(),
        region: "eu-west-1".to_owned(),
        result: CheckResult {
            check: check.to_owned(),
            answer,
            why: "`Versioning` is not set.".to_owned(),
            values: serde_json::json!({ "Versioning": null }),
            document: Some("ab".repeat(32)),
        },
        since: at,
        at,
        event_id: format!("e-{at_ms}"),
    })
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: &dyn EvidenceStore) -> Result<()> {
    let connection = ConnectionId("c-1".to_owned());
    let id = ResourceId::new;
    let failed = evidence("b-1", "versioned", CheckAnswer::Fail, 1_000)?;
    let passed = evidence("b-1", "encrypted", CheckAnswer::Pass, 1_000)?;
    let other = Evidence {
        account: "444455556666".to_owned(),
        agent: AgentId("a-2".to_owned()),
        ..evidence("b-2", "versioned", CheckAnswer::Unknown, 1_000)?
    };
    store
        .evidence_put(&[failed.clone(), passed.clone(), other.clone()])
        .await?;

    let mut found = store.evidence_of(&connection, &[id("b-1")]).await?;
    found.sort_by(|a, b| a.result.check.cmp(&b.result.check));
    assert_eq!(found, [passed.clone(), failed.clone()]);
    assert_eq!(
        store
            .evidence_of(&ConnectionId("c-2".to_owned()), &[id("b-1")])
            .await?,
        []
    );

    // A later result takes the place of the earlier one, which stays in the history.
    let mended = evidence("b-1", "versioned", CheckAnswer::Pass, 2_000)?;
    store.evidence_put(std::slice::from_ref(&mended)).await?;
    assert_eq!(
        store
            .evidence_history(&connection, &id("b-1"), "versioned")
            .await?,
        [mended.clone(), failed]
    );

    let listed = |filter: EvidenceFilter| async move { store.evidence_list(&filter).await };
    assert_eq!(
        listed(EvidenceFilter::default()).await?,
        (vec![passed.clone(), mended.clone(), other.clone()], 3)
    );
    let versioned = EvidenceFilter {
        checks: vec!["versioned".to_owned()],
        limit: 1,
        offset: 1,
        ..EvidenceFilter::default()
    };
    assert_eq!(listed(versioned).await?, (vec![other.clone()], 2));
    let unknown = EvidenceFilter {
        answer: Some(CheckAnswer::Unknown),
        account: Some("444455556666".to_owned()),
        resource: Some(id("b-2")),
        ..EvidenceFilter::default()
    };
    assert_eq!(listed(unknown).await?, (vec![other.clone()], 1));

    let count = |check: &str, answer, count| EvidenceCount {
        check: check.to_owned(),
        answer,
        count,
    };
    assert_eq!(
        store.evidence_counts().await?,
        [
            count("encrypted", CheckAnswer::Pass, 1),
            count("versioned", CheckAnswer::Pass, 1),
            count("versioned", CheckAnswer::Unknown, 1),
        ]
    );

    let key = (connection.clone(), id("b-2"), "versioned".to_owned());
    assert_eq!(
        store.evidence_keys(&AgentId("a-2".to_owned())).await?,
        std::slice::from_ref(&key)
    );
    store.evidence_remove(&[key]).await?;
    assert_eq!(listed(EvidenceFilter::default()).await?.1, 2);
    assert_eq!(
        store
            .evidence_history(&connection, &id("b-2"), "versioned")
            .await?,
        [other]
    );

    Ok(())
}
