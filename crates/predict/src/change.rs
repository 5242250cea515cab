//! Change by which a rule responds for one resource: a plan if the cloud has a call for it that Reeve can apply and
//! check, else advice with the reason.
//!
//!
//! Bounds: EBS "Constraints on volume sizes" (16 TiB; `io2` 64 TiB; `standard` 1 TiB), Azure "Scalability and
//! performance targets for VM disks" (32,767 GiB), Compute Engine "Disks" (64 TiB), RDS "Increasing DB instance
//! storage capacity" (at least 10 % more, at most 64 TiB).

use jiff::Timestamp;
use reeve_estate::{Catalogue, GIB, InstanceSpec, Money, Provider, Resource, ResourceKind, ResourceState};

use super::plans;
use super::prediction::Prediction;
use super::rule::{ResponseKind, Rule, Signal};
use super::surroundings::On;
use reeve_recommend::agent::Impact;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::Effort;
use reeve_recommend::{Hazards, risk};

/// Bytes of a GB.
const GB: f64 = 1e9;
/// RDS grows storage by at least this, percent.
const RDS_LEAST_PERCENT: f64 = 10.0;
/// A group is scaled to at most so many times its members before a peak; its own policies do the rest.
const MOST_TIMES: f64 = 2.0;

/// Proposed change with its description and known facts.
pub(super) struct Change {
    pub(super) words: String,
    /// The size a machine gets.
    pub(super) target: Option<String>,
    pub(super) plan: Option<Plan>,
    /// Why there is no plan.
    pub(super) by_hand: Option<String>,
    /// Further notes for the user.
    pub(super) notes: Vec<String>,
    /// Added cost a month, or once for what is taken back; `None` where no price is known.
    pub(super) added: Option<Money>,
    /// `true` for a one-time cost, `false` for a monthly one.
    pub(super) once: bool,
    /// Compares the cost with the account's bill if `true`: growing or added resources have no cost of their own to
    /// compare with.
    pub(super) against_bill: bool,
    /// Storage after the change, GB.
    pub(super) after_gb: Option<f64>,
    pub(super) effort: Effort,
}

impl Change {
    fn advice(words: String, effort: Effort, why: impl Into<String>) -> Change {
        Change {
            words,
            target: None,
            plan: None,
            by_hand: Some(why.into()),
            notes: Vec::new(),
            added: None,
            once: false,
            against_bill: false,
            after_gb: None,
            effort,
        }
    }

    fn free(self) -> Change {
        Change { added: Some(Money::ZERO), ..self }
    }

    fn planned(self, plan: Plan) -> Change {
        Change { plan: Some(plan), by_hand: None, ..self }
    }

    /// The risk of carrying it out. What stops nothing and takes nothing away has none of its own, in production or not; what
    /// makes storage final is the rule's word on its size to approve.
    pub(super) fn risk(&self, resource: &Resource, hazards: Hazards) -> Impact {
        let harmless = self.plan.as_ref().is_some_and(|plan| !plan.restart_needed) && self.against_bill;
        if !harmless {
            return risk(resource, hazards);
        }
        if hazards.iac { Impact::Medium } else { Impact::Low }
    }
}

