//! A scaling group whose members are judged as one machine: the plan of another size for all of
//! them, and its interruption.

use reeve_estate::Resource;
use reeve_recommend::change::ChangeGroupSize;
use reeve_recommend::plan::Plan;

/// Group whose members are judged as one machine.
#[derive(Debug, Clone)]
pub(super) struct Replaced<'a> {
    pub(super) group: &'a Resource,
    /// Members that it wants.
    pub(super) members: u32,
    /// Identifier of the launch template.
    pub(super) template: String,
    /// Version of it that the group uses.
    pub(super) version: String,
}

impl Replaced<'_> {
    /// The plan of another size for every member.
    pub(super) fn plan(&self, from: &str, to: &str) -> Plan {
        let change = ChangeGroupSize {
            state: self.group.state,
            template: self.template.clone(),
            version: self.version.clone(),
            from: from.to_owned(),
            to: to.to_owned(),
            members: self.members,
        };
        Plan::new(&change, self.group.id.as_str())
    }

    /// Interruption by the plan in words.
    pub(super) fn interruption(&self) -> String {
        match self.members {
            1 => "its only member is replaced: no service until the new one is healthy".to_owned(),
            2..=19 => {
                format!(
                    "its {} members are replaced one at a time while the others serve; no restart",
                    self.members
                )
            }
            many => format!("its {many} members are replaced while 90 % of them serve; no restart"),
        }
    }
}
