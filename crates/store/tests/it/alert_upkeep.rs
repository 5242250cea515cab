//! Ends of alerts of other tools over the store: with their incidents, and by their time.

use std::sync::{Arc, Mutex};

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_access::TokenHash;
use reeve_incidents::{
    Incident, IncidentId, IncidentStatus, IncidentStore as _, MemberKind, MemberSource as _,
};
use reeve_recommend::recommendation::Priority;
use reeve_siem::{
    AlertSourceStore as _, AlertStatus, AlertUpkeep, InboundAlert, InboundAlertMembers,
    InboundAlertStore as _, UpkeepPorts,
};
use reeve_store::Store;
use reeve_testkit::contract::inbound_alerts::{alert, source};

use crate::dispatch::{Hand, Log};
use crate::place::Place;

const PERSON: &str = "ann@example.com";

struct World {
    _place: Place,
    store: Store,
    log: Arc<Log>,
    clock: Arc<Hand>,
    upkeep: AlertUpkeep,
}

/// A store with a source that closes alerts at its tool, and one that does not.
async fn world() -> Result<World> {
    let place = Place::sqlite()?;
    let store = place.open().await?;
    for (id, has_callback) in [("s-1", true), ("s-2", false)] {
        let mut one = source(id, id)?;
        one.expire_after_days = 7;
        if !has_callback {
            one.callback = None;
        }
        let token = TokenHash::from_secret(id);
        store.alert_source_insert(&one, &token, None).await?;
    }

    let log = Arc::new(Log::default());
    let clock = Arc::new(Hand(Mutex::new(Timestamp::from_second(1_800_000_000)?)));
    let upkeep = AlertUpkeep::new(UpkeepPorts {
        sources: Arc::new(store.clone()),
        alerts: Arc::new(store.clone()),
        incidents: Arc::new(store.clone()),
        recorder: log.clone(),
        clock: clock.clone(),
    });
    Ok(World {
        _place: place,
        store,
        log,
        clock,
        upkeep,
    })
}

impl World {
    /// Keeps an alert and an incident that it is a member of.
    async fn incident(&self, name: &str, alert: &InboundAlert) -> Result<Incident> {
        self.store.inbound_alert_insert(alert).await?;
        let store = Arc::new(self.store.clone());
        let members = InboundAlertMembers::new(store.clone(), store);
        let kind = MemberKind::ExternalAlert;
        let member = members.member(kind, &alert.id.0).await?.unwrap();

        let id = IncidentId(name.to_owned());
        let now = *self.clock.0.lock().unwrap();
        let mut incident = Incident::opened(id, name.to_owned(), Priority::High, PERSON, now);
        incident.take(member);
        self.store.incident_insert(&incident).await?;
        Ok(incident)
    }

    async fn become_status(&self, incident: &mut Incident, to: IncidentStatus) -> Result<()> {
        let now = *self.clock.0.lock().unwrap();
        incident.become_status(to, PERSON, Some("cleaned up".to_owned()), now);
        incident.version += 1;
        Ok(self.store.incident_update(incident).await?)
    }

    async fn read(&self, alert: &InboundAlert) -> Result<InboundAlert> {
        Ok(self.store.inbound_alert_get(&alert.id).await?)
    }

    fn wait(&self, days: i64) -> Result<()> {
        let mut now = self.clock.0.lock().unwrap();
        *now = now.checked_add(SignedDuration::from_hours(days * 24))?;
        Ok(())
    }

    /// Operations on the log, with the persons who closed the incidents; each once.
    fn operations(&self) -> Vec<(String, Option<String>)> {
        let log = self.log.0.lock().unwrap();
        let mut all: Vec<_> = log
            .iter()
            .map(|entry| {
                let operation = entry.action.operation.clone().unwrap_or_default();
                let closed_by = entry.metadata.extra.get("closed_by");
                let closed_by = closed_by.and_then(|by| by.as_str()).map(str::to_owned);
                (operation, closed_by)
            })
            .collect();
        all.dedup();
        all
    }
}

#[tokio::test]
async fn a_closed_incident_closes_its_alerts_on_both_sides() -> Result<()> {
    let world = world().await?;
    let (here, there) = (alert("s-2", "a", 0)?, alert("s-1", "b", 0)?);
    let mut first = world.incident("one", &here).await?;
    let mut second = world.incident("two", &there).await?;

    // A resolved incident may come back: only a closed one is done.
    for incident in [&mut first, &mut second] {
        world
            .become_status(incident, IncidentStatus::Resolved)
            .await?;
    }
    assert_eq!(world.upkeep.keep().await?, 0);

    for incident in [&mut first, &mut second] {
        world
            .become_status(incident, IncidentStatus::Closed)
            .await?;
    }
    assert_eq!(world.upkeep.keep().await?, 2);
    assert_eq!(world.upkeep.keep().await?, 0, "each ends once");

    let (here, there) = (world.read(&here).await?, world.read(&there).await?);
    for (alert, incident) in [(&here, "one"), (&there, "two")] {
        assert_eq!(alert.status, AlertStatus::Closed);
        let end = alert.end.clone().unwrap();
        assert_eq!(end.by.as_deref(), Some(PERSON));
        assert_eq!(end.incident.as_deref(), Some(incident));
        // Closing an incident says nothing about the alert's being right.
        assert_eq!(alert.judgement, None);
    }
    assert_eq!(here.callback, None, "its source offers no closing");
    let callback = there.callback.unwrap();
    assert_eq!(callback.pending, ["b"]);
    assert!(callback.next_at.is_some());

    let operations = world.operations();
    let operation = "inbound_alert.close_with_incident";
    assert!(!operations.is_empty());
    for (name, by) in &operations {
        assert_eq!((name.as_str(), by.as_deref()), (operation, Some(PERSON)));
    }
    Ok(())
}

#[tokio::test]
async fn an_alert_without_a_report_expires_here_alone() -> Result<()> {
    let world = world().await?;
    let (loose, held) = (alert("s-1", "a", 0)?, alert("s-1", "b", 0)?);
    world.store.inbound_alert_insert(&loose).await?;
    let mut incident = world.incident("one", &held).await?;

    world.wait(6)?;
    assert_eq!(world.upkeep.keep().await?, 0, "the setting says 7 days");
    world.wait(1)?;
    assert_eq!(world.upkeep.keep().await?, 1);
    let expired = world.read(&loose).await?;
    assert_eq!(expired.status, AlertStatus::Closed);
    let end = expired.end.unwrap();
    assert_eq!((end.by, end.expired_after_days), (None, Some(7)));
    assert_eq!(expired.callback, None, "it stays open at its sender");
    let operations = world.operations();
    assert_eq!(operations[0].0, "inbound_alert.expire");

    // An incident that is worked on keeps its alert.
    assert_eq!(world.read(&held).await?.status, AlertStatus::Open);
    world
        .become_status(&mut incident, IncidentStatus::Resolved)
        .await?;
    assert_eq!(world.upkeep.keep().await?, 1);
    Ok(())
}
