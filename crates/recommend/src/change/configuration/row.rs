//! Rows of changes that are data: one call to a cloud, or a few, with the way back, as
//! `catalogue/changes/<cloud>/<service>.toml` has them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use reeve_estate::{Provider, ResourceKind};
use serde::Deserialize;
use serde_json::Value;

use super::path;
use super::template;
use crate::agent::Impact;
use crate::change::{ChangePermission, PermittedOn};

/// Texts of the embedded catalogue, with the cloud and the service that they are of.
macro_rules! files {
    ($($service:literal),* $(,)?) => {
        &[$((
            Provider::Aws,
            $service,
            include_str!(concat!("../../../catalogue/changes/aws/", $service, ".toml")),
        )),*]
    };
}

/// Files of the embedded catalogue.
const FILES: &[(Provider, &str, &str)] = files![
    "accessanalyzer",
    "autoscaling",
    "cloudtrail",
    "codebuild",
    "config",
    "dynamodb",
    "ec2",
    "ecr",
    "ecs",
    "efs",
    "eks",
    "elasticache",
    "elb",
    "guardduty",
    "iam",
    "kinesis",
    "kms",
    "lambda",
    "logs",
    "opensearch",
    "rds",
    "redshift",
    "s3",
    "secretsmanager",
    "sns",
    "sqs",
    "stepfunctions",
];

/// Call to a cloud, with placeholders for the values of the resource's document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRow {
    /// Service by the connector's name (`s3`, `ec2`).
    pub service: String,
    /// Action of the service (`PutPublicAccessBlock`).
    pub action: String,
    /// Method and path, for services that are called by paths.
    #[serde(default)]
    pub method: Option<String>,
    #[serde(default)]
    pub path: Option<String>,
    /// Parameters, for services that are called by forms.
    #[serde(default)]
    pub parameters: BTreeMap<String, Value>,
    /// Body: XML if it begins with `<`, else JSON.
    #[serde(default)]
    pub body: Option<String>,
}

/// Call that is made before the last one, and paths of the document that show that it is done.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstCallRow {
    /// Step in words, with placeholders.
    pub step: String,
    pub call: CallRow,
    pub after: BTreeMap<String, Value>,
}

/// Call that leads back.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InverseRow {
    /// Path in the document before the change: the call is for resources that have nothing there.
    #[serde(default)]
    pub absent: Option<String>,
    /// Calls before `call`, in order.
    #[serde(default)]
    pub first: Vec<FirstCallRow>,
    /// Call whose placeholders may begin with `now.` too: the document as it is before the way back.
    pub call: CallRow,
    /// Values at paths of the document after it, where they are not those of before.
    #[serde(default)]
    pub after: BTreeMap<String, Value>,
}

/// Lines of infrastructure as code that set the same, with the placeholders of calls. Lines that are
/// added begin with `+`, removed ones with `-`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeRow {
    #[serde(default)]
    pub terraform: Option<String>,
    #[serde(default)]
    pub cloudformation: Option<String>,
}

/// Resource that a row changes, for tests.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeSample {
    /// Document of the resource, as JSON text.
    pub document: String,
    #[serde(default)]
    pub with: BTreeMap<String, Value>,
}

/// A change as its file has it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowFile {
    name: String,
    kind: String,
    about: String,
    step: String,
    risk: Impact,
    #[serde(default)]
    loses: Option<String>,
    #[serde(default)]
    restarts: bool,
    #[serde(default)]
    billed: Option<String>,
    permissions: Vec<String>,
    #[serde(default)]
    reads: Vec<String>,
    #[serde(default)]
    with: BTreeMap<String, String>,
    #[serde(default)]
    first: Vec<FirstCallRow>,
    call: CallRow,
    #[serde(default)]
    after: BTreeMap<String, Value>,
    #[serde(default)]
    gives: BTreeMap<String, Value>,
    #[serde(default)]
    inverse: Vec<InverseRow>,
    #[serde(default)]
    irreversible: Option<String>,
    #[serde(default)]
    code: CodeRow,
    sample: ChangeSample,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueFile {
    change: Vec<RowFile>,
}

