//! Who can sign in to the demo: one person a role, with one password that is made up at the first start.

use std::path::Path;

use anyhow::{Context as _, Result};

use reeve_access::{AccessStore as _, Role, Secret, Team, TeamId, User, UserId, password};

use crate::service::Service;

const FILE: &str = "demo-sign-in.txt";
const TEAM: &str = "Platform";

/// How to sign in as the administrator.
pub(super) struct SignIn {
    pub(super) email: String,
    pub(super) password: String,
}

const PEOPLE: &[(&str, &str, Role)] = &[
    ("admin@acme.example", "Ada Admin", Role::Administrator),
    ("auditor@acme.example", "Aurelia Audit", Role::AuditAdministrator),
    ("security@acme.example", "Selim Security", Role::SecurityAnalyst),
    ("compliance@acme.example", "Clara Compliance", Role::ComplianceOfficer),
    ("manager@acme.example", "Milo Manager", Role::Manager),
    ("director@acme.example", "Dora Director", Role::Director),
    ("operator@acme.example", "Otto Operator", Role::Operator),
    ("user@acme.example", "Uma User", Role::RegularUser),
];

/// Adds the demo's people where they are missing.
pub(super) async fn ensure(service: &Service) -> Result<SignIn> {
    let password = shared_password(&service.config.data_dir)?;
    let known = service.store.user_list().await?;
    let now_ms = service.app.now().as_millisecond();
    let missing: Vec<_> = PEOPLE.iter().filter(|(email, ..)| !known.iter().any(|user| user.email == *email)).collect();
    if !missing.is_empty() {
        let team = match service.store.team_list().await?.into_iter().find(|team| team.name == TEAM) {
            Some(team) => team,
            None => {
                let team =
                    Team { id: TeamId(uuid::Uuid::now_v7().to_string()), name: TEAM.to_owned(), created_at_ms: now_ms };
                service.store.team_insert(&team).await?;
                team
            }
        };
        let hash = password::hash(&password)?;
        for (email, name, role) in missing {
            let in_team = matches!(role, Role::Manager | Role::Operator | Role::RegularUser);
            let user = User {
                id: UserId(uuid::Uuid::now_v7().to_string()),
                email: (*email).to_owned(),
                name: (*name).to_owned(),
                roles: vec![*role],
                teams: if in_team { vec![team.id.clone()] } else { Vec::new() },
                password_hash: Some(hash.clone()),
                active: true,
                created_at_ms: now_ms,
            };
            service.store.user_insert(&user).await?;
        }
    }
    Ok(SignIn { email: PEOPLE[0].0.to_owned(), password })
}

fn shared_password(data_dir: &Path) -> Result<String> {
    let path = data_dir.join(FILE);
    if let Ok(text) = std::fs::read_to_string(&path) {
        return Ok(text.trim().to_owned());
    }
    let secret = Secret::generate("")?;
    let password = format!("demo-{}", secret.reveal().chars().take(12).collect::<String>());
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).with_context(|| format!("{} could not be written", path.display()))?;
    std::io::Write::write_all(&mut file, format!("{password}\n").as_bytes())?;
    Ok(password)
}
