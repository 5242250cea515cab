//! Threat intelligence that operators supply: lists of addresses, networks and user agents, held
//! against the audit log's entries.
//!
//! Nothing is guessed: a match names the list, the indicator, what the list says of it, and its
//! date. A list is text, one indicator a line: `value[,name[,from[,until]]]`, where the value is an
//! address (`203.0.113.7`), a network (`198.51.100.0/24`, `2001:db8::/32`) or `user_agent:` and a
//! part of one. Both times are a day (`2026-05-03`, from its midnight in UTC) or RFC 3339; an
//! indicator is used from the one until the other. Empty lines and what follows `#` are passed over.
//! [`stix`] reads and writes lists as STIX 2.1 bundles, and [`feed`] keeps a list as an address has
//! it.

pub mod feed;
pub mod stix;

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use reeve_audit::Obstacle;
use reeve_audit::{Entry, FieldCode, FieldError};
use reeve_estate::{ResourceKind, StoreError};
use reeve_recommend::recommendation::Priority;

use self::feed::ThreatFeed;
use super::attack::{AttackTechnique, VALID_ACCOUNTS, technique_of_call};
use super::behavior::{event, succeeded};
use super::behavior_watch::{SecurityFinding, place};
use super::entry_names::operation;
use super::finding::Finding;
use super::record::Indication;

/// Indicators of a list at most.
pub const MOST_INDICATORS: usize = 100_000;
/// User agents of all lists at most: each is looked for in every entry.
const MOST_AGENTS: usize = 2_000;
/// Bytes of a list's text at most.
pub const LONGEST_LIST: usize = 8 << 20;
/// Errors that are reported of a list at most.
const MOST_ERRORS: usize = 20;
/// The list that ships with Reeve: it says itself what it holds, from which sources and of which
/// day.
pub const BUILT_IN: &str = include_str!("../data/threat-list.txt");
/// Name of the list that ships with Reeve, and of the file that takes its place.
pub const BUILT_IN_NAME: &str = "built-in.txt";
/// Day of the list that ships with Reeve.
pub const BUILT_IN_DAY: Date = jiff::civil::date(2026, 11, 24);
/// Prefix of an indicator for user agents.
const AGENT: &str = "user_agent:";

/// Pattern that an indicator matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// Addresses that begin with these bits; the host's bits are 0.
    Network(IpAddr, u8),
    /// User agents that contain this, in lower case.
    UserAgent(String),
}

/// One indicator of a threat list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indicator {
    /// Pattern that it matches.
    pub pattern: Pattern,
    /// Name given by the list; empty if it has none.
    pub name: String,
    /// The date that the list gives it: the day of `valid_from`.
    pub date: Option<Date>,
    /// Time from which it is used; `None` is always.
    pub valid_from: Option<Timestamp>,
    /// Time from which it is used no more; `None` is never.
    pub valid_until: Option<Timestamp>,
}

impl Indicator {
    /// Returns `true` if it is used at a time.
    #[must_use]
    pub fn is_valid(&self, at: Timestamp) -> bool {
        self.valid_from.is_none_or(|from| from <= at)
            && self.valid_until.is_none_or(|until| at < until)
    }
}

/// A list of indicators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreatList {
    /// Its name, at most 128 characters.
    pub name: String,
    /// `true` for a list that is a file in the data directory and can be changed there alone.
    pub from_file: bool,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// User who uploaded it.
    pub by: String,
    /// As it was given: what is kept.
    pub text: String,
    pub indicators: u64,
}

/// A list without its indicators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListState {
    pub name: String,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// `true` for a list that is a file in the data directory.
    pub from_file: bool,
}

/// Storage of threat lists.
#[async_trait]
pub trait ThreatStore: Send + Sync {
    /// Adds a list or replaces the one of its name.
    async fn threat_list_put(&self, list: &ThreatList) -> Result<(), StoreError>;
    async fn threat_list_get(&self, name: &str) -> Result<ThreatList, StoreError>;
    async fn threat_list_delete(&self, name: &str) -> Result<(), StoreError>;
    /// All lists by name.
    async fn threat_list_all(&self) -> Result<Vec<ThreatList>, StoreError>;
    /// All lists by name without what they hold: whether anything changed.
    async fn threat_list_state(&self) -> Result<Vec<ListState>, StoreError>;
    /// Adds the feed of a list, or replaces it.
    async fn threat_feed_put(&self, feed: &ThreatFeed) -> Result<(), StoreError>;
    async fn threat_feed_delete(&self, name: &str) -> Result<(), StoreError>;
    /// All feeds by the name of their list.
    async fn threat_feed_all(&self) -> Result<Vec<ThreatFeed>, StoreError>;
}

