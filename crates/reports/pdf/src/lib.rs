//! Typesets a report as PDF.
