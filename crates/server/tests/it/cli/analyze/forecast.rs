//! `reeve analyze forecast`.
