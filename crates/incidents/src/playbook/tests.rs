//! Tests of playbooks.
