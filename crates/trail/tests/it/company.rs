//! A log of two people's entries, in segments and in the tail.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_access::{Principal, PrincipalKind, Role, UserId};
use reeve_audit::{Actor, ActorType, Draft, Entry, EventType, Json};
use reeve_lake::{EntrySearch, EntrySegments};
use reeve_ledger::{Config, Ledger, keys};
use reeve_trail::{Log, Trail};
use tempfile::TempDir;

/// The log and its folder.
pub(crate) struct Company {
    pub(crate) ledger: Ledger,
    search: Arc<EntrySearch>,
    _folder: TempDir,
}

impl Company {
    pub(crate) async fn found() -> Company {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::new(folder.path(), "reeve.local/trail-test");
        let segments = Arc::new(EntrySegments::open(folder.path()).await.unwrap());
        let signer = keys::load_or_create(folder.path(), Some(&config.origin)).unwrap();
        let ledger = Ledger::open(config, signer, segments.clone())
            .await
            .unwrap();
        let search = Arc::new(EntrySearch::new(segments, Arc::new(ledger.clone())));

        Company {
            ledger,
            search,
            _folder: folder,
        }
    }

    /// Records one entry of each of these people, with so many bytes of text in it.
    pub(crate) async fn record(&self, people: &[&str], bytes: usize) {
        let drafts = people.iter().map(|name| {
            let actor =
                Actor::new(ActorType::User, *name).with_email(format!("{name}@acme.example"));
            let entry = Entry::new(EventType::new("test.deed").unwrap())
                .by(actor)
                .with_metadata("text", Json::from("x".repeat(bytes)));
            Draft::from_entry(entry, Timestamp::now()).unwrap()
        });
        self.ledger.append(drafts.collect()).await.unwrap();
    }

    pub(crate) fn trail_of(&self, name: &str, role: Role) -> Trail {
        Log::new(self.ledger.clone(), self.search.clone()).trail_of(&principal(name, role))
    }

    pub(crate) fn service_wide(&self) -> Trail {
        Trail::service_wide(self.ledger.clone(), self.search.clone())
    }
}

fn principal(name: &str, role: Role) -> Principal {
    let email = format!("{name}@acme.example");
    Principal {
        user: UserId(name.to_owned()),
        team_members: BTreeSet::from([name.to_owned(), email.clone()]),
        scope: None,
        email,
        name: name.to_owned(),
        kind: PrincipalKind::Session,
        session: None,
        token: None,
        roles: BTreeSet::from([role]),
    }
}
