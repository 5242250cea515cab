//! Price files: list prices that an administrator imports, in the columns of the embedded tables
//! (`docs/formats/prices.md`).
//!
//! A file is read whole or refused: an unknown column, a price that is not one, a row that is there
//! twice and a reservation dearer than on demand are errors with line and field, because a wrong
//! price would become an untrue saving.

mod units;

use std::collections::BTreeSet;
use std::io::Read as _;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::aws::ListPrices;
use super::sorted::SortedTable;
use super::unit_prices::UnitPrices;
use super::{CatalogueError, PriceCatalogue, PriceOrigin};
use crate::provider::Provider;

/// Largest file after unpacking, bytes; the embedded table of machines has 5 MB.
pub const MOST_BYTES: usize = 64 << 20;
/// Most rows of a file.
const MOST_ROWS: usize = 200_000;
/// Most US dollars an hour: above that somebody has written another unit.
const MOST_USD: f64 = 10_000.0;
/// Factor between a price and the bundled one from which on somebody has written another unit:
/// cents are a factor of 100, months one of
/// 730. Neither discounts nor other regions come near it.
const OTHER_UNIT: f64 = 50.0;
/// First bytes of a file that zstd has compressed.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Largest window of a compressed file, as a power of two: [`MOST_BYTES`].
const WINDOW: u32 = 26;
/// Terms of machines. The embedded table has spot prices of two operating systems, a file may have
/// those of all.
const MACHINE_TERMS: [&str; 5] = [
    ON_DEMAND,
    "standard_1y",
    "convertible_1y",
    "standard_3y",
    SPOT,
];
const ON_DEMAND: &str = "on_demand";
const SPOT: &str = "spot";

/// Kind of a price table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriceKind {
    /// Prices of machines, an hour.
    Machines,
    /// Database instances an hour.
    Databases,
    /// Volumes, snapshots, storage of databases, load balancers, addresses and gateways.
    Units,
}

impl PriceKind {
    /// Every kind, in the order of declaration.
    pub const ALL: [PriceKind; 3] = [PriceKind::Machines, PriceKind::Databases, PriceKind::Units];

    /// Returns the name in files and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            PriceKind::Machines => "machines",
            PriceKind::Databases => "databases",
            PriceKind::Units => "units",
        }
    }

    /// Returns the kind of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        PriceKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

/// Defect of a price file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {field} {message}")]
pub struct PriceFileError {
    /// Line of the file, counted from 1.
    pub line: usize,
    /// Column or head field.
    pub field: String,
    /// Defect, after the field's name.
    pub message: String,
}

fn defect(line: usize, field: &str, message: impl Into<String>) -> PriceFileError {
    PriceFileError {
        line,
        field: field.to_owned(),
        message: message.into(),
    }
}

/// Prices of a provider and kind, read from a file.
#[derive(Debug)]
pub struct PriceFile {
    /// Cloud of the prices.
    pub provider: Provider,
    /// Kind of the prices.
    pub kind: PriceKind,
    /// Source and date of the prices.
    pub origin: PriceOrigin,
    pub regions: u64,
    pub prices: u64,
    /// The file after unpacking.
    pub text: String,
    table: Table,
}

#[derive(Debug)]
enum Table {
    Hourly(SortedTable),
    Units(UnitPrices),
}

