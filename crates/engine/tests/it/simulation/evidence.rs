//! The evidence of a life, read from what the engine does not own: the entries that were recorded,
//! the cloud's own list of changes, and what people had set, in the order it happened. Whatever it
//! contradicts of what the engine promises is a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::{ActionStatus, Entry, Json, Severity};
use reeve_estate::{Mutation, ResourceKind, ResourceState};

use crate::journal::{Changed, Note, Policy};

/// A finding, as recorded.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) kind: String,
    pub(super) agent: String,
    pub(super) resource: String,
    pub(super) size: Option<String>,
    pub(super) target: Option<String>,
    /// The hash of its plan and its impact, each time they were recorded.
    pub(super) versions: Vec<(String, String)>,
}

/// A request for approval, as recorded.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    pub(super) recommendation: String,
    pub(super) plan_hash: String,
    pub(super) by: String,
    pub(super) asked: Timestamp,
    /// Signatures given: role, user, and position in the journal.
    pub(super) signed: Vec<(String, String, usize)>,
    /// Delegations: role, from whom, to whom.
    pub(super) delegated: Vec<(String, String, String)>,
    pub(super) closed: Option<usize>,
}

/// One execution, as recorded.
#[derive(Debug, Clone)]
pub(super) struct Execution {
    pub(super) id: String,
    pub(super) recommendation: String,
    pub(super) agent: String,
    pub(super) test: bool,
    pub(super) plan_hash: String,
    pub(super) asked_by: String,
    pub(super) run: Option<String>,
    /// Guardrail that a signed exception lets it pass, the value that was allowed, and the
    /// approval.
    pub(super) exception: Option<(String, f64, String)>,
    pub(super) resource: String,
    pub(super) at: Timestamp,
    /// Position of its last check of the preconditions, with the state of the resource at that
    /// time.
    pub(super) checked: Option<usize>,
    pub(super) before: Option<(ResourceState, Option<String>)>,
    pub(super) began: Option<usize>,
    pub(super) last_change: Option<Timestamp>,
    pub(super) snapshots: Vec<(String, Timestamp)>,
    /// Operation and time of its end.
    pub(super) ended: Option<(String, Timestamp)>,
    /// Its end before it was begun again, until a step follows.
    pub(super) reopened: Option<(String, Timestamp)>,
    pub(super) held: bool,
    /// Somebody else changed the resource meanwhile.
    pub(super) disturbed: bool,
}

/// A step that was announced and not yet closed.
#[derive(Debug, Clone)]
struct Open {
    operation: String,
    description: String,
    resource: String,
    changes: u32,
}

/// State that was derived from the journal.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// Violations of the promised invariants, in words.
    pub(crate) faults: Vec<String>,
    /// Number of occurrences by operation.
    pub(crate) counts: BTreeMap<String, u64>,
    pub(super) found: BTreeMap<String, Found>,
    pub(super) requests: BTreeMap<String, Request>,
    pub(super) executions: BTreeMap<String, Execution>,
    /// Actions on simulated twins.
    simulated: BTreeSet<String>,
    pub(super) policies: Vec<Arc<Policy>>,
    pub(super) machines: BTreeMap<String, Changed>,
    /// Time at which an execution stopped a machine, and the spans for which it was down.
    pub(super) down: BTreeMap<String, Vec<(Timestamp, Option<Timestamp>)>>,
    /// Position in the journal at which a resource was first tagged to be ignored, or as owned by
    /// code.
    ignored: BTreeMap<String, usize>,
    pub(super) owned: BTreeMap<String, usize>,
    pub(super) scheduled: BTreeMap<String, Timestamp>,
    open: BTreeMap<String, Open>,
    /// The execution that works on a resource.
    working: BTreeMap<String, String>,
    policy_entries: Vec<Json>,
}

pub(super) fn meta<'e>(entry: &'e Entry, name: &str) -> &'e str {
    entry
        .metadata
        .extra
        .get(name)
        .and_then(Json::as_str)
        .unwrap_or_default()
}

fn exception(entry: &Entry) -> Option<(String, f64, String)> {
    let value = entry.metadata.extra.get("exception_value")?.as_f64()?;
    Some((
        meta(entry, "exception_guardrail").to_owned(),
        value,
        meta(entry, "exception_approval_id").to_owned(),
    ))
}

