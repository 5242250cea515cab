//! `production = high_availability`: databases with a standby in another zone, scaling groups of
//! two members at least, and no machine that serves alone.

use reeve_estate::{Capacity, Money, Provider, Resource, ResourceKind};
use reeve_recommend::change::{AddStandby, ResizeGroup};
use reeve_recommend::guardrail::protection::{manager, refusal};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, RecommendationType};

use super::finding::{WorkloadCase, WorkloadFinding};

pub(super) const KIND: RecommendationType = RecommendationType::HighAvailability;
/// Members from which one failure leaves a member.
const MEMBERS: u32 = 2;

/// Checks a production resource.
pub(super) fn check(case: &WorkloadCase<'_>) -> Result<Proposal, Abstention> {
    match case.facts.resource.kind {
        ResourceKind::Database => database(case),
        ResourceKind::ScalingGroup => group(case),
        _ => machine(case),
    }
}

fn decided(code: &'static str, detail: impl Into<String>) -> Abstention {
    Abstention::decided(KIND, code, detail)
}

fn database(case: &WorkloadCase<'_>) -> Result<Proposal, Abstention> {
    let database = case.facts.resource;
    let mut path = case.path();

    match database.specification.multi_az {
        Some(true) => return Err(decided("has_standby", "a standby waits in another zone")),
        None => {
            let detail = "the cloud does not report whether it has a standby";
            return Err(Abstention::unjudged(KIND, "standby_not_known", detail));
        }
        Some(false) => {}
    }

    if let Some(protected) = refusal(database, "add_standby", case.facts.catalogue) {
        return Err(protected.into_abstention(Some(KIND)));
    }

    path.ask(
        "Does it run in one zone alone?",
        true,
        "it has no standby in another zone",
    );

    let plan = (database.provider == Provider::Aws).then(|| {
        Plan::new(
            &AddStandby {
                state: database.state,
            },
            database.id.as_str(),
        )
    });
    switch(case, plan.is_some())?;

    let (name, id) = (&database.name, &database.id);
    Ok(case.propose(WorkloadFinding {
        title: title("Add a standby of ", name, " in another zone"),
        action: format!("Add a standby of {name} ({id}) in another zone"),
        factors: Factors::from([
            (FactorKind::Measured, "It runs in one zone alone: it has no standby in another zone"),
            (FactorKind::Consequence, "A failure of its zone stops it until the zone is back"),
        ]),
        plan,
        // A standby is a second instance of the same class with the same storage.
        savings: case.second_costs(),
        cost_percent: Some(100.0),
        cost: "doubles what the database costs: the standby is a second instance with storage of its own".to_owned(),
        performance: "writes wait for the standby, which takes a few milliseconds more".to_owned(),
        ..finding("production_single_zone", path)
    }))
}

fn group(case: &WorkloadCase<'_>) -> Result<Proposal, Abstention> {
    let group = case.facts.resource;
    let mut path = case.path();
    let Some(Capacity { min, desired, max }) = group.specification.capacity else {
        return Err(Abstention::unjudged(
            KIND,
            "capacity_not_known",
            "its number of members is not known",
        ));
    };

    if min >= MEMBERS {
        return Err(decided(
            "enough_members",
            format!("it has at least {min} members"),
        ));
    }

    path.ask(
        "May it shrink to one member?",
        true,
        format!("{min} to {max} members, {desired} now"),
    );

    let change = ResizeGroup {
        state: group.state,
        from: min,
        to: MEMBERS,
    };
    let plan = (group.provider == Provider::Aws && max >= MEMBERS)
        .then(|| Plan::new(&change, group.id.as_str()));
    switch(case, plan.is_some())?;
    let more = MEMBERS.saturating_sub(desired);
    let name = &group.name;
    let mut factors = Factors::from([
        (
            FactorKind::Measured,
            format!("It may shrink to {min} members: {min} to {max}, {desired} now"),
        ),
        (
            FactorKind::Consequence,
            format!("With {min} members a failure or a scale-in leaves nothing that serves"),
        ),
    ]);

    factors.extend((max < MEMBERS).then(|| {
        (
            FactorKind::Consequence,
            format!("Its maximum is {max}: raise that first"),
        )
    }));

    Ok(case.propose(WorkloadFinding {
        title: title(&format!("Keep at least {MEMBERS} members in "), name, ""),
        action: format!("Raise the least number of members of {name} from {min} to {MEMBERS}"),
        factors,
        plan,
        savings: (more == 0).then_some(Money::ZERO),
        cost_percent: Some(f64::from(more) / f64::from(desired.max(1)) * 100.0),
        cost: match more {
            0 => format!(
                "nothing now: it has {desired} members; later the {MEMBERS} that always run"
            ),
            _ => format!("{more} more of the group's machines"),
        },
        performance: "none: members are added, none is replaced".to_owned(),
        ..finding("production_too_few_members", path)
    }))
}

fn machine(case: &WorkloadCase<'_>) -> Result<Proposal, Abstention> {
    let machine = case.facts.resource;
    let mut path = case.path();

    if let Some(group) = &machine.group {
        return Err(decided(
            "group_member",
            format!("it belongs to {group}, which is checked itself"),
        ));
    }

    if let Some((manager, tag)) = manager(machine) {
        return Err(decided(
            "managed",
            format!("{manager} manages it (its tag {tag}) and decides about its zones"),
        ));
    }

    if let Some(number) = numbered(machine) {
        return Err(decided(
            "one_of_several",
            format!("{number} says that there are others of its kind"),
        ));
    }

    path.ask(
        "Does it serve alone?",
        true,
        "it is in no scaling group, and its name is not one of a series",
    );
    switch(case, false)?;
    let name = &machine.name;

    Ok(case.propose(WorkloadFinding {
        title: title("Run ", name, " in more than one zone"),
        action: format!(
            "Put {name} ({}) into a scaling group over two zones, behind a load balancer",
            machine.id
        ),
        factors: Factors::from([
            (
                FactorKind::Measured,
                "It is in no scaling group, and its name is not one of a series",
            ),
            (
                FactorKind::Consequence,
                "A failure of the machine or of its zone stops what it serves",
            ),
        ]),
        effort: Effort::High,
        savings: case.second_costs(),
        cost_percent: Some(100.0),
        cost: "a second machine, unless two smaller ones carry the load".to_owned(),
        performance: "none expected".to_owned(),
        ..finding("production_single_machine", path)
    }))
}

/// The end of a name that counts: `gateway-2`, `web-b`.
fn numbered(machine: &Resource) -> Option<&str> {
    let (_, end) = machine.name.rsplit_once(['-', '_', '.'])?;
    let counts = !end.is_empty() && (end.chars().all(|c| c.is_ascii_digit()) || end.len() == 1);
    counts.then_some(machine.name.as_str())
}

fn switch(case: &WorkloadCase<'_>, has_plan: bool) -> Result<(), Abstention> {
    match has_plan {
        true => case.switched(
            case.settings.practices,
            KIND,
            "apply_best_practices.enabled",
        ),
        false => case.switched(
            case.settings.architectures,
            KIND,
            "recommend_architectures.enabled",
        ),
    }
}

/// A finding of this check with its texts left out.
fn finding(code: &'static str, path: Path) -> WorkloadFinding {
    WorkloadFinding {
        kind: KIND,
        code,
        title: String::new(),
        action: String::new(),
        factors: Factors::default(),
        plan: None,
        target_type: None,
        effort: Effort::Low,
        savings: None,
        cost_percent: None,
        cost: String::new(),
        performance: String::new(),
        security: "none: access stays as it is".to_owned(),
        tried: None,
        path,
    }
}