impl PriceFile {
    /// Reads a file: CSV with a head, as it is or compressed by zstd.
    ///
    /// # Errors
    /// The first defect of the file.
    pub fn parse(bytes: &[u8]) -> Result<PriceFile, PriceFileError> {
        let text = unpack(bytes)?;
        let (head, lines) = Head::read(&text)?;
        let mut lines = lines.into_iter();
        let Some((number, header)) = lines.next() else {
            return Err(defect(
                text.lines().count() + 1,
                "region",
                "is missing: the file has no header",
            ));
        };

        let columns: Vec<&str> = header.split(',').collect();
        let rows = rows(&columns, lines)?;
        let regions = rows
            .iter()
            .map(|(_, cells)| cells[0])
            .collect::<BTreeSet<_>>()
            .len();

        let (table, prices) = match head.kind {
            PriceKind::Units => {
                units::read(number, &columns, &rows).map(|(table, n)| (Table::Units(table), n))
            }
            kind => hourly(kind, head.provider, number, &columns, rows)
                .map(|(table, n)| (Table::Hourly(table), n)),
        }?;

        if prices == 0 {
            return Err(defect(number, "region", "has no row below it with a price"));
        }

        let origin = PriceOrigin {
            source: head.source.into(),
            date: head.date.into(),
        };
        let (provider, kind, regions) = (head.provider, head.kind, regions as u64);
        Ok(PriceFile {
            provider,
            kind,
            origin,
            regions,
            prices,
            text,
            table,
        })
    }

    /// US dollars an hour in a column of a region's name.
    pub(super) fn hourly(&self, region: &str, name: &str, column: &str) -> Option<f64> {
        match &self.table {
            Table::Hourly(table) => table.cell(region, name, column),
            Table::Units(_) => None,
        }
    }

    /// US dollars of an amount of a unit.
    pub(super) fn units(&self, region: &str, name: &str, unit: &str, amount: f64) -> Option<f64> {
        match &self.table {
            Table::Units(table) => table.usd(region, name, unit, amount),
            Table::Hourly(_) => None,
        }
    }
}

fn unpack(bytes: &[u8]) -> Result<String, PriceFileError> {
    let failed = |message: String| defect(1, "file", message);
    let mut unpacked = Vec::new();

    if bytes.starts_with(&ZSTD) {
        let broken = |error: std::io::Error| failed(format!("does not unpack: {error}"));
        let mut decoder = zstd::stream::read::Decoder::new(bytes).map_err(broken)?;
        decoder.window_log_max(WINDOW).map_err(broken)?;
        decoder
            .take(MOST_BYTES as u64 + 1)
            .read_to_end(&mut unpacked)
            .map_err(broken)?;
    } else {
        unpacked.extend_from_slice(bytes);
    }

    if unpacked.len() > MOST_BYTES {
        return Err(failed(format!(
            "is larger than {} MiB after unpacking",
            MOST_BYTES >> 20
        )));
    }

    let text = String::from_utf8(unpacked).map_err(|_| failed("is not UTF-8 text".to_owned()))?;
    Ok(text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text))
}

/// Number and text of a line.
type Line<'a> = (usize, &'a str);
/// Number of a line and its cells.
type Row<'a> = (usize, Vec<&'a str>);

/// Lines before the header: `# name: value`.
struct Head {
    provider: Provider,
    kind: PriceKind,
    source: String,
    date: String,
}

impl Head {
    /// Reads the head; the other lines follow with their numbers, without empty ones.
    fn read(text: &str) -> Result<(Head, Vec<Line<'_>>), PriceFileError> {
        let [mut provider, mut kind, mut source, mut date] = [None, None, None, None];
        let mut lines = Vec::new();

        for (place, line) in text.lines().enumerate() {
            let number = place + 1;
            let Some(comment) = line.strip_prefix('#') else {
                lines.extend(Some((number, line)).filter(|_| !line.trim().is_empty()));
                continue;
            };
            let (name, value) = comment.split_once(':').unwrap_or((comment, ""));
            let (name, value) = (name.trim(), value.trim());
            let field = match name {
                "provider" => &mut provider,
                "kind" => &mut kind,
                "source" => &mut source,
                "date" => &mut date,
                _ => {
                    return Err(defect(
                        number,
                        name,
                        "is not a field: provider, kind, source and date are",
                    ));
                }
            };
            if field.replace((number, value)).is_some() {
                return Err(defect(number, name, "is there twice"));
            }
        }

        let (line, name) = provider.ok_or_else(|| missing("provider"))?;
        let provider = Provider::parse(name)
            .ok_or_else(|| defect(line, "provider", "must be aws, azure or gcp"))?;
        let (line, name) = kind.ok_or_else(|| missing("kind"))?;
        let kind = PriceKind::parse(name)
            .filter(|kind| *kind == PriceKind::Machines || provider == Provider::Aws)
            .ok_or_else(|| {
                defect(
                    line,
                    "kind",
                    "must be machines, or for aws databases or units",
                )
            })?;

        let (line, source) = source.ok_or_else(|| missing("source"))?;
        if source.is_empty() || source.chars().count() > 100 || source.chars().any(char::is_control)
        {
            return Err(defect(line, "source", "must have 1 to 100 characters"));
        }

        let (line, date) = date.ok_or_else(|| missing("date"))?;
        read_date(date)
            .ok_or_else(|| defect(line, "date", "must be like 2026-11-01 or 2026-11"))?;
        Ok((
            Head {
                provider,
                kind,
                source: source.to_owned(),
                date: date.to_owned(),
            },
            lines,
        ))
    }
}

