//! People of the demo: one who can sign in for each role, with one password that is made up at the
//! first start, and their colleagues.

use std::path::Path;

use anyhow::{Context as _, Result};

use reeve_access::{AccessStore as _, Role, Secret, Team, User, password};
use reeve_connect_simulated::{PEOPLE, TEAMS};

use crate::service::Service;

const FILE: &str = "demo-sign-in.txt";

/// Address and password of the administrator.
pub(super) struct SignIn {
    pub(super) email: String,
    pub(super) password: String,
}

const SIGN_INS: &[(&str, &str, Role)] = &[
    ("admin@acme.example", "Ada Admin", Role::Administrator),
    (
        "auditor@acme.example",
        "Aurelia Audit",
        Role::AuditAdministrator,
    ),
    (
        "security@acme.example",
        "Selim Security",
        Role::SecurityAnalyst,
    ),
    (
        "compliance@acme.example",
        "Clara Compliance",
        Role::ComplianceOfficer,
    ),
    ("manager@acme.example", "Milo Manager", Role::Manager),
    ("director@acme.example", "Dora Director", Role::Director),
    ("operator@acme.example", "Otto Operator", Role::Operator),
    ("user@acme.example", "Uma User", Role::RegularUser),
];

/// The others who can sign in, one a role.
pub(super) fn others() -> Vec<&'static str> {
    SIGN_INS.iter().skip(1).map(|(email, ..)| *email).collect()
}

/// Adds the demo's people where they are missing: those who can sign in, and the company's people
/// whose activity the log shows, in their teams, so that the manager sees a team at work.
pub(super) async fn ensure(service: &Service) -> Result<SignIn> {
    let password = shared_password(&service.config.data_dir)?;
    let known = service.store.user_list().await?;
    let missing = |email: &str| !known.iter().any(|user| user.email == email);
    let teams = teams(service).await?;
    let created_at_ms = service.app.now().as_millisecond();
    let add =
        |email: &str, name: &str, role: Role, team: Option<&str>, password_hash: Option<String>| {
            let teams = teams
                .iter()
                .filter(|known| Some(known.name.as_str()) == team)
                .map(|team| team.id.clone());
            let user = User::new(email, name, vec![role], created_at_ms)?;
            anyhow::Ok(User {
                teams: teams.collect(),
                password_hash,
                ..user
            })
        };

    let signing_in: Vec<_> = SIGN_INS
        .iter()
        .filter(|(email, ..)| missing(email))
        .collect();
    if !signing_in.is_empty() {
        let hash = password::hash(&password)?;
        for (email, name, role) in signing_in {
            let in_team = matches!(role, Role::Manager | Role::Operator | Role::RegularUser);
            let user = add(
                email,
                name,
                *role,
                in_team.then_some(TEAMS[0]),
                Some(hash.clone()),
            )?;
            service.store.user_insert(&user).await?;
        }
    }

    for person in PEOPLE.iter().filter(|person| missing(&person.email())) {
        let user = add(
            &person.email(),
            person.name,
            Role::RegularUser,
            Some(person.team),
            None,
        )?;
        service.store.user_insert(&user).await?;
    }

    Ok(SignIn {
        email: SIGN_INS[0].0.to_owned(),
        password,
    })
}

/// The company's teams, added where they are missing.
async fn teams(service: &Service) -> Result<Vec<Team>> {
    let mut known = service.store.team_list().await?;
    for name in TEAMS {
        if !known.iter().any(|team| team.name == name) {
            let team = Team::new(name, service.app.now().as_millisecond())?;
            service.store.team_insert(&team).await?;
            known.push(team);
        }
    }
    Ok(known)
}

fn shared_password(data_dir: &Path) -> Result<String> {
    let path = data_dir.join(FILE);
    if let Ok(text) = std::fs::read_to_string(&path) {
        return Ok(text.trim().to_owned());
    }

    let secret = Secret::generate("")?;
    let password = format!(
        "demo-{}",
        secret.reveal().chars().take(12).collect::<String>()
    );
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options
        .open(&path)
        .with_context(|| format!("{} could not be written", path.display()))?;
    std::io::Write::write_all(&mut file, format!("{password}\n").as_bytes())?;

    Ok(password)
}