/// The response of a rule.
pub(super) fn change(rule: &Rule, on: &On<'_>, found: &Prediction, catalogue: &Catalogue) -> Change {
    let (name, resource) = (&on.resource.name, on.resource);
    let when = found.expected_at.map_or_else(|| "it".to_owned(), |at| at.strftime("%H:%M UTC").to_string());
    match rule.response.kind {
        ResponseKind::ExpandStorage => expand(rule, resource, catalogue),
        ResponseKind::PreScale if resource.kind == ResourceKind::ScalingGroup => {
            pre_scale(rule, resource, found, catalogue)
        }
        ResponseKind::ScaleUp | ResponseKind::PreScale => scale(rule, resource, found, catalogue),
        ResponseKind::CreateReadReplica => replica(resource),
        ResponseKind::RequestLimitIncrease => {
            let limit = found.limit.map_or_else(String::new, |limit| {
                format!(" from {limit:.0} to {:.0}", limit * (1.0 + rule.response.step_percent / 100.0))
            });
            let words = format!("Ask the provider for a higher limit of {name}{limit}");
            let why = "which quota of the provider the limit is, only its owner can say: ask for it in the provider's console";
            Change::advice(words, Effort::Low, why).free()
        }
        ResponseKind::WarmCache => {
            let words = format!("Warm the caches of {name} before {when}");
            let why = "what belongs into a cache, and how it gets there, only the application knows: no cloud has a call for it";
            Change::advice(words, Effort::Low, why).free()
        }
        ResponseKind::PrepareFailover => fail_over(resource, found, &when),
    }
}

fn expand(rule: &Rule, resource: &Resource, catalogue: &Catalogue) -> Change {
    let name = &resource.name;
    let Some(now) = resource.specification.storage_gib.filter(|gib| *gib > 0.0) else {
        let why = match resource.kind {
            ResourceKind::VirtualMachine => {
                "it has several disks, or none that is known, and which one fills is not measured"
            }
            _ => "how much storage it has is not known",
        };
        return Change::advice(format!("Expand the storage of {name}"), Effort::Low, why);
    };
    let rds = resource.kind == ResourceKind::Database && resource.provider == Provider::Aws;
    let step = if rds { rule.response.step_percent.max(RDS_LEAST_PERCENT) } else { rule.response.step_percent };
    let after = (now * (1.0 + step / 100.0)).ceil();
    let mut larger = resource.clone();
    larger.specification.storage_gib = Some(after);
    let words = format!("Expand the storage of {name} from {now:.0} to {after:.0} GiB");
    let advice = |why: String| Change {
        added: added(catalogue, resource, &larger),
        against_bill: true,
        after_gb: Some(after * GIB / GB),
        ..Change::advice(words.clone(), Effort::Low, why)
    };
    let most = match most_gib(resource) {
        Ok(most) => most,
        Err(why) => return advice(why.to_owned()),
    };
    if after > most {
        return advice(format!(
            "{after:.0} GiB are more than the {most:.0} GiB it may have: split it, or take another type"
        ));
    }
    let change = advice(String::new()).planned(plans::grow(resource, now as u32, after as u32));
    let mut notes = vec!["It cannot be undone: storage does not shrink again".to_owned()];
    if resource.kind == ResourceKind::Volume {
        notes.push(
            "The disk grows, and the file system on it is extended by a person or the image's own tools (growpart)"
                .to_owned(),
        );
    }
    Change { notes, ..change }
}

/// The most storage a resource may have, GiB; an error where Reeve has no call to grow it.
fn most_gib(resource: &Resource) -> Result<f64, &'static str> {
    let class = resource.specification.storage_type.as_deref().unwrap_or_default();
    let settled =
        matches!(resource.state, ResourceState::Running | ResourceState::Available | ResourceState::Unattached);
    match (resource.kind, resource.provider) {
        _ if !settled => Err("it is on its way between states"),
        (ResourceKind::Volume, Provider::Aws) if class == "io2" => Ok(65_536.0),
        (ResourceKind::Volume, Provider::Aws) if class == "standard" => Ok(1_024.0),
        (ResourceKind::Volume, Provider::Aws) => Ok(16_384.0),
        (ResourceKind::Volume, Provider::Azure) => Ok(32_767.0),
        (ResourceKind::Volume, Provider::Gcp) => Ok(65_536.0),
        (ResourceKind::Database, Provider::Aws) => Ok(65_536.0),
        (ResourceKind::Database, _) => Err("the storage of this cloud's databases grows in steps of the service's own"),
        _ => Err("the storage belongs to another resource"),
    }
}

