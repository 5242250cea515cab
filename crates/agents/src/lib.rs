//! Agent types: one folder each, pure judgement from facts to proposals, and the models that they learn.

pub mod cost_optimizer;
pub mod models;
