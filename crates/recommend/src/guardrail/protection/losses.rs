//! Losses by each change, and what they mean for risk and impact: the part of a plan that a person
//! has to know before signing it.

use reeve_audit::Json;
use reeve_estate::{LocalDisks, PriceCatalogue, PublicAddress, Resource};

use crate::agent::Impact;
use crate::change::{ConfigurationRow, Effect};
use crate::judgement::proposal::Proposal;
use crate::plan::{Loss, LossKind, Plan, PlannedChange, StepKind};

/// Returns the losses by a planned change on a resource. A change that is not named here loses
/// nothing, which a test asks of each.
#[must_use]
pub fn losses(
    resource: &Resource,
    planned: &PlannedChange,
    catalogue: &PriceCatalogue,
) -> Vec<Loss> {
    use LossKind::{Address, Data, Fees, Members, WarmCaches};

    let (kind, lasting, detail) = match planned.name.as_str() {
        "stop_machine" | "resize_machine" => return stopped_machine(resource, planned, catalogue),
        "stop_database" => (
            WarmCaches,
            false,
            "The buffer pool is empty after the next start",
        ),
        "resize_database" => (
            WarmCaches,
            false,
            "The buffer pool is empty after the restart; queries are slower until it is warm",
        ),
        "fail_over" => (
            WarmCaches,
            false,
            "Open connections break, and the standby begins with cold caches",
        ),
        "encrypt_volume" => (
            Data,
            false,
            "What is written to the encrypted volume stays on it if the old one gets its place back; a machine that is stopped loses its caches, and its public address unless it has an Elastic IP",
        ),
        "encrypt_database" => (
            Data,
            false,
            "Clients lose no write: none reaches the database from before the snapshot until the encrypted one has its name. What a job inside the database writes after the snapshot is on the old one alone, and what is written to the encrypted one stays on it if the old one gets its place back",
        ),
        "patch_machine" => (
            WarmCaches,
            true,
            "Patches are not taken off again; a machine that restarts for them begins with cold caches",
        ),
        "isolate" => (
            WarmCaches,
            false,
            "Connections from and to the machine break at once",
        ),
        "replace_machine" => (
            WarmCaches,
            false,
            "The successor begins with the disks of its image, cold caches and other addresses",
        ),
        "tighten_group" => (
            WarmCaches,
            false,
            "Connections that no tight rule permits are refused, and open ones of them break",
        ),
        "change_group_size" => (
            Members,
            true,
            "Every member is replaced: what is only in its memory or on its local disks is gone, and so are its addresses",
        ),
        "scale_group" => (
            Members,
            false,
            "Members that are removed again take their memory and local disks with them",
        ),
        "end_members" => (
            Members,
            true,
            "What is only in the memory or on the local disks of the ended members is gone; a rollback starts new ones",
        ),
        "delete_volume" => (
            Data,
            true,
            "The volume and its identifier are gone; the snapshot keeps its data, and another volume can be made from it",
        ),
        "delete_snapshot" => (
            Data,
            true,
            "The data of its time cannot be restored any more",
        ),
        "release_address" => (
            Address,
            true,
            "The address goes back to the cloud, and anybody may get it next",
        ),
        "delete_nat_gateway" => (
            Address,
            true,
            "Its identifier is gone; routes have to name the gateway that replaces it",
        ),
        "delete_load_balancer" => (
            Address,
            true,
            "Its DNS name, listeners and rules are gone; another one has another name",
        ),
        "put_bucket_lifecycle" if has(planned, "expire_versions_after_days") => (
            Data,
            true,
            "Versions that the rule deletes do not come back",
        ),
        "put_bucket_lifecycle" if has(planned, "tier_objects_after_days") => (
            Fees,
            true,
            "Each transition is charged, and objects that were moved stay in their class; copying them back is charged as well",
        ),
        name => {
            let loses = ConfigurationRow::named(name).and_then(|row| row.loses);
            return loses
                .map(|detail| Loss::new(LossKind::Access, false, detail))
                .into_iter()
                .collect();
        }
    };

    vec![Loss::new(kind, lasting, detail)]
}

/// Returns `true` if the change has a parameter that is not null.
fn has(planned: &PlannedChange, name: &str) -> bool {
    planned
        .parameters
        .get(name)
        .is_some_and(|value| *value != Json::Null)
}

