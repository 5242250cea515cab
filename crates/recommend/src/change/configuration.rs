//! Changes of configurations: rows of data, each one call to a cloud, or a few, with the way back.
//!
//! The parameters of such a change are the members of the document that it reads and writes, as the
//! finding saw them. They are its precondition: where one of them differs, nothing is done. The
//! calls, the goal, the way back and the simulated twin follow from the row and these members
//! (docs/adr/0020).

mod path;
mod row;
mod template;

use std::collections::BTreeMap;
use std::sync::Arc;

use reeve_audit::{Json, Obstacle};
use reeve_estate::document::{NOT_READ, REMOVED};
use reeve_estate::{
    ActError, ActErrorKind, Document, Operation, PriceCatalogue, Resource, ResourceState,
};
use serde_json::{Map, Value, json};

use crate::change::{
    Change, EffectEvidence, Expectation, ParameterError, Parameters, Reversal, Task, TaskReach,
    foreign, precondition, refused, verify,
};
use crate::plan::PlannedChange;
use crate::plan::patch::Tool;
use path::PathSetting;
use template::TemplatePlace;

pub use path::set as set_setting;
pub use row::{
    CallRow, ChangeSample, CodeRow, ConfigurationRow, FirstCallRow, InverseRow, RowError,
};

/// Path of a document and the value that it has after a call; `None` for no value.
type Effect = (&'static str, Option<Value>);

/// Call of a change of configuration, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigurationOperation {
    /// Name of the change.
    pub change: &'static str,
    /// Service by the connector's name.
    pub service: &'static str,
    /// Action of the service.
    pub action: &'static str,
    /// Permission that the call needs.
    pub permission: &'static str,
    /// Method and path, for services that are called by paths.
    pub target: Option<(&'static str, String)>,
    /// Fields of a form.
    pub fields: Vec<(String, String)>,
    /// Body, for services that are called by documents.
    pub body: Option<String>,
    /// Paths of the document and the values that they have afterwards; `None` for no value.
    pub effects: Vec<Effect>,
    /// Paths among the effects whose value the provider chooses: their values are examples.
    pub provided: Vec<&'static str>,
}

impl Operation for ConfigurationOperation {}

impl ConfigurationOperation {
    /// Gives a document the values that it has after the call.
    pub fn take_effect(&self, document: &mut Value) {
        for (at, value) in &self.effects {
            path::set(document, at, value.clone());
        }
    }
}

/// Change of a resource's configuration by a row of the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigurationChange {
    row: &'static ConfigurationRow,
    /// State the finding saw.
    state: ResourceState,
    /// Members of the document that the row reads, as the finding saw them.
    before: Map<String, Value>,
    /// Values that the document does not have as such.
    with: BTreeMap<String, Value>,
    /// Account and region, which name the resource in calls.
    account: String,
    region: String,
    /// The calls in order, which were filled in when the change was made.
    forward: Vec<ConfigurationOperation>,
    /// Way back from the settings that the finding saw; `None` if nothing leads back.
    inverse: Option<&'static InverseRow>,
}

impl ConfigurationChange {
    /// A change of a row on a resource as its document has it. `with` are values that the document
    /// does not have as such.
    ///
    /// # Errors
    /// The reason why the change cannot be offered: another kind, a member that was not read or
    /// holds a secret, a setting that is as wanted already.
    pub fn on(
        row: &'static ConfigurationRow,
        resource: &Resource,
        document: &Document,
        with: BTreeMap<String, Value>,
    ) -> Result<ConfigurationChange, Obstacle> {
        if resource.kind != row.kind || resource.provider != row.provider {
            return Err(Obstacle::of(format_args!(
                "{} changes a {} of {}",
                row.name, row.kind, row.provider
            )));
        }

        let before = members_of(row, document.json());
        if let Some(name) = before
            .iter()
            .find(|(_, value)| hides(value))
            .map(|(name, _)| name)
        {
            return Err(Obstacle::of(format_args!("{name} was not read")));
        }

        let place = (resource.account.clone(), resource.region.clone());
        let change = ConfigurationChange::filled(row, resource.state, before, with, place)?;
        if change.is_done_in(document.json()) {
            return Err(Obstacle::of(format_args!("{} is as wanted", row.about)));
        }
        Ok(change)
    }