/// Reads a list's text.
///
/// # Errors
/// The first twenty lines that are wrong, as `indicators[line]`, lines counted from 1.
pub fn parse(text: &str) -> Result<Vec<Indicator>, Vec<FieldError>> {
    if text.len() > LONGEST_LIST {
        let message = format!("must have at most {LONGEST_LIST} bytes");
        return Err(vec![FieldError::new(
            "indicators",
            FieldCode::TooLong,
            message,
        )]);
    }

    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        match indicator(line) {
            Ok(one) => found.push(one),
            Err(message) if errors.len() < MOST_ERRORS => {
                errors.push(FieldError::new(
                    format!("indicators[{}]", index + 1),
                    FieldCode::InvalidValue,
                    message,
                ));
            }
            Err(_) => {}
        }
    }

    if found.len() > MOST_INDICATORS {
        let message = format!(
            "{} indicators; a list has at most {MOST_INDICATORS}",
            found.len()
        );
        errors.push(FieldError::new("indicators", FieldCode::TooMany, message));
    }

    let agents = found
        .iter()
        .filter(|one| matches!(one.pattern, Pattern::UserAgent(_)))
        .count();
    if agents > MOST_AGENTS {
        let message = format!("{agents} user agents; a list has at most {MOST_AGENTS}");
        errors.push(FieldError::new("indicators", FieldCode::TooMany, message));
    }

    if errors.is_empty() {
        Ok(found)
    } else {
        Err(errors)
    }
}

fn indicator(line: &str) -> Result<Indicator, Obstacle> {
    let mut fields = line.splitn(4, ',').map(str::trim);
    let value = fields.next().unwrap_or_default();
    let name = fields.next().unwrap_or_default();
    if name.chars().count() > 200 {
        return Err(Obstacle::of("the name must have at most 200 characters"));
    }

    let mut time = || match fields.next().filter(|text| !text.is_empty()) {
        None => Ok(None),
        Some(text) => moment(text).map(Some),
    };
    let (valid_from, valid_until) = (time()?, time()?);
    if let (Some(from), Some(until)) = (valid_from, valid_until)
        && until <= from
    {
        return Err(Obstacle::of("the end must be later than the beginning"));
    }

    Ok(Indicator {
        pattern: pattern(value)?,
        name: name.to_owned(),
        date: valid_from.map(|from| from.to_zoned(TimeZone::UTC).date()),
        valid_from,
        valid_until,
    })
}

/// Reads a day, which begins at its midnight in UTC, or a time.
fn moment(text: &str) -> Result<Timestamp, Obstacle> {
    if let Ok(day) = text.parse::<Date>()
        && text.len() == 10
    {
        let midnight = day.to_zoned(TimeZone::UTC);
        return midnight
            .map(|midnight| midnight.timestamp())
            .map_err(Obstacle::of);
    }
    reeve_audit::parse_instant(text)
        .map_err(|_| Obstacle::of(format_args!("{text:?} is no date (2026-05-03)")))
}

fn pattern(value: &str) -> Result<Pattern, Obstacle> {
    if let Some(part) = value.strip_prefix(AGENT).map(str::trim) {
        if !(3..=200).contains(&part.chars().count()) {
            return Err(Obstacle::of("a user agent must have 3 to 200 characters"));
        }
        return Ok(Pattern::UserAgent(part.to_lowercase()));
    }

    let (address, bits) = value
        .split_once('/')
        .map_or((value, None), |(address, bits)| (address, Some(bits)));
    let wrong = || format!("{value:?} is neither an address, nor a network, nor user_agent:TEXT");
    let address = reeve_audit::parse_address(address)
        .ok_or_else(wrong)?
        .to_canonical();
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits = match bits {
        None => most,
        Some(bits) => bits
            .parse::<u8>()
            .ok()
            .filter(|bits| (1..=most).contains(bits))
            .ok_or_else(wrong)?,
    };

    Ok(Pattern::Network(network(address, bits), bits))
}

/// An address without the bits beyond a network's.
fn network(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::from((u32::from(v4) & mask).to_be_bytes())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::from((u128::from(v6) & mask).to_be_bytes())
        }
    }
}

/// An indicator, and the list it stands in.
type Known = (usize, Indicator);

/// Returns `true` if one indicator is used longer than another.
fn ends_later(one: &Indicator, other: &Indicator) -> bool {
    match (one.valid_until, other.valid_until) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(one), Some(other)) => one > other,
    }
}

/// All lists, ready to be asked.
#[derive(Debug, Default)]
pub struct Threats {
    lists: Vec<(String, Timestamp)>,
    networks: HashMap<(u8, IpAddr), Known>,
    /// Lengths of prefixes that occur, the longest first.
    lengths: BTreeSet<std::cmp::Reverse<u8>>,
    agents: Vec<(String, Known)>,
}

impl Threats {
    /// Indexes these lists. A list that cannot be read (written by another version, say) is left
    /// out, with a warning.
    #[must_use]
    pub fn new(lists: &[ThreatList]) -> Threats {
        let mut threats = Threats::default();
        for list in lists {
            let Ok(indicators) = parse(&list.text) else {
                tracing::warn!(
                    list = list.name,
                    "a threat list could not be read and is left out"
                );
                continue;
            };
            let position = threats.lists.len();
            threats.lists.push((list.name.clone(), list.updated_at));
            for one in indicators {
                match one.pattern.clone() {
                    Pattern::Network(address, bits) => {
                        threats.lengths.insert(std::cmp::Reverse(bits));
                        let known = threats
                            .networks
                            .entry((bits, address))
                            .or_insert_with(|| (position, one.clone()));
                        if ends_later(&one, &known.1) {
                            *known = (position, one);
                        }
                    }
                    Pattern::UserAgent(part) if threats.agents.len() < MOST_AGENTS => {
                        threats.agents.push((part, (position, one)));
                    }
                    Pattern::UserAgent(_) => {}
                }
            }
        }

        threats
    }

