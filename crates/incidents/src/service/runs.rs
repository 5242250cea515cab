//! Runs of playbooks. Each changing step asks the agent type that owns such changes for a finding
//! about each resource; a person applies it by its approval, and an automatic run by a standing
//! approval. There is no other way to a cloud.

use reeve_audit::Json;
use reeve_estate::{Resource, StoreError};
use reeve_recommend::action::Purpose;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::event::{
    CONTAINMENT, ContainmentRequest, EventContent, JudgementEvent, Measure,
};
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::ports::responses::ResponseRemedy;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::{IncidentId, OriginCause};

use super::IncidentService;
use crate::incident::{Incident, IncidentStatus};
use crate::log_entry;
use crate::playbook::{PlaybookName, StepAction};
use crate::port::RunFilter;
use crate::run::{PlaybookRun, PlaybookRunId, RunStep, RunTarget, StepState};

/// Sentences of evidence that a request names.
const MOST_EVIDENCE: usize = 6;

impl IncidentService {
    /// Runs of an incident, newest first, each with the state of its steps now.
    ///
    /// # Errors
    /// The store failed.
    pub async fn runs_of(&self, incident: &IncidentId) -> Result<Vec<PlaybookRun>, EngineError> {
        let mut runs = self.recorded_runs(incident).await?;
        for run in &mut runs {
            self.look_at_steps(run).await?;
        }
        Ok(runs)
    }

    /// Runs of an incident, newest first, as they were last written: their steps may have gone on.
    pub(super) async fn recorded_runs(
        &self,
        incident: &IncidentId,
    ) -> Result<Vec<PlaybookRun>, StoreError> {
        let filter = RunFilter {
            incident: Some(incident.clone()),
            ..RunFilter::default()
        };
        self.ports.incidents.playbook_run_list(&filter).await
    }

    /// Runs a playbook on an incident.
    ///
    /// # Errors
    /// Not found; a conflict for an incident that is over.
    pub async fn start(
        &self,
        incident: &IncidentId,
        playbook: &PlaybookName,
        caller: &Caller,
    ) -> Result<PlaybookRun, EngineError> {
        let playbook = self.playbook(playbook).await?;
        let incident = self.take_up(incident, caller).await?;
        let _running = self.running.lock().await;

        let steps = playbook.steps.into_iter().map(|step| RunStep {
            step,
            state: StepState::Pending,
            detail: String::new(),
            targets: Vec::new(),
            at: None,
        });
        let mut run = PlaybookRun {
            id: PlaybookRunId(uuid::Uuid::now_v7().to_string()),
            incident: incident.id.clone(),
            playbook: playbook.name,
            title: playbook.title,
            started_by: caller.name.clone(),
            started_at: self.now(),
            steps: steps.collect(),
            rollback: None,
            version: 1,
        };
        let entry = log_entry::run("playbook.start", &run, caller);
        self.change(entry, self.ports.incidents.playbook_run_insert(&run))
            .await?;

        for at in 0..run.steps.len() {
            let step = run.steps[at].clone();
            let step = self.carry_out(&incident, &run, step, caller).await?;
            self.note_step(&mut run, at, step, caller).await?;
        }
        Ok(run)
    }

    /// Moves an incident that nobody has taken up into investigation, in the name of the person who
    /// runs a playbook.
    async fn take_up(&self, id: &IncidentId, caller: &Caller) -> Result<Incident, EngineError> {
        let _turn = self.turn.lock().await;
        let mut incident = self.unmerged(id).await?;
        if !incident.status.is_active() {
            let message = format!("the incident is {}; reopen it first", incident.status);
            return Err(EngineError::Conflict(message));
        }
        if incident.status != IncidentStatus::Open || !caller.is_person() {
            return Ok(incident);
        }

        let reason = Some("a playbook is run".to_owned());
        incident.become_status(
            IncidentStatus::Investigating,
            &caller.name,
            reason,
            self.now(),
        );
        let entry = log_entry::about("incident.investigate", &incident, caller);
        self.write(incident, entry).await
    }

