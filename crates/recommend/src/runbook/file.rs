//! Text form of runbooks: TOML, the same for those of the program and those of people. Every fault
//! names its field.

use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{Provider, ResourceKind, TimeSpan};
use serde::Deserialize;

use super::breaker::BreakerLimits;
use super::definition::{Runbook, WrittenRunbook, kinds};
use super::faults::{DAY, Faults, HOUR};
use super::name::RunbookName;
use super::remedy::RunbookRemedy;
use super::sample::SampleFile;
use crate::recommendation::Priority;

mod remedy;
mod test;

use remedy::RemedyFile;
use test::TestFile;

/// Characters of a text.
const LONGEST_SOURCE: usize = 32_768;
/// Characters of a title: it follows the name of a resource in titles of 70.
const LONGEST_TITLE: usize = 44;
/// Characters of a text for people.
const LONGEST_TEXT: usize = 2_000;
/// Tests of a condition.
const MOST_TESTS: usize = 8;
/// Samples beside a condition.
const MOST_SAMPLES: usize = 20;

/// A runbook as its text has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunbookFile {
    name: String,
    title: String,
    #[serde(default)]
    description: String,
    kind: String,
    provider: Option<String>,
    priority: Option<String>,
    advice: String,
    #[serde(default)]
    when: Vec<TestFile>,
    remedy: Option<RemedyFile>,
    #[serde(default)]
    verify: VerifyFile,
    #[serde(default)]
    breaker: BreakerFile,
    #[serde(default)]
    sample: Vec<SampleFile>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct VerifyFile {
    after: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct BreakerFile {
    failures: Option<u32>,
    of_all: Option<u32>,
    window: Option<String>,
    open_for: Option<String>,
}

impl Runbook {
    /// Returns the runbook of a stored text; a text that an earlier release took may have faults in
    /// this one.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn written(stored: WrittenRunbook) -> Result<Runbook, Vec<FieldError>> {
        let read = Runbook::read(&stored.source)?;
        Ok(Runbook {
            written: Some(stored),
            ..read
        })
    }

    /// Reads a runbook from its text.
    ///
    /// # Errors
    /// Every field that is wrong, and samples that the condition answers otherwise; a text that is no
    /// TOML of a runbook has the line of its fault.
    pub fn read(source: &str) -> Result<Runbook, Vec<FieldError>> {
        if source.chars().count() > LONGEST_SOURCE {
            let message = format!("must have at most {LONGEST_SOURCE} characters");
            return Err(vec![FieldError::new("source", FieldCode::TooLong, message)]);
        }
        let file: RunbookFile =
            toml::from_str(source).map_err(|error| vec![fault(source, &error)])?;
        let mut faults = Faults::default();
        let runbook = file.checked(source, &mut faults);
        match runbook {
            Some(runbook) if faults.is_empty() => match runbook.sample_faults() {
                wrong if wrong.is_empty() => Ok(runbook),
                wrong => Err(wrong),
            },
            _ => Err(faults.into_errors()),
        }
    }
}

impl RunbookFile {
    fn checked(self, source: &str, faults: &mut Faults) -> Option<Runbook> {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if self.name.is_empty() || self.name.len() > 60 || !self.name.bytes().all(is_plain) {
            let message = "must have 1 to 60 lowercase letters, digits and hyphens";
            faults.add("name", FieldCode::InvalidValue, message);
        }
        let title = faults.text("title", &self.title, LONGEST_TITLE, true);
        let description = faults.text("description", &self.description, LONGEST_TEXT, false);
        let advice = faults.text("advice", &self.advice, LONGEST_TEXT, true);

        let names: Vec<&str> = kinds().iter().map(|kind| kind.as_str()).collect();
        let known = |text: &str| ResourceKind::parse(text).filter(|kind| kinds().contains(kind));
        let kind = faults.named("kind", &self.kind, known, &names.join(", "))?;
        let provider = self
            .provider
            .as_deref()
            .and_then(|text| faults.named("provider", text, Provider::parse, "aws, azure, gcp"));
        let priority = self.priority.as_deref().unwrap_or("high");
        let levels = "critical, high, medium, low";
        let priority = faults.named("priority", priority, Priority::parse, levels)?;

        if self.when.is_empty() {
            faults.missing("when", "must have at least one test ([[when]])");
        } else if self.when.len() > MOST_TESTS {
            faults.add(
                "when",
                FieldCode::TooMany,
                format!("may have at most {MOST_TESTS} tests"),
            );
        }
        let tests = self.when.into_iter().enumerate();
        let when: Vec<_> = tests
            .filter_map(|(at, test)| test.checked(&format!("when[{at}]"), kind, faults))
            .collect();
        let remedy = match self.remedy {
            Some(remedy) => remedy.checked(kind, provider, faults)?,
            None => RunbookRemedy::Advice,
        };
        if self.sample.len() > MOST_SAMPLES {
            let message = format!("may have at most {MOST_SAMPLES} samples");
            faults.add("sample", FieldCode::TooMany, message);
        }
        let samples = self.sample.into_iter().enumerate();
        let samples = samples
            .filter_map(|(at, sample)| sample.checked(&format!("sample[{at}]"), faults))
            .collect();

        let mut runbook = Runbook {
            name: RunbookName(self.name),
            title,
            description,
            kind,
            provider,
            priority,
            when,
            remedy,
            advice,
            verify_after: TimeSpan::from_seconds(0),
            breaker: self.breaker.checked(faults),
            samples,
            source: source.to_owned(),
            written: None,
        };
        // The condition could not hold again on samples of after the change if this were shorter.
        let least = runbook.lookback().seconds().max(1);
        let usual = least.max(HOUR);
        let after = self.verify.after.as_deref();
        runbook.verify_after = faults.span("verify.after", after, usual, (least, 14 * DAY));
        Some(runbook)
    }
}

impl BreakerFile {
    fn checked(&self, faults: &mut Faults) -> BreakerLimits {
        let mut count = |path: &str, value: Option<u32>, default: u32, most: u32| {
            let value = value.unwrap_or(default);
            if !(1..=most).contains(&value) {
                faults.add(
                    path,
                    FieldCode::OutOfRange,
                    format!("must be from 1 to {most}"),
                );
            }
            value
        };
        let failures = count("breaker.failures", self.failures, 2, 10);
        let of_all = count("breaker.of_all", self.of_all, 5, 100);
        BreakerLimits {
            failures,
            of_all,
            window: faults.span(
                "breaker.window",
                self.window.as_deref(),
                7 * DAY,
                (HOUR, 30 * DAY),
            ),
            open_for: faults.span(
                "breaker.open_for",
                self.open_for.as_deref(),
                7 * DAY,
                (HOUR, 90 * DAY),
            ),
        }
    }
}

/// Fault of a text that is no TOML of a runbook.
fn fault(source: &str, error: &toml::de::Error) -> FieldError {
    let line = error.span().map_or(1, |span| {
        source
            .get(..span.start)
            .map_or(1, |before| before.matches('\n').count() + 1)
    });
    let message = error.message().trim().replace('\n', " ");
    FieldError::new(
        "source",
        FieldCode::InvalidValue,
        format!("line {line}: {message}"),
    )
}
