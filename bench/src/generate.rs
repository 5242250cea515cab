//! Entries as the collectors of a busy estate send them: some 700 bytes of JSON, 5,000 users,
//! 100,000 resources, three clouds.
//!
//! The same seed gives the same bytes on every machine. What makes the entries neither easier nor
//! harder than real ones: users, resources, accounts and words follow Zipf's law; a user keeps
//! session, address and program for some forty events and comes back to the same resource;
//! `event_id` and `request_id` are random UUIDs and never repeat; times advance by some 250 ms an
//! entry, by day and night, and arrive a little out of order; a sixth carries a note of words from
//! a vocabulary of 20,000, whose rarest word is in some fifty of ten million entries; what is
//! modified tells its states before and after.

use std::sync::Arc;

mod catalogue;
mod changes;
mod copy;
mod random;
mod session;
mod text;
mod words;
mod world;

use catalogue::{HAPPENINGS, Happening, Verb};
pub(crate) use copy::COLUMNS;
pub(crate) use random::Random;
use random::Weighted;
use session::Session;
use text::{Clockface, push_number, push_uuid};
pub(crate) use world::World;

/// The seed of every published number.
pub(crate) const SEED: u64 = 20_261_120;
/// 2026-10-01T00:00:00Z: when the first entry happened.
pub(crate) const START_MS: i64 = 1_790_812_800_000;
/// Milliseconds between two entries, on average over a week.
pub(crate) const GAP_MS: f64 = 250.0;

/// Makes entries, one after the other.
pub(crate) struct Generator {
    world: Arc<World>,
    random: Random,
    happenings: Weighted,
    users: Weighted,
    resources: Weighted,
    words: Weighted,
    sessions: Vec<Session>,
    now_ms: f64,
    clockface: Clockface,
    event: Event,
}

/// Values of the entry drawn last, as far as they are needed beside the JSON.
#[derive(Default)]
pub(crate) struct Event {
    pub(crate) id: Vec<u8>,
    pub(crate) time: Vec<u8>,
    pub(crate) happening: usize,
    pub(crate) severity: &'static str,
    pub(crate) user: usize,
    pub(crate) address: String,
    /// The resource it was done to, where there is one.
    pub(crate) resource: Option<usize>,
    pub(crate) status: &'static str,
}

impl Generator {
    /// The entries that `seed` names.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let world = World::new(&mut random);
        let shares: Vec<f64> = HAPPENINGS
            .iter()
            .map(|happening| happening.share as f64)
            .collect();

