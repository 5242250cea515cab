//! The estate and its people: 5,000 users, 100,000 resources in 40 accounts of three clouds. Made
//! once from the seed, then only read.

use std::fmt::Write as _;

use super::catalogue::{CLOUDS, Change, VERBS, operation};
use super::random::{Random, Weighted};
use super::words::{ENVIRONMENTS, FIRST, LAST, TEAMS, vocabulary};

pub(crate) const USERS: usize = 5_000;
pub(crate) const RESOURCES: usize = 100_000;
const ACCOUNTS: usize = 40;

/// Users and resources of the generated entries.
pub(crate) struct World {
    pub(crate) users: Vec<User>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) words: Vec<String>,
    /// For each cloud and kind: what each verb is called there.
    pub(crate) operations: Vec<Vec<Vec<String>>>,
}

pub(crate) struct User {
    /// Value of `actor.type`.
    pub(crate) kind: &'static str,
    pub(crate) id: String,
    /// E-mail address; `None` for programs.
    pub(crate) email: Option<String>,
    /// The first three parts of the network that the user is usually in.
    pub(crate) network: String,
    /// The program mostly used, an index into the catalogue.
    pub(crate) agent: usize,
}

pub(crate) struct Resource {
    pub(crate) id: String,
    pub(crate) cloud: usize,
    pub(crate) kind: &'static str,
    /// The index of its kind among those of its cloud.
    pub(crate) kind_index: usize,
    pub(crate) change: Change,
    pub(crate) account: String,
    pub(crate) region: &'static str,
    pub(crate) team: &'static str,
    /// The whole `resource` member as JSON.
    pub(crate) json: String,
}

struct Account {
    cloud: usize,
    id: String,
    environment: &'static str,
}

impl World {
    /// The world of a seed.
    pub(crate) fn new(random: &mut Random) -> Self {
        let words = vocabulary(random);
        let users = (0..USERS).map(|number| user(number, random)).collect();
        let accounts: Vec<Account> = (0..ACCOUNTS)
            .map(|number| account(number, random))
            .collect();
        let by_account = Weighted::zipf(ACCOUNTS);
        let kinds: Vec<Weighted> = CLOUDS
            .iter()
            .map(|cloud| {
                Weighted::new(
                    &cloud
                        .kinds
                        .iter()
                        .map(|kind| kind.share as f64)
                        .collect::<Vec<_>>(),
                )
            })
            .collect();

        let resources = (0..RESOURCES)
            .map(|_| {
                let account = &accounts[by_account.draw(random)];
                let kind = kinds[account.cloud].draw(random);
                resource(account, kind, &words, random)
            })
            .collect();

        let named = |cloud: usize, noun: &str| {
            VERBS
                .iter()
                .map(|&verb| operation(cloud, noun, verb))
                .collect()
        };

        let operations = CLOUDS
            .iter()
            .enumerate()
            .map(|(index, cloud)| {
                cloud
                    .kinds
                    .iter()
                    .map(|kind| named(index, kind.noun))
                    .collect()
            })
            .collect();

        Self {
            users,
            resources,
            words,
            operations,
        }
    }
}

fn user(number: usize, random: &mut Random) -> User {
    let (first, last) = (
        FIRST[number % FIRST.len()],
        LAST[number / FIRST.len() % LAST.len()],
    );
    let network = match random.below(3) {
        0 => format!("10.{}.{}", random.below(64), random.below(256)),
        1 => format!("172.{}.{}", 16 + random.below(16), random.below(256)),
        _ => format!(
            "{}.{}.{}",
            [81, 88, 93, 185, 203][random.below(5)],
            random.below(256),
            random.below(256)
        ),
    };

    let agent = Weighted::zipf(super::catalogue::AGENTS.len()).draw(random);
    let (kind, id, email) = match random.below(100) {
        0..=77 => {
            let email = format!(
                "{first}.{last}@{}",
                ["acme.example", "acme.example", "contractor.example"][number % 3]
            );
            ("user", format!("u-{:05}", 10_000 + number), Some(email))
        }
        78..=89 => (
            "service",
            format!("svc-{}-{number}", random.pick(&TEAMS)),
            None,
        ),
        90..=95 => (
            "role",
            format!("{}-deploy/{first}-{number}", random.pick(&TEAMS)),
            None,
        ),
        96..=98 => ("api_key", format!("key-{:08x}", random.bits() as u32), None),
        _ => ("agent", format!("agent-cost-{number}"), None),
    };

    User {
        kind,
        id,
        email,
        network,
        agent,
    }
}

fn account(number: usize, random: &mut Random) -> Account {
    // Half of the accounts are of the first cloud, and a quarter of each of the others.
    let cloud = [0, 0, 1, 2][number % 4];
    let id = match cloud {
        0 => format!("{:012}", random.below(900_000_000_000) + 100_000_000_000),
        1 => uuid(random),
        _ => format!(
            "acme-{}-{:06}",
            TEAMS[number % TEAMS.len()],
            random.below(1_000_000)
        ),
    };

    Account {
        cloud,
        id,
        environment: ENVIRONMENTS[(number / 4) % ENVIRONMENTS.len()],
    }
}

fn resource(
    account: &Account,
    kind_index: usize,
    words: &[String],
    random: &mut Random,
) -> Resource {
    let (cloud, team) = (&CLOUDS[account.cloud], random.pick(&TEAMS));
    let kind = &cloud.kinds[kind_index];
    let region = cloud.regions[Weighted::zipf(cloud.regions.len()).draw(random)];
    let word = &words[48 + random.below(words.len() - 48)];
    let name = format!("{}{word}-{:04x}", kind.prefix, random.bits() as u16);
    let id = match account.cloud {
        0 if kind.prefix.len() <= 4 => format!("{}{:017x}", kind.prefix, random.bits() >> 4),
        0 => format!("{name}-{team}"),
        1 => format!(
            "/subscriptions/{}/resourceGroups/rg-{team}/providers/{}/{name}",
            account.id, kind.noun
        ),
        _ => format!(
            "projects/{}/locations/{region}/{}/{name}",
            account.id, kind.noun
        ),
    };

    let mut json = format!(
        r#""resource":{{"type":"{}","id":"{id}","cloud_provider":"{}","account_id":"{}","region":"{region}","tags":{{"env":"{}","team":"{team}""#,
        kind.name, cloud.name, account.id, account.environment
    );
    // Writing to a String cannot fail.
    if random.chance(120) {
        let _ = write!(json, r#","cost-center":"cc-{}""#, 4_000 + random.below(120));
    }
    if random.chance(150) {
        let _ = write!(json, r#","Name":"{name}""#);
    }

    json.push_str("}}");
    Resource {
        id,
        cloud: account.cloud,
        kind: kind.name,
        kind_index,
        change: kind.change,
        account: account.id.clone(),
        region,
        team,
        json,
    }
}

/// A random UUID (version 4) as text.
fn uuid(random: &mut Random) -> String {
    let mut text = Vec::with_capacity(36);
    super::text::push_uuid(&mut text, random);
    text.into_iter().map(char::from).collect()
}
