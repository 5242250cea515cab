//! Writes one entry: identifier and moment drawn from what it is about, and who it is by.

use std::net::{IpAddr, Ipv4Addr};

use jiff::Timestamp;
use reeve_audit::{Actor, ActorType, Entry, EventId, EventType, Json};

use crate::company::people::{PEOPLE, Person};
use crate::noise::{draw, hex, key, unit};

/// An entry of a type, at a moment of a minute; the key tells it from every other.
pub(super) fn entry(kind: EventType, key: u64, minute: i64) -> Entry {
    let moment = minute * 60_000 + (unit(key, 21) * 60_000.0) as i64;
    at(
        kind,
        key,
        Timestamp::from_millisecond(moment).unwrap_or(Timestamp::UNIX_EPOCH),
    )
}

/// An entry of a type at a time.
pub(super) fn at(kind: EventType, key: u64, time: Timestamp) -> Entry {
    let mut entry = Entry::new(kind)
        .at(time)
        .with_request_id(identifier(draw(key, 22)));
    if let Ok(id) = EventId::new(identifier(draw(key, 23))) {
        entry = entry.with_id(id);
    }
    entry
}

/// A UUID of version 8 (RFC 9562: of one's own making).
fn identifier(key: u64) -> String {
    let h = hex(key, 32);
    format!(
        "{}-{}-8{}-a{}-{}",
        &h[..8],
        &h[8..12],
        &h[13..16],
        &h[17..20],
        &h[20..]
    )
}

/// A person at work: the session is that of the day.
pub(super) fn person(seed: u64, person: &Person, day: i64, agent: &str) -> Actor {
    let session = hex(key(seed, &format!("session/{}/{day}", person.handle)), 16);
    outsider(person, home(person), agent).with_session_id(session)
}

/// A person, or somebody who says so, from an address.
pub(super) fn outsider(person: &Person, from: IpAddr, agent: &str) -> Actor {
    Actor::user(person.handle)
        .with_email(person.email())
        .with_ip_address(from)
        .with_user_agent(agent)
}

pub(super) fn program(kind: ActorType, id: &str, agent: &str) -> Actor {
    Actor::new(kind, id).with_user_agent(agent)
}

fn home(person: &Person) -> IpAddr {
    let [a, b, c] = person.office.network();
    let desk = PEOPLE
        .iter()
        .position(|other| other.handle == person.handle)
        .unwrap_or(0);
    IpAddr::V4(Ipv4Addr::new(
        a,
        b,
        c,
        u8::try_from(20 + desk).unwrap_or(20),
    ))
}

/// An object of texts and numbers.
pub(super) fn state<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::object(members)
}
