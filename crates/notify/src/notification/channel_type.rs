//! The table of channel types: one row for each, with its names, its settings and its secret.
//!
//! Everything that a type needs beside its adapter (`connect/notify`) is here. The store, the
//! interface with its description, the checks of settings and the dashboard's form read it, so that
//! a further type is a row, an adapter and a paragraph of `docs/howto/notifications.md`.
//!
//! ```
//! use reeve_notify::notification::{ChannelKind, FieldForm};
//!
//! let row = ChannelKind::Pagerduty.row();
//! assert_eq!((row.label, row.secret.form), ("PagerDuty", FieldForm::Key));
//! assert_eq!(row.settings[0].name, "url");
//! ```

use reeve_estate::named;

named!(
    /// Type of a channel, by its name in the interface and in the store.
    ChannelKind {
        /// E-mail through an SMTP server.
        Email => "email",
        /// Incoming webhooks of Slack.
        Slack => "slack",
        /// Microsoft Teams, by a workflow that takes webhooks.
        Teams => "teams",
        /// PagerDuty's Events API, version 2.
        Pagerduty => "pagerduty",
        /// Alert API of Opsgenie.
        Opsgenie => "opsgenie",
        /// Google Chat's incoming webhooks.
        GoogleChat => "google_chat",
    }
);

impl ChannelKind {
    /// Returns the row of a type.
    #[must_use]
    pub const fn row(self) -> &'static ChannelTypeRow {
        match self {
            ChannelKind::Email => &EMAIL,
            ChannelKind::Slack => &SLACK,
            ChannelKind::Teams => &TEAMS,
            ChannelKind::Pagerduty => &PAGERDUTY,
            ChannelKind::Opsgenie => &OPSGENIE,
            ChannelKind::GoogleChat => &GOOGLE_CHAT,
        }
    }
}

named!(
    /// Form of a field: what it may hold, and so how it is checked and entered.
    FieldForm {
        /// One line of text.
        Text => "text",
        /// Host name or address of a server.
        Host => "host",
        /// Port, 1 to 65535.
        Port => "port",
        /// One of the field's choices.
        Choice => "choice",
        /// E-mail address, with or without a display name.
        Mailbox => "mailbox",
        /// 1 to 50 e-mail addresses.
        Mailboxes => "mailboxes",
        /// Address of a service, which the outbound policy must allow.
        Address => "address",
        /// 32 letters and digits.
        Key => "key",
        /// 36 letters, digits and dashes: a UUID as services write it for keys.
        Uuid => "uuid",
    }
);

/// Row of the table of channel types.
#[derive(Debug)]
pub struct ChannelTypeRow {
    /// Name of the service, as it writes itself.
    pub label: &'static str,
    /// Example of a channel's name.
    pub name_placeholder: &'static str,
    /// Settings, in the order in which they are stored and shown.
    pub settings: &'static [ChannelField],
    pub secret: ChannelField,
}

impl ChannelTypeRow {
    /// Returns the setting of a name.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&'static ChannelField> {
        self.settings.iter().find(|field| field.name == name)
    }
}

/// A setting of a channel type, or its secret.
#[derive(Debug)]
pub struct ChannelField {
    pub name: &'static str,
    /// Label in the dashboard; also how errors name a secret.
    pub label: &'static str,
    /// Note below the field and in the description of the interface; may be empty.
    pub description: &'static str,
    /// Example in an empty field.
    pub placeholder: &'static str,
    pub form: FieldForm,
    pub required: Required,
    /// Values and labels of a [`FieldForm::Choice`].
    pub choices: &'static [(&'static str, &'static str)],
    /// Values in place of an absent one: the first whose condition is met.
    pub defaults: &'static [FieldDefault],
}

/// Condition under which a field must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Required {
    Always,
    Never,
    /// If the setting of this name is given.
    With(&'static str),
}

/// A value in place of an absent one.
#[derive(Debug)]
pub struct FieldDefault {
    pub value: &'static str,
    /// Setting and value that the default belongs to; `None` for any.
    pub when: Option<(&'static str, &'static str)>,
}

/// A field that has to be given; further members are written out.
const FIELD: ChannelField = ChannelField {
    name: "",
    label: "",
    description: "",
    placeholder: "",
    form: FieldForm::Text,
    required: Required::Always,
    choices: &[],
    defaults: &[],
};

/// The secret address of an incoming webhook; further members are written out.
const SECRET_ADDRESS: ChannelField = ChannelField {
    name: "secret",
    form: FieldForm::Address,
    ..FIELD
};

