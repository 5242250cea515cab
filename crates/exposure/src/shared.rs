//! Resources whose provider keeps a list of those who may copy them: snapshots and images.

use serde_json::Value;

use crate::answers::ExposureAnswers;
use crate::configuration::ExposureConfiguration;
use crate::finding::{Audience, ExposureStep};
use crate::value;

/// Judges a snapshot or image.
pub(crate) fn judge<'a>(
    configuration: &ExposureConfiguration<'a>,
    answers: &mut ExposureAnswers<'a>,
    closed: Option<&str>,
) {
    let document = configuration.document;
    let (lists, access): (&[&str], &str) = match configuration.kind {
        "snapshot" => (
            &["createVolumePermissions", "createVolumePermission"],
            "create volumes",
        ),
        "image" => (&["launchPermissions"], "launch machines"),
        _ => (&[], "restore databases"),
    };
    let key = (configuration.id, configuration.kind, configuration.owner());

    let mut shared: Vec<(Audience, String)> = lists
        .iter()
        .flat_map(|list| value::list(document, list))
        .filter_map(permission)
        .collect();
    if value::is_true(document, "restorableByAll") || value::is_true(document, "isPublic") {
        shared.push((Audience::Internet, "all accounts of AWS".to_owned()));
    }
    for attribute in value::list(document, "Attributes") {
        if value::text(attribute, "AttributeName") == Some("restore") {
            let accounts = value::texts(attribute, "AttributeValues");
            shared.extend(accounts.into_iter().map(|account| match account {
                "all" => (Audience::Internet, "all accounts of AWS".to_owned()),
                account => (
                    Audience::Account(account.to_owned()),
                    format!("account {account}"),
                ),
            }));
        }
    }
    shared.sort();
    shared.dedup_by(|one, other| one.0 == other.0);
    // The owner may name itself.
    shared.retain(|(audience, _)| *audience != Audience::Account(configuration.owner().to_owned()));

    for (audience, who) in shared {
        let step = ExposureStep::new("share", configuration.id, format!("is shared with {who}"))
            .keyed(format!("shared with {who}"));
        match step.is_closed_by(closed) {
            true => answers.missed(key, vec![step], true),
            false => answers.granted(key, audience, vec![access.to_owned()], vec![step]),
        }
    }

    let is_hidden = lists
        .iter()
        .chain(&["restorableByAll", "Attributes"])
        .any(|member| value::is_hidden(document, member));
    let says = match is_hidden {
        true => "the list of accounts that it is shared with was not read",
        false => "is shared with no account",
    };
    let step = ExposureStep::new("share", configuration.id, says);
    answers.missed(key, vec![step], !is_hidden);
}

fn permission(permission: &Value) -> Option<(Audience, String)> {
    if value::text(permission, "group") == Some("all") {
        return Some((Audience::Internet, "all accounts of AWS".to_owned()));
    }
    if let Some(account) = value::text(permission, "userId") {
        return Some((
            Audience::Account(account.to_owned()),
            format!("account {account}"),
        ));
    }
    let unit = ["organizationArn", "organizationalUnitArn"]
        .iter()
        .find_map(|member| value::text(permission, member))?;
    Some((Audience::Organization, unit.to_owned()))
}