/// Change of a resource's configuration by one call, or by a few in order.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigurationRow {
    /// Name on the wire, in the store and in remediations of checks.
    pub name: &'static str,
    pub provider: Provider,
    /// Kind of the resources that it changes.
    pub kind: ResourceKind,
    /// Setting that it changes, in words ("the public access block").
    pub about: &'static str,
    /// Step in words, with placeholders.
    pub step: &'static str,
    /// Harm that the change may do where somebody relies on the setting as it was.
    pub risk: Impact,
    /// Effect on those who use the resource, a sentence without its full stop; `None` for none.
    pub loses: Option<&'static str>,
    /// `true` if the resource restarts.
    pub restarts: bool,
    /// Charges by the provider in words; `None` for a setting that costs nothing.
    pub billed: Option<&'static str>,
    pub permissions: &'static [ChangePermission],
    /// Members of the document that, beside those that calls and paths name, must be as the
    /// finding saw them.
    pub reads: Vec<String>,
    /// Values that the document does not have as such, by name: expressions of CEL that are
    /// evaluated when the change is proposed. The remediation of a check may give others.
    pub with: BTreeMap<String, String>,
    /// Calls before `call`, in order.
    pub first: Vec<FirstCallRow>,
    pub call: CallRow,
    /// Paths of the document and their values after the change.
    pub after: Vec<(&'static str, Value)>,
    /// Paths that have a value after the change which the provider chooses, such as the identifier
    /// of a detector, with an example.
    pub gives: Vec<(&'static str, Value)>,
    pub inverse: Vec<InverseRow>,
    /// Reason why there is no way back; `None` with an inverse.
    pub irreversible: Option<&'static str>,
    pub code: CodeRow,
    pub sample: ChangeSample,
}

/// Row of the catalogue that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct RowError {
    /// Name of the change, or of its file.
    pub name: String,
    pub reason: String,
}

impl ConfigurationRow {
    /// Returns the rows of the embedded catalogue.
    #[must_use]
    pub fn all() -> &'static [ConfigurationRow] {
        static ROWS: LazyLock<Vec<ConfigurationRow>> = LazyLock::new(|| {
            let rows = FILES
                .iter()
                .map(|(provider, name, text)| ConfigurationRow::read(*provider, name, text));
            rows.filter_map(Result::ok).flatten().collect()
        });
        &ROWS
    }

    /// Reads the rows of a file. Their texts live as long as the program, as those of changes in
    /// code do.
    ///
    /// # Errors
    /// The text is no TOML, or a row contradicts itself.
    pub fn read(
        provider: Provider,
        file: &str,
        text: &str,
    ) -> Result<Vec<ConfigurationRow>, RowError> {
        let file: CatalogueFile = toml::from_str(text).map_err(|error| RowError {
            name: file.to_owned(),
            reason: error.to_string(),
        })?;
        file.change
            .into_iter()
            .map(|row| row.into_row(provider))
            .collect()
    }

    /// Returns the row of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static ConfigurationRow> {
        ConfigurationRow::all().iter().find(|row| row.name == name)
    }

    /// Returns `true` if the row has a place for a value of a name.
    #[must_use]
    pub fn takes(&self, name: &str) -> bool {
        self.sample.with.contains_key(name)
    }

    /// Returns the permission that a call needs: the one of its action where the row names it, else
    /// the first.
    #[must_use]
    pub fn permission_of(&self, call: &CallRow) -> &'static str {
        let own = |permission: &&ChangePermission| {
            permission
                .name
                .split_once(':')
                .is_some_and(|(_, action)| action == call.action)
        };
        let found = self.permissions.iter().find(own);
        found
            .or_else(|| self.permissions.first())
            .map_or(self.name, |permission| permission.name)
    }

    /// Returns every call of the row and of its ways back.
    pub fn calls(&self) -> impl Iterator<Item = &CallRow> {
        let back = self.inverse.iter().flat_map(|inverse| {
            let first = inverse.first.iter().map(|row| &row.call);
            first.chain([&inverse.call])
        });
        let forward = self.first.iter().map(|row| &row.call).chain([&self.call]);
        forward.chain(back)
    }

    /// Returns the paths that the calls of the row set, those of the first calls before the others.
    pub(super) fn effects(&self) -> impl Iterator<Item = (&str, &Value)> {
        let first = self.first.iter().flat_map(|row| &row.after);
        let first = first.map(|(path, value)| (path.as_str(), value));
        let last = self.after.iter().chain(&self.gives);
        first.chain(last.map(|(path, value)| (*path, value)))
    }

    /// Returns the paths that the calls of the row set, each once.
    pub(super) fn paths_of_effects(&'static self) -> BTreeSet<&'static str> {
        self.effects().map(|(path, _)| path).collect()
    }

    /// Returns the members of the document that the row reads, in order.
    #[must_use]
    pub fn members(&self) -> BTreeSet<&str> {
        let of_calls = self.calls().flat_map(CallRow::paths);
        let of_after = self.effects().map(|(path, _)| path);
        let of_values = self.effects().flat_map(|(_, value)| texts(value));
        let absent = self.inverse.iter().filter_map(|row| row.absent.as_deref());

        let in_document = of_calls
            .chain(of_values.flat_map(template::paths))
            .chain(template::paths(self.step))
            .filter_map(|path| path.strip_prefix("doc."));
        in_document
            .chain(of_after)
            .chain(absent)
            .chain(self.reads.iter().map(String::as_str))
            .map(path::top)
            .collect()
    }
}

