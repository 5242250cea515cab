//! The caller of a request: principal, origin, and the identifier of the request.

use std::ops::Deref;
use std::sync::Arc;

use reeve_access::Principal;

use crate::identify::Origin;

/// Principal and origin of a request. Present only behind a guard that is not public.
#[derive(Debug, Clone)]
pub struct Caller {
    pub principal: Arc<Principal>,
    /// Origin of the request.
    pub origin: Origin,
    /// The request's identifier, for the log.
    pub request_id: String,
}

impl Deref for Caller {
    type Target = Principal;
    fn deref(&self) -> &Principal {
        &self.principal
    }
}
