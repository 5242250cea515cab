//! Credentials that a stream was opened with, to check them again: a token may be revoked, a
//! session end, a role change.

use axum::http::{HeaderMap, Method, header};

use reeve_access::Principal;

use crate::app::App;
use crate::error::Problem;
use crate::identify;

/// The headers that name a principal. Nothing shows them.
pub(super) struct LiveCredentials(HeaderMap);

impl LiveCredentials {
    /// Those of a request.
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        let mut kept = HeaderMap::new();
        for name in [header::AUTHORIZATION, header::COOKIE] {
            for value in headers.get_all(&name) {
                kept.append(name.clone(), value.clone());
            }
        }
        LiveCredentials(kept)
    }

    /// Returns `true` if the credentials still stand for exactly this principal.
    pub(super) async fn still_name(
        &self,
        app: &App,
        principal: &Principal,
    ) -> Result<bool, Problem> {
        let Some(now) = identify::principal(app, &Method::GET, &self.0).await? else {
            return Ok(false);
        };
        let now: &Principal = &now;
        Ok(now == principal)
    }
}
