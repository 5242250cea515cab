//! Submitter: the party that handed an entry to Reeve, as Reeve itself knows it.
//!
//! It is not part of the claim. A source cannot send it, and it does not count when an entry is
//! sent again; it is part of the canonical bytes, so it is hashed and signed with the rest.
//! `docs/formats/entry.md` describes it.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use super::SubmitterType;
use super::write::EntryWriter;
use crate::json::{Json, Object};

/// Last member of every entry's canonical bytes, with its comma.
const LAST: &[u8] = br#","timestamp":"#;

/// The party that handed an entry to Reeve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitter {
    /// The way the entry came in.
    pub kind: SubmitterType,
    /// Identifier of the user whose token or session it was; of a local import, the account of the
    /// operating system.
    pub id: Option<String>,
    /// The user's e-mail address at that time.
    pub email: Option<String>,
    /// Address of the request.
    pub ip_address: Option<IpAddr>,
    /// Identifier of the session.
    pub session_id: Option<String>,
    /// Identifier of the API token.
    pub token_id: Option<String>,
    /// The token's name at that time.
    pub token_name: Option<String>,
}

/// Members of a submitter that a query can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SubmitterField {
    Type,
    Id,
    Email,
    IpAddress,
    SessionId,
    TokenId,
    TokenName,
}

impl SubmitterField {
    /// Every member, in the order of declaration.
    pub const ALL: [Self; 7] = [
        Self::Type,
        Self::Id,
        Self::Email,
        Self::IpAddress,
        Self::SessionId,
        Self::TokenId,
        Self::TokenName,
    ];

    /// The member's name inside `submitted_by`.
    pub const fn member(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Id => "id",
            Self::Email => "email",
            Self::IpAddress => "ip_address",
            Self::SessionId => "session_id",
            Self::TokenId => "token_id",
            Self::TokenName => "token_name",
        }
    }

    /// The dotted name in a query.
    pub const fn field_name(self) -> &'static str {
        match self {
            Self::Type => "submitted_by.type",
            Self::Id => "submitted_by.id",
            Self::Email => "submitted_by.email",
            Self::IpAddress => "submitted_by.ip_address",
            Self::SessionId => "submitted_by.session_id",
            Self::TokenId => "submitted_by.token_id",
            Self::TokenName => "submitted_by.token_name",
        }
    }
}

impl Submitter {
    /// A submitter of which only the way is known.
    pub fn new(kind: SubmitterType) -> Self {
        Self {
            kind,
            id: None,
            email: None,
            ip_address: None,
            session_id: None,
            token_id: None,
            token_name: None,
        }
    }

    /// Reeve itself, as the submitter of its own entries.
    pub fn reeve() -> Arc<Self> {
        static REEVE: LazyLock<Arc<Submitter>> =
            LazyLock::new(|| Arc::new(Submitter::new(SubmitterType::Reeve)));
        Arc::clone(&REEVE)
    }

    /// A program on Reeve's own machine that writes into the data directory, run by this account of
    /// the operating system.
    pub fn local(id: impl Into<String>) -> Self {
        Self {
            id: Some(id.into()),
            ..Self::new(SubmitterType::Local)
        }
    }

    /// Returns the text of a member, if it has one.
    pub fn text(&self, field: SubmitterField) -> Option<Cow<'_, str>> {
        let text = match field {
            SubmitterField::Type => Some(self.kind.as_str()),
            SubmitterField::Id => self.id.as_deref(),
            SubmitterField::Email => self.email.as_deref(),
            SubmitterField::IpAddress => {
                return self
                    .ip_address
                    .map(|address| Cow::Owned(address.to_string()));
            }
            SubmitterField::SessionId => self.session_id.as_deref(),
            SubmitterField::TokenId => self.token_id.as_deref(),
            SubmitterField::TokenName => self.token_name.as_deref(),
        };
        text.map(Cow::Borrowed)
    }
}

impl Submitter {
    /// The canonical bytes of the member `submitted_by`, with its comma: many entries of one
    /// submission share them.
    pub(crate) fn to_member(&self) -> Vec<u8> {
        let mut out = br#","submitted_by":"#.to_vec();
        let mut members = EntryWriter::open(&mut out);
        members.given(br#""email":"#, self.email.as_deref());
        members.given(br#""id":"#, self.id.as_deref());
        if let Some(address) = self.ip_address {
            members.address(br#""ip_address":"#, address);
        }

        members.given(br#""session_id":"#, self.session_id.as_deref());
        members.given(br#""token_id":"#, self.token_id.as_deref());
        members.given(br#""token_name":"#, self.token_name.as_deref());
        members.plain(br#""type":"#, self.kind.as_str());
        members.close();

        out
    }

    /// The members as a tree, for the wire.
    pub(super) fn members(&self) -> Object {
        let texts = SubmitterField::ALL
            .into_iter()
            .map(|field| (field, self.text(field)));
        texts
            .filter_map(|(field, text)| {
                Some((field.member().to_owned(), Json::from(text?.into_owned())))
            })
            .collect()
    }
}

/// Puts a member of [`Submitter::to_member`] where RFC 8785 wants it in canonical bytes that have
/// none: between `severity` and `timestamp`, the last member, whose value holds no text like its
/// name.
pub(crate) fn insert_submitter(canonical: &mut Vec<u8>, member: &[u8]) {
    let Some(at) = canonical
        .windows(LAST.len())
        .rposition(|bytes| bytes == LAST)
    else {
        return;
    };

    let end = canonical.len();
    canonical.reserve_exact(member.len());
    canonical.extend_from_slice(member);
    canonical[at..].rotate_left(end - at);
}
