//! A large embedded table, compressed, whose rows are found by region and name without parsing the
//! others. Refuses rows out of order, because a search by halves would then miss prices, and rows
//! of another length.

use std::collections::{BTreeMap, BTreeSet};

use super::CatalogueError;

/// Rows by region and name, in the order of both.
#[derive(Debug)]
pub(super) struct SortedTable {
    /// The table without its header.
    text: String,
    /// Positions in a row by the header's names.
    columns: BTreeMap<String, usize>,
    /// Begin and end of each row in the text.
    rows: Vec<(usize, usize)>,
}

impl SortedTable {
    /// Reads a table that `zstd` has compressed.
    pub(super) fn parse(file: &'static str, packed: &[u8]) -> Result<Self, CatalogueError> {
        let failed = |message: String| CatalogueError { file, message };
        let unpacked = zstd::decode_all(packed).map_err(|error| failed(error.to_string()))?;
        let text = String::from_utf8(unpacked).map_err(|error| failed(error.to_string()))?;
        Self::from_text(file, &text)
    }

    /// Reads a table and indexes its rows by region and name.
    pub(super) fn from_text(file: &'static str, text: &str) -> Result<Self, CatalogueError> {
        let failed = |message: String| CatalogueError { file, message };
        let (header, text) = text
            .split_once('\n')
            .ok_or_else(|| failed("line 1: no header".to_owned()))?;
        let columns: BTreeMap<String, usize> = header
            .split(',')
            .enumerate()
            .map(|(place, name)| (name.to_owned(), place))
            .collect();
        let mut rows: Vec<(usize, usize)> = Vec::new();
        let mut begin = 0;

        for (number, row) in text.lines().enumerate() {
            let line = number + 2;
            if row.split(',').count() != columns.len() {
                return Err(failed(format!("line {line}: not {} cells", columns.len())));
            }
            if rows
                .last()
                .is_some_and(|last| key(&text[last.0..last.1]) >= key(row))
            {
                return Err(failed(format!(
                    "line {line}: not in the order of region and name"
                )));
            }
            rows.push((begin, begin + row.len()));
            begin += row.len() + 1;
        }

        Ok(SortedTable {
            text: text.to_owned(),
            columns,
            rows,
        })
    }

    /// Returns the number in a column of a row; `None` for a row or column that the table does not
    /// have, and for an empty cell.
    pub(super) fn cell(&self, region: &str, name: &str, column: &str) -> Option<f64> {
        let place = *self.columns.get(column)?;
        let found = self
            .rows
            .binary_search_by(|(begin, end)| key(&self.text[*begin..*end]).cmp(&(region, name)))
            .ok()?;
        let (begin, end) = self.rows[found];
        self.text[begin..end].split(',').nth(place)?.parse().ok()
    }

    /// Names of the columns with prices.
    pub(super) fn price_columns(&self) -> impl Iterator<Item = &str> {
        self.columns
            .iter()
            .filter(|(_, place)| **place >= 2)
            .map(|(name, _)| name.as_str())
    }

    /// Numbers of regions and of prices.
    pub(super) fn size(&self) -> (u64, u64) {
        let rows = || {
            self.rows
                .iter()
                .map(|(begin, end)| &self.text[*begin..*end])
        };
        let regions: BTreeSet<&str> = rows().map(|row| key(row).0).collect();

        let prices = rows()
            .flat_map(|row| row.split(',').skip(2))
            .filter(|cell| !cell.is_empty())
            .count();
        (regions.len() as u64, prices as u64)
    }

    /// Regions, names and cells of all rows that are neither empty nor a positive number.
    #[cfg(test)]
    pub(super) fn defects(&self) -> Vec<&str> {
        let is_price =
            |cell: &str| cell.is_empty() || cell.parse::<f64>().is_ok_and(|usd| usd > 0.0);
        let rows = self
            .rows
            .iter()
            .map(|(begin, end)| &self.text[*begin..*end]);
        rows.filter(|row| !row.split(',').skip(2).all(is_price))
            .collect()
    }

    /// Number of rows.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

/// Region and name of a row.
fn key(row: &str) -> (&str, &str) {
    let mut cells = row.split(',');
    (
        cells.next().unwrap_or_default(),
        cells.next().unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parse(text: &str) -> Result<SortedTable, CatalogueError> {
        SortedTable::parse(
            "test.csv.zst",
            &zstd::encode_all(text.as_bytes(), 1).unwrap(),
        )
    }

    #[test]
    fn rows_are_found_by_region_and_name() {
        let table = parse("region,name,a,b\ne-1,m,1,2\ne-1,m.x,3,\nu-1,m,5,6\n").unwrap();
        assert_eq!(table.cell("e-1", "m", "b"), Some(2.0));
        assert_eq!(table.cell("u-1", "m", "a"), Some(5.0));
        assert_eq!(table.cell("e-1", "m.x", "b"), None, "empty");
        assert_eq!(table.cell("e-1", "m.y", "a"), None);
        assert_eq!(table.cell("e-1", "m", "c"), None);
    }

    #[test]
    fn rows_out_of_order_and_of_another_length_are_refused() {
        for (text, message) in [
            (
                "region,name,a\nu-1,m,1\ne-1,m,1\n",
                "line 3: not in the order of region and name",
            ),
            (
                "region,name,a\ne-1,m,1\ne-1,m,1\n",
                "line 3: not in the order of region and name",
            ),
            ("region,name,a\ne-1,m\n", "line 2: not 3 cells"),
        ] {
            assert_eq!(parse(text).unwrap_err().message, message);
        }
        assert!(SortedTable::parse("test.csv.zst", b"not compressed").is_err());
    }
}
