//! Digests: notices that wait, and the one message they become.

use std::collections::BTreeMap;

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use reeve_recommend::agent::{Agent, AgentId, Timing};
use serde::{Deserialize, Serialize};

use super::channel::Channel;
use super::message::{Gravity, Message};
use crate::delivery::{DeliveryTarget, NotificationDelivery, Outgoing, Topic};

/// Hour of the day at which digests are sent, in UTC. Weekly ones are sent on Monday.
pub const DIGEST_HOUR: i8 = 8;

/// Items that one digest lists; of the rest it tells the number.
const LISTED: usize = 100;

/// Identifier of a notice that waits for its digest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NoticeId(pub String);

/// Something that waits for its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub id: NoticeId,
    /// Agent whose digest it belongs to.
    pub agent: AgentId,
    pub topic: Topic,
    /// Digest that it waits for.
    pub timing: Timing,
    /// Key that identifies repeated notices about the same subject.
    pub subject: String,
    pub message: Message,
    /// Time of the event.
    pub at: Timestamp,
    /// Time at which the digest is sent.
    pub due_at: Timestamp,
}

/// Returns the time of the next digest after a time; `None` for timings without a digest.
#[must_use]
pub fn next_digest(timing: Timing, now: Timestamp) -> Option<Timestamp> {
    let weekly = match timing {
        Timing::DailyDigest => false,
        Timing::WeeklyDigest => true,
        Timing::Immediate | Timing::Never => return None,
    };
    let mut day = now.to_zoned(TimeZone::UTC).date();

    // Eight days hold every weekday's eight o'clock that is still to come.
    for _ in 0..=8 {
        let at = day
            .at(DIGEST_HOUR, 0, 0, 0)
            .to_zoned(TimeZone::UTC)
            .ok()?
            .timestamp();
        if at > now && (!weekly || day.weekday() == Weekday::Monday) {
            return Some(at);
        }
        day = day.checked_add(1.day()).ok()?;
    }

    None
}

/// Digests of due notices: one for each agent, timing and channel that takes any of their topics.
#[must_use]
pub fn gather(
    notices: &[Notice],
    channels: &[Channel],
    agents: &[Agent],
    now: Timestamp,
) -> Vec<Outgoing> {
    let mut groups: BTreeMap<(&AgentId, &str, Timestamp), Vec<&Notice>> = BTreeMap::new();
    for notice in notices {
        groups
            .entry((&notice.agent, notice.timing.as_str(), notice.due_at))
            .or_default()
            .push(notice);
    }

    let mut outgoing = Vec::new();
    for ((agent, timing, due_at), group) in groups {
        let name = agents
            .iter()
            .find(|one| one.id == *agent)
            .map_or(agent.0.as_str(), |one| one.name.as_str());
        for channel in channels {
            let notices: Vec<_> = group
                .iter()
                .copied()
                .filter(|notice| channel.takes(notice.topic))
                .collect();
            if notices.is_empty() {
                continue;
            }
            let subject = format!("{timing}:{}:{}", agent.0, due_at);
            let message = digest(name, timing, &subject, &notices);
            let delivery = NotificationDelivery::new(
                DeliveryTarget::Channel(channel.id.clone()),
                timing,
                subject,
                now,
            );
            outgoing.push(Outgoing {
                delivery,
                body: message.encode(),
            });
        }
    }

    outgoing
}

