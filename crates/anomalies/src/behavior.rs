//! Events out of audit entries, so that the watch over behavior judges CloudTrail records,
//! activity of other clouds and Reeve's own entries alike.
//!
//! Everything is read from the entry: from its own fields, and, for what was imported, from the
//! source's record that stands under `metadata`. Nothing is concluded from names that people choose
//! freely, such as those of users, roles and resources, and of the user agent only the program's
//! name is kept, as one habit among others.

mod condition;
mod identity;
mod leaves;
mod parameters;
mod place;

use reeve_audit::{ActionStatus, Entry, Json};
use reeve_learn::behavior::words::{Verb, Words};
use reeve_learn::behavior::{
    ActivityEvent, BehaviorJudgement, BehaviorOutcome, Review, Trait, Watch,
};

use self::identity::BehaviorIdentity;

/// Entries that a review puts into order at a time, and judgements that it holds back: some 150 MB
/// of both.
const HELD: usize = 50_000;
/// Longest texts taken over into an event, in bytes.
const LONGEST: usize = 256;

/// The event that an entry records.
pub fn event(entry: &Entry) -> ActivityEvent {
    let source = BehaviorSource::new(entry);
    let identity = BehaviorIdentity::from_source(&source);
    let (service, operation) = action(&source);
    let mut traits = identity.traits;
    parameters::read(&source, &identity, (&service, &operation), &mut traits);

    ActivityEvent {
        at_ms: entry.timestamp.as_millisecond(),
        principal: identity.principal,
        kind: identity.kind,
        peers: identity.peers,
        resource_kind: short(entry.resource.kind.as_deref().unwrap_or_default()),
        resource: short(entry.resource.id.as_deref().unwrap_or_default()),
        place: place::locate(&source, traits.has(Trait::PassedOn)),
        tool: tool(entry.actor.user_agent.as_deref().unwrap_or_default()),
        becomes: identity::becomes(&source, &operation).unwrap_or_default(),
        outcome: outcome(&source, &operation),
        traits,
        service,
        operation,
    }
}

/// Judges entries one after the other, in the order they arrived.
#[derive(Debug, Clone, Default)]
pub struct EntryWatch {
    watch: Watch,
}

impl EntryWatch {
    /// Judges an entry by those before it, and learns it.
    pub fn observe(&mut self, entry: &Entry) -> BehaviorJudgement {
        self.watch.observe(&event(entry))
    }

    /// Judges the event of an entry by those before it, and learns it.
    pub fn observe_event(&mut self, event: &ActivityEvent) -> BehaviorJudgement {
        self.watch.observe(event)
    }

    /// Returns the watch, for profiles and unusual events.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }
}

/// Judges entries that are complete, in the order of their times and then in retrospect; `T`
/// identifies the entry.
#[derive(Debug)]
pub struct EntryReview<T>(Review<T>);

impl<T> Default for EntryReview<T> {
    fn default() -> Self {
        Self(Review::new(Watch::default(), HELD))
    }
}

impl<T> EntryReview<T> {
    /// Takes the next entry. Judgements come back in the same order, once tens of thousands more
    /// were taken.
    pub fn add(&mut self, entry: &Entry, context: T) -> Option<(T, BehaviorJudgement)> {
        self.0.add(event(entry), context)
    }

    /// The oldest judgement that has not come back, after the last entry was taken.
    pub fn release(&mut self) -> Option<(T, BehaviorJudgement)> {
        self.0.release()
    }

    /// Returns the number of judged entries.
    pub fn entries(&self) -> u64 {
        self.0.events()
    }
}

/// Returns `true` unless the entry's action was refused, failed or only rehearsed.
pub(crate) fn succeeded(entry: &Entry) -> bool {
    let source = BehaviorSource::new(entry);
    outcome(&source, &action(&source).1) == BehaviorOutcome::Done
}

/// Returns `true` for a sign-in, whatever came of it.
pub(crate) fn is_sign_in(event: &ActivityEvent) -> bool {
    Verb::classify(&Words::from_operation(&event.service, &event.operation)) == Verb::SignIn
}

/// The machine whose own credentials were used: the cloud says in the record that it gave them to a
/// machine, and names their session after it. Of a name alone, which whoever takes on a role
/// chooses freely, nothing is concluded.
pub fn machine(entry: &Entry) -> Option<String> {
    identity::own_machine(&BehaviorSource::new(entry))
}

