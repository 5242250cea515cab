//! Titles of recommendations: one line that names the change, the resource and the new value.
//! Everything else is in the explanation.

/// Characters of a title at most. A resource's name that is too long for it is shown without its
/// middle.
pub const TITLE_CHARACTERS: usize = 70;

/// Characters of a name that stay in a title however long the rest is.
const LEAST_NAME: usize = 16;

/// Composes a title from a resource's name and the texts before and after it, which bring their own
/// spaces.
#[must_use]
pub fn title(before: &str, name: &str, after: &str) -> String {
    let others = before.chars().count() + after.chars().count();
    let room = TITLE_CHARACTERS.saturating_sub(others).max(LEAST_NAME);
    format!("{before}{}{after}", shortened(name, room))
}

/// Shortens a text to a number of characters: beginning and end stay, because names of a series
/// differ there.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }

    let end = most.saturating_sub(1) / 2;
    let beginning = most.saturating_sub(1) - end;
    let first = text.chars().take(beginning);

    first
        .chain(std::iter::once('…'))
        .chain(text.chars().skip(count - end))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_loses_its_middle() {
        assert_eq!(
            title("Resize ", "web-7", " from m5.xlarge to m5.large"),
            "Resize web-7 from m5.xlarge to m5.large"
        );

        let name = format!("acme-production-{}-checkout-workers-12", "x".repeat(60));
        let long = title("Stop ", &name, ": idle for 30 days");
        assert_eq!(long.chars().count(), TITLE_CHARACTERS);
        assert!(
            long.contains("acme-production-")
                && long.contains("-checkout-workers-12: idle for 30 days"),
            "{long}"
        );
        assert_eq!(shortened("überlänge", 5), "üb…ge");
        assert_eq!(shortened("überlänge", 9), "überlänge");
    }
}
