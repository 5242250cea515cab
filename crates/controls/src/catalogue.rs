//! The catalogue: all checks and frameworks, those of Reeve and those of the people who run it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use reeve_estate::{Provider, ResourceKind};
use rust_embed::RustEmbed;
use sha2::{Digest as _, Sha256};

use crate::check::ControlCheck;
use crate::error::CatalogueError;
use crate::framework::{Control, Framework};
use crate::own::OwnFiles;
use crate::prepared::PreparedControl;
use crate::verdict::ControlVerdict;

/// Most bytes of one file of a folder.
const LARGEST_FILE: u64 = 1 << 20;
/// Most files of a folder.
const MOST_FILES: usize = 10_000;

#[derive(RustEmbed)]
#[folder = "catalogue/"]
struct Files;

/// Checks and frameworks.
#[derive(Debug, Clone, Default)]
pub struct ControlCatalogue {
    checks: BTreeMap<String, Arc<ControlCheck>>,
    /// Checks by the cloud and kind that they judge.
    by_kind: BTreeMap<(Provider, ResourceKind), Vec<Arc<ControlCheck>>>,
    frameworks: BTreeMap<String, Framework>,
    /// Identifiers of the frameworks that a check proves a control of, by that of the check.
    frameworks_of: BTreeMap<String, BTreeSet<String>>,
    /// Kinds whose checks read related resources.
    looking_around: BTreeSet<ResourceKind>,
    /// SHA-256 of the files that come with Reeve, in hexadecimal.
    files: String,
    /// Files of people's own.
    own: OwnFiles,
    /// SHA-256 of all files in force, in hexadecimal.
    revision: String,
}

/// Content of a file.
#[derive(Debug)]
pub(crate) enum CatalogueItem {
    Check(Arc<ControlCheck>),
    Framework(Framework),
}

impl CatalogueItem {
    /// Reads a file by its place in the folder.
    pub(crate) fn read(parts: &[String], text: &str) -> Result<CatalogueItem, CatalogueError> {
        let path = parts.join("/");
        let misplaced = |reason: &str| CatalogueError::field(&path, "", reason.to_owned());
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let wrong_name =
            || misplaced("names of folders and files have small letters, digits and _ alone");

        match parts.as_slice() {
            ["checks", cloud, service, file] => {
                let provider = Provider::parse(cloud)
                    .ok_or_else(|| misplaced("the folder is no cloud: aws, azure or gcp"))?;
                let name = file.trim_end_matches(".toml");
                let id = format!("{cloud}.{service}.{name}");
                if !is_identifier(&id) {
                    return Err(wrong_name());
                }
                ControlCheck::read(id, provider, text)
                    .map(|check| CatalogueItem::Check(Arc::new(check)))
                    .map_err(|error| error.in_file(&path, text))
            }
            ["controls", file] => {
                let id = file.trim_end_matches(".toml").to_owned();
                if !is_identifier(&id) {
                    return Err(wrong_name());
                }
                Framework::read(id, text)
                    .map(CatalogueItem::Framework)
                    .map_err(|error| error.in_file(&path, text))
            }
            _ => Err(misplaced(
                "place checks in checks/<cloud>/<service>/ and frameworks in controls/",
            )),
        }
    }

    pub(crate) fn id(&self) -> &str {
        match self {
            CatalogueItem::Check(check) => &check.id,
            CatalogueItem::Framework(framework) => &framework.id,
        }
    }
}

/// Files of a folder, with the parts of their paths below it.
#[derive(Debug, Default)]
pub struct Folder {
    files: Vec<(Vec<String>, String)>,
    /// Files that could not be read.
    unread: Vec<CatalogueError>,
}

