//! Each event type that the catalogue marks as emitted has a driver here: a real act against a real
//! service, whose entry is found with the right fields. A type without a driver fails by name, and
//! so does an entry of a type that the catalogue does not let Reeve write.

mod configuration;
mod estate;
pub(crate) mod evidence;
mod log;
mod people;
mod simulated;
mod system;

use std::collections::BTreeSet;
use std::time::Duration;

use reeve_audit::events;
use reeve_audit::{EventKind, Severity};
use reeve_testkit::http::{Api, encoded, until};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(180);

/// An entry that a driver leaves.
#[derive(Debug, Clone, Copy)]
struct Emitted {
    kind: &'static EventKind,
    /// Terms that tell the entry from others of its type.
    terms: &'static str,
    severity: Severity,
    status: &'static str,
    actor: &'static str,
    method: &'static str,
    /// Type of the resource; empty where the entry has none.
    resource: &'static str,
    /// The actor has an address and a user agent.
    has_origin: bool,
    /// Fields of the catalogue that the driver's case does not provide.
    without: &'static [&'static str],
}

/// Entry of a call of the interface that succeeded.
const fn by_user(kind: &'static EventKind, resource: &'static str) -> Emitted {
    let (status, actor, method) = ("success", "user", "api");
    Emitted {
        kind,
        terms: "",
        severity: kind.severity,
        status,
        actor,
        method,
        resource,
        has_origin: true,
        without: &[],
    }
}

/// Entry of work that Reeve does by itself.
const fn by_reeve(
    kind: &'static EventKind,
    method: &'static str,
    resource: &'static str,
) -> Emitted {
    Emitted {
        actor: "system",
        method,
        has_origin: false,
        ..by_user(kind, resource)
    }
}

impl Emitted {
    const fn when(self, terms: &'static str) -> Emitted {
        Emitted { terms, ..self }
    }

    const fn status(self, status: &'static str) -> Emitted {
        Emitted { status, ..self }
    }

    const fn severity(self, severity: Severity) -> Emitted {
        Emitted { severity, ..self }
    }

    const fn without(self, without: &'static [&'static str]) -> Emitted {
        Emitted { without, ..self }
    }

    /// Waits for the entry and checks each of its fields.
    async fn is_found(&self, api: &Api) {
        let name = self.kind.name;
        let query = format!(
            "event_type:{name} submitted_by.type:reeve status:{} {}",
            self.status, self.terms
        );
        let path = format!("audit-logs?limit=100&query={}", encoded(&query));
        let entries = until(name, PATIENCE, || async {
            let entries = api.get(&path).await.expect(200).items().to_vec();
            (!entries.is_empty()).then_some(entries)
        })
        .await;
        self.check(&entries);
    }

    fn check(&self, entries: &[Value]) {
        let (name, entry) = (self.kind.name, &entries[0]);
        let text = |pointer: &str| {
            entry
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        assert_eq!(text("/category"), self.kind.category(), "{name}");

        assert_eq!(text("/severity"), self.severity.as_str(), "{name}: {entry}");
        assert_eq!(
            (text("/actor/type"), text("/action/method")),
            (self.actor, self.method),
            "{name}: {entry}"
        );

        assert!(
            !text("/actor/id").is_empty() && !text("/action/operation").is_empty(),
            "{name}: {entry}"
        );
        assert_eq!(text("/resource/type"), self.resource, "{name}: {entry}");
        assert_eq!(
            text("/resource/id").is_empty(),
            self.resource.is_empty(),
            "{name}: {entry}"
        );

        assert_eq!(
            text("/actor/ip_address"),
            if self.has_origin { "127.0.0.1" } else { "" },
            "{name}: {entry}"
        );

        assert_eq!(
            !text("/actor/user_agent").is_empty(),
            self.has_origin,
            "{name}: {entry}"
        );

        for field in self.kind.fields {
            let pointer = format!("/{}", field.replace('.', "/"));
            let found = entries
                .iter()
                .any(|entry| entry.pointer(&pointer).is_some());
            assert_eq!(
                found,
                !self.without.contains(field),
                "{name}: {field} in {entry}"
            );
        }
    }
}

/// Checks what a group of drivers left, that it answers the queries of compliance templates that
/// rest on it, and that Reeve wrote nothing that the catalogue does not let it write.
async fn verify(api: &Api, group: &str, emitted: &[Emitted]) {
    for one in emitted {
        one.is_found(api).await;
    }

    evidence::is_found(api, group).await;

    let query = encoded("submitted_by.type:reeve");
    let counts = api
        .get(&format!(
            "audit-logs/stats?by=event_type&limit=100&query={query}"
        ))
        .await
        .expect(200);

    let buckets = counts
        .body
        .pointer("/aggregations/event_type/buckets")
        .and_then(Value::as_array)
        .unwrap();

    assert!(
        !buckets.is_empty() && counts.body["aggregations"]["event_type"]["other"] == json!(0),
        "{}",
        counts.text
    );

    for bucket in buckets {
        let name = bucket["value"].as_str().unwrap();
        let kind = events::find(name)
            .unwrap_or_else(|| panic!("{name} is written and not in the catalogue"));
        assert!(
            kind.source.is_own(),
            "{name} is written and marked as {}",
            kind.source.as_str()
        );
    }
}

#[test]
fn every_emitted_type_has_a_driver() {
    let groups = [
        people::EMITTED,
        configuration::EMITTED,
        log::EMITTED,
        system::EMITTED,
        estate::EMITTED,
        simulated::EMITTED,
    ];

    let driven: BTreeSet<&str> = groups
        .iter()
        .copied()
        .flatten()
        .map(|one| one.kind.name)
        .collect();

    let emitted: BTreeSet<&str> = events::all()
        .filter(|kind| kind.source.is_own())
        .map(|kind| kind.name)
        .collect();
    let missing: Vec<_> = emitted.difference(&driven).collect();
    assert!(
        missing.is_empty(),
        "emitted, and no driver performs it: {missing:?}"
    );

    let planned: Vec<_> = driven.difference(&emitted).collect();
    assert!(
        planned.is_empty(),
        "driven, and the catalogue says that Reeve does not write it: {planned:?}"
    );
}