fn after<'e>(entry: &'e Entry, name: &str) -> Option<&'e Json> {
    entry.changes.after.as_ref()?.get(name)
}

pub(crate) fn read(notes: &[Note]) -> Evidence {
    let mut evidence = Evidence::default();
    for (at, note) in notes.iter().enumerate() {
        match note {
            Note::Recorded(entry) => evidence.entry(at, entry),
            Note::Asked(id, mutation) => evidence.asked(id, mutation),
            Note::Changed(changed) => evidence.changed(at, changed),
            Note::Policy(policy) => evidence.policy(policy),
            Note::Began => evidence.count("process began"),
        }
    }

    evidence.close();
    evidence
}

const fn operation_of(mutation: &Mutation) -> &'static str {
    match mutation {
        Mutation::Stop => "stop",
        Mutation::Start => "start",
        Mutation::Resize { .. } => "modify",
        Mutation::Snapshot { .. } => "snapshot",
        Mutation::Grow { .. } => "grow",
        Mutation::Scale { .. } => "scale",
        Mutation::FailOver => "fail_over",
        Mutation::Replicate { .. } | Mutation::RemoveReplica { .. } => "replicate",
        Mutation::Isolate | Mutation::SetGroups { .. } => "isolate",
    }
}

impl Evidence {
    pub(super) fn fault(&mut self, what: String) {
        self.faults.push(what);
    }

    fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    /// State and size of a resource at a time, as the cloud knows them.
    pub(super) fn state(
        &self,
        id: &str,
        now: Timestamp,
    ) -> Option<(ResourceState, Option<String>)> {
        let changed = self.machines.get(id)?;
        Some((
            changed.state_at(now),
            changed.after.specification.instance_type.clone(),
        ))
    }

    fn entry(&mut self, at: usize, entry: &Entry) {
        // A simulated twin is no machine of the cloud, whose own list of changes shows that nothing
        // was touched.
        if meta(entry, "purpose") == "simulate" {
            self.simulated.insert(meta(entry, "action_id").to_owned());
        }

        if self.simulated.contains(meta(entry, "action_id")) {
            return self.count(format!(
                "simulated {}",
                entry.action.operation.as_deref().unwrap_or_default()
            ));
        }

        let operation = entry.action.operation.clone().unwrap_or_default();
        let went = entry.action.status;

        match (entry.event_type.as_str(), operation.as_str()) {
            ("policy.modify", _) => self.policy_entries.extend(entry.changes.after.clone()),
            ("intelligence.recommendation", "recommendation.create" | "recommendation.refresh") => {
                self.finding(entry)
            }
            ("intelligence.recommendation", "recommendation.execute")
                if went == Some(ActionStatus::Denied) =>
            {
                let reason = meta(entry, "reason")
                    .split(':')
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                self.count(format!("blocked: {reason}"));
            }
            ("intelligence.recommendation", _) => self.moved(&operation, entry),
            ("intelligence.approval", _) => self.approval(at, &operation, entry),
            ("intelligence.action", _) => self.action(at, &operation, entry),
            (
                "intelligence.check" | "resource.snapshot" | "resource.modify" | "resource.state"
                | "resource.create" | "resource.delete" | "resource.tag",
                _,
            ) => self.step(at, &operation, entry),
            _ => {}
        }
    }

    fn finding(&mut self, entry: &Entry) {
        let text = |name| after(entry, name).and_then(Json::as_str).map(str::to_owned);
        let id = meta(entry, "recommendation_id").to_owned();
        let mut versions = self
            .found
            .remove(&id)
            .map(|known| known.versions)
            .unwrap_or_default();

        versions.push((
            meta(entry, "plan_hash").to_owned(),
            text("impact_level").unwrap_or_default(),
        ));
        let found = Found {
            kind: meta(entry, "recommendation_type").to_owned(),
            agent: meta(entry, "agent_id").to_owned(),
            resource: entry.resource.id.clone().unwrap_or_default(),
            size: text("instance_type"),
            target: text("target_type"),
            versions,
        };

        if entry.action.operation.as_deref() == Some("recommendation.create") {
            self.count("recommendations");
        }

        self.found.insert(id, found);
    }