    async fn carry_out(
        &self,
        incident: &Incident,
        run: &PlaybookRun,
        mut step: RunStep,
        caller: &Caller,
    ) -> Result<RunStep, EngineError> {
        let Some(measure) = step.step.action.measure() else {
            self.tell(run, &step, caller).await?;
            step.state = StepState::Done;
            step.detail = "recorded; channels and webhooks follow the log".to_owned();
            return Ok(step);
        };

        let targets = self.inventory().targets(incident, measure).await?;
        if targets.is_empty() {
            step.state = StepState::Skipped;
            step.detail = nothing_fits(measure).to_owned();
            return Ok(step);
        }
        for resource in targets {
            let mut target = self
                .contain(incident, run, resource, measure, caller)
                .await?;
            self.look_at(&mut target).await?;
            step.targets.push(target);
        }
        step.follow_targets();
        Ok(step)
    }

    /// Records the message of a step. Deliveries follow from the entry.
    async fn tell(
        &self,
        run: &PlaybookRun,
        step: &RunStep,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let operation = match step.step.action {
            StepAction::Webhook => "playbook.webhook",
            _ => "playbook.notify",
        };
        let channels = step.step.channels.iter();
        let channels: Vec<Json> = channels.map(|id| Json::from(id.clone())).collect();
        let entry = log_entry::run(operation, run, caller)
            .with_metadata("message", step.step.message.clone())
            .with_metadata("channels", Json::from(channels));
        self.record(entry).await
    }

    /// Asks for a measure on a resource, and applies what the agent type proposes.
    async fn contain(
        &self,
        incident: &Incident,
        run: &PlaybookRun,
        resource: Resource,
        measure: Measure,
        caller: &Caller,
    ) -> Result<RunTarget, EngineError> {
        let mut target = RunTarget {
            resource: resource.id.clone(),
            name: resource.name.clone(),
            kind: resource.kind.as_str().to_owned(),
            connection: resource.connection.clone(),
            state: StepState::Skipped,
            recommendation: None,
            action: None,
            detail: String::new(),
        };
        if let Some(reason) = self.keeps_access(&resource, run).await? {
            target.detail = reason;
            return Ok(target);
        }

        let evidence = incident.members.iter().filter(|one| one.is_evidence());
        let request = ContainmentRequest {
            incident: incident.id.clone(),
            title: incident.title.clone(),
            severity: incident.severity,
            measure,
            evidence: evidence
                .take(MOST_EVIDENCE)
                .map(|member| member.title.clone())
                .collect(),
        };
        let event = JudgementEvent {
            at: self.now(),
            resource: resource.id,
            connection: Some(resource.connection),
            cause: OriginCause::Incident(incident.id.clone()),
            content: EventContent::Observation {
                source: CONTAINMENT,
                facts: OpenFacts::default().with(request),
            },
        };

        let answers = self.ports.responses.judge_event(&event).await?;
        let proposed = answers
            .into_iter()
            .reduce(|best, one| if best.is_ok() { best } else { one });
        let recommendation = match proposed {
            Some(Ok(recommendation)) => recommendation,
            Some(Err(reason)) => {
                target.detail = reason.as_str().replace('_', " ");
                return Ok(target);
            }
            None => {
                target.detail = "the inventory does not have it".to_owned();
                return Ok(target);
            }
        };

        target.recommendation = Some(recommendation.id.clone());
        let why = format!("playbook \"{}\" on incident {}", run.title, incident.id.0);
        let applied = if caller.is_person() {
            let containment = &self.ports.containment;
            containment.apply(&recommendation.id, &why, caller).await
        } else {
            self.ports.responses.respond(&recommendation.id, &why).await
        };
        target.state = StepState::Waiting;
        match applied {
            Ok(ResponseRemedy::Began(action) | ResponseRemedy::Undoing(action)) => {
                target.action = Some(action)
            }
            Ok(ResponseRemedy::Asked(_)) => {}
            Ok(ResponseRemedy::Nothing(reason)) => target.detail = reason,
            Err(error) if error.is_outage() => return Err(error),
            Err(error) => target.detail = error.to_string(),
        }
        Ok(target)
    }

