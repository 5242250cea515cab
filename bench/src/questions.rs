//! Queries to the log, with random parameters for each: some hit much, some little, some nothing.

use crate::generate::{Random, START_MS, World, event_type};

/// A kind of question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) key: &'static str,
    pub(crate) what: &'static str,
    /// `true` if the query means the same to both systems, so that totals can be compared.
    pub(crate) exact: bool,
}

const fn kind(key: &'static str, what: &'static str, exact: bool) -> Kind {
    Kind { key, what, exact }
}

/// All kinds, in the order they are asked.
pub(crate) static KINDS: [Kind; 10] = [
    kind("user", "one user", true),
    kind("resource", "one resource", true),
    kind("window", "event type and time window", true),
    kind("prefix", "IP prefix", true),
    kind("rare", "rare free word", false),
    kind("common", "common free word", false),
    kind("newest", "newest 50 of all", false),
    kind("event", "one event id", true),
    kind("not", "one user, NOT successful", true),
    kind("ticket", "an open member of metadata", true),
];

/// A question in both languages.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// Query in Reeve's language.
    pub(crate) query: String,
    /// Condition of the SELECT statement.
    pub(crate) condition: String,
}

/// Generator of random queries about entries that exist.
pub(crate) struct Asker<'a> {
    pub(crate) world: &'a World,
    /// Identifiers that are in the log.
    pub(crate) ids: &'a [String],
    /// Time of the newest entry, milliseconds.
    pub(crate) end_ms: i64,
    pub(crate) random: Random,
}

impl Asker<'_> {
    /// The next question of the kind with this key.
    pub(crate) fn ask(&mut self, key: &str) -> Question {
        match key {
            "user" => self.user("", ""),
            "not" => self.user(" AND NOT action.status:success", " AND status <> 'success'"),
            "resource" => {
                let index = self.skewed(self.world.resources.len());
                let id = &self.world.resources[index].id;
                equal("resource.id", "resource_id", id)
            }
            "window" => self.window(),
            "prefix" => self.prefix(),
            "rare" => {
                let words = &self.world.words;
                let word = &words[words.len() / 10 + self.random.below(words.len() * 9 / 10)];
                // One in ten is a word that nobody wrote.
                if self.random.chance(100) {
                    free(&format!("{word}x"))
                } else {
                    free(word)
                }
            }
            "common" => free(&self.world.words[self.random.below(40)]),
            "event" if self.random.chance(900) => {
                let id = &self.ids[self.random.below(self.ids.len())];
                equal("event_id", "event_id", id)
            }
            "event" => equal(
                "event_id",
                "event_id",
                "00000000-0000-4000-8000-000000000000",
            ),
            "ticket" => {
                let minutes = (self.end_ms - START_MS) as usize / 60_000;
                let ticket = format!("CHG-{}", 1_000_000 + self.random.below(minutes.max(1)));
                Question {
                    query: format!("metadata.change_ticket:{ticket}"),
                    condition: format!(
                        r#"entry @> '{{"metadata": {{"change_ticket": "{ticket}"}}}}'"#
                    ),
                }
            }
            _ => Question {
                query: String::new(),
                condition: "true".into(),
            },
        }
    }

    fn user(&mut self, query: &str, condition: &str) -> Question {
        let index = self.skewed(self.world.users.len());
        let user = &self.world.users[index];
        let name = user.email.as_deref().unwrap_or(&user.id);
        let field = if user.email.is_some() {
            "actor.email"
        } else {
            "actor.id"
        };
        let plain = equal(field, "actor", name);

        Question {
            query: plain.query + query,
            condition: plain.condition + condition,
        }
    }

    fn window(&mut self) -> Question {
        let kind = event_type(&mut self.random);
        // An hour, some hours, a day.
        let length = [3_600_000, 4 * 3_600_000, 24 * 3_600_000][self.random.below(3)];
        let from = START_MS + self.random.below((self.end_ms - START_MS).max(1) as usize) as i64;
        let [from, to] = [from, from + length].map(text);

        Question {
            query: format!("event_type:{kind} AND timestamp:>={from} AND timestamp:<{to}"),
            condition: format!(
                "event_type = '{kind}' AND occurred_at >= '{from}' AND occurred_at < '{to}'"
            ),
        }
    }

    fn prefix(&mut self) -> Question {
        let index = self.skewed(self.world.users.len());
        let network = &self.world.users[index].network;

        if self.random.chance(500) {
            return Question {
                query: format!("actor.ip_address:{network}.*"),
                condition: format!("actor_ip << '{network}.0/24'"),
            };
        }

        let half = 128 * self.random.below(2);
        Question {
            query: format!("actor.ip_address:{network}.{half}/25"),
            condition: format!("actor_ip << '{network}.{half}/25'"),
        }
    }

    /// An index: half of them among the busiest hundred, half anywhere.
    fn skewed(&mut self, count: usize) -> usize {
        if self.random.chance(500) {
            self.random.below(100)
        } else {
            self.random.below(count)
        }
    }
}

fn equal(field: &str, column: &str, value: &str) -> Question {
    Question {
        query: format!("{field}:\"{value}\""),
        condition: format!("{column} = '{value}'"),
    }
}

fn free(word: &str) -> Question {
    let condition = format!(
        r#"jsonb_to_tsvector('simple', entry, '["string"]') @@ to_tsquery('simple', '{word}')"#
    );
    Question {
        query: word.to_owned(),
        condition,
    }
}

fn text(millis: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Asker, KINDS};
    use crate::generate::{GAP_MS, Generator, Random, SEED, START_MS};

    #[test]
    fn every_question_is_read_by_the_query_language_and_some_entries_answer_each_kind() {
        let mut generator = Generator::new(SEED);
        let count = 20_000;
        let mut ids = Vec::new();
        let entries: Vec<_> = (0..count)
            .map(|_| {
                let mut out = Vec::new();
                generator.push(&mut out);
                ids.push(String::from_utf8(generator.event().id.clone()).unwrap());
                reeve_audit::Draft::from_bytes(&out, jiff::Timestamp::now())
                    .unwrap()
                    .entry
            })
            .collect();

        let end_ms = START_MS + (f64::from(count) * GAP_MS) as i64;
        let mut asker = Asker {
            world: generator.world(),
            ids: &ids,
            end_ms,
            random: Random::new(1),
        };

        let now = jiff::Timestamp::now();
        for kind in &KINDS {
            let mut found = 0;
            for _ in 0..40 {
                let question = asker.ask(kind.key);
                let query = reeve_audit::query::Query::parse(&question.query);
                let query = query.unwrap_or_else(|error| panic!("{}: {error}", question.query));
                found += entries
                    .iter()
                    .filter(|entry| query.matches(entry, now, now))
                    .count();
            }
            assert!(
                found > 0,
                "nothing answers any question about {}",
                kind.what
            );
        }
    }
}
