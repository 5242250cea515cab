//! E-mail over SMTP, encrypted or not at all. The server's name is resolved here, every address
//! judged, and the connection goes to one that was judged; its certificate is checked against the
//! name.

use std::net::IpAddr;
use std::time::Duration;

use lettre::message::header::ContentType;
use lettre::message::{Attachment, Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use reeve_audit::Obstacle;
use reeve_connect_outbound::{Lookup as _, OutboundPolicy, SystemLookup, Url};
use reeve_notify::notification::{ChannelSecret, ChannelSettings, Message};

use crate::html;
use crate::outcome::{NotifyOutcome, cut};

/// Time limit for sending one message, over all steps.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads an e-mail address, with or without a display name.
pub(crate) fn mailbox(text: &str) -> Result<Mailbox, Obstacle> {
    text.parse()
        .map_err(|_| format!("{text:?} is not an e-mail address").into())
}

/// The server as an address that a policy can judge.
pub(crate) fn address_of(host: &str) -> Result<Url, Obstacle> {
    let url: Url = format!("https://{host}/")
        .parse()
        .map_err(|_| format!("{host:?} is not a host name"))?;
    let whole = url
        .host_str()
        .is_some_and(|found| found.eq_ignore_ascii_case(host));

    if whole {
        Ok(url)
    } else {
        Err(Obstacle::from(format!("{host:?} is not a host name")))
    }
}

/// Sends a message over SMTP within the time limit.
pub(crate) async fn send(
    policy: &OutboundPolicy,
    settings: &ChannelSettings,
    secret: &ChannelSecret,
    message: &Message,
    file: Option<Result<File, Obstacle>>,
) -> NotifyOutcome {
    match tokio::time::timeout(PATIENCE, sent(policy, settings, secret, message, file)).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(reason)) => NotifyOutcome::failed(reason),
        Err(_) => NotifyOutcome::failed(format!("no response within {} s", PATIENCE.as_secs())),
    }
}

async fn sent(
    policy: &OutboundPolicy,
    settings: &ChannelSettings,
    secret: &ChannelSecret,
    message: &Message,
    file: Option<Result<File, Obstacle>>,
) -> Result<NotifyOutcome, Obstacle> {
    let host = settings.text("host");
    let to = if message.to.is_empty() {
        settings.list("to")
    } else {
        &message.to
    };
    let mail = mail(settings.text("from"), to, message, file)?;

    let address = judged(policy, host).await?;
    let tls = trusting(policy, host)?;
    let tls = match settings.text("encryption") {
        "tls" => Tls::Wrapper(tls),
        _ => Tls::Required(tls),
    };
    let mut transport =
        AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(address.to_string())
            .port(settings.port("port"))
            .timeout(Some(PATIENCE))
            .tls(tls);

    let username = settings.text("username");
    if !username.is_empty() {
        transport = transport.credentials(Credentials::new(username.to_owned(), secret.0.clone()));
    }

    Ok(match transport.build().send(mail).await {
        Ok(answer) => {
            let text = answer.message().collect::<Vec<_>>().join(" ");
            NotifyOutcome::answered(true, Some(u16::from(answer.code())), &text)
        }
        Err(error) => {
            let status = error.status().map(u16::from);
            let outcome = NotifyOutcome {
                status,
                ..NotifyOutcome::failed(chain(&error))
            };
            // 5xx: the server has said no for good, to the sender, a receiver or the password.
            if error.is_permanent() {
                outcome.for_good()
            } else {
                outcome
            }
        }
    })
}

/// TLS that takes what the system trusts, and the configured authorities, for this name.
fn trusting(policy: &OutboundPolicy, host: &str) -> Result<TlsParameters, Obstacle> {
    let mut tls = TlsParameters::builder(host.to_owned());
    if !policy.authorities.is_empty() {
        let more = Certificate::from_pem(&policy.authorities).map_err(|error| chain(&error))?;
        tls = tls.add_root_certificate(more);
    }
    tls.build().map_err(|error| chain(&error).into())
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// A file that goes along.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) media_type: String,
    pub(crate) bytes: Vec<u8>,
}

fn mail(
    from: &str,
    to: &[String],
    message: &Message,
    file: Option<Result<File, Obstacle>>,
) -> Result<lettre::Message, Obstacle> {
    // A line end in a subject would begin another header.
    let subject: String = message
        .title
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();

    let mut mail = lettre::Message::builder()
        .from(mailbox(from)?)
        .subject(cut(&subject, 200));
    for receiver in to {
        mail = mail.to(mailbox(receiver)?);
    }

    let note = match &file {
        Some(Err(reason)) => Some(format!("The file is not attached: {reason}")),
        _ => None,
    };
    let body = both(message, note.as_deref());
    let built = match file {
        None | Some(Err(_)) => mail.multipart(body),
        Some(Ok(File {
            name,
            media_type,
            bytes,
        })) => {
            let kind = ContentType::parse(&media_type).map_err(|error| error.to_string())?;
            mail.multipart(
                MultiPart::mixed()
                    .multipart(body)
                    .singlepart(Attachment::new(name).body(bytes, kind)),
            )
        }
    };

    built.map_err(Obstacle::of)
}

/// The message as plain text and as HTML with the same content, for the reader's program to choose
/// from.
fn both(message: &Message, note: Option<&str>) -> MultiPart {
    let plain = message.text() + &note.map(|note| format!("{note}\n")).unwrap_or_default();
    MultiPart::alternative_plain_html(plain, html::document(message, note))
}

/// One address of the server, once all of them were judged.
async fn judged(policy: &OutboundPolicy, host: &str) -> Result<IpAddr, Obstacle> {
    let url = address_of(host)?;
    let found = match host.trim_start_matches('[').trim_end_matches(']').parse() {
        Ok(address) => vec![address],
        Err(_) => SystemLookup
            .addresses(host)
            .await
            .map_err(|error| format!("{host} cannot be resolved: {error}"))?,
    };

    for address in &found {
        policy
            .check_address(&url, *address)
            .map_err(|refusal| format!("not contacted: {refusal}"))?;
    }

    found
        .first()
        .copied()
        .ok_or_else(|| format!("{host} has no address").into())
}
