//! Contract of every [`DriftStore`].

use anyhow::Result;
use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, Described, DescriptionReading, DescriptionStore, Document, EstateStore,
    ReadOutcome, Resource, ResourceId, ResourceKind, StoreError, VisibleConnections,
};
use reeve_recommend::drift::{
    Acceptance, BaselineId, BaselineScope, Drift, DriftBaseline, DriftCount, DriftFilter, DriftId,
    DriftKind, DriftState, DriftStore, DriftSubject, Observed, ObservedFilter, PinnedDocument,
    Resolution,
};
use serde_json::json;

use super::estate::{connection, resource};

fn at(minute: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + minute * 60)?)
}

fn here() -> ConnectionId {
    ConnectionId("c-1".to_owned())
}

fn group(id: &str, port: u16) -> Result<Described> {
    Ok(Described {
        resource: Resource {
            kind: ResourceKind::SecurityGroup,
            ..resource("c-1", id)?
        },
        document: Document::new(json!({ "port": port })),
        relations: Vec::new(),
    })
}

fn baseline(id: &str, name: &str, revision: u64) -> Result<DriftBaseline> {
    Ok(DriftBaseline {
        id: BaselineId(id.to_owned()),
        name: name.to_owned(),
        description: "As reviewed.".to_owned(),
        scope: BaselineScope {
            kinds: vec![ResourceKind::SecurityGroup],
            ..BaselineScope::default()
        },
        pinned_by: "ada@acme.example".to_owned(),
        pinned_at: at(30)?,
        revision,
        resources: 1,
        read: Vec::new(),
    })
}

fn pinned(described: &Described) -> Result<PinnedDocument> {
    Ok(PinnedDocument {
        subject: DriftSubject::from(&described.resource),
        hash: described.document.hash(),
        by: "ada@acme.example".to_owned(),
        at: at(30)?,
    })
}

fn drift(id: &str, of: &Described, minute: i64) -> Result<Drift> {
    Ok(Drift {
        id: DriftId(id.to_owned()),
        baseline: BaselineId("b-1".to_owned()),
        subject: DriftSubject::from(&of.resource),
        form: DriftKind::Changed,
        state: DriftState::Open,
        pinned_hash: None,
        pinned_at: at(30)?,
        hash: Some(of.document.hash()),
        agreed_at: None,
        detected_at: at(minute)?,
        changed_at: at(minute)?,
        acceptance: None,
        resolution: None,
        resolved_at: None,
        event_id: "e-1".to_owned(),
    })
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: &(impl DescriptionStore + EstateStore + DriftStore)) -> Result<()> {
    store.connection_insert(&connection("c-1", 1_000)?).await?;
    observed(store).await?;
    baselines(store).await?;
    drifts(store).await?;
    documents_stay(store).await
}

async fn seen(store: &impl DriftStore, filter: ObservedFilter) -> Result<Vec<Observed>> {
    Ok(store.observed(&here(), &filter).await?)
}

