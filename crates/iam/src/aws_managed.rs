//! Policies of AWS that are attached most often, as AWS publishes them ("AWS managed policies" in
//! the AWS Managed Policy Reference Guide; state of May 2026, read from the copy in moto, Apache-2.0).
//! A file that has a policy itself is used instead.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::document::IamPolicy;

static POLICIES: LazyLock<BTreeMap<String, Arc<IamPolicy>>> = LazyLock::new(|| {
    let documents: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("../data/aws_managed.json")).unwrap_or_default();
    let policies = documents.into_iter();
    policies
        .filter_map(|(arn, document)| Some((arn, Arc::new(IamPolicy::read(&document).ok()?))))
        .collect()
});

/// Policy that allows everything.
pub(crate) const ADMINISTRATOR: &str = "arn:aws:iam::aws:policy/AdministratorAccess";

/// Returns the document of a policy of AWS by its ARN, in any partition; none if it is not among
/// them.
#[must_use]
pub(crate) fn aws_managed(arn: &str) -> Option<Arc<IamPolicy>> {
    let (_, name) = arn.split_once(":iam::aws:policy/")?;
    POLICIES
        .get(&format!("arn:aws:iam::aws:policy/{name}"))
        .cloned()
}

/// Returns the policy that allows everything.
pub(crate) fn administrator() -> Option<Arc<IamPolicy>> {
    aws_managed(ADMINISTRATOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_of_the_file_is_read() {
        let documents: BTreeMap<String, Value> =
            serde_json::from_str(include_str!("../data/aws_managed.json")).unwrap();
        assert_eq!(documents.len(), POLICIES.len());
        for name in [
            "AdministratorAccess",
            "PowerUserAccess",
            "ReadOnlyAccess",
            "IAMFullAccess",
        ] {
            let arn = format!("arn:aws-cn:iam::aws:policy/{name}");
            assert!(aws_managed(&arn).is_some(), "{name}");
        }
        assert_eq!(
            aws_managed("arn:aws:iam::111122223333:policy/AdministratorAccess"),
            None
        );
    }
}
