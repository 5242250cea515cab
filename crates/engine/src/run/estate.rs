//! The judgement of the estate at the end of a full run, and the documents that it asks for.

use std::sync::Arc;

use reeve_estate::{DescriptionStore, Document, Resource};
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::estate::{
    DocumentReader, EstateError, EstateFacts, EstateJudge, EstateJudgement,
};
use tokio::runtime::Handle;

use crate::run::judging::Judging;
use crate::run::load_history::key;
use crate::run::{RunService, descriptions};

/// Documents of the store, for judgements: they run on a thread that may wait.
struct StoredDocuments {
    store: Option<Arc<dyn DescriptionStore>>,
    runtime: Handle,
}

impl DocumentReader for StoredDocuments {
    fn documents(&self, resources: &[&Resource]) -> Result<Vec<Option<Document>>, EstateError> {
        let Some(store) = self.store.as_deref() else {
            return Ok(vec![None; resources.len()]);
        };
        let wanted: Vec<Resource> = resources.iter().map(|one| (*one).clone()).collect();
        let read = self
            .runtime
            .block_on(descriptions::documents(store, &wanted));
        let mut found = read.map_err(|error| EstateError::Documents(error.to_string()))?;
        Ok(wanted.iter().map(|one| found.remove(&key(one))).collect())
    }
}

impl RunService {
    /// Lets the judge of a run judge the estate.
    pub(super) async fn judge_estate(
        &self,
        judging: Judging,
        estate: Box<dyn EstateJudge>,
    ) -> Result<EstateJudgement, EngineError> {
        let documents = StoredDocuments {
            store: self.ports.descriptions.clone(),
            runtime: Handle::current(),
        };
        let catalogue = Arc::clone(&self.ports.catalogue);
        let now = self.records.clock.now();

        let judged = tokio::task::spawn_blocking(move || {
            estate.judge(&EstateFacts {
                relations: &judging.relations,
                documents: &documents,
                catalogue: &catalogue,
                settings: &judging.settings,
                guardrails: &judging.limits,
                models: &judging.models,
                now,
            })
        });
        judged
            .await
            .map_err(|error| EngineError::Store(format!("judging stopped: {error}")))?
            .map_err(|error| EngineError::Store(error.to_string()))
    }
}
