//! Notices about spot capacity: receives the messages of a connection's queue, records and stores
//! each notice once, then deletes the message.
//!
//! A notice is recorded before it is stored and stored before its message is deleted. After a crash
//! the message comes again, and both find what is there.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, Entry, EventId, Obstacle, ResourceRef, Severity, events,
};
use reeve_connect_aws::{NoNotice, QueueMessage, read_spot_event, region_of_queue};
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, EstateStore, Resource, ResourceFilter,
    ResourceId,
};
use reeve_recommend::agent::emergency::LATE;
use reeve_recommend::judgement::spot::{NoticeKind, SpotLife, SpotNotice, SpotSource, SpotStore};
use reeve_recommend::ports::Recorder;

use super::clouds::CloudRegistry;
use super::running::Running;

/// Seconds for which a reading waits for the first message.
const WAIT_S: u64 = 10;
/// Address of the queue of a simulated account.
const SIMULATED_QUEUE: &str = "a simulated queue";
/// Readings in a row of a queue that is never empty.
const MOST_READINGS: usize = 200;

/// Reader of the queues that connections have.
pub(crate) struct SpotReader {
    pub(crate) spots: Arc<dyn SpotStore>,
    pub(crate) estate: Arc<dyn EstateStore>,
    pub(crate) clouds: Arc<CloudRegistry>,
    pub(crate) recorder: Arc<dyn Recorder>,
    pub(crate) running: Running<ConnectionId>,
}

impl SpotReader {
    /// Reads the queue of a connection until it is empty, unless that is going on already.
    ///
    /// # Errors
    /// The state of the reading could not be kept. That the queue could not be read is part of it.
    pub(crate) async fn read_now(&self, connection: &Connection) -> Result<(), Obstacle> {
        let Some(_turn) = self.running.begin(&connection.id) else {
            return Ok(());
        };
        if matches!(connection.credentials, ConnectionCredentials::Simulated) {
            return self.read_simulated(connection).await;
        }
        // Read within the turn: the one before it has counted.
        let own = self.spots.spot_source(&connection.id).await;
        let Some(mut source) = own.map_err(Obstacle::of)? else {
            return Ok(());
        };
        for _ in 0..MOST_READINGS {
            let outcome = self.read_page(connection, &mut source).await;
            source.read_at = Some(Timestamp::now());
            source.failure = match &outcome {
                Ok(_) => String::new(),
                Err(obstacle) => obstacle.as_str().to_owned(),
            };
            self.spots
                .spot_source_read(&source)
                .await
                .map_err(Obstacle::of)?;
            if !matches!(outcome, Ok(count) if count > 0) {
                break;
            }
        }
        Ok(())
    }

    /// Takes the notices of a simulated account. Those of the past are stored, so that the hazard is
    /// learned from them, and not recorded: they were no news when the demonstration began.
    async fn read_simulated(&self, connection: &Connection) -> Result<(), Obstacle> {
        let Some(account) = self.clouds.simulated(connection) else {
            return Ok(());
        };
        let own = self.spots.spot_source(&connection.id).await;
        let mut source = match own.map_err(Obstacle::of)? {
            Some(source) => source,
            None => {
                let made = SpotSource::new(connection.id.clone(), SIMULATED_QUEUE.to_owned());
                self.spots
                    .spot_source_put(&made)
                    .await
                    .map_err(Obstacle::of)?;
                made
            }
        };

        let (notices, until) = account.spot_notices(source.read_at);
        let is_news = |notice: &SpotNotice| until.duration_since(notice.at) < LATE;
        let (news, past): (Vec<SpotNotice>, Vec<SpotNotice>) =
            notices.into_iter().partition(is_news);
        let times: Vec<Timestamp> = past.iter().chain(&news).map(|notice| notice.at).collect();
        let stored = self.spots.spot_notices_put(&connection.id, &past).await;
        let mut kept = stored.map_err(Obstacle::of)?;
        if !news.is_empty() {
            kept.extend(self.keep_all(connection, news).await?);
        }
        for (at, _) in times.into_iter().zip(kept).filter(|(_, is_new)| *is_new) {
            source.notices += 1;
            source.newest_at = source.newest_at.max(Some(at));
        }
        source.read_at = Some(until);
        self.spots
            .spot_source_read(&source)
            .await
            .map_err(Obstacle::of)
    }

