//! The audit log over HTTP: append, sources, list, search, one entry, its proof, the signed tree.
//!
//! Everything is read through the caller's trail ([`crate::app::App::trail`]), which narrows lists,
//! counts, single entries, proofs, previews and the live view alike. What the caller may not see
//! does not exist. Every read writes one entry.

pub(crate) mod aggregations;
pub(crate) mod alerts;
mod append;
pub(in crate::routes) mod ask;
mod bodies;
mod entry;
mod erasures;
mod event_types;
pub(crate) mod exports;
mod fields;
mod holds;
mod iceberg;
mod incoming;
mod integrations;
mod keys;
mod lists;
mod live;
mod receipts;
mod reports;
mod restores;
mod retention;
mod saved_searches;
mod search;
mod sources;
mod stats;
mod tombstones;
mod tree;
mod verify;

use reeve_access::Permission;
use utoipa_axum::routes;

use crate::guard::{Access, Guarded, READ_LAKE, VIEW_LOG};

pub(crate) use ask::{query_problem, with_lists};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    sources::routes(integrations::routes(reports::routes(exports::routes(
        alerts::routes(guarded),
    ))))
    .add(Access::LogSource, routes!(incoming::push, incoming::verify))
    .add(
        Access::Needs(Permission::AuditAppend),
        routes!(append::append),
    )
    .add(Access::SignedIn, routes!(event_types::list))
    .add(Access::SignedIn, routes!(fields::list))
    .add(VIEW_LOG, routes!(search::list))
    .add(
        Access::Needs(Permission::AuditSearch),
        routes!(search::search),
    )
    .add(VIEW_LOG, routes!(stats::stats))
    .add(VIEW_LOG, routes!(live::live))
    .add(
        Access::Needs(Permission::AuditSearch),
        routes!(saved_searches::list, saved_searches::create),
    )
    .add(
        Access::Needs(Permission::AuditSearch),
        routes!(
            saved_searches::get,
            saved_searches::put,
            saved_searches::patch,
            saved_searches::delete
        ),
    )
    .add(Access::Needs(Permission::AuditSearch), routes!(lists::list))
    .add(Access::Needs(Permission::AuditSearch), routes!(lists::get))
    .add(
        Access::Needs(Permission::AuditAlerts),
        routes!(lists::put, lists::delete),
    )
    .add(
        Access::Needs(Permission::AuditVerify),
        routes!(verify::begin),
    )
    .add(Access::Needs(Permission::AuditVerify), routes!(verify::get))
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(retention::get, retention::put),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(retention::preview),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(retention::run),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(holds::list, holds::create),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(holds::get),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(holds::release),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(erasures::list, erasures::create),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(erasures::preview),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(erasures::get),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(erasures::approve),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(erasures::reject),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(erasures::report::report),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(tombstones::list),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(restores::list, restores::create),
    )
    .add(
        Access::Needs(Permission::AuditRetention),
        routes!(restores::get, restores::end),
    )
    .add(READ_LAKE, routes!(iceberg::config))
    .add(READ_LAKE, routes!(iceberg::namespaces))
    .add(READ_LAKE, routes!(iceberg::namespace))
    .add(READ_LAKE, routes!(iceberg::tables))
    .add(READ_LAKE, routes!(iceberg::table))
    .add(VIEW_LOG, routes!(entry::get))
    .add(VIEW_LOG, routes!(entry::proof))
    .add(VIEW_LOG, routes!(entry::get_by_query))
    .add(VIEW_LOG, routes!(entry::proof_by_query))
    .add(Access::SignedIn, routes!(keys::list))
    .add(Access::Needs(Permission::Administer), routes!(keys::rotate))
    .add(Access::SignedIn, routes!(tree::checkpoint))
    .add(Access::SignedIn, routes!(tree::cosigned))
    .add(Access::SignedIn, routes!(tree::tile))
}
