//! Words in tags that support a kind of work.

use super::WorkloadClass;

/// Words for each class, in the order of `WorkloadClass::ALL`, as whole words of a tag's value (or of the
/// name).
const WORDS: [&[&str]; 4] = [
    &[
        "prod",
        "production",
        "prd",
        "live",
        "customer",
        "frontend",
        "web",
        "api",
    ],
    &[
        "dev",
        "development",
        "test",
        "testing",
        "qa",
        "staging",
        "stage",
        "sandbox",
        "uat",
        "demo",
        "preprod",
    ],
    &[
        "batch",
        "job",
        "jobs",
        "worker",
        "workers",
        "cron",
        "queue",
        "ci",
        "render",
        "scheduler",
        "etl",
    ],
    &[
        "analytics",
        "warehouse",
        "dwh",
        "bi",
        "spark",
        "hadoop",
        "emr",
        "presto",
        "notebook",
        "reporting",
        "olap",
        "ml",
    ],
];
/// Keys whose values say what a resource is for.
const KEYS: [&str; 9] = [
    "env",
    "environment",
    "stage",
    "tier",
    "workload",
    "purpose",
    "role",
    "class",
    "type",
];

/// Returns the class that a word speaks for; `None` for other words. Digits at its end do not
/// count.
#[must_use]
pub fn class_of_word(word: &str) -> Option<WorkloadClass> {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    WorkloadClass::ALL
        .into_iter()
        .zip(WORDS)
        .find(|(_, words)| words.contains(&word))
        .map(|(class, _)| class)
}

/// Returns the words of a text, in lower case.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
}

/// Returns `true` for keys of tags whose values say what a resource is for.
#[must_use]
pub fn is_purpose_key(key: &str) -> bool {
    KEYS.contains(&key.to_ascii_lowercase().as_str())
}
