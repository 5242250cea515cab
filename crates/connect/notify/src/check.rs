//! Checks of settings and secrets by the form that the table of channel types gives them.

use reeve_audit::Obstacle;
use reeve_connect_outbound::OutboundPolicy;
use reeve_notify::notification::{
    ChannelFault, ChannelField, ChannelSecret, ChannelSettings, ChannelValue, FieldForm, Required,
};

use crate::email;

/// Largest number of receivers of one channel.
const RECEIVERS: usize = 50;

/// Returns the first wrong field. Nothing is contacted.
pub(crate) fn check(
    policy: &OutboundPolicy,
    settings: &ChannelSettings,
    secret: &ChannelSecret,
) -> Result<(), ChannelFault> {
    let row = settings.kind().row();
    for field in row.settings {
        if let Some(value) = settings.value(field.name) {
            check_value(policy, field, value)
                .map_err(|reason| ChannelFault::value(field.name, reason.to_string()))?;
        }
    }

    check_secret(policy, settings, &row.secret, secret)
        .map_err(|reason| ChannelFault::secret(reason.to_string()))
}

fn check_secret(
    policy: &OutboundPolicy,
    settings: &ChannelSettings,
    field: &ChannelField,
    secret: &ChannelSecret,
) -> Result<(), Obstacle> {
    if !secret.0.is_empty() {
        return check_text(policy, field, &secret.0);
    }

    match field.required {
        Required::With(name) if settings.value(name).is_some() => Err(Obstacle::from(format!(
            "is required: the {} of the {name}",
            field.label.to_lowercase()
        ))),
        Required::With(_) | Required::Never => Ok(()),
        // The empty text is refused in the words of the form.
        Required::Always => check_text(policy, field, ""),
    }
}

fn check_value(
    policy: &OutboundPolicy,
    field: &ChannelField,
    value: &ChannelValue,
) -> Result<(), Obstacle> {
    match value {
        ChannelValue::Port(0) => Err("must be 1 to 65535".into()),
        ChannelValue::Port(_) => Ok(()),
        ChannelValue::List(list) if list.is_empty() || list.len() > RECEIVERS => Err(
            Obstacle::from(format!("must name 1 to {RECEIVERS} receivers")),
        ),
        ChannelValue::List(list) => list
            .iter()
            .try_for_each(|text| check_text(policy, field, text)),
        ChannelValue::Text(text) => check_text(policy, field, text),
    }
}

fn check_text(policy: &OutboundPolicy, field: &ChannelField, text: &str) -> Result<(), Obstacle> {
    match field.form {
        FieldForm::Host => email::address_of(text).map(|_| ()),
        FieldForm::Mailbox | FieldForm::Mailboxes => email::mailbox(text).map(|_| ()),
        FieldForm::Address => policy.check_given(text),
        FieldForm::Key if !is_key(text) => Err(Obstacle::from(format!(
            "must be the {} of 32 letters and digits",
            in_sentence(field.label)
        ))),
        FieldForm::Uuid if !is_uuid(text) => Err(Obstacle::from(format!(
            "must be the {} of 36 letters, digits and dashes",
            in_sentence(field.label)
        ))),
        FieldForm::Key
        | FieldForm::Uuid
        | FieldForm::Text
        | FieldForm::Port
        | FieldForm::Choice => Ok(()),
    }
}

fn is_key(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|b| b == b'-' || b.is_ascii_alphanumeric())
}

/// A label in the middle of a sentence; an abbreviation at its beginning stays as it is.
fn in_sentence(label: &str) -> String {
    let second = label.chars().nth(1);
    if second.is_some_and(char::is_uppercase) {
        label.to_owned()
    } else {
        label.to_lowercase()
    }
}