        Self {
            happenings: Weighted::new(&shares),
            users: Weighted::zipf(world.users.len()),
            resources: Weighted::zipf(world.resources.len()),
            words: Weighted::zipf(world.words.len()),
            sessions: world.users.iter().map(|_| Session::default()).collect(),
            world: Arc::new(world),
            random,
            now_ms: START_MS as f64,
            clockface: Clockface::default(),
            event: Event::default(),
        }
    }

    /// Further entries about the same world: the `part`-th series, from `start_ms` on.
    pub(crate) fn further(&self, part: u64, start_ms: i64) -> Self {
        Self {
            world: Arc::clone(&self.world),
            random: Random::new(SEED ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            happenings: self.happenings.clone(),
            users: self.users.clone(),
            resources: self.resources.clone(),
            words: self.words.clone(),
            sessions: vec![Session::default(); self.sessions.len()],
            now_ms: start_ms as f64,
            clockface: Clockface::default(),
            event: Event::default(),
        }
    }

    /// Returns the time of the entry that was pushed last, without its delay; milliseconds.
    pub(crate) fn now_ms(&self) -> i64 {
        self.now_ms as i64
    }

    /// Returns the users and resources that the entries refer to.
    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// Appends the next entry's JSON to `out`, without a newline.
    pub(crate) fn push(&mut self, out: &mut Vec<u8>) {
        let happening = self.draw();
        let random = &mut self.random;
        let session = &self.sessions[self.event.user];
        out.extend_from_slice(b"{\"event_id\":\"");
        out.extend_from_slice(&self.event.id);
        out.extend_from_slice(b"\",\"timestamp\":\"");
        out.extend_from_slice(&self.event.time);

        for part in [
            "\",\"event_type\":\"",
            happening.event_type,
            "\",\"severity\":\"",
            self.event.severity,
            "\",",
        ] {
            out.extend_from_slice(part.as_bytes());
        }

        out.extend_from_slice(session.json.as_bytes());
        out.push(b',');
        let resource = self
            .event
            .resource
            .map(|index| &self.world.resources[index]);
        let operation = match (resource, happening.verb) {
            (Some(resource), Some(verb)) => {
                out.extend_from_slice(resource.json.as_bytes());
                out.push(b',');
                self.world.operations[resource.cloud][resource.kind_index][verb as usize].as_str()
            }
            _ => session::operation(happening.event_type),
        };

        let parts = [
            "\"action\":{\"operation\":\"",
            operation,
            "\",\"status\":\"",
            self.event.status,
            "\",\"method\":\"",
            session.method,
            "\"},",
        ];

        for part in parts {
            out.extend_from_slice(part.as_bytes());
        }

        if let (Some(resource), Some(verb)) = (resource, happening.verb) {
            changes::push(out, resource, verb, random);
        }

        out.extend_from_slice(b"\"metadata\":{\"request_id\":\"");
        push_uuid(out, random);
        out.push(b'"');
        self.push_rest(out);
        out.extend_from_slice(b"}}");
    }

    /// Returns the values of the entry that was pushed last.
    pub(crate) fn event(&self) -> &Event {
        &self.event
    }

    fn draw(&mut self) -> &'static Happening {
        let random = &mut self.random;
        let mut index = self.happenings.draw(random);
        let event = &mut self.event;
        event.user = self.users.draw(random);
        let session = &mut self.sessions[event.user];

        if session.left == 0 {
            session.begin(&self.world.users[event.user], random);
            // Who comes, logs in.
            index = if random.chance(700) { login() } else { index };
        }

        session.left -= 1;
        let happening = &HAPPENINGS[index];
        event.happening = index;
        event.address.clone_from(&session.address);
        event.resource = happening.verb.map(|_| {
            if !random.chance(350) || session.resource.is_none() {
                session.resource = Some(self.resources.draw(random));
            }
            session.resource.unwrap_or_default()
        });

        event.status = status(happening, random);
        event.severity = severity(happening, event.status);
        event.id.clear();
        push_uuid(&mut event.id, random);
        event.time.clear();
        let hour = (self.now_ms / 3_600_000.0) as u64;
        self.now_ms -= (1.0 - random.unit()).ln() * GAP_MS / activity(hour);
        let late = if random.chance(30) {
            random.below(45_000)
        } else {
            random.below(1_500)
        };

        self.clockface
            .push(&mut event.time, self.now_ms as i64 - late as i64);
        happening
    }

    /// The open members of `metadata` that only some entries have.
    fn push_rest(&mut self, out: &mut Vec<u8>) {
        let random = &mut self.random;
        if self.event.status == "denied" || self.event.status == "failed" {
            let (code, message) = random.pick(&session::ERRORS);
            for part in [
                ",\"error_code\":\"",
                code,
                "\",\"error_message\":\"",
                message,
                "\"",
            ] {
                out.extend_from_slice(part.as_bytes());
            }
        }

        if random.chance(160) {
            out.extend_from_slice(b",\"note\":\"");
            for word in 0..4 + random.below(6) {
                if word > 0 {
                    out.push(b' ');
                }
                out.extend_from_slice(self.world.words[self.words.draw(random)].as_bytes());
            }
            out.push(b'"');
        }

        if random.chance(60) {
            // A ticket is open for some hours; its number grows with time.
            out.extend_from_slice(b",\"change_ticket\":\"CHG-");
            push_number(
                out,
                1_000_000
                    + (self.now_ms as u64 - START_MS as u64) / 60_000
                    + random.below(240) as u64,
            );
            out.push(b'"');
        }

        if random.chance(200) {
            let tags = random.pick(&[
                "automated",
                "manual\",\"business-hours",
                "pipeline",
                "on-call\",\"urgent",
            ]);
            for part in [",\"tags\":[\"", tags, "\"]"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
    }
}

/// The name of something that happens, each as likely as the others.
pub(crate) fn event_type(random: &mut Random) -> &'static str {
    HAPPENINGS[random.below(HAPPENINGS.len())].event_type
}

