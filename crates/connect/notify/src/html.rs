//! The HTML part of an e-mail: the same content as the plain text, in one document without images,
//! scripts or anything that is loaded.
//!
//! Everything that is not markup is escaped: names and tags of the estate could otherwise write
//! markup into a mail of Reeve. Colours are those of the reader's program (`color-scheme`), apart
//! from the severity's bar and the link's button, which are readable on light and dark ground
//! alike. Layout is by tables and inline styles, the forms that mail programs agree on.

use reeve_notify::notification::{Gravity, Item, Message, OPEN};

const FONT: &str = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:14px;line-height:1.5";
const BUTTON: &str = "display:inline-block;margin-top:12px;padding:8px 16px;border-radius:6px;background:#0d6b72;color:#ffffff;text-decoration:none;font-weight:600";

/// Returns the document of a message; `note` is a last line about the mail itself.
pub(crate) fn document(message: &Message, note: Option<&str>) -> String {
    let title = escaped(&message.title);
    let items: String = message.items.iter().map(|one| item(one, message)).collect();
    let note = note
        .map(|note| format!("<p>{}</p>", escaped(note)))
        .unwrap_or_default();
    let bar = color(message.gravity);

    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><meta name=\"supported-color-schemes\" content=\"light dark\">\
         <title>{title}</title></head><body style=\"margin:0;padding:24px 16px;{FONT}\">\
         <div style=\"max-width:600px;margin:0 auto\"><h1 style=\"margin:0 0 16px;padding-left:12px;border-left:4px solid {bar};\
         font-size:18px;line-height:1.35\">{title}</h1>{items}{note}\
         <p style=\"margin-top:24px;font-size:12px;opacity:0.75\">Sent by Reeve. An administrator sets under Settings, Notifications, \
         which messages are sent here.</p></div></body></html>"
    )
}

/// An item of a message. The only item of a message has its title, which is not repeated.
fn item(item: &Item, message: &Message) -> String {
    let heading = if item.title == message.title {
        String::new()
    } else {
        format!(
            "<h2 style=\"margin:20px 0 4px;font-size:15px\">{}</h2>",
            escaped(&item.title)
        )
    };

    let rows: String = item
        .facts
        .iter()
        .map(|(name, value)| {
            format!(
                "<tr><th align=\"left\" valign=\"top\" style=\"padding:3px 16px 3px 0;font-weight:400;opacity:0.75\">{}</th>\
                 <td valign=\"top\" style=\"padding:3px 0;word-break:break-word\">{}</td></tr>",
                escaped(name),
                escaped(value)
            )
        })
        .collect();

    let table = if rows.is_empty() {
        String::new()
    } else {
        format!(
            "<table role=\"presentation\" cellspacing=\"0\" cellpadding=\"0\" style=\"{FONT}\">{rows}</table>"
        )
    };

    let link = item.link.as_ref();
    let link = link
        .map(|link| {
            format!(
                "<a href=\"{}\" style=\"{BUTTON}\">{OPEN}</a>",
                escaped(link)
            )
        })
        .unwrap_or_default();

    format!("{heading}{table}{link}")
}

/// Colour of a severity, with a contrast of at least 3 to 1 on white and on near black.
fn color(gravity: Gravity) -> &'static str {
    match gravity {
        Gravity::Info => "#2f979d",
        Gravity::Warning => "#b7791f",
        Gravity::Error | Gravity::Critical => "#cf453d",
    }
}

/// Escapes text for an element or a quoted attribute.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // No character of a document.
            c if c.is_control() && c != '\n' => safe.push(' '),
            c => safe.push(c),
        }
    }

    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_estate_write_no_markup() {
        let message = Message {
            title: "Resize <img src=x onerror=alert(1)>".into(),
            gravity: Gravity::Warning,
            items: vec![Item {
                title: "i-1\" style=\"".into(),
                facts: vec![("Name".into(), "</td><script>&'\u{7}".into())],
                link: Some("https://reeve.acme.example/intelligence/anomalies/a\"><b>".into()),
            }],
            about: "a".into(),
            to: Vec::new(),
            attachment: None,
        };
        let document = document(&message, Some("<i>"));

        for markup in ["<img", "<script", "<b>", "<i>", "i-1\"", "\u{7}"] {
            assert!(!document.contains(markup), "{markup} in {document}");
        }

        assert!(
            document.contains("&lt;/td&gt;&lt;script&gt;&amp;&#39; <"),
            "{document}"
        );
        assert!(
            document.contains("anomalies/a&quot;&gt;&lt;b&gt;\" style="),
            "{document}"
        );

        // Nothing is loaded when a mail is read.
        for loading in ["src=\"", "url(", "<link", "@import"] {
            assert!(!document.contains(loading), "{loading}");
        }

        let opened = document.matches("<td ").count();
        assert_eq!((opened, document.matches("</td>").count()), (1, 1));
    }
}
