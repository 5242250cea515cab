//! Plans of normalized statements, with and without hypothetical indexes.
//!
//! A normalized statement is prepared with unknown parameters, and its generic plan is explained.
//! The text is never executed: it is parsed as one statement first, and `EXPLAIN` without `ANALYZE`
//! only plans.

use std::collections::BTreeMap;

use reeve_databases::{
    DatabaseStatement, IndexCandidate, IndexTrial, Observation, StatementCost, TrialMethod,
    estimated_trials, is_plannable,
};
use reeve_estate::database_load::PlanNode;
use sqlx::{AssertSqlSafe, Row as _};
use tokio::time::timeout;

use super::{ANSWER, PostgresqlSession, plan_tree};
use crate::error::{DatabaseError, words};

const PLANS: &str = "plans";

#[derive(serde::Deserialize)]
struct HypotheticalIndex {
    size_bytes: f64,
}

#[derive(serde::Deserialize)]
struct ParameterCount {
    count: usize,
}

#[derive(serde::Deserialize)]
struct ExtensionSchema {
    schema: String,
}

impl PostgresqlSession {
    pub(crate) async fn try_indexes(
        &mut self,
        observation: &Observation,
        candidates: &[IndexCandidate],
    ) -> Result<Vec<IndexTrial>, DatabaseError> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        self.execute(PLANS, "SET plan_cache_mode = force_generic_plan")
            .await?;
        // Plans of statements resolve unqualified names as their users do.
        self.execute(PLANS, "SET search_path = DEFAULT").await?;

        let concerned = observation.statements().iter().filter(|statement| {
            candidates
                .iter()
                .any(|one| one.statement_ids.contains(&statement.id))
        });
        let mut costs = BTreeMap::new();
        let mut statements: Vec<&DatabaseStatement> = Vec::new();
        for statement in concerned {
            if let Some(cost) = self.cost(statement).await? {
                costs.insert(statement.id.clone(), cost);
                statements.push(statement);
            }
        }

        let trials = match self.hypopg().await? {
            Some(schema) => {
                self.hypothetical(&schema, candidates, &statements, &costs)
                    .await?
            }
            None => estimated_trials(observation, candidates, &costs),
        };
        self.execute(PLANS, "SET search_path = pg_catalog").await?;
        Ok(trials)
    }

    /// Returns the schema of hypopg, quoted; `None` where it is not installed.
    async fn hypopg(&mut self) -> Result<Option<String>, DatabaseError> {
        let query = "SELECT quote_ident(n.nspname) AS schema FROM pg_catalog.pg_extension e \
            JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'hypopg'";
        let found: Vec<ExtensionSchema> = self.rows(PLANS, query).await?;
        Ok(found.into_iter().next().map(|one| one.schema))
    }

    async fn hypothetical(
        &mut self,
        schema: &str,
        candidates: &[IndexCandidate],
        statements: &[&DatabaseStatement],
        before: &BTreeMap<String, f64>,
    ) -> Result<Vec<IndexTrial>, DatabaseError> {
        let mut trials = Vec::new();
        for candidate in candidates {
            let definition = candidate.create(reeve_databases::Engine::Postgresql, false);
            let quoted = definition.replace('\'', "''");
            let create = format!(
                "SELECT {schema}.hypopg_relation_size(indexrelid)::float8 AS size_bytes \
                 FROM {schema}.hypopg_create_index('{quoted}')"
            );
            // A table that was dropped meanwhile leaves its candidate out.
            let Ok(index) = self.one::<HypotheticalIndex>(PLANS, &create).await else {
                continue;
            };

            let mut costs = Vec::new();
            for statement in statements {
                let Some(&cost) = before.get(&statement.id) else {
                    continue;
                };
                if !candidate.statement_ids.contains(&statement.id) {
                    continue;
                }
                if let Some(after) = self.cost(statement).await? {
                    costs.push(StatementCost {
                        statement_id: statement.id.clone(),
                        before: cost,
                        after: after.min(cost),
                    });
                }
            }
            self.execute(PLANS, &format!("SELECT {schema}.hypopg_reset()"))
                .await?;
            trials.push(IndexTrial {
                candidate: candidate.clone(),
                method: TrialMethod::Hypothetical,
                size_bytes: Some(index.size_bytes),
                costs,
            });
        }
        Ok(trials)
    }

    /// Returns the planner's cost of a statement; `None` for one that cannot be planned, because a
    /// type of a parameter is not known or a table is gone.
    async fn cost(&mut self, statement: &DatabaseStatement) -> Result<Option<f64>, DatabaseError> {
        let plan = self.explained(&statement.text).await?;
        Ok(plan.as_deref().and_then(total_cost))
    }

    /// Returns the generic plan of a normalized statement; `None` for one that cannot be planned.
    pub(crate) async fn plan(&mut self, text: &str) -> Result<Option<PlanNode>, DatabaseError> {
        self.execute(PLANS, "SET plan_cache_mode = force_generic_plan")
            .await?;
        self.execute(PLANS, "SET search_path = DEFAULT").await?;
        let plan = self.explained(text).await;
        self.execute(PLANS, "SET search_path = pg_catalog").await?;
        Ok(plan?.as_deref().and_then(plan_tree::read))
    }

    /// Explains the generic plan of a statement as JSON.
    async fn explained(&mut self, text: &str) -> Result<Option<String>, DatabaseError> {
        if !is_plannable(reeve_databases::Engine::Postgresql, text) {
            return Ok(None);
        }
        // The extended protocol takes one statement alone, whatever the text contains.
        let prepare = format!("PREPARE reeve_plan AS {text}");
        if self.single(prepare).await?.is_none() {
            return Ok(None);
        }

        let counted = "SELECT cardinality(parameter_types) AS count FROM pg_catalog.pg_prepared_statements \
            WHERE name = 'reeve_plan'";
        let parameters: ParameterCount = self.one(PLANS, counted).await?;
        let nulls = vec!["NULL"; parameters.count].join(", ");
        let explain = match parameters.count {
            0 => "EXPLAIN (FORMAT JSON) EXECUTE reeve_plan".to_owned(),
            _ => format!("EXPLAIN (FORMAT JSON) EXECUTE reeve_plan({nulls})"),
        };
        let plan = self.single(explain).await?.flatten();
        self.execute(PLANS, "DEALLOCATE reeve_plan").await?;
        Ok(plan)
    }

    /// Sends one statement; `None` where the server refused it, otherwise the text of its first
    /// answer.
    async fn single(&mut self, text: String) -> Result<Option<Option<String>>, DatabaseError> {
        let query = sqlx::query(AssertSqlSafe(text)).persistent(false);
        let answered = timeout(ANSWER, query.fetch_optional(&mut self.connection))
            .await
            .map_err(|_| DatabaseError::TimedOut(ANSWER.as_secs()))?;
        match answered {
            Ok(row) => Ok(Some(row.and_then(|row| row.try_get_unchecked(0).ok()))),
            Err(sqlx::Error::Database(_)) => Ok(None),
            Err(error) => Err(DatabaseError::Read {
                reading: PLANS,
                message: words(&error),
            }),
        }
    }
}

fn total_cost(plan: &str) -> Option<f64> {
    let plan: serde_json::Value = serde_json::from_str(plan).ok()?;
    plan.pointer("/0/Plan/Total Cost")?.as_f64()
}
