//! A database instance as RDS describes it, with the marks of a replacement.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_connect_aws_ec2::Element;
use reeve_recommend::change::{ENCRYPTING_TAG, QUIESCED_TAG, REPLACED_TAG};
use serde_json::Value;

use crate::describe::document_of;

/// Description of one instance, as `DescribeDBInstances` answers it.
#[derive(Debug)]
pub(super) struct DatabaseInstance {
    pub(super) name: String,
    pub(super) arn: String,
    /// State in the words of RDS, such as `available`.
    pub(super) status: String,
    element: Element,
}

impl DatabaseInstance {
    pub(super) fn read(element: Element) -> Option<DatabaseInstance> {
        let text = |name: &str| Some(element.text_of(name)?.to_owned());
        Some(DatabaseInstance {
            name: text("DBInstanceIdentifier")?,
            arn: text("DBInstanceArn")?,
            status: text("DBInstanceStatus")?,
            element,
        })
    }

    /// The description as a sync reads it.
    pub(super) fn document(&self) -> Value {
        document_of(self.element.clone())
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.element.text_of(name).filter(|text| !text.is_empty())
    }

    /// A member of a member.
    pub(super) fn text_in(&self, outer: &str, name: &str) -> Option<&str> {
        self.element.child(outer)?.text_of(name)
    }

    /// The values of a list of texts.
    pub(super) fn texts(&self, list: &str) -> Vec<&str> {
        let found = self.element.items(list, "member");
        found.map(|item| item.text.as_str()).collect()
    }

    /// Tags as pairs of key and value.
    pub(super) fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.element.items("TagList", "Tag").filter_map(|tag| {
            Some((
                tag.text_of("Key")?,
                tag.text_of("Value").unwrap_or_default(),
            ))
        })
    }

    pub(super) fn tag(&self, key: &str) -> Option<&str> {
        self.tags()
            .find(|(known, _)| *known == key)
            .map(|(_, value)| value)
    }

    pub(super) fn is_available(&self) -> bool {
        self.status == "available"
    }

    /// Returns `true` for a state that RDS does not leave by itself.
    pub(super) fn is_broken(&self) -> bool {
        self.status == "failed"
            || self.status.starts_with("incompatible-")
            || self.status.starts_with("inaccessible-")
            || self.status == "restore-error"
    }

    /// Returns `true` if parameters of its group take effect with a restart alone.
    pub(super) fn waits_for_restart(&self) -> bool {
        let mut groups = self.element.items("DBParameterGroups", "DBParameterGroup");
        groups.any(|group| group.text_of("ParameterApplyStatus") == Some("pending-reboot"))
    }

    pub(super) fn parameter_group(&self) -> Option<&str> {
        let mut groups = self.element.items("DBParameterGroups", "DBParameterGroup");
        groups.find_map(|group| group.text_of("DBParameterGroupName"))
    }

    pub(super) fn option_group(&self) -> Option<&str> {
        let list = "OptionGroupMemberships";
        let mut groups = self.element.items(list, "OptionGroupMembership");
        groups.find_map(|group| group.text_of("OptionGroupName"))
    }

    fn memberships(&self) -> impl Iterator<Item = (&str, &str)> {
        let list = "VpcSecurityGroups";
        let groups = self.element.items(list, "VpcSecurityGroupMembership");
        groups.filter_map(|group| {
            Some((
                group.text_of("VpcSecurityGroupId")?,
                group.text_of("Status").unwrap_or("active"),
            ))
        })
    }

    /// Identifiers of its security groups, without those that are being removed.
    pub(super) fn groups(&self) -> Vec<&str> {
        let kept = self.memberships().filter(|(_, state)| *state != "removing");
        kept.map(|(group, _)| group).collect()
    }

    /// Returns `true` if it has these security groups and no others, in any order.
    pub(super) fn has_groups(&self, wanted: &[&str]) -> bool {
        let own: BTreeSet<&str> = self.groups().into_iter().collect();
        own == wanted.iter().copied().collect()
    }

    pub(super) fn groups_are_active(&self) -> bool {
        self.memberships().all(|(_, state)| state == "active")
    }

    /// The security groups that it had before the replacement, which its mark keeps.
    pub(super) fn former_groups(&self) -> Vec<&str> {
        let mark = self
            .tag(ENCRYPTING_TAG)
            .or_else(|| self.tag(REPLACED_TAG))
            .unwrap_or_default();
        mark.split_whitespace().collect()
    }

    /// Time since which no client reaches it.
    pub(super) fn quiesced_at(&self) -> Option<Timestamp> {
        self.tag(QUIESCED_TAG)?.parse().ok()
    }
}
