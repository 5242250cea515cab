//! Databases read from real servers.

mod advice;
mod changes;
mod mariadb;
mod postgresql;
