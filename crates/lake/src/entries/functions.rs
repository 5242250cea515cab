//! Conditions that DataFusion does not know, as scalar functions: the audit crate's comparison on a
//! text column, asked once a distinct value, and the audit crate's whole judgement on an entry's
//! canonical bytes.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::datatypes::{DataType, Int32Type};
use datafusion_common::{Result, exec_err};
use datafusion_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, col,
};
use memchr::memmem::Finder;
use reeve_audit::Obstacle;
use reeve_audit::query::QueryColumn;

use super::decode::{CANONICAL_COLUMNS, Canonical, canonical_columns};
use super::schema::SCHEMA;

/// Condition on a value of a column, or on its absence.
pub(super) type HoldsText = dyn Fn(Option<&str>) -> bool + Send + Sync;
/// Condition on the entry with these canonical bytes; an error says why they are not an entry.
pub(super) type HoldsEntry = dyn Fn(&[u8]) -> std::result::Result<bool, Obstacle> + Send + Sync;

/// A condition on a text column. It is true or false, never null.
pub(super) fn text_condition(column: QueryColumn, holds: Arc<HoldsText>) -> Expr {
    let function = TextCondition {
        holds: Opaque(holds),
        signature: Signature::any(1, Volatility::Immutable),
    };
    ScalarUDF::from(function).call(vec![col(column.segment_name())])
}

/// A condition on canonical bytes. `words`, in lower case, occur in the bytes of every entry that
/// meets it. Rows for which `known` is true already are not looked at.
pub(super) fn entry_condition(
    holds: Arc<HoldsEntry>,
    words: &[String],
    known: Option<Expr>,
) -> Expr {
    let mut arguments: Vec<Expr> = canonical_columns()
        .map(|column| col(SCHEMA.field(column).name()))
        .into();
    arguments.extend(known);

    // Other scripts fold case in ways that bytes do not show.
    let words = words
        .iter()
        .filter(|word| word.is_ascii())
        .map(|word| Finder::new(word.as_bytes()).into_owned())
        .collect();
    let signature = Signature::any(arguments.len(), Volatility::Immutable);
    ScalarUDF::from(EntryCondition {
        holds: Opaque(holds),
        words: Opaque(Arc::new(words)),
        signature,
    })
    .call(arguments)
}

/// Something equal to itself alone.
struct Opaque<T: ?Sized>(Arc<T>);

impl<T: ?Sized> fmt::Debug for Opaque<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl<T: ?Sized> PartialEq for Opaque<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::as_ptr(&self.0).addr() == Arc::as_ptr(&other.0).addr()
    }
}

impl<T: ?Sized> Eq for Opaque<T> {}

impl<T: ?Sized> Hash for Opaque<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).addr().hash(state);
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct TextCondition {
    holds: Opaque<HoldsText>,
    signature: Signature,
}

impl ScalarUDFImpl for TextCondition {
    fn name(&self) -> &'static str {
        "reeve_text"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let values = argument(&arguments, 0)?;
        let holds = &*self.holds.0;
        let answer: BooleanArray = match values.data_type() {
            DataType::Utf8 => values
                .as_string::<i32>()
                .iter()
                .map(|value| Some(holds(value)))
                .collect(),
            DataType::Dictionary(..) => by_distinct_value(&values, holds),
            other => return exec_err!("reeve_text of {other}"),
        };

        Ok(ColumnarValue::Array(Arc::new(answer)))
    }
}

/// Asks once a distinct value that occurs.
fn by_distinct_value(values: &ArrayRef, holds: &HoldsText) -> BooleanArray {
    let dictionary = values.as_dictionary::<Int32Type>();
    let distinct = dictionary.values().as_string::<i32>();
    let mut known: Vec<Option<bool>> = vec![None; distinct.len()];
    let absent = holds(None);

    dictionary
        .keys()
        .iter()
        .map(|key| {
            match key
                .map(|key| key as usize)
                .filter(|&key| !distinct.is_null(key))
            {
                Some(key) => {
                    Some(*known[key].get_or_insert_with(|| holds(Some(distinct.value(key)))))
                }
                None => Some(absent),
            }
        })
        .collect()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct EntryCondition {
    holds: Opaque<HoldsEntry>,
    words: Opaque<Vec<Finder<'static>>>,
    signature: Signature,
}

impl ScalarUDFImpl for EntryCondition {
    fn name(&self) -> &'static str {
        "reeve_entry"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = (0..CANONICAL_COLUMNS)
            .map(|at| argument(&arguments, at))
            .collect::<Result<Vec<_>>>()?;
        let known = arguments
            .args
            .get(CANONICAL_COLUMNS)
            .map(|_| argument(&arguments, CANONICAL_COLUMNS))
            .transpose()?;
        let known = known.as_ref().map(|known| known.as_boolean());
        let mut canonical = Canonical::new(&std::array::from_fn(|at| &columns[at]));
        let mut lower = Vec::new();
        let mut answer = Vec::with_capacity(arguments.number_rows);

        for row in 0..arguments.number_rows {
            let settled = known.is_some_and(|known| known.is_valid(row) && known.value(row));
            let holds = settled || {
                let bytes = canonical.row(row);
                self.has_words(bytes, &mut lower)
                    && (self.holds.0)(bytes).or_else(|error| exec_err!("{error}"))?
            };
            answer.push(holds);
        }

        Ok(ColumnarValue::Array(Arc::new(BooleanArray::from(answer))))
    }
}

impl EntryCondition {
    /// False only when a word is surely not there.
    fn has_words(&self, bytes: &[u8], lower: &mut Vec<u8>) -> bool {
        if self.words.0.is_empty() || !bytes.is_ascii() {
            return true;
        }
        lower.clear();
        lower.extend_from_slice(bytes);
        lower.make_ascii_lowercase();
        self.words.0.iter().all(|word| word.find(lower).is_some())
    }
}

fn argument(arguments: &ScalarFunctionArgs, index: usize) -> Result<ArrayRef> {
    match arguments.args.get(index) {
        Some(value) => value.to_array(arguments.number_rows),
        None => exec_err!("argument {index} is missing"),
    }
}