/// More members of a group before a peak, until it is over.
fn pre_scale(rule: &Rule, group: &Resource, found: &Prediction, catalogue: &Catalogue) -> Change {
    let name = &group.name;
    let by_hand = |why: &str| Change::advice(format!("Give {name} more members"), Effort::Medium, why);
    let Some(now) = group.specification.capacity else { return by_hand("how many members it has is not known") };
    let Some(until) = found.over_at else {
        return by_hand("no end within a day is foreseen: how large it is to be from now on is for a person");
    };
    let members = members(rule, now.desired, found).min(now.max);
    if members <= now.desired.max(now.min) {
        return by_hand("it has its most members already: raise its maximum first");
    }
    let more = members - now.desired;
    let hours = until.duration_since(found.at).as_secs_f64().max(0.0) / 3600.0;
    let price = group.specification.instance_type.as_deref();
    let price = price.and_then(|size| catalogue.hourly_usd(group.provider, &group.region, size, None));
    let words = format!("Scale {name} from {} to {members} members until {}", now.desired, clock(until));
    let change = Change::advice(words, Effort::Low, "").planned(plans::scale_until(group, now, members, until));
    Change {
        added: price.map(|price| Money::from_usd(price.usd_per_hour * hours * f64::from(more))),
        once: true,
        against_bill: true,
        notes: vec![format!(
            "Its maximum of {} stays; after {} it gets its least of {} back, and its {} members where nothing has moved them",
            now.max,
            clock(until),
            now.min,
            now.desired
        )],
        ..change
    }
}

