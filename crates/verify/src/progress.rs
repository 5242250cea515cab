//! Progress display of a verification.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on a terminal, or nothing.
#[derive(Debug, Default)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Creates a progress display that shows nothing.
    pub fn hidden() -> Progress {
        Progress(None)
    }

    /// A bar on standard error; indicatif itself stays silent where that is no terminal.
    pub fn bar() -> Progress {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template(
            "{bar:40} {human_pos} of {human_len} entries, {per_sec}, {eta} left",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress(Some(bar))
    }

    pub(crate) fn expect(&self, entries: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(entries);
        }
    }

    pub(crate) fn advance(&self, entries: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(entries);
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
