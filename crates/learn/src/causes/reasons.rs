//! Reasons of a ranking in words.

use super::{Cause, CausePlace, IncidentSymptom};

/// Writing of nodes and times, which differs between files and pages.
#[derive(Clone, Copy)]
pub struct Naming<'a> {
    /// Name of a node for readers.
    pub node: &'a dyn Fn(&str) -> String,
    /// Text of a time in milliseconds since the epoch.
    pub time: &'a dyn Fn(i64) -> String,
}

/// Returns the reasons of a cause: its deviation, its onset, its place and what explains it.
#[must_use]
pub fn reasons(cause: &Cause, symptom: &IncidentSymptom, naming: &Naming<'_>) -> Vec<String> {
    let deviation = cause.deviation;
    let mut reasons = vec![format!(
        "{} went from {} to {} ({:.1} robust deviations)",
        cause.metric,
        figure(deviation.before),
        figure(deviation.during),
        deviation.size
    )];

    let minutes = (symptom.start_ms - cause.onset_ms) as f64 / 60_000.0;
    let when = if minutes >= 0.0 { "before" } else { "after" };
    reasons.push(format!(
        "it began at {}, {:.0} min {when} the start of the incident; {} began earlier",
        (naming.time)(cause.onset_ms),
        minutes.abs(),
        match cause.earlier {
            0 => "no other node".to_owned(),
            1 => "1 other node".to_owned(),
            many => format!("{many} other nodes"),
        }
    ));

    let node = (naming.node)(&symptom.node);
    let through = |path: &[String]| {
        let names: Vec<String> = path.iter().map(|one| (naming.node)(one)).collect();
        names.join(", ")
    };
    reasons.push(match &cause.place {
        CausePlace::Symptom => "the incident was noticed here".to_owned(),
        CausePlace::Chain(path) if path.is_empty() => format!("{node} calls it"),
        CausePlace::Chain(path) => format!(
            "{node} depends on it through {}, which deviates too",
            through(path)
        ),
        CausePlace::BrokenChain(path) => format!(
            "{node} depends on it through {}, where not every node deviates",
            through(path)
        ),
        CausePlace::NotReachable => format!("ruled out: {node} does not depend on it"),
        CausePlace::Unknown => "no calls are known, so dependence cannot be confirmed".to_owned(),
    });

    if let Some(callee) = &cause.explained_by {
        reasons.push(format!(
            "its callee {} deviated no later and explains it",
            (naming.node)(callee)
        ));
    } else if cause.place != CausePlace::Unknown {
        reasons.push(format!(
            "its failure would explain {:.0} % of the other deviations",
            100.0 * cause.coverage
        ));
    }
    if let Some(callee) = &cause.unmeasured {
        reasons.push(format!(
            "its callee {} is not measured and may be the cause instead",
            (naming.node)(callee)
        ));
    }
    reasons
}

/// Returns a number with four significant digits.
#[must_use]
pub fn figure(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
