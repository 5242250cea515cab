//! The measurements of one resource since its last change of size, and its size.

use reeve_estate::{InstanceSpec, Metric, Money, Provider, PublicAddress, Resource, ResourceKind};
use reeve_learn::{DAY_MS, Window};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::assessment::{Hazards, impact_level};
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{resize, subject};
use reeve_recommend::recommendation::RecommendationSubject;
use reeve_recommend::recommendation::title::title;

use super::Facts;
use super::dimension::CostDimension;
use super::price::{PriceStep, change};
use super::replaced::Replaced;
use super::settings::Thresholds;
use crate::load::{Load, data_points};

/// The measurements of one resource. What is `None` was not measured.
#[derive(Debug)]
pub(super) struct CostEvidence<'a> {
    /// Source of the evidence.
    pub(super) facts: &'a Facts<'a>,
    /// CPU, percent of all cores.
    pub(super) cpu: Option<Load>,
    /// Memory in use, percent.
    pub(super) memory: Option<Load>,
    /// Network, in plus out, bytes per second; only where both directions are measured.
    pub(super) network: Option<Load>,
    /// Disk, reads plus writes, bytes per second; only where both are measured.
    pub(super) disk_bytes: Option<Load>,
    /// Disk operations, reads plus writes, per second; only where both are measured.
    pub(super) disk_ops: Option<Load>,
    /// Number of open database connections.
    pub(super) connections: Option<Load>,
    /// Credits of a burstable machine.
    pub(super) credits: Option<Load>,
    /// Its size; `None` for a size that the catalogue lacks.
    pub(super) size: Option<InstanceSpec>,
    /// Thresholds and windows of the agent.
    pub(super) settings: Thresholds,
    /// Group whose members the facts describe as one machine.
    pub(super) replaced: Option<&'a Replaced<'a>>,
    pub(super) now_ms: i64,
}

impl<'a> CostEvidence<'a> {
    pub(super) fn new(facts: &'a Facts<'a>) -> Self {
        let one = |metric| Load::measured(facts, metric);
        let both = |a, b| Load::sum(facts, a, b);
        CostEvidence {
            facts,
            cpu: one(Metric::CpuUtilization),
            memory: one(Metric::MemoryUtilization),
            network: both(Metric::NetworkIn, Metric::NetworkOut),
            disk_bytes: both(Metric::DiskRead, Metric::DiskWrite),
            disk_ops: both(Metric::DiskReadOps, Metric::DiskWriteOps),
            connections: one(Metric::DatabaseConnections),
            credits: one(Metric::CpuCreditBalance),
            size: size(facts),
            settings: Thresholds::from(facts.settings),
            replaced: None,
            now_ms: facts.now.as_millisecond(),
        }
    }

    /// The measurements of a group's members together.
    pub(super) fn of_group(facts: &'a Facts<'a>, replaced: &'a Replaced<'a>) -> Self {
        CostEvidence {
            replaced: Some(replaced),
            ..CostEvidence::new(facts)
        }
    }