fn missing(field: &str) -> PriceFileError {
    defect(
        1,
        field,
        format!("is missing: begin the file with a line \"# {field}: ...\""),
    )
}

/// Returns the SHA-256 of a file, hexadecimal.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Reads the date of a price list; of a month, its first day.
#[must_use]
pub fn read_date(text: &str) -> Option<Date> {
    let shape: Vec<usize> = text.split('-').map(str::len).collect();
    match shape[..] {
        [4, 2, 2] => text.parse().ok(),
        [4, 2] => format!("{text}-01").parse().ok(),
        _ => None,
    }
}

/// Cells of the rows, with the rows' lines.
fn rows<'a>(
    columns: &[&str],
    lines: impl Iterator<Item = Line<'a>>,
) -> Result<Vec<Row<'a>>, PriceFileError> {
    let mut rows = Vec::new();
    for (number, line) in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != columns.len() {
            let message = format!(
                "ends a header of {} columns, and the line has {} cells",
                columns.len(),
                cells.len()
            );
            return Err(defect(number, columns.last().unwrap_or(&"region"), message));
        }
        for (field, cell) in [
            ("region", cells[0]),
            ("name", cells.get(1).copied().unwrap_or_default()),
        ] {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if cell.is_empty() || cell.len() > 100 || !cell.chars().all(is_name) {
                return Err(defect(number, field, format!("{cell:?} is not a name")));
            }
        }
        if rows.len() == MOST_ROWS {
            return Err(defect(
                number,
                "region",
                format!("is in more than {MOST_ROWS} rows"),
            ));
        }
        rows.push((number, cells));
    }

    Ok(rows)
}