static EMAIL: ChannelTypeRow = ChannelTypeRow {
    label: "E-mail",
    name_placeholder: "Operations",
    settings: &[
        ChannelField {
            name: "host",
            label: "Mail server",
            placeholder: "smtp.example.com",
            form: FieldForm::Host,
            ..FIELD
        },
        ChannelField {
            name: "port",
            label: "Port",
            description: "Empty: 587, or 465 with TLS",
            form: FieldForm::Port,
            required: Required::Never,
            defaults: &[
                FieldDefault {
                    value: "465",
                    when: Some(("encryption", "tls")),
                },
                FieldDefault {
                    value: "587",
                    when: None,
                },
            ],
            ..FIELD
        },
        ChannelField {
            name: "encryption",
            label: "Encryption",
            description: "Mail is not sent unencrypted",
            form: FieldForm::Choice,
            required: Required::Never,
            // STARTTLS encrypts after a greeting in the clear (usually port 587; a server that does
            // not offer it is refused), TLS from the first byte.
            choices: &[("starttls", "STARTTLS"), ("tls", "TLS")],
            defaults: &[FieldDefault {
                value: "starttls",
                when: None,
            }],
            ..FIELD
        },
        ChannelField {
            name: "username",
            label: "User who signs in",
            placeholder: "No one",
            required: Required::Never,
            ..FIELD
        },
        ChannelField {
            name: "from",
            label: "From",
            placeholder: "Reeve <reeve@example.com>",
            form: FieldForm::Mailbox,
            ..FIELD
        },
        ChannelField {
            name: "to",
            label: "To",
            form: FieldForm::Mailboxes,
            ..FIELD
        },
    ],
    secret: ChannelField {
        name: "secret",
        label: "Password",
        description: "Leave empty if the server needs no sign-in",
        required: Required::With("username"),
        ..FIELD
    },
};

static SLACK: ChannelTypeRow = ChannelTypeRow {
    label: "Slack",
    name_placeholder: "#cloud",
    settings: &[],
    secret: ChannelField {
        label: "Webhook address",
        placeholder: "https://hooks.slack.com/services/…",
        ..SECRET_ADDRESS
    },
};

static TEAMS: ChannelTypeRow = ChannelTypeRow {
    label: "Microsoft Teams",
    name_placeholder: "Operations",
    settings: &[],
    secret: ChannelField {
        label: "Workflow address",
        description: "Of a workflow that begins with “When a Teams webhook request is received”",
        placeholder: "https://…logic.azure.com/workflows/…",
        ..SECRET_ADDRESS
    },
};

static PAGERDUTY: ChannelTypeRow = ChannelTypeRow {
    label: "PagerDuty",
    name_placeholder: "Operations",
    settings: &[ChannelField {
        name: "url",
        label: "Address for events",
        description: "Empty: the US region's; the EU region's is https://events.eu.pagerduty.com/v2/enqueue",
        placeholder: "https://events.pagerduty.com/v2/enqueue",
        form: FieldForm::Address,
        required: Required::Never,
        defaults: &[FieldDefault {
            value: "https://events.pagerduty.com/v2/enqueue",
            when: None,
        }],
        ..FIELD
    }],
    secret: ChannelField {
        name: "secret",
        label: "Integration key",
        description: "Of an Events API v2 integration",
        placeholder: "32 letters and digits",
        form: FieldForm::Key,
        ..FIELD
    },
};

static OPSGENIE: ChannelTypeRow = ChannelTypeRow {
    label: "Opsgenie",
    name_placeholder: "Operations",
    settings: &[ChannelField {
        name: "url",
        label: "Address for alerts",
        description: "Empty: the US region's; the EU region's is https://api.eu.opsgenie.com/v2/alerts",
        placeholder: "https://api.opsgenie.com/v2/alerts",
        form: FieldForm::Address,
        required: Required::Never,
        defaults: &[FieldDefault {
            value: "https://api.opsgenie.com/v2/alerts",
            when: None,
        }],
        ..FIELD
    }],
    secret: ChannelField {
        name: "secret",
        label: "API key",
        description: "Of an API integration that may create and update alerts",
        placeholder: "36 letters, digits and dashes",
        form: FieldForm::Uuid,
        ..FIELD
    },
};

static GOOGLE_CHAT: ChannelTypeRow = ChannelTypeRow {
    label: "Google Chat",
    name_placeholder: "Cloud team",
    settings: &[],
    secret: ChannelField {
        label: "Webhook address",
        description: "Of a space, under Apps & integrations, Webhooks",
        placeholder: "https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…",
        ..SECRET_ADDRESS
    },
};

/// Returns the names of the types, separated by commas; for errors and descriptions.
#[must_use]
pub fn channel_type_names() -> String {
    let names: Vec<_> = ChannelKind::ALL.iter().map(|kind| kind.as_str()).collect();
    names.join(", ")
}
