//! What a change is to lead to, and whether a look at the resource shows it.
//!
//! A field is a name and a value in words, as plans, actions and the log carry them: `state`, `instance_type`, `storage_gib`,
//! `min_size`, `desired_capacity`, `zone`, `replica`, `security_groups` (separated by commas), `isolated`.

use reeve_estate::{Capacity, Mutation, Observed, Resource, ResourceState};

use reeve_recommend::plan::{Plan, Step};

/// Fields that are noted where the plan is about them.
pub(super) const OWN_FIELDS: [&str; 6] =
    ["storage_gib", "min_size", "desired_capacity", "zone", "security_groups", "isolated"];

/// What a change is to lead to.
#[derive(Debug, Clone)]
pub(super) struct Goal {
    mutation: Mutation,
    /// Fields and the values they are to have.
    pub(super) wanted: Vec<(String, String)>,
    /// For a group: what a step of the plan gave it, whose desired capacity is taken back only where it is still that.
    given: Option<u32>,
}

impl Goal {
    pub(super) fn state(mutation: Mutation, state: ResourceState) -> Self {
        Goal { mutation, wanted: vec![("state".to_owned(), state.as_str().to_owned())], given: None }
    }

    /// What the step expects, in the state it settles in.
    pub(super) fn of(mutation: Mutation, settled: Option<ResourceState>, step: &Step) -> Self {
        let mut wanted = step.expect.clone();
        wanted.retain(|(field, _)| field != "state");
        wanted.extend(settled.map(|state| ("state".to_owned(), state.as_str().to_owned())));
        Goal { mutation, wanted, given: None }
    }

    /// A group of at least `min` members. Up to `given` where that is what the plan gives; back to `desired` where nobody,
    /// the group's own policies included, has moved it since.
    pub(super) fn scale(min: u32, desired: u32, given: u32) -> Self {
        let wanted = vec![("min_size".to_owned(), min.to_string())];
        Goal { mutation: Mutation::Scale { min, desired }, wanted, given: Some(given) }
    }

    pub(super) fn replica(name: String, back: bool) -> Self {
        let value = if back { "none".to_owned() } else { name.clone() };
        let wanted = vec![(format!("replica {name}"), value)];
        let mutation = if back { Mutation::RemoveReplica { name } } else { Mutation::Replicate { name } };
        Goal { mutation, wanted, given: None }
    }

    pub(super) fn reached(&self, seen: &Observed) -> bool {
        let scaled = match (&self.mutation, seen.resource.specification.capacity) {
            (Mutation::Scale { .. }, Some(now)) => self.desired(now) == Some(now.desired),
            (Mutation::Scale { .. }, None) => false,
            _ => true,
        };
        scaled && self.wanted.iter().all(|(field, value)| found(&seen.resource, field).as_deref() == Some(value))
    }

    /// The members a group is to have, as it is now.
    fn desired(&self, now: Capacity) -> Option<u32> {
        let (Mutation::Scale { min, desired }, Some(given)) = (&self.mutation, self.given) else { return None };
        let wanted = if *desired >= given {
            now.desired.max(*desired)
        } else if now.desired == given {
            *desired
        } else {
            now.desired
        };
        Some(wanted.max(*min))
    }

    /// What to ask for, as the resource is now.
    pub(super) fn mutation(&self, seen: &Observed) -> Mutation {
        let capacity = seen.resource.specification.capacity;
        match (&self.mutation, capacity.and_then(|now| self.desired(now))) {
            (Mutation::Scale { min, .. }, Some(desired)) => Mutation::Scale { min: *min, desired },
            (mutation, _) => mutation.clone(),
        }
    }

    /// A group takes another number while it is still on its way to the last one.
    pub(super) const fn is_of_a_group(&self) -> bool {
        self.given.is_some()
    }

    pub(super) const fn name(&self) -> &'static str {
        match self.mutation {
            Mutation::Stop => "the stop",
            Mutation::Start => "the start",
            Mutation::Resize { .. } => "the new size",
            Mutation::Snapshot { .. } => "the snapshot",
            Mutation::Grow { .. } => "the growth",
            Mutation::Scale { .. } => "the new number of members",
            Mutation::FailOver => "the failover",
            Mutation::Replicate { .. } => "the replica",
            Mutation::RemoveReplica { .. } => "the removal of the replica",
            Mutation::Isolate => "the isolation",
            Mutation::SetGroups { .. } => "the return of its security groups",
        }
    }
}

/// The value a list has for a field.
pub(super) fn wanted<'a>(expect: &'a [(String, String)], field: &str) -> Option<&'a str> {
    expect.iter().find(|(name, _)| name == field).map(|(_, value)| value.as_str())
}

/// The same as a whole number.
pub(super) fn number(expect: &[(String, String)], field: &str) -> Result<u32, String> {
    let value = wanted(expect, field).and_then(|text| text.parse().ok());
    value.ok_or_else(|| format!("the plan names no {field}"))
}

/// What a resource has for a field; `None` where it has none, or where nobody can tell.
pub(super) fn found(resource: &Resource, field: &str) -> Option<String> {
    let spec = &resource.specification;
    match field {
        "state" => Some(resource.state.as_str().to_owned()),
        "instance_type" => spec.instance_type.clone(),
        "storage_gib" => spec.storage_gib.map(|gib| gib.to_string()),
        "min_size" => spec.capacity.map(|of| of.min.to_string()),
        "desired_capacity" => spec.capacity.map(|of| of.desired.to_string()),
        "zone" => spec.zone.clone(),
        "security_groups" => Some(spec.security_groups.join(",")).filter(|groups| !groups.is_empty()),
        "isolated" => Some(spec.isolated.to_string()),
        _ => {
            let name = field.strip_prefix("replica ")?;
            let there = spec.replicas.iter().any(|replica| replica == name);
            Some(if there { name } else { "none" }.to_owned())
        }
    }
}

/// State and size, and what else a plan is about, as fields and values.
pub(super) fn fields(resource: &Resource, plan: &Plan) -> Vec<(String, String)> {
    let about = |field: &&str| plan.steps.iter().any(|step| wanted(&step.expect, field).is_some());
    let own = OWN_FIELDS.into_iter().filter(about);
    let names = ["state", "instance_type"].into_iter().chain(own);
    names.filter_map(|field| Some((field.to_owned(), found(resource, field)?))).collect()
}

/// The first field that is not as expected, in words.
pub(super) fn difference(step: &Step, seen: &Observed) -> Option<String> {
    step.expect.iter().find_map(|(field, wanted)| {
        let field = if field == "replica" { format!("replica {wanted}") } else { field.clone() };
        let found = found(&seen.resource, &field).unwrap_or_else(|| "unknown".to_owned());
        (found != *wanted).then(|| format!("{field} is {found}, not {wanted}"))
    })
}
