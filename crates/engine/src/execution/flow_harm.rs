//! Harm that a change of security groups does, by the flow logs of its interfaces: before the wide
//! group is taken away, accepted flows that need it alone; after it, refused flows that were
//! accepted before. The first one ends the change.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Obstacle;
use reeve_estate::{ConnectionId, StoreError};
use reeve_flows::{FlowAction, FlowQuery, Harm, InterfaceFlows, cut_by, day_of, refused_before};
use reeve_recommend::action::{Action, Purpose, WatchVerdict};
use reeve_recommend::change::FlowWatch;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::words::first_of;

use crate::execution::ExecutionService;
use crate::execution::runner::{Done, ExecutionRunner};

/// Seconds between two looks at the flows.
const LOOK_S: u64 = 60;
/// Days of accepted flows that a refused one is compared with.
const BEFORE_DAYS: i32 = 400;
/// Harms that a reason names.
const NAMED: usize = 3;

impl ExecutionRunner {
    /// Leaves both groups in place for so many hours. A flow that needs the wide one alone ends the
    /// change, and so does an observation without records. A test does not wait.
    pub(crate) async fn observe_flows(&mut self, hours: u32) -> Result<Done, Obstacle> {
        let Some(watch) = self.procedure.change().flow_watch() else {
            return Err(Obstacle::of("the change names no flows to observe"));
        };
        let began = self.changed_at();
        let until = began + SignedDuration::from_hours(i64::from(hours));

        while self.action.purpose == Purpose::Apply && self.now() < until {
            self.none_is_cut(&watch, began).await?;
            self.wait(LOOK_S).await?;
        }

        let mut detail = "not observed".to_owned();
        if self.action.purpose == Purpose::Apply && hours > 0 {
            let seen = self.none_is_cut(&watch, began).await?;
            let records = records_since(&seen, began);
            if records == 0 {
                return Err(Obstacle::of(format_args!(
                    "no flow log has a record of its network interfaces from the {hours} hours of observation, so nothing shows that the wide group is not needed"
                )));
            }
            detail = format!(
                "{hours} hours were observed, and no flow of {} network interfaces with records needs the wide group",
                records
            );
        }

        self.look(self.deadline()).await?;
        Ok(Done {
            detail,
            after: self.state_of_resource(),
            ..Done::default()
        })
    }

    fn now(&self) -> Timestamp {
        self.execution.records.clock.now()
    }

    /// Time at which the last change went through; it survives a restart of the service.
    fn changed_at(&self) -> Timestamp {
        let done = self
            .action
            .steps
            .iter()
            .filter(|step| step.effect().changes());
        done.filter_map(|step| step.finished_at)
            .max()
            .unwrap_or_else(|| self.now())
    }

    async fn none_is_cut(
        &self,
        watch: &FlowWatch,
        since: Timestamp,
    ) -> Result<Vec<InterfaceFlows>, Obstacle> {
        let seen = self
            .execution
            .flows_since(&self.action.connection, watch, since, FlowAction::Accepted)
            .await
            .map_err(Obstacle::of)?;
        let cut = cut_by(&watch.wide, &watch.tight, &seen);
        match cut.is_empty() {
            true => Ok(seen),
            false => Err(Obstacle::of(format_args!(
                "the tight group would refuse flows that were seen while both groups were in place: {}",
                named(&cut)
            ))),
        }
    }
}

impl ExecutionService {
    /// Judges a change by the refused flows since it went through.
    pub(super) async fn judge_flows(
        &self,
        action: &Action,
        recommendation: &Recommendation,
        ends: bool,
    ) -> Result<Option<(WatchVerdict, String)>, EngineError> {
        let procedure = self.procedure(recommendation)?;
        let (Some(watch), Some(since)) = (procedure.change().flow_watch(), action.finished_at)
        else {
            return Ok(None);
        };

        let connection = &action.connection;
        let refused = self
            .flows_since(connection, &watch, since, FlowAction::Refused)
            .await?;
        // The history is long, and without a refused flow there is nothing to compare with it.
        let harms = if refused.iter().all(|one| one.flows.is_empty()) {
            Vec::new()
        } else {
            let before = self.accepted_before(connection, &watch, since).await?;
            refused_before(&watch.wide, &before, &refused)
        };
        if !harms.is_empty() {
            let detail = format!(
                "flows are refused that were accepted before: {}",
                named(&harms)
            );
            return Ok(Some((WatchVerdict::Degraded, detail)));
        }
        if !ends {
            return Ok(None);
        }

        let with_records = records_since(&refused, since);
        Ok(Some(match with_records {
            0 => (
                WatchVerdict::NotEnoughData,
                "no flow log has a record of its network interfaces since the change".to_owned(),
            ),
            count => (
                WatchVerdict::Holds,
                format!(
                    "no flow that was accepted before is refused on {count} network interfaces with records"
                ),
            ),
        }))
    }

    async fn accepted_before(
        &self,
        connection: &ConnectionId,
        watch: &FlowWatch,
        since: Timestamp,
    ) -> Result<Vec<InterfaceFlows>, StoreError> {
        let query = FlowQuery {
            connection: Some(connection.clone()),
            interfaces: watch.interfaces.clone(),
            from_day: day_of(since.as_second()) - BEFORE_DAYS,
            until_day: None,
            action: Some(FlowAction::Accepted),
            since_s: None,
        };
        self.ports.flows.flow_seen(&query).await
    }

    async fn flows_since(
        &self,
        connection: &ConnectionId,
        watch: &FlowWatch,
        since: Timestamp,
        action: FlowAction,
    ) -> Result<Vec<InterfaceFlows>, StoreError> {
        let query = FlowQuery {
            connection: Some(connection.clone()),
            interfaces: watch.interfaces.clone(),
            from_day: day_of(since.as_second()),
            until_day: None,
            action: Some(action),
            since_s: Some(since.as_second()),
        };
        self.ports.flows.flow_seen(&query).await
    }
}

/// Returns the number of interfaces with records of an hour after a time.
fn records_since(seen: &[InterfaceFlows], since: Timestamp) -> usize {
    let (day, second) = (day_of(since.as_second()), since.as_second());
    let hour = second.rem_euclid(86_400) / 3600;
    let has_records = |one: &&InterfaceFlows| {
        one.coverage.iter().any(|covered| {
            let hours = covered.coverage.hours;
            covered.day > day || (covered.day == day && hours >> hour > 1)
        })
    };
    seen.iter().filter(has_records).count()
}

fn named(harms: &[Harm]) -> String {
    let flow = |harm: &Harm| format!("{} on {}", harm.flow, harm.interface);
    let flows: Vec<String> = harms.iter().map(flow).collect();
    first_of(&flows, NAMED, ", ")
}