fn clock(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Returns the number of members that a peak needs: in proportion to the present or usual demand, whichever is higher,
/// and at most twice as many as now.
fn members(rule: &Rule, desired: u32, found: &Prediction) -> u32 {
    let usual = found.limit.zip(rule.condition.value).map(|(level, above)| level / (1.0 + above / 100.0));
    let now = found.value.into_iter().chain(usual).fold(f64::NAN, f64::max);
    let times = found.peak.map(|peak| peak / now).filter(|times| times.is_finite() && *times > 1.0);
    let times = times.unwrap_or(1.0 + rule.response.step_percent / 100.0).min(MOST_TIMES);
    ((f64::from(desired) * times).ceil() as u32).max(desired.saturating_add(1))
}

fn replica(database: &Resource) -> Change {
    let (id, name) = (&database.id, &database.name);
    let taken = &database.specification.replicas;
    let replica = (1..=taken.len() + 1).map(|n| format!("{id}-reeve-{n}")).find(|name| !taken.contains(name));
    let change = Change {
        added: database.monthly_cost,
        against_bill: true,
        ..Change::advice(format!("Create a read replica of {name}"), Effort::High, "Reeve makes replicas on RDS alone")
    };
    // RDS: at most 15 replicas, and identifiers of at most 63 characters.
    match replica {
        Some(replica) if database.provider == Provider::Aws && taken.len() < 15 && replica.len() <= 63 => Change {
            notes: vec!["Reads go to it once the application is told its address; that is for a person".to_owned()],
            ..change.planned(plans::replicate(database, &replica))
        },
        _ => change,
    }
}

/// The standby takes over before a maintenance, where it is known which zone the primary leaves and which it goes to.
fn fail_over(resource: &Resource, found: &Prediction, when: &str) -> Change {
    let name = &resource.name;
    let spec = &resource.specification;
    let advice = |standby: &str, why: &str| {
        let words = format!("Prepare the failover of {name} before {when}: {standby}");
        Change::advice(words, Effort::Medium, why).free()
    };
    let (from, to) = match (resource.kind, spec.multi_az, &spec.zone, &spec.standby_zone) {
        (ResourceKind::Database, Some(true), Some(from), Some(to)) => (from, to),
        (ResourceKind::Database, Some(true), ..) => {
            return advice(
                "check that its standby is in step",
                "the zones of its primary and its standby are not known",
            );
        }
        (ResourceKind::Database, ..) => {
            return advice(
                "it has no standby in another zone: make one, or plan the outage",
                "a standby doubles what it costs, and its making is for a person",
            );
        }
        _ => return advice("check that another zone can take its traffic", "it has no standby that could take over"),
    };
    if found.event.as_ref().is_some_and(|event| event.contains(to.as_str())) {
        let why = "the maintenance is in the standby's own zone: the primary stays where it is";
        return advice("check that it does without its standby meanwhile", why);
    }
    let words = format!("Let the standby of {name} in {to} take over from {from} before {when}");
    let change = Change::advice(words, Effort::Medium, "").free().planned(plans::fail_over(resource, from, to));
    let sure = found.event.as_ref().is_some_and(|event| event.contains(from.as_str()));
    let mut notes = vec!["Connections break for a minute or two, at a time that is known".to_owned()];
    if !sure {
        notes.push(format!("The event does not say that the maintenance is in {from}: look before approving"));
    }
    Change { notes, ..change }
}

/// A larger size of the same family for what is resized one by one; a number to scale by for what is not.
fn scale(rule: &Rule, resource: &Resource, found: &Prediction, catalogue: &Catalogue) -> Change {
    let name = &resource.name;
    let size = resource.specification.instance_type.as_deref();
    let alone =
        matches!(resource.kind, ResourceKind::VirtualMachine | ResourceKind::Database) && resource.group.is_none();
    let fits = |architectures: &[String]| {
        let own = resource.specification.architecture.as_deref();
        own.is_none_or(|own| architectures.iter().any(|one| one == own))
    };
    let larger = size.filter(|_| alone && resource.kind == ResourceKind::VirtualMachine).and_then(|size| {
        let now = catalogue.instance(resource.provider, size)?;
        let all = catalogue.larger_in_family(resource.provider, size);
        // More of what runs short: a t3.large has no more processors than a t3.medium.
        let has_more = |spec: &InstanceSpec| match found.signal {
            Some(Signal::MemoryUtilization) => spec.memory_gib > now.memory_gib,
            _ => spec.vcpu > now.vcpu,
        };
        all.into_iter().find(|spec| has_more(spec) && spec.gpus == now.gpus && fits(&spec.architectures))
    });
    let (Some(size), Some(larger)) = (size, larger) else {
        let peak = found.forecast.iter().map(|step| step.p95).fold(f64::NAN, f64::max);
        let factor = found.value.filter(|now| *now > 0.0).map(|now| peak / now).filter(|f| f.is_finite() && *f > 1.0);
        let by = factor
            .map_or_else(|| format!("{:.0} %", rule.response.step_percent), |f| format!("{:.0} %", (f - 1.0) * 100.0));
        let why = match resource.kind {
            ResourceKind::LoadBalancer => "the machines behind it belong to no one group that could be scaled",
            ResourceKind::VirtualMachine if resource.group.is_some() => {
                "it belongs to a group, which is scaled as a whole"
            }
            ResourceKind::Database => "a larger class restarts it: when that is worth it is for a person",
            _ => "the catalogue knows no larger size of its family",
        };
        return Change::advice(format!("Give {name} {by} more capacity"), Effort::Medium, why);
    };
    let mut after = resource.clone();
    after.specification.instance_type = Some(larger.name.clone());
    let words = format!("Resize {name} from {size} to {}", larger.name);
    let plan = reeve_recommend::resize(resource, size, &larger.name);
    Change {
        target: Some(larger.name.clone()),
        added: added(catalogue, resource, &after),
        ..Change::advice(words, Effort::Medium, "").planned(plan)
    }
}

/// Returns the monthly cost that the change adds at list price.
fn added(catalogue: &Catalogue, now: &Resource, after: &Resource) -> Option<Money> {
    let month = |of: &Resource| catalogue.monthly_cost(of).or_else(|| catalogue.database_storage_monthly(of));
    Some(month(after)?.cost - month(now)?.cost)
}
