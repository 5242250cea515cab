//! One segment through DataFusion: given rows, pruned by row group and page, filtered while it is
//! decoded.
//!
//! A scan is built as a physical plan of one node. There is nothing for an optimizer to do, a plan
//! costs microseconds instead of milliseconds, and an error belongs to exactly one file.

use std::fmt;
use std::sync::Arc;

use datafusion_common::{DFSchema, DataFusionError, Result, ScalarValue, exec_err};
use datafusion_datasource::PartitionedFile;
use datafusion_datasource::file_scan_config::FileScanConfigBuilder;
use datafusion_datasource::source::DataSourceExec;
use datafusion_datasource_parquet::source::ParquetSource;
use datafusion_datasource_parquet::{
    CachedParquetFileReaderFactory, ParquetFileReaderFactory, ParquetRowSelection,
    can_expr_be_pushed_down_with_schemas,
};
use datafusion_execution::config::SessionConfig;
use datafusion_execution::object_store::ObjectStoreUrl;
use datafusion_execution::runtime_env::RuntimeEnvBuilder;
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_expr::execution_props::ExecutionProps;
use datafusion_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion_expr::{Expr, col, lit};
use datafusion_physical_expr::{PhysicalExpr, create_physical_expr, split_conjunction};
use datafusion_physical_plan::ExecutionPlan;
use object_store::ObjectMeta;
use parquet::arrow::arrow_reader::RowSelection;

use super::schema::{SCHEMA, SEQUENCE_NAME};
use crate::place::Place;

/// Rows of a batch.
const BATCH: usize = 8_192;
/// Footers and page indexes kept in memory at most, bytes: those of some hundred segments, each
/// some 100 KiB. Reading one anew costs more than what a page of entries needs from the segment.
const METADATA_CACHE: usize = 160 << 20;

/// Reader of segments, by row group and page.
pub(super) struct EntryScanner {
    task: Arc<TaskContext>,
    files: ObjectStoreUrl,
    reader: Arc<dyn ParquetFileReaderFactory>,
    columns: DFSchema,
}

impl fmt::Debug for EntryScanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanner").finish_non_exhaustive()
    }
}

impl EntryScanner {
    /// A scanner of the files of a place.
    pub(super) fn new(place: &Place) -> Result<Self> {
        let runtime = RuntimeEnvBuilder::new()
            .with_metadata_cache_limit(METADATA_CACHE)
            .build_arc()?;
        let config = SessionConfig::new()
            .with_batch_size(BATCH)
            .with_target_partitions(1);
        let task = TaskContext::default()
            .with_session_config(config)
            .with_runtime(Arc::clone(&runtime));
        let files = ObjectStoreUrl::parse("reeve://lake")?;
        runtime.register_object_store(files.as_ref(), place.store());
        let cache = runtime.cache_manager.get_file_metadata_cache();
        let reader = Arc::new(CachedParquetFileReaderFactory::new(place.store(), cache));
        let columns = DFSchema::try_from(SCHEMA.as_ref().clone())?;

        Ok(EntryScanner {
            task: Arc::new(task),
            files,
            reader,
            columns,
        })
    }

    /// A condition as it is evaluated. No types are coerced: literals have the type of their
    /// column.
    pub(super) fn compile(&self, condition: &Expr) -> Result<Arc<dyn PhysicalExpr>> {
        create_physical_expr(
            condition,
            &self.columns,
            &ExecutionProps::new(),
            &PhysicalPlanningContext::default(),
        )
    }

    /// The rows of a segment, or some of them, that meet all conditions, evaluated in their order,
    /// ascending by sequence.
    pub(super) fn open(
        &self,
        file: ObjectMeta,
        rows: Option<RowSelection>,
        conditions: &[Expr],
        columns: &[usize],
    ) -> Result<SendableRecordBatchStream> {
        let mut source = ParquetSource::new(Arc::clone(&SCHEMA))
            .with_parquet_file_reader_factory(Arc::clone(&self.reader))
            .with_enable_page_index(true)
            .with_bloom_filter_on_read(false)
            .with_pushdown_filters(true);

        if let Some(condition) = conditions.iter().cloned().reduce(Expr::and) {
            let predicate = self.compile(&condition)?;
            // The reader ignores what it cannot evaluate; an answer with rows too many must not
            // come of that.
            if !split_conjunction(&predicate)
                .into_iter()
                .all(|part| can_expr_be_pushed_down_with_schemas(part, &SCHEMA))
            {
                return exec_err!("the condition {condition} cannot be evaluated on a segment");
            }
            source = source.with_predicate(predicate);
        }

        let mut file = PartitionedFile::from(file);
        if let Some(rows) = rows {
            file = file.with_extension(ParquetRowSelection::new(rows));
        }

        let config = FileScanConfigBuilder::new(self.files.clone(), Arc::new(source))
            .with_file(file)
            .with_projection_indices(Some(columns.to_vec()))?
            .with_preserve_order(true)
            .build();
        DataSourceExec::from_data_source(config).execute(0, Arc::clone(&self.task))
    }
}

/// Rows from one sequence to another, both included.
pub(super) fn sequences_between(first: u64, last: u64) -> [Expr; 2] {
    [
        col(SEQUENCE_NAME).gt_eq(sequence(first)),
        col(SEQUENCE_NAME).lt_eq(sequence(last)),
    ]
}

/// Rows with these sequences.
pub(super) fn sequence_in(wanted: &[u64]) -> Expr {
    col(SEQUENCE_NAME).in_list(wanted.iter().map(|&one| sequence(one)).collect(), false)
}

fn sequence(value: u64) -> Expr {
    lit(ScalarValue::Int64(Some(
        i64::try_from(value).unwrap_or(i64::MAX),
    )))
}

/// An error of the engine in one line.
pub(super) fn message(error: &DataFusionError) -> String {
    error
        .strip_backtrace()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}