fn digest(agent: &str, timing: &str, about: &str, notices: &[&Notice]) -> Message {
    let name = if timing == Timing::WeeklyDigest.as_str() {
        "Weekly digest"
    } else {
        "Daily digest"
    };

    let count = match notices.len() {
        1 => "1 notification".to_owned(),
        more => format!("{more} notifications"),
    };
    let title = format!("{name} of {agent}: {count}");
    let mut items: Vec<_> = notices
        .iter()
        .flat_map(|notice| notice.message.items.iter().cloned())
        .take(LISTED)
        .collect();
    let left = notices.len().saturating_sub(LISTED);

    if left > 0 {
        items.push(super::message::Item {
            title: format!("{left} more in Reeve"),
            facts: Vec::new(),
            link: None,
        });
    }

    let gravity = notices
        .iter()
        .map(|notice| notice.message.gravity)
        .max()
        .unwrap_or(Gravity::Info);

    Message {
        title,
        gravity,
        items,
        about: about.to_owned(),
        to: Vec::new(),
        attachment: None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::notification::{ChannelId, ChannelKind, ChannelSettings, Item};

    #[test]
    fn eight_o_clock() {
        let cases = [
            (
                Timing::DailyDigest,
                "2026-11-21T07:59:59Z",
                "2026-11-21T08:00:00Z",
            ),
            (
                Timing::DailyDigest,
                "2026-11-21T08:00:00Z",
                "2026-11-22T08:00:00Z",
            ),
            (
                Timing::WeeklyDigest,
                "2026-11-21T12:00:00Z",
                "2026-11-23T08:00:00Z",
            ),
            (
                Timing::WeeklyDigest,
                "2026-11-23T07:00:00Z",
                "2026-11-23T08:00:00Z",
            ),
            (
                Timing::WeeklyDigest,
                "2026-11-23T08:00:00Z",
                "2026-11-30T08:00:00Z",
            ),
        ];

        for (timing, now, expected) in cases {
            let found = next_digest(timing, now.parse().unwrap());
            assert_eq!(
                found,
                Some(expected.parse().unwrap()),
                "{timing} after {now}"
            );
        }

        assert_eq!(next_digest(Timing::Immediate, Timestamp::UNIX_EPOCH), None);
        assert_eq!(next_digest(Timing::Never, Timestamp::UNIX_EPOCH), None);
    }

    fn notice(n: usize, agent: &str, topic: Topic, timing: Timing, gravity: Gravity) -> Notice {
        Notice {
            id: NoticeId(format!("n-{n}")),
            agent: AgentId(agent.into()),
            topic,
            timing,
            subject: format!("s-{n}"),
            message: Message {
                title: format!("title {n}"),
                gravity,
                items: vec![Item {
                    title: format!("item {n}"),
                    facts: Vec::new(),
                    link: None,
                }],
                about: format!("s-{n}"),
                to: Vec::new(),
                attachment: None,
            },
            at: Timestamp::UNIX_EPOCH,
            due_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn channel(id: &str, topics: &[Topic]) -> Channel {
        Channel {
            id: ChannelId(id.into()),
            name: id.into(),
            settings: ChannelSettings::parse(ChannelKind::Slack, &serde_json::Map::new()).unwrap(),
            topics: topics.to_vec(),
            enabled: true,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            version: 1,
        }
    }

    #[test]
    fn one_digest_an_agent_timing_and_channel() {
        let notices = [
            notice(
                1,
                "a",
                Topic::Recommendations,
                Timing::DailyDigest,
                Gravity::Info,
            ),
            notice(2, "a", Topic::Actions, Timing::DailyDigest, Gravity::Error),
            notice(
                3,
                "b",
                Topic::Recommendations,
                Timing::DailyDigest,
                Gravity::Info,
            ),
            notice(
                4,
                "a",
                Topic::Recommendations,
                Timing::WeeklyDigest,
                Gravity::Info,
            ),
        ];

        let channels = [
            channel("all", &[]),
            channel("actions", &[Topic::Actions]),
            channel("none", &[Topic::Anomalies]),
        ];
        let made = gather(&notices, &channels, &[], Timestamp::UNIX_EPOCH);
        let notices: Vec<_> = made
            .iter()
            .map(|one| {
                (
                    one.delivery.target.id(),
                    one.delivery.event.as_str(),
                    Message::decode(&one.body).unwrap(),
                )
            })
            .map(|(channel, event, message)| (channel, event, message.items.len(), message.gravity))
            .collect();

        assert_eq!(
            notices,
            [
                ("all", "daily_digest", 2, Gravity::Error),
                ("actions", "daily_digest", 1, Gravity::Error),
                ("all", "weekly_digest", 1, Gravity::Info),
                ("all", "daily_digest", 1, Gravity::Info),
            ]
        );

        let many: Vec<_> = (0..150)
            .map(|n| notice(n, "a", Topic::Actions, Timing::DailyDigest, Gravity::Info))
            .collect();
        let message =
            Message::decode(&gather(&many, &channels[..1], &[], Timestamp::UNIX_EPOCH)[0].body)
                .unwrap();
        assert_eq!(
            (message.items.len(), message.items[100].title.as_str()),
            (101, "50 more in Reeve")
        );
        assert_eq!(message.title, "Daily digest of a: 150 notifications");
    }
}