impl Folder {
    /// Reads the `.toml` files of a folder and of those in it. A file that cannot be read is refused
    /// later, with its reason.
    ///
    /// # Errors
    /// The folder cannot be read, or has more files than a catalogue may have.
    pub fn open(folder: &Path) -> std::io::Result<Folder> {
        let mut files = Vec::new();
        let mut unread = Vec::new();
        let mut pending: Vec<(PathBuf, Vec<String>)> = vec![(folder.to_owned(), Vec::new())];

        while let Some((path, parts)) = pending.pop() {
            for entry in std::fs::read_dir(&path)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let mut parts = parts.clone();
                parts.push(name.clone());
                let metadata = entry.metadata()?;

                if metadata.is_dir() {
                    pending.push((entry.path(), parts));
                } else if name.ends_with(".toml") {
                    if files.len() >= MOST_FILES {
                        let message = format!("a catalogue has at most {MOST_FILES} files");
                        return Err(std::io::Error::other(message));
                    }
                    let text = if metadata.len() > LARGEST_FILE {
                        Err(format!("a file has at most {LARGEST_FILE} bytes"))
                    } else {
                        std::fs::read_to_string(entry.path())
                            .map_err(|error| format!("it cannot be read: {error}"))
                    };
                    match text {
                        Ok(text) => files.push((parts, text)),
                        Err(reason) => {
                            unread.push(CatalogueError::field(&parts.join("/"), "", reason));
                        }
                    }
                }
            }
        }

        files.sort();
        Ok(Folder { files, unread })
    }

    /// Returns `true` if there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.unread.is_empty()
    }

    /// Returns a digest of its files: it differs if one of them does.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for (parts, text) in &self.files {
            digest.update(format!("{}\0{}\0{text}\0", parts.join("/"), text.len()));
        }
        for error in &self.unread {
            digest.update(format!("{error}\0"));
        }
        hex::encode(digest.finalize())
    }

    pub(crate) fn unread(&self) -> &[CatalogueError] {
        &self.unread
    }

    /// Files by path: the parts of their paths, and their texts.
    pub(crate) fn files(&self) -> &[(Vec<String>, String)] {
        &self.files
    }

    fn embedded() -> Folder {
        let mut files: Vec<(Vec<String>, String)> = Files::iter()
            .filter_map(|path| {
                let text = String::from_utf8(Files::get(&path)?.data.into_owned()).ok()?;
                Some((path.split('/').map(str::to_owned).collect(), text))
            })
            .collect();
        files.sort();
        Folder {
            files,
            unread: Vec::new(),
        }
    }
}

