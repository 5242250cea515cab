//! Every route, each with its rule. The modules mirror the paths.

pub(crate) mod account;
pub(crate) mod audit_logs;
pub(crate) mod backups;
pub(crate) mod bills;
pub(crate) mod budgets;
pub(crate) mod connections;
pub(crate) mod databases;
pub(crate) mod health;
pub(crate) mod intelligence;
pub(crate) mod metrics;
pub(crate) mod prices;
pub(crate) mod resources;
pub(crate) mod sessions;
mod spending;
pub(crate) mod spot_notices;
pub(crate) mod teams;
pub(crate) mod tokens;
pub(crate) mod users;
pub(crate) mod workspace;

use std::sync::Arc;

use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::guard::Guarded;

/// The description of the interface, without its paths.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Reeve",
        description = "Watches over a cloud estate and keeps its record. Times are RFC 3339 UTC with milliseconds, money is US dollars, \
                       problems are RFC 9457 with a stable `code`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    components(schemas(crate::error::ProblemBody, crate::error::FieldProblem)),
    security(("bearer" = []), ("session" = [])),
    modifiers(&Security)
)]
struct Description;

struct Security;

impl utoipa::Modify for Security {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{
            ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme,
        };

        let components = openapi.components.get_or_insert_with(Default::default);
        components.security_schemes.insert(
            "bearer".into(),
            SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)).into(),
        );
        components.security_schemes.insert(
            "session".into(),
            SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(crate::identify::COOKIE)))
                .into(),
        );
    }
}

/// All routes under `/api/v1`; without an app they are only described.
#[must_use]
pub(crate) fn all(app: Option<Arc<App>>) -> Guarded {
    let guarded = Guarded::new(app, OpenApiRouter::with_openapi(Description::openapi()));
    let guarded = sessions::routes(guarded);
    let guarded = account::routes(guarded);
    let guarded = audit_logs::routes(guarded);
    let guarded = intelligence::routes(guarded);
    let guarded = connections::routes(guarded);
    let guarded = spot_notices::routes(guarded);
    let guarded = metrics::routes(guarded);
    let guarded = bills::routes(guarded);
    let guarded = prices::routes(guarded);
    let guarded = backups::routes(guarded);
    let guarded = resources::routes(guarded);
    let guarded = budgets::routes(guarded);
    let guarded = spending::routes(guarded);
    let guarded = databases::routes(guarded);
    let guarded = workspace::routes(guarded);
    let guarded = users::routes(guarded);
    let guarded = teams::routes(guarded);

    tokens::routes(guarded)
}
