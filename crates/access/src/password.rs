//! Passwords: Argon2id, PHC strings.