    /// Fills in the calls of a row.
    fn filled(
        row: &'static ConfigurationRow,
        state: ResourceState,
        before: Map<String, Value>,
        with: BTreeMap<String, Value>,
        (account, region): (String, String),
    ) -> Result<ConfigurationChange, Obstacle> {
        let change = ConfigurationChange {
            row,
            state,
            before,
            with,
            account,
            region,
            forward: Vec::new(),
            inverse: None,
        };
        let incomplete = || {
            Obstacle::of(format_args!(
                "the document lacks a value that {} needs",
                row.name
            ))
        };

        let context = change.context();
        let forward = calls_of(row, &context).ok_or_else(incomplete)?;
        let is_absent = |at: &str| {
            path::is_same(
                path::get(&context["doc"], at).unwrap_or(&Value::Null),
                &Value::Null,
            )
        };
        let inverse = row
            .inverse
            .iter()
            .find(|inverse| inverse.absent.as_deref().is_some_and(is_absent))
            .or_else(|| row.inverse.iter().find(|inverse| inverse.absent.is_none()));
        if inverse.is_none() && row.irreversible.is_none() {
            return Err(incomplete());
        }

        let change = ConfigurationChange {
            forward,
            inverse,
            ..change
        };
        let can_be_filled = |inverse: &InverseRow| {
            let is_whole = inverse.reads_now() || change.way_back(&Value::Null).is_some();
            is_whole && change.restored(inverse, &context).is_some()
        };
        if inverse.is_none_or(can_be_filled) {
            Ok(change)
        } else {
            Err(incomplete())
        }
    }

    /// Values that templates name.
    fn context(&self) -> Value {
        json!({
            "doc": self.before, "with": self.with,
            "resource": { "account": self.account, "region": self.region },
        })
    }

    /// Calls of the way back in order, with the document as it is before them; `None` if a value is
    /// missing, or nothing leads back.
    fn way_back(&self, now: &Value) -> Option<Vec<ConfigurationOperation>> {
        let inverse = self.inverse?;
        let mut context = self.context();
        context["now"] = now.clone();

        let first = inverse.first.iter();
        let mut calls: Vec<ConfigurationOperation> = first
            .map(|row| first_call(self.row, row, &context))
            .collect::<Option<_>>()?;
        let mut last = operation(self.row, &inverse.call, &context)?;
        last.effects = self.restored(inverse, &context)?;
        calls.push(last);
        Some(calls)
    }

    /// Settings that the way back leaves.
    fn restored(&self, inverse: &InverseRow, context: &Value) -> Option<Vec<Effect>> {
        let before = |at: &str| match inverse.after.get(at) {
            Some(value) => template::filled_value(value, context).map(Some),
            None => Some(path::get(&context["doc"], at).cloned()),
        };
        let paths = self.row.paths_of_effects().into_iter();
        paths.map(|at| Some((at, before(at)?))).collect()
    }

    /// Returns the last call, after which the change is made.
    fn last(&self) -> Option<&ConfigurationOperation> {
        self.forward.last()
    }

    /// Returns a value that the document does not have as such.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.with.get(name)
    }

    /// Returns the document as the change leaves it.
    #[must_use]
    pub fn outcome(&self, document: &Document) -> Document {
        let mut after = document.json().clone();
        for call in &self.forward {
            call.take_effect(&mut after);
        }
        Document::kept(after)
    }

    /// Returns the row.
    #[must_use]
    pub fn row(&self) -> &'static ConfigurationRow {
        self.row
    }

    fn is_done_in(&self, document: &Value) -> bool {
        self.last().is_some_and(|call| {
            call.effects.iter().all(|(at, wanted)| {
                let found = path::get(document, at).unwrap_or(&Value::Null);
                if call.provided.contains(at) {
                    return !path::is_same(found, &Value::Null);
                }
                path::is_same(found, wanted.as_ref().unwrap_or(&Value::Null))
            })
        })
    }

    /// Expects the settings that the finding saw.
    fn settings_before(&self) -> Vec<Expectation> {
        let before = Value::Object(self.before.clone());
        let value = |at: &str| path::get(&before, at).cloned().unwrap_or(Value::Null);
        let paths = self.row.paths_of_effects().into_iter();
        paths.map(|at| setting(at, value(at))).collect()
    }

    /// Version of the members that the row reads.
    fn version(&self) -> String {
        Document::kept(Value::Object(self.before.clone())).hash()
    }

    /// Expects the members to be as the finding saw them.
    fn is_as_found(&self) -> Expectation {
        let row = self.row;
        Expectation::new("configuration", self.version(), move |seen| {
            let document = seen.specification.document.as_deref()?;
            Some(Document::kept(Value::Object(members_of(row, document.json()))).hash())
        })
    }
}

/// Expects the settings after a call.
fn settled(operation: &ConfigurationOperation) -> Vec<Expectation> {
    let effects = operation.effects.iter();
    effects
        .map(|(at, wanted)| {
            if operation.provided.contains(at) {
                provided(at)
            } else {
                setting(at, wanted.clone().unwrap_or(Value::Null))
            }
        })
        .collect()
}

