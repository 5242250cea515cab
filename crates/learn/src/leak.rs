//! Leaks: a significant upward trend of what stays after each release.
