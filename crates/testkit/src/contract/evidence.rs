//! Contract of every [`EvidenceStore`].

use anyhow::Result;
use reeve_estate::{ConnectionId, ResourceId, ResourceKind, VisibleConnections};
use reeve_recommend::agent::AgentId;
use reeve_recommend::judgement::evidence::{
    CheckAnswer, CheckResult, EvidenceChange, EvidenceCount, EvidenceFilter, EvidenceStore,
    EvidenceTurnover, JudgementEvidence,
};

fn evidence(
    resource: &str,
    check: &str,
    answer: CheckAnswer,
    at_ms: i64,
) -> Result<JudgementEvidence> {
    let at = jiff::Timestamp::from_millisecond(at_ms)?;
    Ok(JudgementEvidence {
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
    let other = JudgementEvidence {
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
        [mended.clone(), failed.clone()]
    );

    let listed = |filter: EvidenceFilter| async move { store.evidence_list(&filter).await };
    assert_eq!(
        listed(EvidenceFilter::default()).await?,
        (vec![passed.clone(), mended.clone(), other.clone()], 3)
    );
    for (visible, expected) in [
        (VisibleConnections::only([connection.clone()]), 3),
        (VisibleConnections::only([]), 0),
    ] {
        let filter = EvidenceFilter {
            visible,
            ..EvidenceFilter::default()
        };
        assert_eq!(listed(filter.clone()).await?.1, expected);
        let begin = jiff::Timestamp::UNIX_EPOCH;
        assert_eq!(
            store.evidence_counts(&filter).await?.is_empty(),
            expected == 0
        );
        let turnover = store.evidence_turnover(&filter, begin).await?;
        assert_eq!(turnover.is_empty(), expected == 0);
    }
    let in_order = EvidenceFilter {
        checks: vec!["versioned".to_owned(), "encrypted".to_owned()],
        ..EvidenceFilter::default()
    };
    assert_eq!(
        listed(in_order).await?,
        (vec![mended.clone(), other.clone(), passed.clone()], 3)
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
        accounts: vec!["4444*".to_owned()],
        resources: vec!["b-1".to_owned(), "b-2".to_owned()],
        ..EvidenceFilter::default()
    };
    assert_eq!(listed(unknown).await?, (vec![other.clone()], 1));
    let elsewhere = EvidenceFilter {
        accounts: vec!["4444".to_owned()],
        ..EvidenceFilter::default()
    };
    assert_eq!(listed(elsewhere).await?, (vec![], 0));

    let count = |check: &str, answer, count| EvidenceCount {
        check: check.to_owned(),
        answer,
        count,
    };
    assert_eq!(
        store.evidence_counts(&EvidenceFilter::default()).await?,
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
    let ended_at = jiff::Timestamp::from_millisecond(3_000)?;
    store.evidence_remove(&[key], ended_at).await?;
    assert_eq!(listed(EvidenceFilter::default()).await?.1, 2);
    assert_eq!(
        store
            .evidence_history(&connection, &id("b-2"), "versioned")
            .await?,
        std::slice::from_ref(&other)
    );

    over_time(store, [failed, passed, mended, other]).await
}

/// Results as of a time, and what changed within a period.
async fn over_time(
    store: &dyn EvidenceStore,
    [failed, passed, mended, other]: [JudgementEvidence; 4],
) -> Result<()> {
    let before = |at_ms: i64| -> Result<EvidenceFilter> {
        Ok(EvidenceFilter {
            before: Some(jiff::Timestamp::from_millisecond(at_ms)?),
            ..EvidenceFilter::default()
        })
    };

    // Written at 1 s, in part replaced at 2 s, in part ended at 3 s.
    let as_of = [
        (1_000, vec![]),
        (1_001, vec![&passed, &failed, &other]),
        (2_000, vec![&passed, &failed, &other]),
        (2_001, vec![&passed, &mended, &other]),
        (3_000, vec![&passed, &mended, &other]),
        (3_001, vec![&passed, &mended]),
    ];
    for (at_ms, expected) in as_of {
        let filter = before(at_ms)?;
        let (found, total) = store.evidence_list(&filter).await?;
        assert_eq!(
            found.iter().collect::<Vec<_>>(),
            expected,
            "before {at_ms} ms"
        );
        assert_eq!(total, expected.len() as u64);
        let counted = store.evidence_counts(&filter).await?;
        let counted: u64 = counted.iter().map(|one| one.count).sum();
        assert_eq!(counted, total, "before {at_ms} ms");
    }

    let failing = EvidenceFilter {
        answer: Some(CheckAnswer::Fail),
        limit: 1,
        ..before(2_000)?
    };
    assert_eq!(store.evidence_list(&failing).await?, (vec![failed], 1));

    let change = |check: &str, was, answer| EvidenceChange {
        check: check.to_owned(),
        was,
        answer,
        count: 1,
    };
    let since = jiff::Timestamp::from_millisecond;
    assert_eq!(
        store
            .evidence_changes(&before(2_001)?, since(1_001)?)
            .await?,
        [change(
            "versioned",
            Some(CheckAnswer::Fail),
            CheckAnswer::Pass
        )]
    );
    assert_eq!(
        store.evidence_changes(&before(2_000)?, since(0)?).await?,
        [
            change("encrypted", None, CheckAnswer::Pass),
            change("versioned", None, CheckAnswer::Fail),
            change("versioned", None, CheckAnswer::Unknown),
        ]
    );
    let of_check = EvidenceFilter {
        checks: vec!["encrypted".to_owned()],
        ..EvidenceFilter::default()
    };
    assert_eq!(store.evidence_changes(&of_check, since(0)?).await?.len(), 1);

    // A resource that comes back begins anew: it took the place of nothing.
    let back = JudgementEvidence {
        at: jiff::Timestamp::from_millisecond(4_000)?,
        ..other
    };
    store.evidence_put(std::slice::from_ref(&back)).await?;
    assert_eq!(
        store
            .evidence_changes(&before(5_000)?, since(4_000)?)
            .await?,
        [change("versioned", None, CheckAnswer::Unknown)]
    );
    assert_eq!(store.evidence_list(&before(4_000)?).await?.1, 2);
    assert_eq!(store.evidence_list(&before(4_001)?).await?.1, 3);

    // A result begins and ends on days; what was replaced ends when the next one begins.
    turnover(store).await?;

    Ok(())
}

async fn turnover(store: &dyn EvidenceStore) -> Result<()> {
    let day = |number: i64| number * 86_400_000 + 1_000;
    let check = "turned_over";
    let failed = evidence("t-1", check, CheckAnswer::Fail, day(10))?;
    let mended = evidence("t-1", check, CheckAnswer::Pass, day(12))?;
    store.evidence_put(&[failed]).await?;
    store.evidence_put(std::slice::from_ref(&mended)).await?;
    store
        .evidence_remove(&[mended.key()], jiff::Timestamp::from_millisecond(day(13))?)
        .await?;

    let since = jiff::Timestamp::from_millisecond(day(12) - 1_000)?;
    let mut found = store
        .evidence_turnover(&EvidenceFilter::default(), since)
        .await?;
    found.retain(|one| one.check == check);
    let of = |day, answer, begun, ended| EvidenceTurnover {
        day,
        check: check.to_owned(),
        answer,
        begun,
        ended,
    };
    assert_eq!(
        found,
        [
            of(12, CheckAnswer::Fail, 0, 1),
            of(12, CheckAnswer::Pass, 1, 0),
            of(13, CheckAnswer::Pass, 0, 1),
        ]
    );
    Ok(())
}
