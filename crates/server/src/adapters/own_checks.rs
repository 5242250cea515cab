//! The folder of people's own checks and frameworks, read again when its files change.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use reeve_controls::{ControlCatalogue, Folder, LiveCatalogue, OwnFiles};

use crate::config::Config;

/// The folder, with the catalogue that its files are a part of.
#[derive(Debug)]
pub(crate) struct OwnChecks {
    folder: PathBuf,
    /// `true` if the configuration names the folder: it should be there then.
    is_configured: bool,
    live: Arc<LiveCatalogue>,
    /// Digest of the files as they were read last, or the error that kept them from being read;
    /// `None` before the first reading.
    read: Mutex<Option<String>>,
}

/// Files before and after the folder was read again.
#[derive(Debug)]
pub(crate) struct Reloaded {
    pub(crate) before: OwnFiles,
    pub(crate) after: Arc<ControlCatalogue>,
}

impl OwnChecks {
    /// Reads the folder of a configuration. A fault of it never keeps the service from starting.
    pub(crate) fn open(config: &Config) -> OwnChecks {
        let configured = config.checks_folder.clone();
        let own = OwnChecks {
            is_configured: configured.is_some(),
            folder: configured.unwrap_or_else(|| config.data_dir.join("checks")),
            live: Arc::new(LiveCatalogue::new(ControlCatalogue::builtin().clone())),
            read: Mutex::default(),
        };
        let _ = own.reload();
        own
    }

    /// Returns the catalogue in force.
    pub(crate) fn live(&self) -> &Arc<LiveCatalogue> {
        &self.live
    }

    /// Reads the folder; answers if what is in force or refused is another than before. A folder that
    /// cannot be read leaves in force what was.
    pub(crate) fn reload(&self) -> Option<Reloaded> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = match Folder::open(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound && !self.is_configured => {
                Ok(Folder::default())
            }
            found => found,
        };
        let found = match &folder {
            Ok(folder) => folder.digest(),
            Err(error) => error.to_string(),
        };
        if read.as_ref() == Some(&found) {
            return None;
        }
        *read = Some(found);

        let before = self.live.current();
        let after = match folder {
            Ok(folder) => ControlCatalogue::builtin().with_own(&folder),
            Err(error) => {
                let folder = self.folder.display();
                before.despite(format!("the folder {folder} cannot be read: {error}"))
            }
        };
        if after.own() == before.own() {
            return None;
        }

        let before = self.live.replace(after).own().clone();
        let after = self.live.current();
        Some(Reloaded { before, after })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FRAMEWORK: &str = "title = \"House\"\nedition = \"1\"\nsource = \"https://a.example\"\n[[control]]\nid = \"H1\"\ntitle = \"Backups\"\ntopics = [\"backup\"]\n";

    #[test]
    fn a_folder_that_is_gone_leaves_in_force_what_was() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("rules");
        std::fs::create_dir_all(folder.join("controls")).unwrap();
        std::fs::write(folder.join("controls/house.toml"), FRAMEWORK).unwrap();

        let config = Config {
            checks_folder: Some(folder.clone()),
            ..Config::default()
        };
        let own = OwnChecks::open(&config);
        assert!(own.live().current().is_own_framework("house"));
        assert!(own.reload().is_none(), "nothing changed");

        std::fs::rename(&folder, home.path().join("away")).unwrap();
        let gone = own.reload().unwrap().after;
        assert!(gone.is_own_framework("house"));
        assert!(gone.own().refused[0].reason.contains("cannot be read"));
        assert!(own.reload().is_none(), "it is said once");

        std::fs::rename(home.path().join("away"), &folder).unwrap();
        std::fs::write(folder.join("controls/house.toml"), "title = 1").unwrap();
        let after = own.reload().unwrap().after;
        assert!(!after.is_own_framework("house"));
        assert_eq!(after.own().refused[0].file, "controls/house.toml");
    }

    #[test]
    fn a_folder_that_nobody_named_may_be_missing() {
        let home = tempfile::tempdir().unwrap();
        let config = Config {
            data_dir: home.path().to_owned(),
            ..Config::default()
        };
        let own = OwnChecks::open(&config);
        assert_eq!(*own.live().current().own(), OwnFiles::default());

        std::fs::create_dir_all(home.path().join("checks/controls")).unwrap();
        std::fs::write(home.path().join("checks/controls/house.toml"), FRAMEWORK).unwrap();
        let reloaded = own.reload().unwrap();
        assert_eq!(reloaded.before, OwnFiles::default());
        assert!(own.live().current().is_own_framework("house"));
    }
}