/// Reads prices an hour; returns their number too.
fn hourly(
    kind: PriceKind,
    provider: Provider,
    header: usize,
    columns: &[&str],
    mut rows: Vec<Row<'_>>,
) -> Result<(SortedTable, u64), PriceFileError> {
    check_columns(kind, header, columns)?;
    // Column of the on-demand price of each column's operating system or engine.
    let usual: Vec<Option<usize>> = columns
        .iter()
        .map(|column| {
            let (name, term) = column.split_once('/')?;
            let is_rate = term != ON_DEMAND && term != SPOT;
            is_rate.then(|| {
                columns
                    .iter()
                    .position(|other| *other == format!("{name}/{ON_DEMAND}"))
            })?
        })
        .collect();

    let mut prices = 0;
    for (number, cells) in &rows {
        for (place, cell) in cells
            .iter()
            .enumerate()
            .skip(2)
            .filter(|(_, cell)| !cell.is_empty())
        {
            let usd = price(cell).ok_or_else(|| {
                defect(
                    *number,
                    columns[place],
                    format!("{cell:?} is not a price above 0 and at most {MOST_USD}"),
                )
            })?;
            if let Some(bundled) =
                bundled(kind, provider, cells, columns[place]).filter(|it| is_other_unit(usd, *it))
            {
                return Err(defect(
                    *number,
                    columns[place],
                    other_unit(cell, bundled, "an hour"),
                ));
            }
            let on_demand = usual[place].map(|place| price(cells[place]));
            if on_demand.is_some_and(|on_demand| on_demand.is_none_or(|on_demand| usd >= on_demand))
            {
                let message = format!("{cell} is not below a price on demand in the same row");
                return Err(defect(*number, columns[place], message));
            }
            prices += 1;
        }
    }

    rows.sort_by(|a, b| (a.1[0], a.1[1], a.0).cmp(&(b.1[0], b.1[1], b.0)));
    if let Some(pair) = rows
        .windows(2)
        .find(|pair| pair[0].1[..2] == pair[1].1[..2])
    {
        let message = format!(
            "{} of {} is in line {} already",
            pair[1].1[1], pair[1].1[0], pair[0].0
        );
        return Err(defect(pair[1].0, "name", message));
    }

    let lines =
        std::iter::once(columns.join(",")).chain(rows.iter().map(|(_, cells)| cells.join(",")));
    let text = lines.fold(String::new(), |text, line| text + &line + "\n");
    let table = SortedTable::from_text("price file", &text);
    let table = table.map_err(|CatalogueError { message, .. }| defect(header, "file", message))?;

    Ok((table, prices))
}

/// The bundled price on demand in the place of a cell.
fn bundled(kind: PriceKind, provider: Provider, cells: &[&str], column: &str) -> Option<f64> {
    let (name, _) = column
        .split_once('/')
        .filter(|(_, term)| *term == ON_DEMAND)?;
    let (catalogue, region, size) = (PriceCatalogue::builtin(), cells[0], cells[1]);
    let found = match kind {
        PriceKind::Databases => catalogue.aws_database(region, size, name, false, None),
        _ => catalogue.hourly_usd(provider, region, size, Some(name)),
    };
    found.map(|price| price.usd_per_hour)
}

fn is_other_unit(usd: f64, bundled: f64) -> bool {
    usd > bundled * OTHER_UNIT || usd * OTHER_UNIT < bundled
}

fn other_unit(cell: &str, bundled: f64, unit: &str) -> String {
    format!("{cell} is far from the bundled price of {bundled}: prices are US dollars {unit}")
}

fn price(cell: &str) -> Option<f64> {
    cell.parse()
        .ok()
        .filter(|usd| *usd > 0.0 && *usd <= MOST_USD)
}

/// Refuses columns that nothing would read: a misspelt one would silently have no prices.
fn check_columns(kind: PriceKind, line: usize, columns: &[&str]) -> Result<(), PriceFileError> {
    for (place, name) in ["region", "name"].into_iter().enumerate() {
        if columns.get(place) != Some(&name) {
            return Err(defect(line, name, format!("must be column {}", place + 1)));
        }
    }

    let embedded = ListPrices::embedded();
    let known: BTreeSet<String> = match kind {
        PriceKind::Machines => {
            let names = embedded
                .machine_columns()
                .filter_map(|column| column.split('/').next());
            names
                .flat_map(|name| MACHINE_TERMS.map(|term| format!("{name}/{term}")))
                .collect()
        }
        _ => embedded.database_columns().map(str::to_owned).collect(),
    };

    for (place, column) in columns.iter().enumerate().skip(2) {
        if !known.contains(*column) {
            return Err(defect(
                line,
                column,
                format!("is not a column of {}", kind.as_str()),
            ));
        }
        if columns[..place].contains(column) {
            return Err(defect(line, column, "is there twice"));
        }
        let (name, term) = column.split_once('/').unwrap_or((column, ON_DEMAND));
        let usual = format!("{name}/{ON_DEMAND}");
        if term != SPOT && !columns.contains(&usual.as_str()) {
            return Err(defect(line, column, format!("needs the column {usual}")));
        }
    }

    Ok(())
}

#[cfg(test)]
mod tests;