async fn observed(store: &(impl DescriptionStore + DriftStore)) -> Result<()> {
    let (first, second) = (group("sg-1", 22)?, group("sg-2", 22)?);
    store
        .description_put(&here(), &[first.clone(), second.clone()], at(10)?)
        .await?;
    let opened = group("sg-1", 443)?;
    store
        .description_put(&here(), std::slice::from_ref(&opened), at(20)?)
        .await?;

    let all = seen(store, ObservedFilter::default()).await?;
    let hashes: Vec<Option<String>> = all.iter().map(|one| one.hash.clone()).collect();
    assert_eq!(
        hashes,
        [Some(second.document.hash()), Some(opened.document.hash())],
        "the present documents, the latest last"
    );
    assert!(
        all.iter().all(|one| !one.is_read),
        "nothing was read completely"
    );

    let recent = ObservedFilter {
        since: Some(at(20)?),
        ..ObservedFilter::default()
    };
    let ids = |found: Vec<Observed>| -> Vec<String> {
        found.into_iter().map(|one| one.resource.id.0).collect()
    };
    assert_eq!(ids(seen(store, recent).await?), ["sg-1"]);
    let behind = ObservedFilter {
        after: Some((at(10)?, ResourceId::new("sg-1"))),
        limit: 1,
        ..ObservedFilter::default()
    };
    assert_eq!(ids(seen(store, behind).await?), ["sg-2"]);
    let other = ObservedFilter {
        kinds: vec![ResourceKind::Bucket],
        ..ObservedFilter::default()
    };
    assert_eq!(ids(seen(store, other).await?), Vec::<String>::new());

    // A resource is gone where its kind was read; after its connection stopped looking, nobody
    // knows.
    let reading = DescriptionReading {
        kind: ResourceKind::SecurityGroup,
        region: String::new(),
        outcome: ReadOutcome::Complete,
        permission: String::new(),
        seen: 1,
        message: String::new(),
        begun_at: at(40)?,
        read_at: at(41)?,
        complete_at: Some(at(41)?),
    };
    store.reading_put(&here(), &reading).await?;
    let id = ResourceId::new("sg-2");
    store
        .description_remove(&here(), std::slice::from_ref(&id), at(41)?)
        .await?;
    let only = || ObservedFilter {
        ids: vec![id.clone()],
        ..ObservedFilter::default()
    };
    let gone = seen(store, only()).await?.remove(0);
    assert_eq!((gone.hash, gone.is_read), (None, true));
    assert_eq!(gone.seen_at, at(41)?);

    assert_eq!(store.compared_until(&here()).await?, None);
    for minute in [40, 42] {
        store.compared_put(&here(), at(minute)?).await?;
    }
    assert_eq!(store.compared_until(&here()).await?, Some(at(42)?));
    Ok(())
}

async fn baselines(store: &impl DriftStore) -> Result<()> {
    let (first, id) = (group("sg-1", 443)?, BaselineId("b-1".to_owned()));
    let missing = store.baseline_get(&id).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));

    store.pinned_put(&id, 1, &[pinned(&first)?]).await?;
    let one = baseline("b-1", "Reviewed", 1)?;
    store.baseline_put(&one).await?;
    assert_eq!(store.baseline_get(&id).await?, one);
    let taken = store.baseline_put(&baseline("b-2", "reviewed", 1)?).await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))));

    let ids = [ResourceId::new("sg-1"), ResourceId::new("sg-2")];
    assert_eq!(
        store.pinned_of(&id, 1, &here(), &ids).await?,
        [pinned(&first)?]
    );
    assert_eq!(store.pinned_of(&id, 2, &here(), &ids).await?, []);

    let unknown = PinnedDocument {
        hash: "00".repeat(32),
        ..pinned(&first)?
    };
    let refused = store.pinned_put(&id, 2, &[unknown]).await;
    assert!(
        matches!(refused, Err(StoreError::Conflict(_))),
        "a document that is not stored"
    );
    assert_eq!(store.pinned_count(&id, 2).await?, 0);

    store.pinned_put(&id, 7, &[pinned(&first)?]).await?;
    store.pinned_discard(&id, 7).await?;
    assert_eq!(store.pinned_count(&id, 7).await?, 0);

    // The next revision takes the place of the first once the baseline has it.
    store.pinned_put(&id, 2, &[pinned(&first)?]).await?;
    let counts = (
        store.pinned_count(&id, 1).await?,
        store.pinned_count(&id, 2).await?,
    );
    assert_eq!(counts, (1, 1));
    store.baseline_put(&baseline("b-1", "Reviewed", 2)?).await?;
    assert_eq!(store.pinned_count(&id, 1).await?, 0);
    store
        .pinned_remove(&id, 2, &here(), &[ResourceId::new("sg-1")])
        .await?;
    assert_eq!(store.pinned_count(&id, 2).await?, 0);
    assert_eq!(store.baseline_list().await?.len(), 1);
    Ok(())
}

