//! Profiles of resources: who acts on each and by which calls, and the programs whose calls are few
//! and always the same.
//!
//! How likely a new caller or call is follows from the past of the resource alone: `k` different
//! ones in `h` hours of use make the next a new one with the probability `k / (k + h)` (the
//! estimate of the Chinese restaurant process). A resource that everyone uses gives no alarm, one
//! that one program has used for weeks does. Until a resource is known well enough there is no
//! answer. Memory is bounded; the resource that was used least recently is forgotten first.

use std::collections::{BTreeMap, HashMap};

use super::event::{ActivityEvent, BehaviorOutcome, BehaviorPrincipalKind};
use super::names::fingerprint;
use super::prior::Meaning;
use super::words::{Verb, WordClass};

/// Resources that are profiled.
const MOST_RESOURCES: usize = 20_000;
/// Callers and calls that are kept of one resource.
const MOST_KEPT: usize = 48;
/// Days from its first use on in which a resource is only learned.
const LEARNING_MS: i64 = 7 * 24 * HOUR_MS;
/// Hours of use below which a resource is only learned.
const FEWEST_HOURS: f64 = 24.0;
/// Probability of a new caller or call that is worth half a score: one in fifty hours of use.
const HALF_A_SCORE: f64 = 0.02;
/// Different calls above which a program is no steady one.
const STEADY_CALLS: usize = 12;
const HOUR_MS: i64 = 3_600_000;

/// Novelty in the use of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Novelty {
    /// A principal that never acted on the resource, nor did any of its peers.
    Caller,
    /// A call that a program never made.
    Call,
}

/// Unusual use of a resource.
#[derive(Debug, Clone, PartialEq)]
pub struct UnusualUse {
    /// The resource, or the program that made the call.
    pub resource: String,
    pub novelty: Novelty,
    /// From 0 (ordinary) to 1.
    pub score: f64,
    /// Different callers or calls before, and the hours of use that they were seen in.
    pub known: usize,
    pub hours: u64,
}

impl UnusualUse {
    /// Returns the reason in words.
    #[must_use]
    pub fn words(&self) -> String {
        let plural = if self.known == 1 { "" } else { "s" };
        let what = match self.novelty {
            Novelty::Caller => "caller",
            Novelty::Call => "kind of call",
        };
        format!(
            "a new {what}: {} {what}{plural} in {} hours of use before",
            self.known, self.hours
        )
        .replace("kind of calls", "kinds of call")
    }
}

/// Different callers or calls, by fingerprint, each with the hour of its last use.
#[derive(Debug, Clone, Default)]
struct Known(BTreeMap<u64, i64>);

impl Known {
    fn has(&self, one: u64) -> bool {
        self.0.contains_key(&one)
    }

    fn note(&mut self, one: u64, hour: i64) {
        if self.0.len() >= MOST_KEPT && !self.has(one) {
            let oldest = self.0.iter().min_by_key(|(_, hour)| **hour);
            if let Some(oldest) = oldest.map(|(one, _)| *one) {
                self.0.remove(&oldest);
            }
        }
        self.0.insert(one, hour);
    }
}

/// Past of one resource or program.
#[derive(Debug, Clone, Default)]
struct ResourceProfile {
    known: Known,
    /// Hours of the clock with any use.
    hours: u64,
    last_hour: i64,
    first_ms: i64,
    /// Last use, as the number of uses that all resources had by then.
    seen: u64,
}

impl ResourceProfile {
    fn is_learned(&self, at_ms: i64) -> bool {
        at_ms - self.first_ms >= LEARNING_MS && self.hours as f64 >= FEWEST_HOURS
    }

    /// Score of something new; `None` while the resource is only learned.
    fn novelty(&self, at_ms: i64) -> Option<f64> {
        if !self.is_learned(at_ms) {
            return None;
        }
        let known = self.known.0.len().max(1) as f64;
        let new = known / (known + self.hours as f64);
        Some(HALF_A_SCORE / (HALF_A_SCORE + new))
    }

    fn note(&mut self, at_ms: i64, ones: &[u64], seen: u64) {
        let hour = at_ms.div_euclid(HOUR_MS);
        if self.seen == 0 {
            self.first_ms = at_ms;
        }
        if self.seen == 0 || hour > self.last_hour {
            self.hours += 1;
            self.last_hour = hour;
        }
        self.seen = seen;
        for one in ones {
            self.known.note(*one, hour);
        }
    }
}

