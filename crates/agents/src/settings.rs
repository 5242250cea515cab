//! Macro for the settings of an agent type: one entry each, from which the list that the interface
//! answers, the values that rules read and their reading follow.

/// Declares `ALL` and `Thresholds` of an agent type. An entry is
/// `field: kind = path, default, range, description;`, where the kind is the method of
/// [`AgentSettings`](reeve_recommend::agent::settings::AgentSettings) that reads it: `days`, `minutes`, `percent`, `count` or `flag` (whose
/// range is not read). Settings that rules read in another way are named after `..`.
macro_rules! settings {
    (
        $($(#[$doc:meta])* $field:ident: $kind:ident = $path:literal, $default:expr, $range:expr, $description:literal;)+
        $(..$($other:ident),+;)?
    ) => {
        /// Every setting, in the order in which the interface answers them.
        pub(super) const ALL: &[reeve_recommend::agent::settings::AgentSetting] = &[
            $($crate::settings::settings!(@setting $kind, $path, $default, $range, $description),)+
            $($($other),+)?
        ];

        /// The settings of one agent, as the rules read them.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(super) struct Thresholds {
            $($(#[$doc])* pub(super) $field: $crate::settings::settings!(@type $kind),)+
        }

        impl From<&reeve_recommend::agent::settings::AgentSettings> for Thresholds {
            fn from(settings: &reeve_recommend::agent::settings::AgentSettings) -> Self {
                Thresholds {
                    $($field: {
                        const SETTING: reeve_recommend::agent::settings::AgentSetting =
                            $crate::settings::settings!(@setting $kind, $path, $default, $range, $description);
                        settings.$kind(&SETTING)
                    },)+
                }
            }
        }
    };
    (@setting $kind:ident, $path:literal, $default:expr, $range:expr, $description:literal) => {
        reeve_recommend::agent::settings::AgentSetting {
            path: $path,
            description: $description,
            default: $crate::settings::settings!(@value $kind, $default),
            range: $range,
            choices: &[],
        }
    };
    (@value days, $default:expr) => { reeve_recommend::agent::settings::SettingValue::Days($default) };
    (@value minutes, $default:expr) => { reeve_recommend::agent::settings::SettingValue::Minutes($default) };
    (@value percent, $default:expr) => { reeve_recommend::agent::settings::SettingValue::Percent($default) };
    (@value count, $default:expr) => { reeve_recommend::agent::settings::SettingValue::Count($default) };
    (@value flag, $default:expr) => { reeve_recommend::agent::settings::SettingValue::Flag($default) };
    (@type days) => { i64 };
    (@type minutes) => { i64 };
    (@type percent) => { f64 };
    (@type count) => { u64 };
    (@type flag) => { bool };
}

pub(crate) use settings;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;
    use std::path::Path;

    use reeve_recommend::agent::AgentType;
    use reeve_recommend::agent::settings::SettingValue;

    /// The table of settings in each page of `docs/agents` has every setting with its default, and
    /// no other.
    #[test]
    fn the_tables_of_the_documentation_are_the_settings() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents");
        let registry = crate::registry();
        for name in [
            "compliance_intelligence",
            "cost_optimizer",
            "spot_optimizer",
            "performance_optimizer",
            "ops_intelligence",
            "storage_optimizer",
            "workload_classifier",
        ] {
            let page = std::fs::read_to_string(docs.join(format!("{name}.md"))).unwrap();
            let rows = page.lines().filter_map(|line| {
                let mut cells = line.strip_prefix("| `")?.split(" | ");
                let path = cells.next()?.strip_suffix('`')?;
                Some((path, cells.next()?))
            });
            let rows: BTreeMap<&str, &str> = rows.collect();

            let definition = registry.get(AgentType::parse(name).unwrap()).unwrap();
            let settings = definition.settings();
            for setting in settings {
                let default = match &setting.default {
                    SettingValue::Names(names) if names.is_empty() => "none".to_owned(),
                    value => value.to_string(),
                };
                let row = rows.get(setting.path).copied();
                assert_eq!(row, Some(default.as_str()), "{name}: {}", setting.path);
            }

            let paths: Vec<_> = settings.iter().map(|setting| setting.path).collect();
            for path in rows.keys().filter(|path| path.contains('.')) {
                assert!(paths.contains(path), "{name}: {path} is no setting");
            }
        }
    }
}
