//! Metrics from outside the clouds: sources, and the receiver of Prometheus' remote write.

mod sources;
mod tables;
mod write;

use reeve_access::Permission;
use utoipa_axum::routes;

use crate::guard::{Access, Guarded};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::MetricSource, routes!(write::write))
        .add(Access::SignedIn, routes!(tables::tables))
        .add(
            Access::Needs(Permission::EstateView),
            routes!(sources::mappings),
        )
        .add(
            Access::Needs(Permission::EstateView),
            routes!(sources::list),
        )
        .add(
            Access::Needs(Permission::EstateManage),
            routes!(sources::create),
        )
        .add(Access::Needs(Permission::EstateView), routes!(sources::get))
        .add(
            Access::Needs(Permission::EstateManage),
            routes!(sources::patch, sources::delete),
        )
        .add(
            Access::Needs(Permission::EstateManage),
            routes!(sources::rotate),
        )
        .add(
            Access::Needs(Permission::EstateManage),
            routes!(sources::preview),
        )
        .add(
            Access::Needs(Permission::EstateManage),
            routes!(sources::sync),
        )
}