    /// The resource that a finding is about.
    pub(super) fn resource(&self) -> &'a Resource {
        self.replaced
            .map_or(self.facts.resource, |replaced| replaced.group)
    }

    /// The resource that a finding is about, in a sentence.
    pub(super) fn named(&self) -> String {
        match self.replaced {
            Some(Replaced {
                group, members: 1, ..
            }) => format!("the member of {}", group.name),
            Some(Replaced { group, members, .. }) => {
                format!("the {members} members of {}", group.name)
            }
            None => self.facts.resource.name.clone(),
        }
    }

    /// Title of a finding that leads to a size.
    pub(super) fn resize_title(&self, from: &str, to: &str) -> String {
        let verb = match self.replaced {
            Some(Replaced { members: 1, .. }) => "Resize the member of ".to_owned(),
            Some(Replaced { members, .. }) => format!("Resize the {members} members of "),
            None => "Resize ".to_owned(),
        };
        title(
            &verb,
            &self.resource().name,
            &format!(" from {from} to {to}"),
        )
    }

    /// Subject of a finding that leads to a size.
    pub(super) fn subject(&self, target: &str) -> RecommendationSubject {
        let subject = subject(self.resource(), Some(target.to_owned()));
        RecommendationSubject {
            instance_type: self.facts.resource.specification.instance_type.clone(),
            ..subject
        }
    }

    /// Plan of another size.
    pub(super) fn resize(&self, from: &str, to: &str) -> Plan {
        self.replaced.map_or_else(
            || resize(self.facts.resource, from, to),
            |replaced| replaced.plan(from, to),
        )
    }

    /// Interruption by another size, in words.
    pub(super) fn interruption(&self) -> String {
        self.replaced
            .map_or_else(|| "one restart".to_owned(), Replaced::interruption)
    }

    /// Effect of another size on access, by the fate of the machine's public address.
    pub(super) fn security(&self) -> String {
        let stays = "image, private addresses and permissions stay as they are";
        let machine =
            self.replaced.is_none() && self.facts.resource.kind == ResourceKind::VirtualMachine;

        match self.facts.resource.specification.public_address {
            PublicAddress::Assigned if machine => {
                format!("its public IPv4 address changes; {stays}")
            }
            PublicAddress::NotRead if machine => {
                format!("its public IPv4 address may change; {stays}")
            }
            _ => format!("none: {stays}"),
        }
    }

    /// Prices of a change of size; those of a group are of all members.
    pub(super) fn price(&self, from: &InstanceSpec, to: &str) -> Option<PriceStep> {
        let facts = self.facts;
        let found = change(facts.catalogue, facts.resource, &self.size_name(from), to)?;
        Some(
            self.replaced
                .map_or(found.clone(), |replaced| found.times(replaced.members)),
        )
    }

    pub(super) fn last_days(&self, days: i64) -> Window {
        Window::ending(self.now_ms, days * DAY_MS)
    }

    /// Returns the window of the whole history that the settings allow.
    pub(super) fn history(&self) -> Window {
        self.last_days(self.settings.history_days)
    }

    /// Samples that were looked at, all metrics together.
    pub(super) fn data_points(&self) -> u64 {
        data_points(self.facts, super::METRICS)
    }

    /// The name of a size for this kind of resource: RDS classes are machine names behind `db.`.
    pub(super) fn size_name(&self, spec: &InstanceSpec) -> String {
        match (self.facts.resource.kind, self.facts.resource.provider) {
            (ResourceKind::Database, Provider::Aws) => format!("db.{}", spec.name),
            _ => spec.name.clone(),
        }
    }

    /// Returns the impact of a change by the approval matrix that holds.
    pub(super) fn impact_level(
        &self,
        savings: Option<Money>,
        monthly: Option<Money>,
        hazards: Hazards,
    ) -> Impact {
        impact_level(
            &self.facts.guardrails.approval_matrix,
            self.facts.resource,
            savings,
            monthly,
            hazards,
        )
    }

    /// Returns the names of the metrics that were not measured, and of the price if it is unknown.
    pub(super) fn not_measured(&self, unpriced: bool) -> Vec<String> {
        let missing = self
            .measured()
            .into_iter()
            .filter(|(_, measured)| !measured);
        let missing = missing.map(|(dimension, _)| dimension.as_str());
        missing
            .chain(unpriced.then_some("price"))
            .map(str::to_owned)
            .collect()
    }

    /// Dimensions besides the processors, each with `true` if it was measured.
    pub(super) fn measured(&self) -> [(CostDimension, bool); 4] {
        [
            (CostDimension::Memory, self.memory.is_some()),
            (CostDimension::Network, self.network.is_some()),
            (CostDimension::DiskThroughput, self.disk_bytes.is_some()),
            (CostDimension::DiskOperations, self.disk_ops.is_some()),
        ]
    }
}

fn size(facts: &Facts<'_>) -> Option<InstanceSpec> {
    let resource = facts.resource;
    let name = resource.specification.instance_type.as_deref()?;

    match (resource.kind, resource.provider) {
        (ResourceKind::Database, Provider::Aws) => {
            facts.catalogue.database(name).map(|class| class.machine)
        }
        _ => facts.catalogue.instance(resource.provider, name).cloned(),
    }
}