impl InverseRow {
    /// Returns `true` if the last call needs the document as it is before the way back.
    pub(super) fn reads_now(&self) -> bool {
        self.call.paths().any(|path| path.starts_with("now."))
    }
}

impl CallRow {
    /// Returns the paths of all placeholders.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let fields = self.parameters.values().flat_map(texts);
        fields
            .chain(self.path.as_deref())
            .chain(self.body.as_deref())
            .flat_map(template::paths)
    }
}

/// Returns the texts inside a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

fn kept(text: String) -> &'static str {
    text.leak()
}

impl RowFile {
    fn into_row(self, provider: Provider) -> Result<ConfigurationRow, RowError> {
        let name = self.name.clone();
        let fault = |reason: String| RowError {
            name: name.clone(),
            reason,
        };
        let kind = ResourceKind::named(&self.kind)
            .ok_or_else(|| fault(format!("{:?} is no name of a kind", self.kind)))?;
        let first = self.first.iter().flat_map(|row| row.after.keys());
        let mut paths = first.chain(self.after.keys()).chain(self.gives.keys());
        if let Some(path) = paths.find(|path| !path::is_valid(path)) {
            return Err(fault(format!("after: {path:?} is no path")));
        }
        if self.after.is_empty() && self.gives.is_empty() {
            return Err(fault("after: nothing shows that it is done".to_owned()));
        }
        if self.inverse.is_empty() == self.irreversible.is_none() {
            return Err(fault(
                "it has an inverse, or a reason why there is none".to_owned(),
            ));
        }

        let permissions: Vec<ChangePermission> = self
            .permissions
            .into_iter()
            .map(|name| ChangePermission {
                provider,
                name: kept(name),
                on: PermittedOn::Any,
            })
            .collect();
        let kept_paths = |paths: BTreeMap<String, Value>| {
            let paths = paths.into_iter();
            paths.map(|(path, value)| (kept(path), value)).collect()
        };

        Ok(ConfigurationRow {
            name: kept(self.name),
            provider,
            kind,
            about: kept(self.about),
            step: kept(self.step),
            risk: self.risk,
            loses: self.loses.map(kept),
            restarts: self.restarts,
            billed: self.billed.map(kept),
            permissions: permissions.leak(),
            reads: self.reads,
            with: self.with,
            first: self.first,
            call: self.call,
            after: kept_paths(self.after),
            gives: kept_paths(self.gives),
            inverse: self.inverse,
            irreversible: self.irreversible.map(kept),
            code: self.code,
            sample: self.sample,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_row_of_the_catalogue_is_read_and_has_a_name_of_its_own() {
        let mut names = BTreeSet::new();
        for (provider, file, text) in FILES {
            for row in ConfigurationRow::read(*provider, file, text)
                .unwrap_or_else(|error| panic!("{error}"))
            {
                assert!(names.insert(row.name), "{} twice", row.name);
                assert!(!row.permissions.is_empty(), "{}", row.name);
                let last = row.inverse.iter().map(|inverse| &inverse.call);
                let of_now: Vec<&CallRow> = last.collect();
                for call in row.calls() {
                    let unknown = |path: &&str| {
                        let roots = ["doc.", "with.", "resource."];
                        let is_known = roots.iter().any(|root| path.starts_with(root));
                        let is_of_now = path.starts_with("now.") && of_now.contains(&call);
                        !(is_known || is_of_now)
                    };
                    assert_eq!(call.paths().find(unknown), None, "{}", row.name);
                    assert_eq!(
                        call.path.is_some(),
                        call.method.is_some(),
                        "{}: method and path",
                        row.name
                    );
                }
                assert!(
                    row.inverse
                        .iter()
                        .filter(|row| row.absent.is_none())
                        .count()
                        <= 1,
                    "{}: two inverses for the same resources",
                    row.name
                );
            }
        }
        assert_eq!(names.len(), ConfigurationRow::all().len());
    }

    #[test]
    fn a_row_that_cannot_be_undone_says_why() {
        let row = "[[change]]\nname = \"x\"\nkind = \"bucket\"\nabout = \"x\"\nstep = \"x\"\nrisk = \"low\"\n\
                   permissions = []\nafter = { a = 1 }\ncall = { service = \"s3\", action = \"X\" }\nsample = { document = \"{}\" }\n";
        let error = ConfigurationRow::read(Provider::Aws, "s3", row).unwrap_err();
        assert_eq!(
            error.to_string(),
            "x: it has an inverse, or a reason why there is none"
        );
    }
}