fn login() -> usize {
    HAPPENINGS
        .iter()
        .position(|happening| happening.event_type == "authentication.login")
        .unwrap_or_default()
}

/// Returns the activity of an hour since 1970 (a Thursday), 1 on average.
fn activity(hour: u64) -> f64 {
    let (of_day, day) = (hour % 24, (hour / 24 + 3) % 7);
    let busy = if (7..19).contains(&of_day) {
        1.75
    } else {
        0.55
    };
    if day < 5 { busy } else { 0.5 }
}

fn status(happening: &Happening, random: &mut Random) -> &'static str {
    if happening.event_type == "authentication.failed" {
        return "failed";
    }
    match random.below(1_000) {
        0..=19 => "denied",
        20..=37 => "failed",
        38..=42 => "pending",
        _ => "success",
    }
}

fn severity(happening: &Happening, status: &str) -> &'static str {
    match (happening.verb, status) {
        (Some(Verb::Delete | Verb::Policy), "denied") => "critical",
        (Some(Verb::Delete), _) => "high",
        (Some(Verb::Policy), _) => "medium",
        (_, "denied") => "medium",
        (Some(Verb::Modify | Verb::Create), _) | (None, "failed") => "low",
        _ => "info",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::{HashMap, HashSet};

    use reeve_audit::Draft;

    use super::{Generator, SEED};

    fn some(seed: u64, count: usize) -> Vec<Vec<u8>> {
        let mut generator = Generator::new(seed);
        let one = |_| {
            let mut out = Vec::new();
            generator.push(&mut out);
            out
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn the_door_takes_every_entry_and_they_have_the_promised_size() {
        let entries = some(SEED, 20_000);
        let mut ids = HashSet::new();

        for entry in &entries {
            let draft = Draft::from_bytes(entry, jiff::Timestamp::now()).unwrap_or_else(|errors| {
                panic!("{errors:?} in {}", String::from_utf8_lossy(entry))
            });
            assert!(
                ids.insert(draft.entry.event_id.to_string()),
                "an identifier twice"
            );
        }

        let mean = entries.iter().map(Vec::len).sum::<usize>() / entries.len();
        assert!((680..=740).contains(&mean), "{mean} bytes an entry");
    }

    #[test]
    fn a_seed_names_its_entries() {
        assert_eq!(some(1, 500), some(1, 500));
        assert_ne!(some(1, 500), some(2, 500));
    }

    #[test]
    fn users_and_resources_come_again_and_sessions_are_kept() {
        let mut generator = Generator::new(SEED);
        let (mut users, mut resources, mut out) = (HashMap::new(), HashMap::new(), Vec::new());
        let mut sessions = HashSet::new();
        let count = 50_000;

        for _ in 0..count {
            out.clear();
            generator.push(&mut out);
            let text = String::from_utf8_lossy(&out);
            let session = text
                .split("\"session_id\":\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap();
            sessions.insert(session.to_owned());
            *users.entry(generator.event().user).or_insert(0) += 1;
            if let Some(resource) = generator.event().resource {
                *resources.entry(resource).or_insert(0) += 1;
            }
        }

        assert!(users.len() > 3_000, "{} users", users.len());
        assert!(
            users[&0] > count / 12 && users[&0] < count / 8,
            "the busiest user has {}",
            users[&0]
        );
        assert!(resources.len() > 8_000, "{} resources", resources.len());
        assert!(
            sessions.len() > 3_500 && sessions.len() < 8_000,
            "{} sessions",
            sessions.len()
        );
    }
}
