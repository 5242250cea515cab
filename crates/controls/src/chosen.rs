//! The frameworks that an agent checks: its setting, and what it is without one.

use std::collections::BTreeSet;

use reeve_recommend::agent::settings::{Setting, SettingValue, Settings};

/// Frameworks of requirement A-088, by their names in the catalogue.
const DOCUMENTED: [&str; 4] = ["soc2", "iso27001", "hipaa", "pci_dss"];

/// Setting that names the frameworks whose controls are checked.
pub const FRAMEWORKS: Setting = Setting {
    path: "frameworks",
    description: "Frameworks whose controls are checked, of soc2, iso27001, hipaa, pci_dss, gdpr, fedramp_moderate and cis_aws; none is the first four",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 20.0),
};

/// Returns the frameworks of an agent, by their names in the catalogue.
#[must_use]
pub fn chosen_frameworks(settings: &Settings) -> BTreeSet<String> {
    let named = settings.names(&FRAMEWORKS);
    if named.is_empty() {
        return DOCUMENTED.map(str::to_owned).into();
    }
    named
        .iter()
        .map(|name| name.trim().to_lowercase())
        .collect()
}