    /// Receives up to ten messages. Returns their number.
    async fn read_page(
        &self,
        connection: &Connection,
        source: &mut SpotSource,
    ) -> Result<usize, Obstacle> {
        let cloud = self
            .clouds
            .aws(connection)
            .await
            .map_err(|error| Obstacle::from(error.message))?;
        let own = connection.regions.first().cloned().unwrap_or_default();
        let region = region_of_queue(&source.queue_url).map_or(own, str::to_owned);
        let url = source.queue_url.clone();
        let messages = cloud
            .queue_receive(&region, &url, WAIT_S)
            .await
            .map_err(Obstacle::of)?;
        if messages.is_empty() {
            return Ok(0);
        }

        self.take(connection, &messages, source).await?;
        let receipts: Vec<String> = messages.iter().map(|one| one.receipt.clone()).collect();
        cloud
            .queue_delete(&region, &url, &receipts)
            .await
            .map_err(Obstacle::of)?;
        Ok(messages.len())
    }

    /// Takes messages: notices are recorded and stored, anything else is counted.
    async fn take(
        &self,
        connection: &Connection,
        messages: &[QueueMessage],
        source: &mut SpotSource,
    ) -> Result<(), Obstacle> {
        let mut notices: Vec<SpotNotice> = Vec::new();
        for message in messages {
            match read_spot_event(&message.body, Timestamp::now()) {
                // A queue may deliver a message twice in one answer.
                Ok(notice) if notices.iter().any(|one| one.event == notice.event) => {}
                Ok(notice) => notices.push(notice),
                Err(NoNotice::OtherEvent(name)) => *source.others.entry(name).or_default() += 1,
                Err(NoNotice::Unreadable(reason)) => {
                    tracing::warn!(
                        connection = connection.name,
                        reason,
                        "a message is no event"
                    );
                    source.unreadable += 1;
                }
            }
        }
        if notices.is_empty() {
            return Ok(());
        }

        let times: Vec<Timestamp> = notices.iter().map(|notice| notice.at).collect();
        let kept = self.keep_all(connection, notices).await?;
        for (at, _) in times.into_iter().zip(kept).filter(|(_, is_new)| *is_new) {
            source.notices += 1;
            source.newest_at = source.newest_at.max(Some(at));
        }
        Ok(())
    }

    /// Records and stores notices together; `false` for each that is stored already.
    async fn keep_all(
        &self,
        connection: &Connection,
        mut notices: Vec<SpotNotice>,
    ) -> Result<Vec<bool>, Obstacle> {
        let filter = ResourceFilter {
            connection: Some(connection.id.clone()),
            ids: notices.iter().map(|one| one.resource.clone()).collect(),
            ..ResourceFilter::default()
        };
        let (found, _) = self
            .estate
            .resource_list(&filter)
            .await
            .map_err(Obstacle::of)?;
        let mut entries = Vec::new();
        for notice in &mut notices {
            let machine = found.iter().find(|one| one.id == notice.resource);
            let life = machine.and_then(SpotLife::of_machine);
            notice.life = life.or(notice.life.take());
            notice.group = machine.and_then(|machine| machine.group.clone());
            if notice.kind != NoticeKind::StateChange {
                entries.push(entry(connection, machine, notice)?);
            }
        }

        // Side by side, so that the log commits them together.
        let recorded = entries
            .into_iter()
            .map(|entry| self.recorder.record_once(entry));
        futures::future::try_join_all(recorded)
            .await
            .map_err(Obstacle::of)?;
        self.spots
            .spot_notices_put(&connection.id, &notices)
            .await
            .map_err(Obstacle::of)
    }
}

/// Machine of a connection as entries name it.
pub(super) fn reference(
    connection: &Connection,
    id: &ResourceId,
    machine: Option<&Resource>,
) -> ResourceRef {
    let mut about = ResourceRef::new("virtual_machine", id.0.clone());
    about.account_id = Some(connection.account.clone()).filter(|account| !account.is_empty());
    about.cloud_provider = Some(connection.provider.as_str().to_owned());
    about.region = machine.map(|machine| machine.region.clone());
    about
}

/// Entry about a notice, which wakes agents.
fn entry(
    connection: &Connection,
    machine: Option<&Resource>,
    notice: &SpotNotice,
) -> Result<Entry, Obstacle> {
    let id = format!("spot-{}-{}", connection.id.0, notice.event);
    let about = reference(connection, &notice.resource, machine);
    let severity = match notice.kind {
        NoticeKind::Interruption => Severity::High,
        _ => Severity::Medium,
    };
    let entry = Entry::for_event(&events::RESOURCE_INTERRUPT_NOTICE)
        .with_id(EventId::derived(&id).map_err(Obstacle::of)?)
        .by(Actor::system())
        .on(about)
        .with_action(
            notice.kind.as_str(),
            ActionStatus::Success,
            ActionMethod::System,
        )
        .with_severity(severity)
        .with_metadata("connection_id", connection.id.0.clone())
        .with_metadata("provider_event_id", notice.event.clone());
    let mut entry = match &notice.detail {
        Some(detail) => entry.with_metadata("announced", detail.clone()),
        None => entry,
    };
    entry.timestamp = notice.at;
    Ok(entry)
}