    fn moved(&mut self, operation: &str, entry: &Entry) {
        let id = meta(entry, "recommendation_id").to_owned();
        self.count(operation);
        if let Some(time) = after(entry, "scheduled_for")
            .and_then(Json::as_str)
            .and_then(|text| text.parse().ok())
        {
            self.scheduled.insert(id, time);
        }
    }

    fn approval(&mut self, at: usize, operation: &str, entry: &Entry) {
        self.count(operation);
        let who = entry.actor.email.clone().unwrap_or_default();
        let request = self
            .requests
            .entry(meta(entry, "approval_id").to_owned())
            .or_default();
        let signature = meta(entry, "signature").to_owned();

        match operation {
            "approval.request" => {
                request.recommendation = meta(entry, "recommendation_id").to_owned();
                request.by = meta(entry, "requested_by").to_owned();
                request.asked = entry.timestamp;
                let hash = after(entry, "plan_hash").and_then(Json::as_str);
                request.plan_hash = hash.unwrap_or_default().to_owned();
            }
            "approval.sign" => request.signed.push((signature, who, at)),
            "approval.delegate" => {
                request
                    .delegated
                    .push((signature, who, meta(entry, "to").to_owned()))
            }
            "approval.reject" | "approval.expire" => request.closed = Some(at),
            _ => {}
        }
    }

    fn action(&mut self, at: usize, operation: &str, entry: &Entry) {
        let id = meta(entry, "action_id").to_owned();
        self.count(operation);

        match operation {
            "action.start" => {
                let twin = meta(entry, "twin");
                let resource = entry.resource.id.clone().unwrap_or_default();
                let run = meta(entry, "run_id");
                let execution = Execution {
                    id: id.clone(),
                    recommendation: meta(entry, "recommendation_id").to_owned(),
                    agent: meta(entry, "agent_id").to_owned(),
                    test: meta(entry, "purpose") == "test",
                    plan_hash: meta(entry, "plan_hash").to_owned(),
                    asked_by: meta(entry, "asked_by").to_owned(),
                    run: (!run.is_empty()).then(|| run.to_owned()),
                    exception: exception(entry),
                    resource: if twin.is_empty() {
                        resource
                    } else {
                        twin.to_owned()
                    },
                    at: entry.timestamp,
                    checked: None,
                    before: None,
                    began: None,
                    last_change: None,
                    snapshots: Vec::new(),
                    ended: None,
                    reopened: None,
                    held: false,
                    disturbed: false,
                };
                self.may_begin(at, &execution);
                self.executions.insert(id, execution);
            }
            "action.resume" | "action.rollback" => {
                let Some(execution) = self.executions.get_mut(&id) else {
                    return self.fault(format!("{id} was never begun"));
                };
                // What was refused by the store did not begin again.
                if entry.action.status == Some(ActionStatus::Failed) {
                    execution.ended = execution.reopened.take().or(execution.ended.take());
                } else if let Some(ended) = execution.ended.take() {
                    execution.reopened = Some(ended);
                }
            }
            "action.succeed" | "action.abort" | "action.fail" | "action.rolled_back" => {
                self.ended(&id, operation, entry)
            }
            _ => {}
        }
    }

    fn ended(&mut self, id: &str, operation: &str, entry: &Entry) {
        if operation == "action.fail" && entry.severity != Severity::High {
            self.fault(format!("{id} failed and is not told as grave"));
        }
        if let Some(open) = self.open.get(id) {
            self.faults
                .push(format!("{id} ended while {} was open", open.operation));
        }

        let Some(execution) = self.executions.get_mut(id) else {
            return self.fault(format!("{id} ended and was never begun"));
        };

        execution.ended = Some((operation.to_owned(), entry.timestamp));
        execution.held |= operation == "action.succeed";
        let execution = execution.clone();
        if self
            .working
            .get(&execution.resource)
            .is_some_and(|working| *working == execution.id)
        {
            self.working.remove(&execution.resource);
        }

        self.ended_as_recorded(&execution, operation, entry.timestamp);
    }