impl ControlCatalogue {
    /// Returns the catalogue that comes with Reeve.
    #[must_use]
    pub fn builtin() -> &'static ControlCatalogue {
        static BUILTIN: LazyLock<ControlCatalogue> = LazyLock::new(|| {
            let (catalogue, errors) = ControlCatalogue::default().with(&Folder::embedded());
            debug_assert!(errors.is_empty(), "{errors:?}");
            catalogue
        });
        &BUILTIN
    }

    /// Returns the catalogue with the files of a folder, and what is wrong with the others.
    ///
    /// Checks are `checks/<cloud>/<service>/<name>.toml`, frameworks `controls/<name>.toml`.
    fn with(mut self, folder: &Folder) -> (ControlCatalogue, Vec<CatalogueError>) {
        let mut errors = Vec::new();
        let mut revision = Sha256::new();
        for (parts, text) in &folder.files {
            revision.update(format!("{}\0{text}\0", parts.join("/")));
            match CatalogueItem::read(parts, text) {
                Ok(item) => self.insert(item),
                Err(error) => errors.push(error),
            }
        }

        self.files = hex::encode(revision.finalize());
        self.index(OwnFiles::default());
        for framework in self.frameworks.values() {
            let item = CatalogueItem::Framework(framework.clone());
            errors.extend(self.unknown_check(&item).map(|(_, error)| error));
        }
        (self, errors)
    }

    pub(crate) fn insert(&mut self, item: CatalogueItem) {
        match item {
            CatalogueItem::Check(check) => {
                _ = self.checks.insert(check.id.clone(), check);
            }
            CatalogueItem::Framework(framework) => {
                _ = self.frameworks.insert(framework.id.clone(), framework);
            }
        }
    }

    pub(crate) fn has(&self, item: &CatalogueItem) -> bool {
        match item {
            CatalogueItem::Check(check) => self.checks.contains_key(&check.id),
            CatalogueItem::Framework(framework) => self.frameworks.contains_key(&framework.id),
        }
    }

    /// Derives what follows from checks and frameworks.
    pub(crate) fn index(&mut self, own: OwnFiles) {
        let mut revision = Sha256::new();
        revision.update(&self.files);
        for file in &own.taken {
            revision.update(format!("{}\0{}\0", file.path, file.hash));
        }
        self.revision = hex::encode(revision.finalize());
        self.own = own;

        let looking = self.checks.values().filter(|check| check.reads_related());
        self.looking_around = looking.map(|check| check.kind).collect();
        self.by_kind = BTreeMap::new();
        self.frameworks_of = BTreeMap::new();
        for (id, check) in &self.checks {
            self.by_kind
                .entry((check.provider, check.kind))
                .or_default()
                .push(check.clone());
            let proven = self
                .frameworks
                .values()
                .filter(|framework| framework.is_proven_by(check));
            let ids = proven.map(|framework| framework.id.clone()).collect();
            self.frameworks_of.insert(id.clone(), ids);
        }
    }

    /// Returns the fault of a framework that names a check which does not exist, with the check.
    pub(crate) fn unknown_check<'i>(
        &self,
        item: &'i CatalogueItem,
    ) -> Option<(&'i str, CatalogueError)> {
        let CatalogueItem::Framework(framework) = item else {
            return None;
        };
        framework.controls.iter().find_map(|control| {
            let mut named = control.checks.iter();
            let unknown = named.find(|id| !self.checks.contains_key(*id))?;
            let reason = format!(
                "control {} names the check {unknown}, which does not exist",
                control.id
            );
            let error = CatalogueError::field(&framework.id, "control.checks", reason);
            Some((unknown.as_str(), error))
        })
    }

    /// Returns the files of people's own checks and frameworks.
    #[must_use]
    pub const fn own(&self) -> &OwnFiles {
        &self.own
    }

    /// Returns all checks, by identifier.
    pub fn checks(&self) -> impl Iterator<Item = &Arc<ControlCheck>> {
        self.checks.values()
    }

    /// Returns a check.
    #[must_use]
    pub fn check(&self, id: &str) -> Option<&Arc<ControlCheck>> {
        self.checks.get(id)
    }

    /// Returns the checks of a kind of a cloud.
    #[must_use]
    pub fn checks_of(&self, provider: Provider, kind: ResourceKind) -> &[Arc<ControlCheck>] {
        self.by_kind
            .get(&(provider, kind))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the kinds of a cloud that there are checks of.
    pub fn kinds_of(&self, provider: Provider) -> impl Iterator<Item = ResourceKind> {
        self.by_kind
            .keys()
            .filter(move |(cloud, _)| *cloud == provider)
            .map(|(_, kind)| *kind)
    }

    /// Returns the kinds whose checks read the resources that the judged one is related to.
    #[must_use]
    pub const fn kinds_that_look_around(&self) -> &BTreeSet<ResourceKind> {
        &self.looking_around
    }

    /// Returns a digest of the files of checks and frameworks: it differs if one of them does.
    #[must_use]
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// Returns all frameworks, by identifier.
    pub fn frameworks(&self) -> impl Iterator<Item = &Framework> {
        self.frameworks.values()
    }

    /// Returns a framework.
    #[must_use]
    pub fn framework(&self, id: &str) -> Option<&Framework> {
        self.frameworks.get(id)
    }

    /// Returns a control with its framework, by the identifiers of both (`soc2:CC6.1`).
    #[must_use]
    pub fn control(&self, id: &str) -> Option<(&Framework, &Control)> {
        let (framework, number) = id.split_once(':')?;
        let framework = self.framework(framework)?;
        let control = framework.controls.iter().find(|one| one.id == number)?;
        Some((framework, control))
    }

    /// Returns the checks that prove a control, by identifier.
    pub fn proving<'c>(
        &'c self,
        control: &'c Control,
    ) -> impl Iterator<Item = &'c Arc<ControlCheck>> {
        self.checks().filter(|check| control.is_proven_by(check))
    }

    /// Returns `true` if a check of the catalogue proves a control of one of these frameworks.
    #[must_use]
    pub fn is_of(&self, check: &ControlCheck, frameworks: &BTreeSet<String>) -> bool {
        self.frameworks_of
            .get(&check.id)
            .is_some_and(|own| !own.is_disjoint(frameworks))
    }

    /// Judges a resource by the wanted checks of its kind, in the order of their identifiers.
    pub fn judge(
        &self,
        prepared: &PreparedControl<'_>,
        wanted: impl Fn(&ControlCheck) -> bool,
    ) -> Vec<(&Arc<ControlCheck>, ControlVerdict)> {
        let (provider, kind) = prepared.judged;
        self.checks_of(provider, kind)
            .iter()
            .filter(|check| wanted(check))
            .map(|check| (check, check.judge_in(&prepared.scope)))
            .collect()
    }
}

fn is_identifier(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._".contains(&byte))
}

#[cfg(test)]
mod tests;
