//! Goals: each is printed as a row `goal | what | reach | aim | measured | |`, which
//! `bench/learn/run` gathers into one table.

/// Goal of a figure: the required value and the aim.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    AtLeast(f64, f64),
    AtMost(f64, f64),
    /// Between two values, the wider pair first.
    Within([f64; 2], [f64; 2]),
}

impl Goal {
    fn verdict(self, value: f64) -> &'static str {
        let inside = |[low, high]: [f64; 2]| (low..=high).contains(&value);
        let (reached, aim) = match self {
            Goal::AtLeast(reach, aim) => (value >= reach, value >= aim),
            Goal::AtMost(reach, aim) => (value <= reach, value <= aim),
            Goal::Within(reach, aim) => (inside(reach), inside(aim)),
        };

        match (aim, reached) {
            (true, _) => "aim",
            (false, true) => "reached",
            (false, false) => "**missed**",
        }
    }

    /// Prints the row; the value with so many digits, the unit behind every number.
    pub(crate) fn print(self, what: &str, value: f64, digits: usize, unit: &str) {
        let one = |bound: f64| format!("{bound}{unit}");
        let two = |[low, high]: [f64; 2]| format!("{low} to {high}{unit}");
        let (reach, aim) = match self {
            Goal::AtLeast(reach, aim) | Goal::AtMost(reach, aim) => (one(reach), one(aim)),
            Goal::Within(reach, aim) => (two(reach), two(aim)),
        };
        println!(
            "goal | {what} | {reach} | {aim} | {value:.digits$}{unit} | {} |",
            self.verdict(value)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::Goal;

    #[test]
    fn verdicts_follow_the_direction() {
        let more = [9.0, 10.0, 20.0].map(|value| Goal::AtLeast(10.0, 20.0).verdict(value));
        let less = [11.0, 10.0, 5.0].map(|value| Goal::AtMost(10.0, 5.0).verdict(value));
        let band =
            [86.9, 88.0, 90.0].map(|value| Goal::Within([87.0, 93.0], [89.0, 91.0]).verdict(value));
        for found in [more, less, band] {
            assert_eq!(found, ["**missed**", "reached", "aim"]);
        }
    }
}
