//! Checks and frameworks of the people who run Reeve, and the catalogue that is in force.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use reeve_estate::named;
use sha2::{Digest as _, Sha256};

use crate::catalogue::{CatalogueItem, ControlCatalogue, Folder};
use crate::check::ControlCheck;
use crate::error::CatalogueError;
use crate::sample::SampleFault;

named!(
    /// Content of a file of a catalogue.
    OwnFileKind {
        Check => "check",
        Framework => "framework",
    }
);

/// File of a folder of own checks that is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFile {
    /// Path below the folder.
    pub path: String,
    pub kind: OwnFileKind,
    /// Identifier of the check or framework.
    pub id: String,
    /// SHA-256 of the file, in hexadecimal.
    pub hash: String,
}

/// Files of a folder of own checks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnFiles {
    /// Files that are in force, by path.
    pub taken: Vec<OwnFile>,
    /// Faults of the files that are not, by path; a file may have several.
    pub refused: Vec<CatalogueError>,
}

impl ControlCatalogue {
    /// Returns the catalogue with the checks and frameworks of a folder.
    ///
    /// A file is refused if it cannot be read, if a sample does not hold, if there is no sample that
    /// passes and one that fails, or if its name is that of a check or framework of this catalogue.
    /// The others are taken.
    #[must_use]
    pub fn with_own(&self, folder: &Folder) -> ControlCatalogue {
        let mut all = self.clone();
        let mut own = OwnFiles {
            refused: folder.unread().to_vec(),
            ..OwnFiles::default()
        };
        let mut taken = Vec::new();
        for (parts, text) in folder.files() {
            match self.read_own(parts, text) {
                Ok(item) => taken.push((parts.join("/"), text, item)),
                Err(faults) => own.refused.extend(faults),
            }
        }

        // A framework may name a check of a later file.
        let (checks, frameworks): (Vec<_>, Vec<_>) = taken
            .into_iter()
            .partition(|(_, _, item)| matches!(item, CatalogueItem::Check(_)));
        for (path, text, item) in checks.into_iter().chain(frameworks) {
            let unknown = all.unknown_check(&item);
            if let Some((check, error)) = unknown {
                let line = line_with(text, check);
                own.refused.push(CatalogueError {
                    line,
                    ..error.in_file(&path, text)
                });
                continue;
            }
            own.taken.push(OwnFile {
                kind: match item {
                    CatalogueItem::Check(_) => OwnFileKind::Check,
                    CatalogueItem::Framework(_) => OwnFileKind::Framework,
                },
                id: item.id().to_owned(),
                hash: hex::encode(Sha256::digest(text)),
                path,
            });
            all.insert(item);
        }

        own.taken.sort_by(|a, b| a.path.cmp(&b.path));
        own.refused
            .sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        all.index(own);
        all
    }

    /// Returns the same catalogue, with a fault that kept the folder from being read again.
    #[must_use]
    pub fn despite(&self, reason: String) -> ControlCatalogue {
        let mut all = self.clone();
        let own = OwnFiles {
            refused: vec![CatalogueError::field("", "", reason)],
            ..self.own().clone()
        };
        all.index(own);
        all
    }

    fn read_own(&self, parts: &[String], text: &str) -> Result<CatalogueItem, Vec<CatalogueError>> {
        let path = parts.join("/");
        let item = CatalogueItem::read(parts, text).map_err(|error| vec![error])?;
        let fault = |reason: String| CatalogueError::field(&path, "", reason);
        if self.has(&item) {
            let reason = format!("{} comes with Reeve: choose another name", item.id());
            return Err(vec![fault(reason)]);
        }

        let CatalogueItem::Check(check) = &item else {
            return Ok(item);
        };
        let faults: Vec<CatalogueError> = check
            .test()
            .into_iter()
            .map(|sample| CatalogueError {
                line: sample.name().and_then(|name| line_with(text, name)),
                ..fault(sample.to_string())
            })
            .collect();
        if faults.is_empty() {
            Ok(item)
        } else {
            Err(faults)
        }
    }

    /// Returns `true` if a check comes from the folder of own checks.
    #[must_use]
    pub fn is_own_check(&self, check: &str) -> bool {
        self.own().has(OwnFileKind::Check, check)
    }

    /// Returns `true` if a framework comes from the folder of own checks.
    #[must_use]
    pub fn is_own_framework(&self, framework: &str) -> bool {
        self.own().has(OwnFileKind::Framework, framework)
    }

    /// Returns `true` if an agent of these frameworks asks a check: it proves one of their controls,
    /// or it is an own one, which is placed in the folder to be asked.
    #[must_use]
    pub fn is_asked(&self, check: &ControlCheck, frameworks: &BTreeSet<String>) -> bool {
        self.is_own_check(&check.id) || self.is_of(check, frameworks)
    }
}

impl OwnFiles {
    fn has(&self, kind: OwnFileKind, id: &str) -> bool {
        self.taken
            .iter()
            .any(|file| file.kind == kind && file.id == id)
    }

    /// Returns the files that are in force and came into force after `before`, and those that left.
    #[must_use]
    pub fn differences<'f>(&'f self, before: &'f OwnFiles) -> (Vec<&'f OwnFile>, Vec<&'f OwnFile>) {
        let without = |all: &'f [OwnFile], others: &[OwnFile]| {
            let lacks = all.iter().filter(|file| !others.contains(file));
            lacks.collect::<Vec<_>>()
        };
        (
            without(&self.taken, &before.taken),
            without(&before.taken, &self.taken),
        )
    }
}

impl SampleFault {
    /// Name of the sample; `None` if one is missing.
    fn name(&self) -> Option<&str> {
        match self {
            SampleFault::NotJson { sample, .. } | SampleFault::OtherAnswer { sample, .. } => {
                Some(sample)
            }
            SampleFault::Missing { .. } => None,
        }
    }
}

/// Returns the last line that has a text between quotation marks.
pub(crate) fn line_with(text: &str, quoted: &str) -> Option<usize> {
    let quoted = format!("\"{quoted}\"");
    let lines = text.lines().zip(1..);
    lines
        .filter(|(line, _)| line.contains(&quoted))
        .map(|(_, number)| number)
        .last()
}

/// The catalogue in force. It is exchanged as a whole when the folder of own checks changes.
#[derive(Debug)]
pub struct LiveCatalogue(RwLock<Arc<ControlCatalogue>>);

impl LiveCatalogue {
    /// Puts a catalogue into force.
    #[must_use]
    pub fn new(catalogue: ControlCatalogue) -> LiveCatalogue {
        LiveCatalogue(RwLock::new(Arc::new(catalogue)))
    }

    /// Returns the catalogue in force. A caller that asks several questions keeps it for all of
    /// them.
    #[must_use]
    pub fn current(&self) -> Arc<ControlCatalogue> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Exchanges the catalogue; returns the one before.
    pub fn replace(&self, catalogue: ControlCatalogue) -> Arc<ControlCatalogue> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut current, Arc::new(catalogue))
    }
}

#[cfg(test)]
mod tests;
