//! Words in tags that support a kind of work.

/// Words for each class, in the order of `Class::ALL`, as whole words of a tag's value (or of the name).
const WORDS: [&[&str]; 4] = [
    &["prod", "production", "prd", "live", "customer", "frontend", "web", "api"],
    &["dev", "development", "test", "testing", "qa", "staging", "stage", "sandbox", "uat", "demo", "preprod"],
    &["batch", "job", "jobs", "worker", "workers", "cron", "queue", "ci", "render", "scheduler", "etl"],
    &["analytics", "warehouse", "dwh", "bi", "spark", "hadoop", "emr", "presto", "notebook", "reporting", "olap", "ml"],
];
/// Keys whose values say what a resource is for; others are asked less.
const KEYS: [&str; 9] = ["env", "environment", "stage", "tier", "workload", "purpose", "role", "class", "type"];

/// Returns the votes of the tags for each class: 1 for a word under a telling key, 0.5 for one elsewhere, at most 1.
pub(super) fn votes(tags: &[(&str, &str)]) -> [f64; 4] {
    let mut votes = [0.0f64; 4];
    for (key, value) in tags.iter().take(100) {
        let telling = KEYS.contains(&key.to_ascii_lowercase().as_str());
        let weight = if telling { 1.0 } else { 0.5 };
        let value = value.to_ascii_lowercase();
        for word in value.split(|c: char| !c.is_ascii_alphanumeric()) {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            for (vote, words) in votes.iter_mut().zip(WORDS) {
                if words.contains(&word) {
                    *vote = vote.max(weight);
                }
            }
        }
    }
    votes
}
