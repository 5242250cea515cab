//! The templates that ship with Reeve: one TOML file each in `templates/`, held in the program.

use std::sync::LazyLock;

use rust_embed::RustEmbed;

use crate::template::{Template, TemplateError};

#[derive(RustEmbed)]
#[folder = "templates/"]
struct Files;

/// The order in which frameworks are shown; others follow by name.
const ORDER: [&str; 6] = ["soc2", "iso27001", "hipaa", "pci_dss", "gdpr", "fedramp"];

static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    // A test reads every file; one that cannot be read would not have been released.
    let mut templates: Vec<_> = read()
        .into_iter()
        .filter_map(|(_, template)| template.ok())
        .collect();
    let place = |id: &str| {
        ORDER
            .iter()
            .position(|known| *known == id)
            .unwrap_or(ORDER.len())
    };
    templates.sort_by(|a, b| {
        place(&a.id)
            .cmp(&place(&b.id))
            .then_with(|| a.id.cmp(&b.id))
    });
    templates
});

fn read() -> Vec<(String, Result<Template, TemplateError>)> {
    let file = |name: std::borrow::Cow<'static, str>| {
        let data = Files::get(&name)?.data;
        let text = String::from_utf8_lossy(&data).into_owned();
        Some((name.into_owned(), Template::read(&text)))
    };
    Files::iter()
        .filter(|name| name.ends_with(".toml"))
        .filter_map(file)
        .collect()
}

/// Returns the templates that ship with Reeve.
#[must_use]
pub fn templates() -> &'static [Template] {
    &TEMPLATES
}

/// Returns the template of a framework, by its identifier (`soc2`) or as the framework is printed
/// (`SOC 2 Type II`, `PCI DSS`).
#[must_use]
pub fn template(framework: &str) -> Option<&'static Template> {
    let letters = |text: &str| -> String {
        text.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect()
    };
    let wanted = letters(framework);

    let is_named =
        |template: &&Template| letters(&template.id) == wanted || letters(&template.name) == wanted;
    TEMPLATES.iter().find(is_named)
}

#[cfg(test)]
mod tests;
