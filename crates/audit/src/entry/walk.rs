//! Every value of an entry that free text looks into.

use std::borrow::Cow;

use super::Entry;
use crate::json::Json;

/// One value that free text looks into.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf<'a>(pub Cow<'a, str>);

impl Entry {
    /// Calls `visit` with every string and number of the claim, tag values included; names of
    /// members, points in time and the submitter are left out. Stops when `visit` answers true, and
    /// answers whether it did.
    pub fn any_text(&self, visit: &mut dyn FnMut(Leaf<'_>) -> bool) -> bool {
        let Self {
            event_id,
            event_type,
            severity,
            actor,
            resource,
            action,
            changes,
            metadata,
            ..
        } = self;

        let ip = actor.ip_address.map(|ip| ip.to_string());
        let fields = [
            Some(event_id.as_str()),
            Some(event_type.as_str()),
            Some(severity.as_str()),
            actor.kind.map(|kind| kind.as_str()),
            actor.id.as_deref(),
            actor.email.as_deref(),
            ip.as_deref(),
            actor.user_agent.as_deref(),
            actor.session_id.as_deref(),
            resource.kind.as_deref(),
            resource.id.as_deref(),
            resource.cloud_provider.as_deref(),
            resource.account_id.as_deref(),
            resource.region.as_deref(),
            action.operation.as_deref(),
            action.status.map(|status| status.as_str()),
            action.method.map(|method| method.as_str()),
            metadata.request_id.as_deref(),
            Some(metadata.api_version.as_str()),
        ];

        let lists = resource
            .tags
            .values()
            .chain(metadata.tags.iter().map(String::as_str));
        fields
            .into_iter()
            .flatten()
            .chain(lists)
            .any(|text| visit(Leaf(Cow::Borrowed(text))))
            || changes
                .before
                .iter()
                .chain(&changes.after)
                .any(|state| any_leaf(state, visit))
            || metadata
                .extra
                .iter()
                .any(|(_, value)| any_leaf(value, visit))
    }
}

fn any_leaf(value: &Json, visit: &mut dyn FnMut(Leaf<'_>) -> bool) -> bool {
    match value {
        Json::Null | Json::Bool(_) => false,
        Json::Number(_) => visit(Leaf(Cow::Owned(value.to_string()))),
        Json::String(text) => visit(Leaf(Cow::Borrowed(text))),
        Json::Array(items) => items.iter().any(|item| any_leaf(item, visit)),
        Json::Object(object) => object.iter().any(|(_, value)| any_leaf(value, visit)),
    }
}