/// The watch over the use of resources.
#[derive(Debug, Clone, Default)]
pub struct ResourceWatch {
    profiles: HashMap<String, ResourceProfile>,
    seen: u64,
}

impl ResourceWatch {
    /// Judges a use of a resource by those before it, and learns it. `unusual` is `true` for an
    /// event that is suspicious by itself, which teaches nothing.
    pub fn observe(&mut self, event: &ActivityEvent, unusual: bool) -> Option<UnusualUse> {
        if event.outcome != BehaviorOutcome::Done || event.kind == BehaviorPrincipalKind::Service {
            return None;
        }

        let meaning = Meaning::from_operation(&event.service, &event.operation);
        let by_caller = resource(event, meaning).and_then(|resource| {
            let ones = [&event.principal, &event.peers].map(|name| fingerprint(&[name]));
            let ones = if event.peers.is_empty() {
                &ones[..1]
            } else {
                &ones[..]
            };
            self.judge(resource, event.at_ms, ones, Novelty::Caller, unusual)
        });
        let by_call = program(event).and_then(|program| {
            let call = [fingerprint(&[&event.service, &event.operation])];
            self.judge(program, event.at_ms, &call, Novelty::Call, unusual)
        });

        match (by_caller, by_call) {
            (Some(caller), Some(call)) if call.score > caller.score => Some(call),
            (caller, call) => caller.or(call),
        }
    }

    fn judge(
        &mut self,
        resource: String,
        at_ms: i64,
        ones: &[u64],
        novelty: Novelty,
        unusual: bool,
    ) -> Option<UnusualUse> {
        self.seen += 1;
        if self.profiles.len() >= MOST_RESOURCES && !self.profiles.contains_key(&resource) {
            self.forget();
        }

        let profile = self.profiles.entry(resource.clone()).or_default();
        let is_new = !ones.iter().any(|one| profile.known.has(*one));
        let (known, hours) = (profile.known.0.len(), profile.hours);
        let is_steady = novelty == Novelty::Caller || known <= STEADY_CALLS;
        let score = profile.novelty(at_ms).filter(|_| is_new && is_steady);
        if !(unusual && is_new) {
            profile.note(at_ms, ones, self.seen);
        }

        let known = match novelty {
            // A caller with peers is known twice: by its own name and by theirs.
            Novelty::Caller => known.div_ceil(ones.len()),
            Novelty::Call => known,
        };
        Some(UnusualUse {
            resource,
            novelty,
            score: score?,
            known,
            hours,
        })
    }

    /// Forgets the half that was used least recently.
    fn forget(&mut self) {
        let mut seen: Vec<u64> = self.profiles.values().map(|one| one.seen).collect();
        seen.sort_unstable();
        let middle = seen.get(seen.len() / 2).copied().unwrap_or_default();
        self.profiles.retain(|_, profile| profile.seen > middle);
    }
}

/// Returns the resource that a call uses, where it is of a kind that has a profile: data, secrets,
/// keys, code and roles. Lists and changes of settings are no use of it.
fn resource(event: &ActivityEvent, meaning: Meaning) -> Option<String> {
    let is_use = match meaning.verb {
        Verb::Read => !meaning.lists,
        Verb::Assume | Verb::Run | Verb::Other => true,
        _ => false,
    };
    let by_kind = matches!(
        event.resource_kind.as_str(),
        "bucket"
            | "database"
            | "encryption_key"
            | "function"
            | "iam_role"
            | "object"
            | "role"
            | "secret"
            | "table"
    );
    let by_class = matches!(
        meaning.class,
        WordClass::Secret | WordClass::Store | WordClass::Code
    );
    if event.resource.is_empty()
        || !is_use
        || !(by_kind || by_class || meaning.verb == Verb::Assume)
    {
        return None;
    }

    // An object is its bucket's: there are too many of them, and each is read once.
    let id = event.resource.as_str();
    let is_object = id.starts_with("arn:aws:s3:::") || event.resource_kind == "object";
    let id = match id.split_once('/') {
        Some((bucket, _)) if is_object => bucket,
        _ => id,
    };
    Some(id.to_owned())
}

