//! "Did you mean": the known name closest to a misspelt one.

/// The candidate within two edits (one for short names) of `name`, case and the separators `_ - .`
/// apart.
pub(crate) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let folded = fold(name);
    let allowed = if folded.len() <= 4 { 1 } else { 2 };
    candidates
        .into_iter()
        .map(|candidate| (distance(&folded, &fold(candidate), allowed), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn fold(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | '.'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Edits (insert, delete, replace, swap neighbours) from `a` to `b`; anything beyond `limit` counts
/// as `limit + 1`.
fn distance(a: &[char], b: &[char], limit: usize) -> usize {
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }

    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();

    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }

    last[b.len()].min(limit + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_slip_of_a_finger() {
        let names = ["email", "id", "type", "ip_address", "session_id"];
        for (name, expect) in [
            ("emial", Some("email")),
            ("e-mail", Some("email")),
            ("ipAddress", Some("ip_address")),
            ("ID", Some("id")),
            ("sesion_id", Some("session_id")),
            ("password", None),
            ("", None),
        ] {
            assert_eq!(closest(name, names), expect, "{name}");
        }
    }
}