    /// The narrowest network that holds an address and is used at the time.
    fn address(&self, address: IpAddr, at: Timestamp) -> Option<&Known> {
        let address = address.to_canonical();
        let most = if address.is_ipv4() { 32 } else { 128 };
        let known = |bits: u8| {
            let known = self.networks.get(&(bits, network(address, bits)));
            known.filter(|(_, indicator)| indicator.is_valid(at))
        };
        self.lengths
            .iter()
            .filter(|bits| bits.0 <= most)
            .find_map(|bits| known(bits.0))
    }

    fn agent(&self, agent: &str, at: Timestamp) -> Option<&Known> {
        if self.agents.is_empty() {
            return None;
        }

        let agent = agent.to_lowercase();
        self.agents
            .iter()
            .find(|(part, (_, indicator))| agent.contains(part.as_str()) && indicator.is_valid(at))
            .map(|(_, known)| known)
    }

    /// A finding where an entry's address or program is on a list. Seen as one trouble of the
    /// machine whose own credentials were used, else of the address, or of the principal.
    #[must_use]
    pub fn observe(&self, entry: &Entry, recorded_at: Timestamp) -> Option<Finding> {
        entry.actor.kind.as_ref()?;
        let agent = entry.actor.user_agent.as_deref();
        let address = entry
            .actor
            .ip_address
            .and_then(|address| Some((address, self.address(address, recorded_at)?)));
        let (who, own) = place(entry);
        let (way, what, (list, indicator), place) = match address {
            Some((address, known)) if own.1 == "principal" => (
                "from",
                format!("address {address}"),
                known,
                (address.to_string(), "address"),
            ),
            Some((address, known)) => ("from", format!("address {address}"), known, own),
            None => {
                let program = format!("program {:?}", agent?.chars().take(100).collect::<String>());
                ("with", program, self.agent(agent?, recorded_at)?, own)
            }
        };

        let (list, updated_at) = self.lists.get(*list)?;
        let succeeded = succeeded(entry);
        let (verb, refused) = if succeeded {
            ("called", "")
        } else {
            ("tried", ": refused")
        };

        let title = format!(
            "{who} {verb} {} {way} {what}, listed in threat list {list:?}{refused}",
            operation(entry)
        );
        // A machine's credentials in other hands are as bad where a call was refused.
        let own_machine = place.1 == ResourceKind::VirtualMachine.as_str();
        let finding = SecurityFinding {
            severity: if succeeded || own_machine {
                Priority::High
            } else {
                Priority::Medium
            },
            title,
            activity: None,
            place,
            score: 1.0,
            usual: 0.0,
            indication: Indication::ThreatList,
            evidence: vec![
                evidence(&what, list, *updated_at, indicator),
                technique(entry).words(),
            ],
        };

        Some(finding.finding(entry, recorded_at))
    }
}

/// Combines the findings of two watches about one entry. An event that is both unusual and on a
/// threat list is critical; either alone is not, since lists have false positives and new behavior
/// is common. Findings about one place are merged.
#[must_use]
pub fn together(strange: Option<Finding>, listed: Option<Finding>) -> Vec<Finding> {
    match (strange, listed) {
        (Some(strange), Some(mut listed)) => {
            // What was refused, and is Medium for that, becomes no more than High.
            listed.severity = if listed.severity == Priority::High {
                Priority::Critical
            } else {
                Priority::High
            };
            listed.evidence.extend(strange.evidence.iter().cloned());
            listed.activity.clone_from(&strange.activity);
            let same = strange.place.id == listed.place.id;
            if same {
                vec![listed]
            } else {
                vec![strange, listed]
            }
        }
        (strange, listed) => strange.into_iter().chain(listed).collect(),
    }
}

/// Technique of a call from a listed address: what the call does, else the use of an account.
fn technique(entry: &Entry) -> &'static AttackTechnique {
    technique_of_call(&event(entry)).unwrap_or(VALID_ACCOUNTS)
}

fn evidence(what: &str, list: &str, updated_at: Timestamp, indicator: &Indicator) -> String {
    let pattern = match &indicator.pattern {
        Pattern::Network(address, bits) => format!("{address}/{bits}"),
        Pattern::UserAgent(part) => format!("user_agent:{part}"),
    };
    let name = if indicator.name.is_empty() {
        String::new()
    } else {
        format!(" ({})", indicator.name)
    };

    let date = indicator
        .date
        .map(|date| format!(", dated {date}"))
        .unwrap_or_default();
    let day = updated_at.strftime("%Y-%m-%d");
    format!("{what} is {pattern}{name}{date} on threat list {list:?} of {day}")
}

#[cfg(test)]
mod tests;