    fn step(&mut self, at: usize, operation: &str, entry: &Entry) {
        let id = meta(entry, "action_id").to_owned();
        // The entry of a replica is about the replica; the step works on its source.
        let source = meta(entry, "source_resource_id").to_owned();
        let resource = if source.is_empty() {
            entry.resource.id.clone().unwrap_or_default()
        } else {
            source
        };

        if entry.action.status != Some(ActionStatus::Pending) {
            let open = self.open.remove(&id);
            // An end that was recorded and not kept is followed by one that says so.
            let again = open.is_none() && meta(entry, "detail").starts_with("interrupted");
            if !again && open.is_none_or(|open| open.operation != operation) {
                self.fault(format!("{id}: {operation} ended and was not begun"));
            }
            return;
        }

        let now = entry.timestamp;
        let state = self.state(&resource, now);
        let Some(execution) = self.executions.get_mut(&id) else {
            return self.fault(format!("{id} has steps and no beginning"));
        };

        execution.began.get_or_insert(at);
        if operation == "precondition" {
            (execution.checked, execution.before, execution.disturbed) = (Some(at), state, false);
        }

        if execution.ended.is_some() || execution.resource != resource {
            self.faults.push(format!(
                "{id}: {operation} on {resource} begins after its end, or elsewhere"
            ));
        }

        execution.reopened = None;
        if let Some(other) = self
            .working
            .insert(resource.clone(), id.clone())
            .filter(|other| *other != id)
        {
            self.fault(format!("{id} and {other} work on {resource} at once"));
        }

        let description = meta(entry, "description").to_owned();
        let open = Open {
            operation: operation.to_owned(),
            description,
            resource,
            changes: 0,
        };

        if let Some(left) = self
            .open
            .insert(id.clone(), open)
            .filter(|left| left.changes > 0)
        {
            self.fault(format!(
                "{id}: {} on {} changed something and has no record after it",
                left.operation, left.resource
            ));
        }
    }

    /// The announced step that a call to the cloud belongs to.
    fn announced(&self, id: &str, mutation: &Mutation) -> Option<String> {
        let fits = |open: &Open| {
            open.operation.ends_with(operation_of(mutation)) && open.description.contains(id)
        };
        self.open
            .iter()
            .find(|(_, open)| fits(open))
            .map(|(action, _)| action.clone())
    }

    fn asked(&mut self, id: &str, mutation: &Mutation) {
        self.count("calls to the cloud");
        if self.announced(id, mutation).is_none() {
            self.fault(format!("{mutation:?} on {id} was asked and not announced"));
        }
    }

    fn changed(&mut self, at: usize, changed: &Changed) {
        let id = changed.after.id.0.clone();
        let Some(mutation) = &changed.call else {
            for key in [("reeve:ignore", true), ("managed-by", false)] {
                let tagged = changed.after.tags.contains_key(key.0);
                let map = if key.1 {
                    &mut self.ignored
                } else {
                    &mut self.owned
                };
                if tagged {
                    map.entry(id.clone()).or_insert(at);
                }
            }
            let attached = &changed.after.attached_to;
            let touches = |execution: &&mut Execution| {
                execution.resource == id || attached.iter().any(|to| to.0 == execution.resource)
            };
            self.executions
                .values_mut()
                .filter(touches)
                .for_each(|execution| execution.disturbed = true);
            self.machines.insert(id, changed.clone());
            return;
        };

        self.count(format!("changed: {}", operation_of(mutation)));
        let Some(action) = self.announced(&id, mutation) else {
            return;
        };

        self.allowed(&action, &id, mutation, changed);
        self.note_down(&id, mutation, changed);
        if !matches!(mutation, Mutation::Snapshot { .. }) {
            self.machines.insert(id, changed.clone());
        }
    }

    fn note_down(&mut self, id: &str, mutation: &Mutation, changed: &Changed) {
        let spans = self.down.entry(id.to_owned()).or_default();
        match mutation {
            Mutation::Stop => spans.push((changed.at, None)),
            Mutation::Start => {
                if let Some((_, end)) = spans.last_mut().filter(|(_, end)| end.is_none()) {
                    *end = Some(changed.settles);
                }
            }
            _ => {}
        }
    }

