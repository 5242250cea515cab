//! Message to people, before a channel formats it.

use reeve_estate::named;
use serde::{Deserialize, Serialize};

named!(
    /// Severity of a message; PagerDuty's four severities.
    Gravity {
        /// Nothing needs to be done.
        Info => "info",
        /// Look at it soon.
        Warning => "warning",
        /// Look at it today.
        Error => "error",
        /// Look at it now.
        Critical => "critical",
    }
);

/// Words of a link to the page about an item.
pub const OPEN: &str = "Open in Reeve";

/// Subject of a message; a digest has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Title of one line.
    pub title: String,
    /// Names and values, in order.
    pub facts: Vec<(String, String)>,
    /// Address of the page about it in the dashboard; `None` where no public address is known.
    pub link: Option<String>,
}

/// A message: one thing, or the several of a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Subject line of an e-mail, heading elsewhere.
    pub title: String,
    /// Highest severity of its items.
    pub gravity: Gravity,
    /// Items of the message.
    pub items: Vec<Item>,
    /// Key shared by repeated messages about the same subject.
    pub about: String,
    /// Addresses that an e-mail channel writes to in place of its own receivers; empty for its own.
    pub to: Vec<String>,
    /// File that goes along by e-mail. Other channels have its address among the facts.
    pub attachment: Option<Attachment>,
}

/// A file that is read when the message is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Name that the receiver sees.
    pub name: String,
    pub media_type: String,
    /// Place of the file, as an [`AttachmentStore`](super::AttachmentStore) knows it.
    pub source: String,
}

#[derive(Serialize, Deserialize)]
struct AttachmentRow {
    name: String,
    media_type: String,
    source: String,
}

#[derive(Serialize, Deserialize)]
struct MessageRow {
    v: u32,
    title: String,
    gravity: String,
    items: Vec<ItemRow>,
    about: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    to: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attachment: Option<AttachmentRow>,
}

#[derive(Serialize, Deserialize)]
struct ItemRow {
    title: String,
    facts: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

/// Reason why a kept message cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the message cannot be read: {0}")]
pub struct MessageError(String);

impl Message {
    /// As it is kept.
    #[must_use]
    pub fn encode(&self) -> String {
        let row = MessageRow {
            v: 1,
            title: self.title.clone(),
            gravity: self.gravity.as_str().to_owned(),
            items: self
                .items
                .iter()
                .map(|item| ItemRow {
                    title: item.title.clone(),
                    facts: item.facts.clone(),
                    link: item.link.clone(),
                })
                .collect(),
            about: self.about.clone(),
            to: self.to.clone(),
            attachment: self.attachment.clone().map(|attachment| {
                let Attachment {
                    name,
                    media_type,
                    source,
                } = attachment;
                AttachmentRow {
                    name,
                    media_type,
                    source,
                }
            }),
        };
        // Strings and lists of strings: nothing in it can fail to be JSON.
        serde_json::to_string(&row).unwrap_or_default()
    }

    /// From how it is kept.
    ///
    /// # Errors
    /// The content has another format, or a newer version of it.
    pub fn decode(text: &str) -> Result<Message, MessageError> {
        let row: MessageRow =
            serde_json::from_str(text).map_err(|error| MessageError(error.to_string()))?;
        if row.v != 1 {
            return Err(MessageError(format!(
                "format {} is newer than this program",
                row.v
            )));
        }

        let gravity =
            Gravity::parse(&row.gravity).ok_or_else(|| MessageError(row.gravity.clone()))?;
        let items = row
            .items
            .into_iter()
            .map(|ItemRow { title, facts, link }| Item { title, facts, link })
            .collect();

        let attachment = row.attachment.map(|row| {
            let AttachmentRow {
                name,
                media_type,
                source,
            } = row;
            Attachment {
                name,
                media_type,
                source,
            }
        });

        Ok(Message {
            title: row.title,
            gravity,
            items,
            about: row.about,
            to: row.to,
            attachment,
        })
    }

    /// As plain text: each item with its facts.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for item in &self.items {
            text.push_str(&item.title);
            text.push('\n');
            for (name, value) in &item.facts {
                text.push_str(&format!("  {name}: {value}\n"));
            }
            if let Some(link) = &item.link {
                text.push_str(&format!("  {OPEN}: {link}\n"));
            }
            text.push('\n');
        }

        text
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn there_and_back() {
        let message = Message {
            title: "Two \"things\"".into(),
            gravity: Gravity::Warning,
            items: vec![Item {
                title: "é".into(),
                facts: vec![("resource".into(), "i-1".into())],
                link: Some("https://reeve.acme.example/intelligence".into()),
            }],
            about: "r-1".into(),
            to: vec!["ann@acme.example".into()],
            attachment: Some(Attachment {
                name: "soc2.pdf".into(),
                media_type: "application/pdf".into(),
                source: "report_run:1".into(),
            }),
        };
        assert_eq!(Message::decode(&message.encode()).unwrap(), message);

        // Messages that were kept before there were attachments.
        let bare = Message {
            attachment: None,
            ..message.clone()
        };
        assert!(!bare.encode().contains("attachment"));
        assert_eq!(Message::decode(&bare.encode()).unwrap(), bare);

        let open = "Open in Reeve: https://reeve.acme.example/intelligence";
        assert_eq!(message.text(), format!("é\n  resource: i-1\n  {open}\n\n"));

        for wrong in [
            "",
            "{}",
            &message.encode().replace("\"v\":1", "\"v\":2"),
            &message.encode().replace("warning", "x"),
        ] {
            assert!(Message::decode(wrong).is_err(), "{wrong}");
        }
    }
}