/// Expects a value at a path of the document, whatever it is.
fn provided(at: &'static str) -> Expectation {
    Expectation::new(at, PathSetting(Value::Bool(true)), move |seen| {
        let document = seen.specification.document.as_deref()?;
        let found = path::get(document.json(), at).unwrap_or(&Value::Null);
        Some(PathSetting(Value::Bool(!path::is_same(
            found,
            &Value::Null,
        ))))
    })
}

/// Expects a value at a path of the document. A path that leads nowhere is a setting that is off.
fn setting(at: &'static str, wanted: Value) -> Expectation {
    Expectation::new(at, PathSetting(wanted), move |seen| {
        let document = seen.specification.document.as_deref()?;
        let found = path::get(document.json(), at);
        Some(PathSetting(found.cloned().unwrap_or(Value::Null)))
    })
}

/// Returns the members of a document that a row reads; members that are missing are left out.
fn members_of(row: &ConfigurationRow, document: &Value) -> Map<String, Value> {
    let members = row.members();
    let found = members
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), document.get(*name)?.clone())));
    found.collect()
}

/// Returns `true` if a value has a part that was not read or was removed.
fn hides(value: &Value) -> bool {
    match value {
        Value::String(text) => text == NOT_READ || text == REMOVED,
        Value::Array(items) => items.iter().any(hides),
        Value::Object(members) => members.values().any(hides),
        _ => false,
    }
}

/// Fills in the calls of a row; `None` if the context lacks a value.
fn calls_of(
    row: &'static ConfigurationRow,
    context: &Value,
) -> Option<Vec<ConfigurationOperation>> {
    let first = row.first.iter();
    let mut calls: Vec<ConfigurationOperation> = first
        .map(|first| first_call(row, first, context))
        .collect::<Option<_>>()?;

    let mut last = operation(row, &row.call, context)?;
    let after = row.after.iter().chain(&row.gives);
    last.effects = after
        .map(|(at, value)| Some((*at, Some(template::filled_value(value, context)?))))
        .collect::<Option<_>>()?;
    last.provided = row.gives.iter().map(|(at, _)| *at).collect();
    calls.push(last);
    Some(calls)
}

/// Fills in a call that others follow, with what shows that it is done.
fn first_call(
    row: &'static ConfigurationRow,
    first: &'static FirstCallRow,
    context: &Value,
) -> Option<ConfigurationOperation> {
    let mut call = operation(row, &first.call, context)?;
    let after = first.after.iter();
    call.effects = after
        .map(|(at, value)| Some((at.as_str(), Some(template::filled_value(value, context)?))))
        .collect::<Option<_>>()?;
    Some(call)
}

/// Fills in a call without its effects; `None` if the context lacks a value.
fn operation(
    row: &'static ConfigurationRow,
    call: &'static CallRow,
    context: &Value,
) -> Option<ConfigurationOperation> {
    let target = match (&call.method, &call.path) {
        (Some(method), Some(path)) => Some((
            method.as_str(),
            template::filled(path, context, TemplatePlace::Path)?,
        )),
        _ => None,
    };
    let body = match &call.body {
        Some(body) if body.trim_start().starts_with('<') => {
            Some(template::filled(body, context, TemplatePlace::Xml)?)
        }
        Some(body) => Some(template::filled(body, context, TemplatePlace::Json)?),
        None => None,
    };

    let mut fields = Vec::new();
    for (name, value) in &call.parameters {
        let value = template::filled_value(value, context)?;
        template::fields(name, &value, call.service == "ec2", &mut fields)?;
    }

    Some(ConfigurationOperation {
        change: row.name,
        service: &call.service,
        action: &call.action,
        permission: row.permission_of(call),
        target,
        fields,
        body,
        effects: Vec::new(),
        provided: Vec::new(),
    })
}

/// Returns the lines of infrastructure as code that set what a planned change sets; `None` where the
/// row has none for the tool.
#[must_use]
pub fn lines_of_code(planned: &PlannedChange, tool: Tool) -> Option<String> {
    let row = ConfigurationRow::named(&planned.name)?;
    let template = match tool {
        Tool::Terraform => row.code.terraform.as_deref(),
        Tool::CloudFormation => row.code.cloudformation.as_deref(),
        Tool::Pulumi => None,
    }?;

    let parameters = serde_json::to_value(&planned.parameters).ok()?;
    let context = json!({
        "doc": parameters["before"], "with": parameters["with"],
        "resource": { "account": parameters["account"], "region": parameters["region"] },
    });
    template::filled(template.trim_matches('\n'), &context, TemplatePlace::Plain)
}