async fn drifts(store: &impl DriftStore) -> Result<()> {
    let first = group("sg-1", 443)?;
    let open = drift("d-1", &first, 50)?;
    store.drift_put(std::slice::from_ref(&open)).await?;
    assert_eq!(store.drift_get(&open.id).await?, open);
    let second = store.drift_put(&[drift("d-2", &first, 51)?]).await;
    assert!(
        matches!(second, Err(StoreError::Conflict(_))),
        "a resource has one unresolved drift of a baseline"
    );

    let accepted = Drift {
        state: DriftState::Accepted,
        acceptance: Some(Acceptance {
            by: "ada@acme.example".to_owned(),
            at: at(55)?,
            reason: "until the move".to_owned(),
            ends_at: at(100)?,
            hash: open.hash.clone(),
        }),
        ..open.clone()
    };
    store.drift_put(std::slice::from_ref(&accepted)).await?;
    let listed = |filter: DriftFilter| async move { store.drift_list(&filter).await };
    for (minute, expect) in [(99, 0), (100, 1)] {
        let over = DriftFilter {
            ended_by: Some(at(minute)?),
            ..DriftFilter::default()
        };
        assert_eq!(listed(over).await?.1, expect, "{minute}");
    }

    let resolved = accepted.resolved(Resolution::Agrees, at(60)?);
    let again = drift("d-3", &first, 70)?;
    store.drift_put(&[resolved.clone(), again.clone()]).await?;
    let page = DriftFilter {
        limit: 1,
        ..DriftFilter::default()
    };
    assert_eq!(
        listed(page).await?,
        (vec![again.clone()], 2),
        "newest first"
    );
    let narrow = DriftFilter {
        baseline: Some(BaselineId("b-1".to_owned())),
        connection: Some(here()),
        kind: Some(ResourceKind::SecurityGroup),
        states: vec![DriftState::Resolved],
        resources: vec![ResourceId::new("sg-1")],
        since: Some(at(50)?),
        ..DriftFilter::default()
    };
    assert_eq!(listed(narrow).await?, (vec![resolved], 1));
    let none = DriftFilter {
        kind: Some(ResourceKind::Bucket),
        ..DriftFilter::default()
    };
    assert_eq!(listed(none).await?, (Vec::new(), 0));
    for (visible, expect) in [
        (VisibleConnections::only([here()]), 2),
        (VisibleConnections::only([]), 0),
    ] {
        let within = DriftFilter {
            visible,
            ..DriftFilter::default()
        };
        assert_eq!(listed(within).await?.1, expect);
    }

    let count = |state| DriftCount {
        baseline: BaselineId("b-1".to_owned()),
        state,
        count: 1,
    };
    assert_eq!(
        store.drift_counts(&DriftFilter::default()).await?,
        [count(DriftState::Open), count(DriftState::Resolved)]
    );
    Ok(())
}

/// Documents that a baseline pins or a drift shows outlive the versions of the resource.
async fn documents_stay(store: &(impl DescriptionStore + DriftStore)) -> Result<()> {
    let (shown, held, next) = (group("sg-9", 1)?, group("sg-9", 2)?, group("sg-9", 3)?);
    let id = BaselineId("b-1".to_owned());
    for (described, minute) in [(&shown, 200), (&held, 210), (&next, 220)] {
        store
            .description_put(&here(), std::slice::from_ref(described), at(minute)?)
            .await?;
    }
    store.pinned_put(&id, 2, &[pinned(&held)?]).await?;
    store.drift_put(&[drift("d-9", &shown, 230)?]).await?;
    assert_eq!(store.versions_expire(at(300)?).await?, 5);

    let hashes = [shown.document.hash(), held.document.hash()];
    assert_eq!(store.documents(&hashes).await?.len(), 2);

    store.baseline_delete(&id).await?;
    assert_eq!(store.drift_list(&DriftFilter::default()).await?.1, 0);
    store.versions_expire(at(300)?).await?;
    assert_eq!(store.documents(&hashes).await?.len(), 0);
    let missing = store.baseline_delete(&id).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));
    Ok(())
}
