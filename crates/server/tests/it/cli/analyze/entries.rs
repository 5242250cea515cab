//! `reeve analyze entries`.
