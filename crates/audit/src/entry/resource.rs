//! The resource of an entry.

use super::Tags;

/// Resource that an action changed or read; every member is optional.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResourceRef {
    /// Kind of resource, such as `ec2_instance`.
    pub kind: Option<String>,
    /// Id or name within its kind.
    pub id: Option<String>,
    /// `aws`, `azure`, `gcp` or another name.
    pub cloud_provider: Option<String>,
    /// Account, subscription or project.
    pub account_id: Option<String>,
    pub region: Option<String>,
    /// Tags of the resource by name.
    pub tags: Tags,
}

impl ResourceRef {
    /// A resource of this kind and id.
    pub fn new(kind: impl Into<String>, id: impl Into<String>) -> Self {
        Self {
            kind: Some(kind.into()),
            id: Some(id.into()),
            ..Self::default()
        }
    }

    /// Sets provider, account and region.
    pub fn in_cloud(
        mut self,
        provider: impl Into<String>,
        account_id: impl Into<String>,
        region: impl Into<String>,
    ) -> Self {
        self.cloud_provider = Some(provider.into());
        self.account_id = Some(account_id.into());
        self.region = Some(region.into());
        self
    }

    /// Sets one tag; another value of the same name is replaced.
    pub fn with_tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.insert(name, value);
        self
    }

    /// Returns `true` if no member is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
