//! Databases read from real servers.

mod advice;
mod mariadb;
mod postgresql;