/// Returns the key of a program's own profile: functions, machines and robots, whose calls are few.
fn program(event: &ActivityEvent) -> Option<String> {
    let is_program = matches!(
        event.kind,
        BehaviorPrincipalKind::Role | BehaviorPrincipalKind::Program
    );
    is_program.then(|| event.principal.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(principal: &str, peers: &str, resource: &str, hour: i64) -> ActivityEvent {
        ActivityEvent {
            at_ms: hour * HOUR_MS,
            principal: principal.to_owned(),
            peers: peers.to_owned(),
            kind: BehaviorPrincipalKind::Person,
            service: "secretsmanager".to_owned(),
            operation: "GetSecretValue".to_owned(),
            resource: resource.to_owned(),
            ..ActivityEvent::default()
        }
    }

    fn learned() -> ResourceWatch {
        let mut watch = ResourceWatch::default();
        for hour in 0..240 {
            let app = ActivityEvent {
                kind: BehaviorPrincipalKind::Role,
                ..read("1:app", "1:role:app", "db-password", hour)
            };
            assert_eq!(watch.observe(&app, false), None, "hour {hour}");
        }
        watch
    }

    #[test]
    fn a_new_reader_of_a_steady_secret_is_unusual_once() {
        let mut watch = learned();
        let found = watch.observe(&read("1:ann", "1:people", "db-password", 241), false);
        let found = found.map(|found| (found.novelty, found.score > 0.6, found.words()));
        assert_eq!(
            found,
            Some((
                Novelty::Caller,
                true,
                "a new caller: 1 caller in 240 hours of use before".to_owned()
            ))
        );

        let again = watch.observe(&read("1:ann", "1:people", "db-password", 242), false);
        assert_eq!(again, None, "known by now");
        let peer = watch.observe(&read("1:bob", "1:people", "db-password", 243), false);
        assert_eq!(peer, None, "a peer of a known one");
    }

    #[test]
    fn a_suspicious_reader_becomes_no_habit() {
        let mut watch = learned();
        let event = read("1:eve", "1:people", "db-password", 241);
        assert!(watch.observe(&event, true).is_some());
        assert!(watch.observe(&event, true).is_some(), "still new");
    }

    #[test]
    fn there_is_no_answer_while_a_resource_is_learned() {
        let mut watch = ResourceWatch::default();
        for hour in 0..40 {
            watch.observe(&read("1:app", "", "young", hour), false);
        }
        assert_eq!(watch.observe(&read("1:ann", "", "young", 41), false), None);
        watch.observe(&read("1:app", "", "seldom", 0), false);
        assert_eq!(
            watch.observe(&read("1:ann", "", "seldom", 999), false),
            None,
            "used once in weeks"
        );
    }

    #[test]
    fn a_shared_resource_gives_low_scores() {
        let mut watch = ResourceWatch::default();
        for hour in 0..240 {
            let name = format!("1:user-{}", hour % 30);
            watch.observe(&read(&name, "", "shared", hour), false);
        }
        let found = watch.observe(&read("1:new", "", "shared", 241), false);
        assert!(found.is_some_and(|found| found.score < 0.2));
    }

    #[test]
    fn a_function_that_calls_what_it_never_called_is_unusual() {
        let mut watch = learned();
        let odd = ActivityEvent {
            kind: BehaviorPrincipalKind::Role,
            service: "iam".to_owned(),
            operation: "ListUsers".to_owned(),
            ..read("1:app", "1:role:app", "", 250)
        };
        let found = watch.observe(&odd, false);
        assert!(
            found.is_some_and(|found| found.novelty == Novelty::Call && found.resource == "1:app")
        );

        let refused = ActivityEvent {
            outcome: BehaviorOutcome::Denied,
            operation: "ListRoles".to_owned(),
            ..odd
        };
        assert_eq!(watch.observe(&refused, false), None, "nothing was used");
    }

    #[test]
    fn memory_is_bounded() {
        let mut watch = ResourceWatch::default();
        for n in 0..2 * MOST_RESOURCES {
            watch.observe(&read("1:app", "", &format!("r-{n}"), n as i64), false);
        }
        assert!(watch.profiles.len() <= MOST_RESOURCES);
    }
}