fn stopped_machine(
    machine: &Resource,
    planned: &PlannedChange,
    catalogue: &PriceCatalogue,
) -> Vec<Loss> {
    let mut found = Vec::new();
    match catalogue.local_disks(machine) {
        Some(LocalDisks::None) => {}
        Some(LocalDisks::Data(Some(gb))) => {
            let detail = format!("The contents of its local disks ({gb:.0} GB) are erased");
            found.push(Loss::new(LossKind::LocalDisks, true, detail));
        }
        Some(LocalDisks::Data(None)) => {
            found.push(Loss::new(
                LossKind::LocalDisks,
                true,
                "The contents of its local disks are erased",
            ));
        }
        Some(LocalDisks::Temporary) => {
            found.push(Loss::new(
                LossKind::LocalDisks,
                true,
                "The contents of its temporary disk are erased",
            ));
        }
        None => found.push(Loss::new(
            LossKind::LocalDisks,
            true,
            "The contents of local disks, if it has any, are erased",
        )),
    }

    found.extend(lost_address(machine.specification.public_address));
    let size = |name: &str| catalogue.instance(machine.provider, name);

    if let Some(spec) = machine
        .specification
        .instance_type
        .as_deref()
        .and_then(size)
        .filter(|spec| spec.burstable)
    {
        // "Key concepts for burstable performance instances": T2 loses them at once, later families
        // keep them for seven days.
        let kept = spec.family != "t2" && planned.name == "resize_machine";
        let detail = match (kept, spec.family.as_str()) {
            (true, _) => {
                "CPU credits may be lost; it begins with those that the cloud keeps over a restart"
            }
            (false, "t2") => "CPU credits that it has saved are lost at the stop",
            (false, _) => "CPU credits that it has saved are lost after seven days",
        };
        found.push(Loss::new(LossKind::BurstCredits, false, detail));
    }

    let detail =
        "What is only in memory is gone: caches are cold and sessions end at the next start";
    found.push(Loss::new(LossKind::WarmCaches, false, detail));
    found
}

fn lost_address(address: PublicAddress) -> Option<Loss> {
    let detail = match address {
        PublicAddress::Absent | PublicAddress::Kept => return None,
        PublicAddress::Assigned => {
            "Its public IPv4 address goes back to the cloud and another one is assigned at the next start: records in the DNS and \
             lists of allowed addresses that name it point to a stranger"
        }
        PublicAddress::NotRead => {
            "It was not read whether its public IPv4 address stays; an assigned one changes, and what names it breaks"
        }
    };
    Some(Loss::new(LossKind::Address, true, detail))
}

impl Plan {
    /// The same plan with what it loses on the resource that it changes. The hash covers it: an
    /// approval is given to the losses too.
    #[must_use]
    pub fn with_losses(self, resource: &Resource, catalogue: &PriceCatalogue) -> Plan {
        let found = self
            .change
            .as_ref()
            .map(|planned| losses(resource, planned, catalogue));
        self.losing(found.unwrap_or_default())
    }
}

/// States what the plan of a proposal loses, and raises risk and impact by it: what cannot be taken
/// back is never of low risk, and of high risk where nothing was measured that speaks for it. A
/// machine that loses an address or a disk for good needs the signatures of high impact, because no
/// rollback makes it what it was.
pub fn state_losses(proposal: &mut Proposal, resource: &Resource, catalogue: &PriceCatalogue) {
    let Some(plan) = proposal.plan.take() else {
        return;
    };

    let plan = plan.with_losses(resource, catalogue);
    let is_lasting = plan.losses.iter().any(|loss| loss.lasting);

    // A plan without a way back that only records something takes nothing away.
    let is_final = !plan.reversible
        && plan
            .steps
            .iter()
            .any(|step| step.kind.effect() != Effect::Nothing);
    let stops = plan.steps.iter().any(|step| step.kind == StepKind::Stop);
    let (risk, impact) = match (is_final, is_lasting) {
        (true, true) if is_unproven(proposal) => (Impact::High, Impact::Medium),
        (true, true) => (Impact::Medium, Impact::Medium),
        // Nothing is lost for good, as where storage grows or a volume changes its type: what it
        // costs decides who signs.
        (true, false) => (Impact::Medium, Impact::Low),
        (false, true) if stops => (Impact::High, Impact::High),
        _ => (Impact::Low, Impact::Low),
    };

    proposal.explanation.risk = proposal.explanation.risk.max(risk);
    proposal.impact_level = proposal.impact_level.max(impact);
    proposal.plan = Some(plan);
}

/// Returns `true` if no measurement speaks for a proposal and a question of its decision stayed
/// open.
fn is_unproven(proposal: &Proposal) -> bool {
    let explanation = &proposal.explanation;
    explanation.data_points == 0
        && explanation
            .decision_path
            .iter()
            .any(|decision| decision.answer.is_none())
}

#[cfg(test)]
mod tests;