    /// Reason why a resource is left alone: Reeve itself acts by the role and could take nothing back
    /// without it, or an earlier step denies it everything.
    async fn keeps_access(
        &self,
        resource: &Resource,
        run: &PlaybookRun,
    ) -> Result<Option<String>, EngineError> {
        let connection = &resource.connection;
        let connection = self.ports.estate.connection_get(connection).await?;
        if connection.assume_role.as_deref() == Some(resource.id.as_str()) {
            let words = "Reeve itself uses this role, and could take nothing back without it";
            return Ok(Some(words.to_owned()));
        }

        let blocked = run.steps.iter().any(|step| {
            let is_block = step.step.action == StepAction::BlockPrincipal;
            let mut targets = step.targets.iter();
            is_block
                && targets.any(|one| {
                    one.resource == resource.id
                        && one.connection == resource.connection
                        && one.recommendation.is_some()
                })
        });
        Ok(blocked.then(|| "an earlier step denies it everything".to_owned()))
    }

    /// Takes over the state of a target's recommendation. A reason that the engine gave for leaving
    /// it stays.
    pub(super) async fn look_at(&self, target: &mut RunTarget) -> Result<(), EngineError> {
        let Some(id) = &target.recommendation else {
            return Ok(());
        };
        let recommendation = match self.ports.agents.recommendation_get(id).await {
            Ok(found) => found,
            Err(StoreError::NotFound { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let actions = self.ports.agents.action_list(Some(id), None).await?;
        let applied = actions
            .iter()
            .filter(|action| action.purpose == Purpose::Apply)
            .max_by_key(|action| action.started_at);

        let said = std::mem::take(&mut target.detail);
        target.follow(&recommendation, applied);
        // An open recommendation does not tell why it was left: the answer to the run does.
        if recommendation.status == Status::Open && !said.is_empty() {
            target.detail = said;
        }
        Ok(())
    }

    async fn look_at_steps(&self, run: &mut PlaybookRun) -> Result<(), EngineError> {
        for step in &mut run.steps {
            for target in &mut step.targets {
                self.look_at(target).await?;
            }
            step.follow_targets();
        }
        Ok(())
    }

    /// Follows the steps of runs that go on, and takes back what has to be taken back.
    ///
    /// # Errors
    /// The store or the log failed; the next call goes on.
    pub async fn advance(&self) -> Result<(), EngineError> {
        let _running = self.running.lock().await;
        let filter = RunFilter {
            is_active: true,
            ..RunFilter::default()
        };
        for mut run in self.ports.incidents.playbook_run_list(&filter).await? {
            self.follow_steps(&mut run).await?;
            self.go_on_taking_back(&mut run).await?;
        }
        Ok(())
    }

    pub(super) async fn follow_steps(&self, run: &mut PlaybookRun) -> Result<(), EngineError> {
        let mut seen = run.clone();
        self.look_at_steps(&mut seen).await?;
        for (at, step) in seen.steps.into_iter().enumerate() {
            if step != run.steps[at] {
                self.note_step(run, at, step, &Caller::system()).await?;
            }
        }
        Ok(())
    }

    /// Writes a step of a run. A new state is an entry of the log.
    pub(super) async fn note_step(
        &self,
        run: &mut PlaybookRun,
        at: usize,
        mut step: RunStep,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        if step.state != run.steps[at].state {
            step.at = Some(self.now());
            let recommendations = step.targets.iter();
            let recommendations: Vec<Json> = recommendations
                .filter_map(|target| target.recommendation.as_ref())
                .map(|id| Json::from(id.0.clone()))
                .collect();
            let entry = log_entry::run("playbook.step", run, caller)
                .with_metadata("step", step.step.action.as_str())
                .with_metadata("state", step.state.as_str())
                .with_metadata("detail", step.detail.clone())
                .with_metadata("recommendations", Json::from(recommendations));
            self.record(entry).await?;
        }

        run.steps[at] = step;
        run.version += 1;
        Ok(self.ports.incidents.playbook_run_update(run).await?)
    }
}

const fn nothing_fits(measure: Measure) -> &'static str {
    match measure {
        Measure::QuarantineMachine => {
            "no machine of the inventory is used by the attacker, as far as the findings show"
        }
        Measure::Snapshot => {
            "no machine with volumes in the inventory is used by the attacker, as far as the findings show"
        }
        Measure::DeactivateKey => {
            "no access key of the inventory is used by the attacker, as far as the findings show"
        }
        Measure::RevokeSessions | Measure::BlockPrincipal => {
            "no user or role of the inventory is used by the attacker, as far as the findings show"
        }
    }
}
