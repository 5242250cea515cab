//! The account of the operating system that runs this program: who is named in entries about what
//! is done beside the service.

use std::os::unix::fs::MetadataExt as _;

use reeve_audit::{Actor, ActorType};

/// An account of the operating system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    /// Its number, `uid 1000`; `command line` where the system does not tell.
    pub(crate) id: String,
    /// Its name, where the system knows one.
    pub(crate) name: Option<String>,
}

impl Account {
    /// The account of this process, as the kernel tells it: the environment could be anything.
    pub(crate) fn current() -> Account {
        let Ok(process) = std::fs::metadata("/proc/self") else {
            return Account {
                id: "command line".to_owned(),
                name: None,
            };
        };

        let uid = process.uid();
        let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        Account {
            id: format!("uid {uid}"),
            name: name_of(uid, &accounts),
        }
    }

    /// The actor that it is in the log.
    pub(crate) fn actor(&self) -> Actor {
        Actor::new(ActorType::User, self.to_string())
    }
}

impl std::fmt::Display for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{} ({name})", self.id),
            None => f.write_str(&self.id),
        }
    }
}

fn name_of(uid: u32, accounts: &str) -> Option<String> {
    let uid = uid.to_string();
    let line = accounts
        .lines()
        .find(|line| line.split(':').nth(2) == Some(&uid))?;
    let name = line.split(':').next().filter(|name| !name.is_empty())?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_have_names_where_the_system_knows_them() {
        let accounts =
            "root:x:0:0::/root:/bin/sh\nreeve:x:998:998::/srv:/bin/false\nbroken\n:x:7:7::/:/\n";
        assert_eq!(name_of(998, accounts).as_deref(), Some("reeve"));
        assert_eq!((name_of(99, accounts), name_of(7, accounts)), (None, None));

        let shown = Account {
            id: "uid 998".into(),
            name: name_of(998, accounts),
        };
        assert_eq!(shown.to_string(), "uid 998 (reeve)");
        assert!(Account::current().id.starts_with("uid "));
    }
}
