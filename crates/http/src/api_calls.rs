//! Calls of API clients: one entry a token and window, which counts them by route and status.
//!
//! Reads and changes have entries of their own; this one tells how much a token is used, for what,
//! and how often in vain.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_access::{Principal, PrincipalKind};
use reeve_audit::{ActionMethod, ActionStatus, Entry, Json, ResourceRef, events};
use serde_json::json;

use crate::identify::Origin;
use crate::log_entry;

/// Length of a window.
pub(crate) const SPAN: SignedDuration = SignedDuration::from_mins(5);
/// Tokens counted at once; calls of further ones are counted in the next window.
const MOST_TOKENS: usize = 10_000;
/// Routes and statuses of one token that are told apart.
const MOST_ROUTES: usize = 200;

/// Calls of the current window, by token.
#[derive(Debug, Default)]
pub(crate) struct ApiCalls(Mutex<HashMap<String, Window>>);

#[derive(Debug)]
struct Window {
    opened_at: Timestamp,
    principal: Arc<Principal>,
    origin: Origin,
    /// By method, route and status.
    counts: BTreeMap<(String, String, u16), u64>,
    /// Calls of routes beyond [`MOST_ROUTES`], together.
    others: u64,
}

impl ApiCalls {
    /// Counts a call that was made with a token.
    pub(crate) fn note(
        &self,
        principal: &Arc<Principal>,
        origin: Origin,
        (method, route, status): (&str, &str, u16),
        now: Timestamp,
    ) {
        let (PrincipalKind::Token, Some(token)) = (principal.kind, &principal.token) else {
            return;
        };

        let mut open = self.0.lock();
        if open.len() >= MOST_TOKENS && !open.contains_key(&token.id) {
            return;
        }

        let window = open.entry(token.id.clone()).or_insert_with(|| Window {
            opened_at: now,
            principal: principal.clone(),
            origin,
            counts: BTreeMap::new(),
            others: 0,
        });

        let key = (method.to_owned(), route.to_owned(), status);
        if window.counts.len() >= MOST_ROUTES && !window.counts.contains_key(&key) {
            window.others += 1;
        } else {
            *window.counts.entry(key).or_default() += 1;
        }
    }

    /// Ends the windows whose time is over, or every one; returns their entries.
    pub(crate) fn ended(&self, now: Timestamp, every: bool) -> Vec<Entry> {
        let mut entries = Vec::new();
        self.0.lock().retain(|token, window| {
            let is_open = !every && now.duration_since(window.opened_at) < SPAN;
            if !is_open {
                entries.push(entry(token, window));
            }
            is_open
        });

        entries
    }
}

fn entry(token: &str, window: &Window) -> Entry {
    let calls: Vec<_> = window
        .counts
        .iter()
        .map(|((method, route, status), count)| {
            json!({ "method": method, "route": route, "status": status, "count": count })
        })
        .collect();

    let total = window.counts.values().sum::<u64>() + window.others;
    Entry::for_event(&events::API_CALL)
        .by(log_entry::actor(&window.principal, &window.origin))
        .on(ResourceRef::new("api_token", token))
        .with_action("call_api", ActionStatus::Success, ActionMethod::Api)
        .with_metadata("calls", Json::from(json!(calls)))
        .with_metadata("total", Json::from(json!(total)))
        .with_metadata(
            "window_start",
            reeve_audit::format_instant(window.opened_at),
        )
        .with_metadata("window_s", Json::from(json!(SPAN.as_secs())))
}
