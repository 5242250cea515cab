//! A resource with its configuration document, as it comes from a store or a file.

use reeve_iam::arn::account_of;
use serde_json::Value;

/// Resource of AWS with its configuration document.
#[derive(Debug, Clone, Copy)]
pub struct ExposureConfiguration<'a> {
    /// The provider's identifier.
    pub id: &'a str,
    /// Name of the kind, `virtual_machine`.
    pub kind: &'a str,
    /// Number of the account; may be empty, the identifier and the document may tell it.
    pub account: &'a str,
    /// Document in the form in which `connect/aws` reads it (`docs/kinds.md`).
    pub document: &'a Value,
}

impl<'a> ExposureConfiguration<'a> {
    /// Returns the account of the resource: as it was given, of its ARN, or of its owner; empty if
    /// nothing tells.
    #[must_use]
    pub fn owner(&self) -> &'a str {
        if !self.account.is_empty() {
            return self.account;
        }

        let members = [
            "ownerId",
            "OwnerId",
            "imageOwnerId",
            "AWSAccountId",
            "Arn",
            "ARN",
            "KeyArn",
            "DBInstanceArn",
            "LoadBalancerArn",
            "FunctionArn",
            "TopicArn",
            "DBSnapshotArn",
        ];
        let queue = crate::value::text(self.document, "Attributes.QueueArn");
        let owners = members
            .iter()
            .filter_map(|member| crate::value::text(self.document, member));
        std::iter::once(self.id)
            .chain(queue)
            .chain(owners)
            .find_map(account_of)
            .unwrap_or_default()
    }
}
