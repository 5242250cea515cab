//! Tests of the record.
