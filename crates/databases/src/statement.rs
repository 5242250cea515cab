//! Statements as people read them in a list.

/// Shortens the text of a statement to one line of at most `most` characters.
pub(crate) fn short(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let kept: String = line.chars().take(most.saturating_sub(3)).collect();
    format!("{kept}...")
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_long_statement_is_cut() {
        assert_eq!(short("SELECT\n  1", 20), "SELECT 1");
        assert_eq!(short("SELECT 12345", 9), "SELECT...");
    }
}
