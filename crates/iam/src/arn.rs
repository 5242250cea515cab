//! Parts of Amazon Resource Names (AWS General Reference, "Amazon Resource Names").

use std::fmt;

/// Borrowed parts of an ARN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arn<'a> {
    pub partition: &'a str,
    pub service: &'a str,
    pub region: &'a str,
    /// Empty for resources whose name is global, such as buckets.
    pub account: &'a str,
    pub resource: &'a str,
}

impl<'a> Arn<'a> {
    /// Reads a text; none if it is no ARN.
    #[must_use]
    pub fn read(text: &'a str) -> Option<Arn<'a>> {
        let mut parts = text.splitn(6, ':');
        if parts.next()? != "arn" {
            return None;
        }
        Some(Arn {
            partition: parts.next()?,
            service: parts.next()?,
            region: parts.next()?,
            account: parts.next()?,
            resource: parts.next()?,
        })
    }
}

impl fmt::Display for Arn<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Arn {
            partition,
            service,
            region,
            account,
            resource,
        } = self;
        write!(
            formatter,
            "arn:{partition}:{service}:{region}:{account}:{resource}"
        )
    }
}

/// Returns the account of an ARN, or the text if it is an account.
#[must_use]
pub fn account_of(text: &str) -> Option<&str> {
    if is_account(text) {
        return Some(text);
    }
    let account = Arn::read(text)?.account;
    is_account(account).then_some(account)
}

/// Returns `true` for the twelve digits of an account.
#[must_use]
pub fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}