/// The name under which an entry's principal is known to the watch.
pub fn principal(entry: &Entry) -> String {
    BehaviorIdentity::from_source(&BehaviorSource::new(entry)).principal
}

/// An entry, and the record it was imported from.
pub(crate) struct BehaviorSource<'a> {
    pub(crate) entry: &'a Entry,
    /// Original record of the source, as far as the entry keeps it.
    record: Option<&'a Json>,
}

impl<'a> BehaviorSource<'a> {
    fn new(entry: &'a Entry) -> Self {
        Self {
            entry,
            record: entry.metadata.extra.get("cloudtrail"),
        }
    }

    /// A member of the record, whatever the case of its name.
    pub(crate) fn member(&self, name: &str) -> Option<&'a Json> {
        any_case(self.record?, name)
    }

    /// A member that is a text with something in it.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.member(name)
            .and_then(Json::as_str)
            .filter(|text| !text.is_empty())
    }

    /// Returns the parameters of the call: those of the record, or the state after the change.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &'a Json> {
        [
            self.member("requestParameters"),
            self.entry.changes.after.as_ref(),
        ]
        .into_iter()
        .flatten()
    }

    /// The account it happened in.
    pub(crate) fn account(&self) -> &'a str {
        self.entry
            .resource
            .account_id
            .as_deref()
            .unwrap_or_default()
    }
}

/// A member of an object, whatever the case of its name.
pub(crate) fn any_case<'a>(object: &'a Json, name: &str) -> Option<&'a Json> {
    let object = object.as_object()?;
    object.get(name).or_else(|| {
        object
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    })
}

/// Service and operation. Entries of Reeve's own have the category of their type for a service.
fn action(source: &BehaviorSource<'_>) -> (String, String) {
    let entry = source.entry;
    let operation = entry
        .action
        .operation
        .as_deref()
        .or_else(|| source.text("eventName"));
    let kind = entry.event_type.as_str();
    let operation = operation.map_or_else(
        || {
            kind.split_once('.')
                .map_or(kind, |(_, rest)| rest)
                .to_owned()
        },
        short,
    );

    let service = source
        .text("eventSource")
        .map(|text| text.split(".amazonaws.").next().unwrap_or(text));
    // Azure's operations begin with their provider: `Microsoft.Compute/virtualMachines/write`.
    let service = service.map(str::to_owned).or_else(|| {
        operation
            .split_once('/')
            .map(|(provider, _)| provider.to_owned())
            .filter(|provider| provider.contains('.'))
    });

    let service = service.unwrap_or_else(|| match entry.resource.cloud_provider.as_deref() {
        Some(_) => entry
            .resource
            .kind
            .clone()
            .unwrap_or_else(|| entry.category().to_owned()),
        None => entry.category().to_owned(),
    });

    (short(&service), operation)
}

fn outcome(source: &BehaviorSource<'_>, operation: &str) -> BehaviorOutcome {
    let error = source.text("errorCode").unwrap_or_default();
    let has = |words: &[&str]| {
        words
            .iter()
            .any(|word| error.to_ascii_lowercase().contains(word))
    };

    match source.entry.action.status {
        Some(ActionStatus::Denied) => BehaviorOutcome::Denied,
        Some(ActionStatus::Failed) if has(&["dryrun", "dry_run"]) => BehaviorOutcome::Rehearsed,
        Some(ActionStatus::Failed)
            if has(&[
                "denied",
                "unauthorized",
                "forbidden",
                "notauthorized",
                "not_authorized",
            ]) =>
        {
            BehaviorOutcome::Denied
        }
        Some(ActionStatus::Failed) => BehaviorOutcome::Failed,
        // Some sources put the failure into the answer alone.
        _ if failed_answer(source, operation) => BehaviorOutcome::Failed,
        _ => BehaviorOutcome::Done,
    }
}

fn failed_answer(source: &BehaviorSource<'_>, operation: &str) -> bool {
    let answer = source
        .member("responseElements")
        .and_then(|answers| any_case(answers, operation));
    answer
        .and_then(Json::as_str)
        .is_some_and(|text| text.eq_ignore_ascii_case("failure"))
}

/// The program of a user agent, without its version and surroundings.
fn tool(agent: &str) -> String {
    let name = agent
        .split(['/', ' ', '(', ';', '_'])
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    short(name.trim_start_matches('['))
}

/// A text cut to what an event keeps.
fn short(text: &str) -> String {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests;
