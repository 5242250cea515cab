//! Paging that cannot loop: a service that hands out a token twice is stopped with a fault.

use std::collections::BTreeSet;

use crate::fault::{AwsEc2Fault, Call, FaultKind};

/// The place in a paged listing.
#[derive(Debug, Default)]
pub struct Cursor {
    token: Option<String>,
    seen: BTreeSet<String>,
}

impl Cursor {
    /// At the first page.
    #[must_use]
    pub fn new() -> Self {
        Cursor::default()
    }

    /// The token of the page to ask for; `None` for the first.
    #[must_use]
    pub fn token(&self) -> Option<String> {
        self.token.clone()
    }

    /// Moves on to the page a response named. `false` when there is none.
    ///
    /// # Errors
    /// The token was returned before: the service repeats its pages.
    pub fn advance(&mut self, call: Call<'_>, next: Option<&str>) -> Result<bool, AwsEc2Fault> {
        let Some(next) = next.filter(|token| !token.is_empty()) else {
            return Ok(false);
        };

        if !self.seen.insert(next.to_owned()) {
            return Err(call.fault(
                FaultKind::Other,
                None,
                "the service handed out the same page token twice; the listing was stopped",
            ));
        }

        self.token = Some(next.to_owned());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_repeated_token_is_refused() {
        let call = Call {
            operation: "ec2:DescribeInstances",
            connection: "c",
            region: "us-east-1",
            endpoint: None,
        };

        let mut cursor = Cursor::new();
        assert_eq!(cursor.token(), None);
        assert!(cursor.advance(call, Some("a")).unwrap());
        assert!(cursor.advance(call, Some("b")).unwrap());
        assert_eq!(cursor.token().as_deref(), Some("b"));
        assert!(cursor.advance(call, Some("a")).is_err());
        assert!(!cursor.advance(call, None).unwrap());
        assert!(!cursor.advance(call, Some("")).unwrap());
    }
}
