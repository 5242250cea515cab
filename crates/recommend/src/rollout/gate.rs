//! Gates: what a stage must show before the next one begins, each check with the number found and
//! the number needed. Pure.

use jiff::Timestamp;
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use crate::rollout::member::{MemberState, RolloutMember};
use crate::rollout::{Rollout, Stage};

named!(
    /// Verdict of a gate.
    Verdict {
        /// Numbers are still missing.
        Waiting => "waiting",
        /// Everything was shown; the next stage begins.
        Opened => "opened",
        /// Something contradicts going on.
        Held => "held",
        /// A person went on in spite of it.
        Overridden => "overridden",
    }
);

/// One number of a gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateCheck {
    /// Name of the counted quantity.
    pub name: String,
    /// Value that was measured.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub found: f64,
    /// Required value: a minimum, or a maximum if `at_most` is set.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub needed: f64,
    /// `true` if `needed` is a maximum.
    pub at_most: bool,
}

impl GateCheck {
    /// Returns `true` if the measured value satisfies the requirement.
    #[must_use]
    pub fn holds(&self) -> bool {
        if self.at_most {
            self.found <= self.needed
        } else {
            self.found >= self.needed
        }
    }

    /// Returns the measurement as a clause for people.
    #[must_use]
    pub fn words(&self) -> String {
        let (relation, number) = (
            if self.at_most { "at most" } else { "at least" },
            |value: f64| {
                if value.fract() == 0.0 {
                    format!("{value:.0}")
                } else {
                    format!("{value:.1}")
                }
            },
        );
        format!(
            "{}: {} ({relation} {})",
            self.name,
            number(self.found),
            number(self.needed)
        )
    }
}

/// Gate at the end of a stage, with its checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// The stage that ends at it.
    pub stage: Stage,
    pub wave: u32,
    /// Verdict of the gate.
    pub verdict: Verdict,
    /// Checks with the numbers that decided.
    pub checks: Vec<GateCheck>,
    /// The same in words.
    pub words: String,
    /// Time of the verdict.
    pub at: Timestamp,
    /// User who overrode the gate.
    pub by: Option<String>,
}

/// The gate that a rollout stands before, as its members stand now. `last_change` is when the
/// newest change of a member ended.
#[must_use]
pub fn gate(rollout: &Rollout, last_change: Option<Timestamp>, now: Timestamp) -> Gate {
    use MemberState::{Failed, Held, NotEnoughData, Simulated, Watching};

    let simulating = rollout.stage == Stage::Simulation;
    let reached: Vec<&RolloutMember> = rollout
        .members
        .iter()
        .filter(|m| simulating || m.wave <= rollout.wave)
        .collect();

    let count = |states: &[MemberState]| {
        reached
            .iter()
            .filter(|member| member.counts() && states.contains(&member.state))
            .count() as f64
    };
    let counted = reached.iter().filter(|member| member.counts()).count() as f64;

    let at_least = |name: &str, found: f64, needed: f64| GateCheck {
        name: name.to_owned(),
        found,
        needed,
        at_most: false,
    };

    let at_most = |name: &str, found: f64, needed: f64| GateCheck {
        name: name.to_owned(),
        found,
        needed,
        at_most: true,
    };

    let allowed = f64::from(rollout.settings.max_failures);
    // A failure that is allowed for is one fewer to wait for.
    let wanted = (counted - count(&[Failed]).min(allowed)).max(0.0);
    let failed = at_most("failed, undone or worse", count(&[Failed]), allowed);
    let unknown = at_most(
        "changed without enough data to judge by",
        count(&[NotEnoughData]),
        0.0,
    );
    let hours = |seconds: f64| (seconds / 360.0).floor() / 10.0;
    let checks = match rollout.stage {
        Stage::Simulation => {
            vec![
                at_least(
                    "plans that went through on a simulated twin",
                    count(&[Simulated]),
                    wanted,
                ),
                failed,
            ]
        }
        Stage::Canary => vec![
            at_least("changed", count(&[Watching, Held, NotEnoughData]), wanted),
            failed,
        ],
        Stage::Validation => {
            let since = last_change.map_or(0.0, |at| now.duration_since(at).as_secs_f64().max(0.0));
            let watched = at_least(
                "hours watched",
                hours(since),
                hours(rollout.settings.validation_s as f64),
            );
            vec![
                at_least("no worse than before", count(&[Held]), wanted),
                watched,
                failed,
                unknown,
            ]
        }
        Stage::Gradual | Stage::Full => vec![
            at_least("no worse than before", count(&[Held]), wanted),
            failed,
            unknown,
        ],
    };

    let verdict = if checks.iter().any(|check| check.at_most && !check.holds()) {
        Verdict::Held
    } else if checks.iter().all(GateCheck::holds) {
        Verdict::Opened
    } else {
        Verdict::Waiting
    };

    let words = checks
        .iter()
        .map(GateCheck::words)
        .collect::<Vec<_>>()
        .join("; ");

    Gate {
        stage: rollout.stage,
        wave: rollout.wave,
        verdict,
        checks,
        words,
        at: now,
        by: None,
    }
}
