//! Security groups with the group that takes their place.

use jiff::Timestamp;
use reeve_estate::{
    ActError, ActErrorKind, Applied, Described, Document, GroupUse, MADE_BY, Observed,
    REPLACEMENT_PREFIX, Relation, RelationKind, ReplacementGroup, Resource, ResourceKind,
};
use reeve_flows::{FlowRule, RulePeer, rules_of};
use reeve_recommend::change::GroupOperation;
use serde_json::{Value, json};

use crate::account::SimulatedAccount;
use crate::flows::interface_id;
use crate::noise::{hex, key};
use crate::refusal::refuse;

impl SimulatedAccount {
    /// Identifier of the group in the place of another one.
    fn replacement_id(&self, group: &str) -> String {
        let seed = key(self.world.settings.seed, &format!("{group}/tight"));
        format!("sg-{}", hex(seed, 17))
    }

    /// One security group with its use.
    pub(crate) fn with_group_use(
        &self,
        group: &Resource,
        now: Timestamp,
    ) -> Result<Observed, ActError> {
        let mut fresh = self.with_configuration(group, now)?.resource;
        fresh.specification.group_use = Some(self.group_use(group, now)?);
        fresh.specification.document = None;
        Ok(Observed {
            state: fresh.state,
            instance_type: None,
            resource: fresh,
        })
    }

    fn group_use(&self, group: &Resource, now: Timestamp) -> Result<GroupUse, ActError> {
        let seen = self.with_configuration(group, now)?.resource;
        let document = seen.specification.document;
        let rules = document.and_then(|document| rules_of(document.json()));
        let id = self.replacement_id(group.id.as_str());
        let kept = self.conditions.lock().get(&group.id).replacement;

        let own = [group.id.as_str(), id.as_str()];
        let interfaces = self
            .machines(now)
            .into_iter()
            .map(|machine| {
                let groups = machine.specification.security_groups;
                (interface_id(machine.id.as_str()), groups)
            })
            .filter(|(_, groups)| groups.iter().any(|group| own.contains(&group.as_str())))
            .collect();
        Ok(GroupUse {
            rules: FlowRule::texts(&rules.unwrap_or_default()),
            interfaces,
            replacement: kept.map(|rules| ReplacementGroup { id, rules }),
        })
    }

    fn machines(&self, now: Timestamp) -> Vec<Resource> {
        let all = self.all(&self.conditions.lock(), now);
        all.into_iter()
            .filter(|resource| resource.kind == ResourceKind::VirtualMachine)
            .collect()
    }

    /// Carries out an operation on a group and the one in its place.
    pub(crate) fn replace_group(
        &self,
        group: &Resource,
        operation: &GroupOperation,
        now: Timestamp,
    ) -> Result<Applied, ActError> {
        let mut used = self.group_use(group, now)?;
        let is_used = used
            .interfaces
            .keys()
            .any(|one| used.has(one, used.replacement_id()));
        if *operation == GroupOperation::DeleteReplacement && is_used {
            let message = "the security group has a dependent object";
            return Err(refuse(ActErrorKind::Other, "DependencyViolation", message));
        }

        let made = self.replacement_id(group.id.as_str());
        operation.apply(&mut used, group.id.as_str(), &made);
        let machines = self.machines(now);
        let mut conditions = self.conditions.lock();
        conditions
            .resources
            .entry(group.id.clone())
            .or_default()
            .replacement = used.replacement.map(|replacement| replacement.rules);
        for machine in machines {
            if let Some(groups) = used.interfaces.get(&interface_id(machine.id.as_str())) {
                let condition = conditions.resources.entry(machine.id).or_default();
                condition.groups = Some(groups.clone());
            }
        }
        Ok(Applied::Accepted)
    }

    /// Describes the groups that take the place of others.
    pub(crate) fn replacements(&self, groups: &[Described], now: Timestamp) -> Vec<Described> {
        let conditions = self.conditions.lock();
        let made = groups.iter().filter_map(|group| {
            let wide = &group.resource;
            let rules = conditions.get(&wide.id).replacement?;
            let id = self.replacement_id(wide.id.as_str());
            let permissions = |direction: &str| -> Value {
                let own = rules.iter().filter(|rule| rule.starts_with(direction));
                own.filter_map(|rule| FlowRule::parse(rule).ok()).map(permission).collect()
            };
            let name = format!("{REPLACEMENT_PREFIX}{}", wide.id);
            let network = group.document.json()["vpcId"].clone();
            let document = json!({
                "groupId": id, "groupName": name,
                "groupDescription": format!("Least rules of {} by its flow logs. Made by Reeve.", wide.id),
                "vpcId": network, "ownerId": self.plan.account, "ipPermissions": permissions("ingress"),
                "ipPermissionsEgress": permissions("egress"),
                "tagSet": [{ "key": MADE_BY.0, "value": MADE_BY.1 }],
            });
            let kind = Some(ResourceKind::SecurityGroup);
            let network = network.as_str().unwrap_or_default().to_owned();
            Some(Described {
                resource: self.plain(kind, &id, &name, &wide.region, now),
                document: Document::new(document),
                relations: vec![Relation::to(RelationKind::LocatedIn, network)],
            })
        });
        made.collect()
    }
}

fn permission(rule: FlowRule) -> Value {
    let protocol = rule
        .protocol
        .map_or_else(|| "-1".to_owned(), reeve_flows::protocol_text);
    let mut permission = json!({
        "ipProtocol": protocol, "ipRanges": [], "ipv6Ranges": [], "groups": [], "prefixListIds": [],
    });
    if matches!(rule.protocol, Some(6 | 17)) {
        permission["fromPort"] = json!(rule.from_port.to_string());
        permission["toPort"] = json!(rule.to_port.to_string());
    }
    match rule.peer {
        RulePeer::Network(network) => {
            permission["ipRanges"] = json!([{ "cidrIp": network.to_string() }])
        }
        RulePeer::Group(id) => permission["groups"] = json!([{ "groupId": id }]),
        RulePeer::PrefixList(id) => permission["prefixListIds"] = json!([{ "prefixListId": id }]),
    }
    permission
}