    /// A change that was made: by the step that announced it, forwards only where that may be.
    fn allowed(&mut self, action: &str, id: &str, mutation: &Mutation, changed: &Changed) {
        let Some(open) = self.open.get_mut(action) else {
            return;
        };

        open.changes += 1;
        let (back, description) = (
            open.operation.starts_with("rollback."),
            open.description.clone(),
        );
        let Some(execution) = self.executions.get_mut(action) else {
            return;
        };

        execution.last_change = Some(changed.at);
        if matches!(mutation, Mutation::Snapshot { .. }) {
            execution.snapshots.push((id.to_owned(), changed.settles));
        }

        let execution = execution.clone();
        if let Mutation::Resize { instance_type } = mutation
            && !description.ends_with(&format!(" to {instance_type}"))
        {
            self.fault(format!(
                "{action}: {id} became {instance_type}, and {description:?} was announced"
            ));
        }

        if back {
            return;
        }
        if let Some(policy) = self
            .policies
            .last()
            .filter(|policy| policy.guardrails.kill_switch)
        {
            let thrown = self
                .policies
                .iter()
                .rev()
                .take_while(|p| p.guardrails.kill_switch)
                .last()
                .map_or(policy.at, |p| p.at);
            let late = changed.at.duration_since(thrown);
            if late.as_secs() >= 1 {
                self.fault(format!(
                    "{action}: {mutation:?} on {id} {late:?} after the kill switch was turned on"
                ));
            }
        }

        if self
            .ignored
            .get(&execution.resource)
            .is_some_and(|tagged| execution.checked.is_none_or(|checked| *tagged < checked))
        {
            self.fault(format!(
                "{action}: {id} was changed and was to be left alone"
            ));
        }

        if self
            .owned
            .get(&execution.resource)
            .is_some_and(|tagged| execution.checked.is_none_or(|checked| *tagged < checked))
            && self.is_left_to_code(&execution)
        {
            self.fault(format!("{action}: {id} was changed and code owns it"));
        }

        let idle = self
            .found
            .get(&execution.recommendation)
            .is_some_and(|found| found.kind == "idle_resource_cleanup");
        if idle && *mutation == Mutation::Stop && !execution.test {
            self.disks_kept(&execution, changed.at);
        }
    }

    /// Each disk of a machine that is stopped for good has a snapshot that is complete.
    fn disks_kept(&mut self, execution: &Execution, now: Timestamp) {
        let attached = |changed: &&Changed| {
            changed.after.kind == ResourceKind::Volume
                && changed.after.state != ResourceState::Deleted
                && changed
                    .after
                    .attached_to
                    .iter()
                    .any(|machine| machine.0 == execution.resource)
        };

        let kept = |id: &str| {
            execution
                .snapshots
                .iter()
                .any(|(resource, complete)| resource == id && *complete <= now)
        };

        let bare = self
            .machines
            .values()
            .filter(attached)
            .find(|changed| !kept(changed.after.id.as_str()));

        if let Some(bare) = bare.filter(|_| !execution.disturbed) {
            let what = format!(
                "{}: {} was stopped without a snapshot of {}",
                execution.id, execution.resource, bare.after.id
            );
            self.fault(what);
        }
    }

    fn policy(&mut self, policy: &Arc<Policy>) {
        let limits = &policy.guardrails;
        let same = |entry: &Json| {
            entry.get("kill_switch").and_then(Json::as_bool) == Some(limits.kill_switch)
                && entry.get("cool_down_s").and_then(Json::as_f64)
                    == Some(limits.cool_down_s as f64)
        };

        if limits.version > 0 && !self.policy_entries.iter().any(same) {
            self.fault(format!(
                "guardrails {} were kept and not recorded",
                limits.version
            ));
        }

        self.policies.push(Arc::clone(policy));
    }

    /// The life is over: nothing may be left open.
    fn close(&mut self) {
        let left: Vec<String> = self
            .open
            .iter()
            .filter(|(_, open)| open.changes > 0)
            .map(|(id, open)| format!("{id}: {}", open.operation))
            .collect();

        for step in left {
            self.fault(format!(
                "{step} changed something and has no record after it"
            ));
        }

        // An undo whose process died before it was kept changed nothing.
        let endless = |execution: &&Execution| {
            execution.began.is_some() && execution.ended.is_none() && execution.reopened.is_none()
        };

        let endless: Vec<String> = self
            .executions
            .values()
            .filter(endless)
            .map(|execution| execution.id.clone())
            .collect();

        for id in endless {
            self.fault(format!("{id} began and never ended"));
        }
    }
}