/// Reads the parameters of a change of a row.
pub(super) fn parse(
    row: &'static ConfigurationRow,
    parameters: &mut Parameters<'_>,
) -> Result<Arc<dyn Change>, ParameterError> {
    let state = parameters.state("state")?;
    let before = parameters.members("before")?;
    let with = parameters.members("with")?.into_iter().collect();
    // Identities and other global resources have no region.
    let region = parameters.text_or_null("region")?.unwrap_or_default();
    let place = (parameters.text("account")?, region);

    let change = ConfigurationChange::filled(row, state, before, with, place).map_err(|_| {
        ParameterError::Wrong {
            name: "before".to_owned(),
            expected: "the members of the document that the change reads",
        }
    })?;
    Ok(Arc::new(change))
}

impl Change for ConfigurationChange {
    fn name(&self) -> &'static str {
        self.row.name
    }

    fn parameters(&self) -> Json {
        let with: Map<String, Value> = self.with.clone().into_iter().collect();
        Json::from(json!({
            "state": self.state.as_str(), "before": self.before, "with": with,
            "account": self.account, "region": self.region,
        }))
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let mut check = precondition(target, self.state, None);
        check.description = format!(
            "{} and its configuration is that of the finding",
            check.description
        );
        check.expect.push(self.is_as_found());

        let context = self.context();
        let first = self.row.first.iter().map(|first| first.step.as_str());
        let words = first.chain([self.row.step]).map(|step| {
            template::filled(step, &context, TemplatePlace::Plain)
                .unwrap_or_else(|| format!("Change {} of {target}", self.row.about))
        });
        let calls = self.forward.iter().zip(words);
        let steps = calls.map(|(call, words)| {
            let goal = TaskReach::by(self.row.about, call.clone(), settled(call));
            Task::change(target, words, goal).expecting(settled(call))
        });

        let wanted = self.last().map(settled).unwrap_or_default();
        let verified = verify(target, "is configured as wanted", wanted);
        [check].into_iter().chain(steps).chain([verified]).collect()
    }

    fn reversal(&self) -> Reversal {
        match (self.inverse, self.row.irreversible) {
            (None, Some(why)) => Reversal::Impossible(why),
            _ => Reversal::Inverse,
        }
    }

    fn undo(&self, _: &Resource, seen: &Resource) -> Option<Task> {
        let inverse = self.inverse?;
        let before = self.restored(inverse, &self.context())?;
        let before: Vec<Expectation> = before
            .into_iter()
            .map(|(at, value)| setting(at, value.unwrap_or(Value::Null)))
            .collect();
        let is_met = |expectations: &[Expectation]| {
            expectations
                .iter()
                .all(|expectation| expectation.is_met(seen))
        };
        // A way back may leave another value than there was, which no call sets.
        if is_met(&before) || is_met(&self.settings_before()) {
            return None;
        }

        let document = seen.specification.document.as_deref();
        let mut calls = self.way_back(document.map_or(&Value::Null, Document::json))?;
        // The engine asks again after each call: the next one follows the last that is done.
        let first = calls.len().checked_sub(1)?;
        let done = (0..first).rev().find(|at| is_met(&settled(&calls[*at])));
        let next = done.map_or(0, |at| at + 1);
        let back = calls.swap_remove(next);

        let words = match inverse.first.get(next) {
            Some(first) => template::filled(&first.step, &self.context(), TemplatePlace::Plain),
            None => None,
        };
        let words = words.unwrap_or_else(|| {
            format!("Set {} of {} back to what it was", self.row.about, seen.id)
        });
        let wanted = settled(&back);
        let goal = TaskReach::by(self.row.about, back, wanted.clone());
        Some(Task::change(seen.id.as_str(), words, goal).expecting(wanted))
    }

    fn as_found(&self, twin: &mut Resource) {
        let document = Document::kept(Value::Object(self.before.clone()));
        twin.specification.document = Some(Arc::new(document));
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(operation) = operation.downcast_ref::<ConfigurationOperation>() else {
            return Err(foreign(operation));
        };
        let Some(document) = twin.specification.document.as_deref() else {
            return Err(refused(
                ActErrorKind::Other,
                "its configuration is not known",
            ));
        };

        let mut after = document.json().clone();
        operation.take_effect(&mut after);
        twin.specification.document = Some(Arc::new(Document::kept(after)));
        Ok(())
    }

    fn reads_configuration(&self) -> bool {
        true
    }

    fn restarts(&self) -> bool {
        self.row.restarts
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn ends_cost(&self) -> bool {
        self.row.billed.is_none()
    }

    /// The settings; those of the finding for a resource whose document is not known any more,
    /// as after a restart of the service.
    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        let found = Value::Object(self.before.clone());
        let document = seen
            .specification
            .document
            .as_deref()
            .map_or(&found, Document::json);
        let value = |at: &str| PathSetting(path::get(document, at).cloned().unwrap_or(Value::Null));
        let paths = self.row.paths_of_effects().into_iter();
        paths.map(|at| (at, Some(value(at).to_string()))).collect()
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
