//! Names of closed sets as people print them: `Critical`, `right-size`, `Audit Administrator`.

/// Returns a name in the form in which it is answered: lower case, with underscores (`right_size`).
#[must_use]
pub fn as_name(printed: &str) -> String {
    printed.trim().to_ascii_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_names_become_those_of_answers() {
        let names = [
            "Critical",
            "right-size",
            "IAM optimization",
            " Audit Administrator ",
            "safe_mode",
        ]
        .map(as_name);
        assert_eq!(
            names,
            [
                "critical",
                "right_size",
                "iam_optimization",
                "audit_administrator",
                "safe_mode"
            ]
        );
    }
}
