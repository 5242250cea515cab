//! Contract of every [`IncidentStore`].

use std::collections::BTreeSet;

use anyhow::Result;
use jiff::Timestamp;
use reeve_anomalies::AttackKeys;
use reeve_estate::{ConnectionId, ResourceId, StoreError};
use reeve_incidents::{
    Incident, IncidentFilter, IncidentId, IncidentMember, IncidentStatus, IncidentStore,
    MemberKind, PlaybookName, PlaybookRun, PlaybookRunId, RunFilter, RunStep, RunTarget, StepState,
    builtin,
};
use reeve_recommend::recommendation::Priority;

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(second)?)
}

/// A finding that was seen at a second.
fn finding(kind: MemberKind, id: &str, second: i64, severity: Priority) -> Result<IncidentMember> {
    Ok(IncidentMember {
        kind,
        id: id.to_owned(),
        title: format!("title of {id}"),
        severity,
        source: "anomalies".to_owned(),
        subject: "principal".to_owned(),
        subject_id: id.to_owned(),
        account: Some("123456789012".to_owned()),
        started_at: at(second)?,
        last_at: at(second)?,
        keys: AttackKeys {
            addresses: BTreeSet::from(["203.0.113.7".parse()?]),
            ..AttackKeys::default()
        },
        techniques: BTreeSet::from(["T1078".to_owned()]),
        entries: vec![format!("entry of {id}")],
        because: None,
    })
}

fn incident(id: &str, second: i64, severity: Priority) -> Result<Incident> {
    let member = finding(MemberKind::Anomaly, id, second, severity)?;
    Ok(Incident::opened_for(
        IncidentId(id.to_owned()),
        member,
        at(second)?,
    ))
}

async fn ids(store: &impl IncidentStore, filter: IncidentFilter) -> Result<Vec<String>> {
    let (found, _) = store.incident_list(&filter).await?;
    Ok(found.into_iter().map(|one| one.id.0).collect())
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: &impl IncidentStore) -> Result<()> {
    records(store).await?;
    playbooks(store).await?;
    runs(store).await
}

async fn records(store: &impl IncidentStore) -> Result<()> {
    let spray = incident("spray", 100, Priority::Medium)?;
    let key = incident("key", 50, Priority::High)?;
    let mut old = incident("old", 200, Priority::Critical)?;
    old.become_status(IncidentStatus::Closed, "ann@example.com", None, at(300)?);
    for one in [&spray, &key, &old] {
        store.incident_insert(one).await?;
    }
    assert!(matches!(
        store.incident_insert(&spray).await,
        Err(StoreError::Conflict(_))
    ));
    assert_eq!(store.incident_get(&key.id).await?, key);
    assert_eq!(
        ids(store, IncidentFilter::default()).await?,
        ["key", "spray", "old"],
        "what needs people first, the most severe first"
    );
    let active = IncidentFilter {
        status: vec![IncidentStatus::Open],
        active_since: Some(at(60)?),
        ..IncidentFilter::default()
    };
    assert_eq!(ids(store, active).await?, ["spray"]);

    let owner = store
        .incident_of(MemberKind::Anomaly, "key")
        .await?
        .map(|id| id.0);
    assert_eq!(owner.as_deref(), Some("key"));
    assert_eq!(store.incident_of(MemberKind::Alert, "key").await?, None);

    // A merge moves the members in one write, whichever incident is written first.
    let mut kept = Incident {
        owner: Some("ann@example.com".to_owned()),
        version: 2,
        ..spray.clone()
    };
    kept.take(finding(MemberKind::Anomaly, "key", 50, Priority::High)?);
    let merged = Incident {
        merged_into: Some(spray.id.clone()),
        members: Vec::new(),
        version: 2,
        ..key.clone()
    };
    store.incident_update(&kept).await?;
    store.incident_update(&merged).await?;
    assert_eq!(
        store.incident_of(MemberKind::Anomaly, "key").await?,
        Some(spray.id.clone())
    );
    let owned = IncidentFilter {
        owner: Some("ann@example.com".to_owned()),
        ..IncidentFilter::default()
    };
    assert_eq!(ids(store, owned).await?, ["spray"]);
    assert_eq!(
        ids(store, IncidentFilter::default()).await?,
        ["spray", "old"],
        "merged ones are not listed"
    );
    assert!(matches!(
        store.incident_update(&kept).await,
        Err(StoreError::Conflict(_))
    ));

    store.incident_delete(&old.id).await?;
    assert_eq!(store.incident_of(MemberKind::Anomaly, "old").await?, None);
    assert!(matches!(
        store.incident_delete(&old.id).await,
        Err(StoreError::NotFound { .. })
    ));
    Ok(())
}

async fn playbooks(store: &impl IncidentStore) -> Result<()> {
    let Some(first) = builtin().first() else {
        anyhow::bail!("the program has no playbook");
    };
    let mut own = reeve_incidents::Playbook {
        name: PlaybookName("mine".to_owned()),
        is_builtin: false,
        ..first.clone()
    };
    store.playbook_insert(&own).await?;
    assert!(matches!(
        store.playbook_insert(&own).await,
        Err(StoreError::Conflict(_))
    ));
    own.title = "Mine".to_owned();
    own.version = 2;
    store.playbook_update(&own).await?;
    assert_eq!(store.playbook_list().await?, [own.clone()]);
    store.playbook_delete(&own.name).await?;
    assert_eq!(store.playbook_list().await?, []);
    Ok(())
}

async fn runs(store: &impl IncidentStore) -> Result<()> {
    let Some(playbook) = builtin().first() else {
        anyhow::bail!("the program has no playbook");
    };
    let step = |state: StepState| RunStep {
        step: playbook.steps[0].clone(),
        state,
        detail: String::new(),
        targets: vec![RunTarget {
            resource: ResourceId::new("AKIA1"),
            name: "key of ann".to_owned(),
            kind: "access_key".to_owned(),
            connection: ConnectionId("c-1".to_owned()),
            state,
            recommendation: None,
            action: None,
            detail: "waits".to_owned(),
        }],
        at: None,
    };
    let mut run = PlaybookRun {
        id: PlaybookRunId("r-1".to_owned()),
        incident: IncidentId("spray".to_owned()),
        playbook: playbook.name.clone(),
        title: playbook.title.clone(),
        started_by: "ann@example.com".to_owned(),
        started_at: at(400)?,
        steps: vec![step(StepState::Waiting)],
        rollback: None,
        version: 1,
    };
    store.playbook_run_insert(&run).await?;
    let active = RunFilter {
        is_active: true,
        ..RunFilter::default()
    };
    assert_eq!(store.playbook_run_list(&active).await?, [run.clone()]);

    run.steps = vec![step(StepState::Done)];
    run.version = 2;
    store.playbook_run_update(&run).await?;
    assert_eq!(store.playbook_run_list(&active).await?, []);
    assert_eq!(store.playbook_run_get(&run.id).await?, run);
    let of_incident = RunFilter {
        incident: Some(run.incident.clone()),
        ..RunFilter::default()
    };
    assert_eq!(store.playbook_run_list(&of_incident).await?.len(), 1);
    assert!(matches!(
        store.playbook_run_update(&run).await,
        Err(StoreError::Conflict(_))
    ));
    Ok(())
}
