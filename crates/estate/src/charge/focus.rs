//! Lines of a FOCUS file, by the names of its columns.
//!
//! Which columns there are differs between versions and providers: the ones without which a line is
//! no charge are asked for (`BilledCost` and `ChargePeriodStart`), all others may be missing. Names
//! are compared without regard to case, `_` and spaces. `NULL` and blank are missing values.
//! Amounts and times are read by `cell`, which takes what spreadsheets make of them too:
//! FOCUS's own examples hold `$10,000.00` and `4/1/25`.

mod cell;

pub use cell::decimal_mark;

use std::collections::HashSet;
use std::sync::Arc;

use super::{Amount, Charge, ChargeCategory, CommitmentStatus, PricingCategory};

/// Reason why a header is not one of a FOCUS file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// A column that sums need is missing.
    #[error(
        "the header names no {0}, so this is no FOCUS file; export the bill as FOCUS 1.0 or later"
    )]
    Missing(&'static str),
    /// A column occurs twice. The first one would be taken without a word, whichever holds the
    /// amounts.
    #[error("the header names {column} twice, as columns {first} and {second}; remove one of them")]
    Twice {
        column: &'static str,
        /// Its number, the first column being 1.
        first: usize,
        /// Number of the other.
        second: usize,
    },
}

/// Reason why a line is not a charge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{column}: {found:?}: {reason}")]
pub struct LineError {
    pub column: &'static str,
    /// Value found, cut to forty characters.
    pub found: String,
    /// Fault in the value.
    pub reason: String,
}

/// The columns that are read, each with the names it has had.
const COLUMNS: [(&str, &[&str]); 29] = [
    ("BilledCost", &["billedcost"]),
    ("ChargePeriodStart", &["chargeperiodstart"]),
    ("BillingCurrency", &["billingcurrency"]),
    ("ChargePeriodEnd", &["chargeperiodend"]),
    ("BillingPeriodStart", &["billingperiodstart"]),
    ("ChargeCategory", &["chargecategory"]),
    ("ChargeClass", &["chargeclass"]),
    ("EffectiveCost", &["effectivecost"]),
    ("ListCost", &["listcost"]),
    ("ContractedCost", &["contractedcost"]),
    (
        "ProviderName",
        &["providername", "serviceprovidername", "provider"],
    ),
    ("ServiceName", &["servicename"]),
    ("ServiceCategory", &["servicecategory"]),
    ("BillingAccountId", &["billingaccountid"]),
    ("SubAccountId", &["subaccountid"]),
    ("SubAccountName", &["subaccountname"]),
    ("RegionId", &["regionid", "region"]),
    ("ResourceId", &["resourceid"]),
    ("ResourceType", &["resourcetype"]),
    ("PricingCategory", &["pricingcategory"]),
    ("ConsumedQuantity", &["consumedquantity", "usagequantity"]),
    ("ConsumedUnit", &["consumedunit", "usageunit"]),
    ("PricingQuantity", &["pricingquantity"]),
    ("PricingUnit", &["pricingunit"]),
    ("CommitmentDiscountId", &["commitmentdiscountid"]),
    ("CommitmentDiscountStatus", &["commitmentdiscountstatus"]),
    ("ChargeDescription", &["chargedescription"]),
    ("SkuId", &["skuid"]),
    ("Tags", &["tags"]),
];

/// Leading columns of [`COLUMNS`] without which a header is refused.
const REQUIRED: usize = 2;
/// Currency of a file without `BillingCurrency`: its amounts are of one currency that nobody named.
pub const NO_CURRENCY: &str = "unknown";

/// Names and values of a line's tags.
type Tags = Arc<[(String, String)]>;

/// Reads lines. Texts that come again share their memory.
#[derive(Debug)]
pub struct FocusReader {
    /// Position of each of [`COLUMNS`] in the file.
    places: [Option<usize>; COLUMNS.len()],
    /// Amounts are written with a decimal comma.
    decimal_comma: bool,
    known: HashSet<Arc<str>>,
    tags: Option<(String, Tags)>,
    time: (String, i64),
}

impl FocusReader {
    /// For a header.
    ///
    /// # Errors
    /// A column is missing that sums need, or a column that is read occurs twice.
    pub fn from_header<'a>(header: impl Iterator<Item = &'a str>) -> Result<Self, HeaderError> {
        let plain = |name: &str| -> String {
            name.chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|letter| letter.to_ascii_lowercase())
                .collect()
        };
        let header: Vec<String> = header.map(plain).collect();

        let place = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| header.iter().position(|found| found == name))
        };
        let places = COLUMNS.map(|(_, names)| place(names));

        for (required, place) in COLUMNS.iter().zip(places).take(REQUIRED) {
            if place.is_none() {
                return Err(HeaderError::Missing(required.0));
            }
        }

        for ((column, _), first) in COLUMNS
            .iter()
            .zip(places)
            .filter_map(|(column, place)| Some((column, place?)))
        {
            let again = header
                .iter()
                .skip(first + 1)
                .position(|found| Some(found) == header.get(first));
            if let Some(again) = again {
                return Err(HeaderError::Twice {
                    column,
                    first: first + 1,
                    second: first + again + 2,
                });
            }
        }

        Ok(FocusReader {
            places,
            decimal_comma: false,
            known: HashSet::new(),
            tags: None,
            time: (String::new(), 0),
        })
    }

    /// Reads amounts with a decimal comma, as files mostly have them whose columns are divided by
    /// semicolons; [`decimal_mark`] tells.
    #[must_use]
    pub fn with_decimal_comma(self, decimal_comma: bool) -> Self {
        FocusReader {
            decimal_comma,
            ..self
        }
    }

    /// Returns `true` if the file has a column, by its FOCUS name.
    #[must_use]
    pub fn has(&self, column: &str) -> bool {
        COLUMNS
            .iter()
            .zip(self.places)
            .any(|((name, _), place)| *name == column && place.is_some())
    }

    /// Returns `true` if the column at a place holds amounts or quantities.
    #[must_use]
    pub fn is_amount(&self, place: usize) -> bool {
        COLUMNS.iter().zip(self.places).any(|((name, _), known)| {
            known == Some(place) && (name.ends_with("Cost") || name.ends_with("Quantity"))
        })
    }

    /// Returns `true` if charges are made of the column at a place.
    #[must_use]
    pub fn reads(&self, place: usize) -> bool {
        self.places.contains(&Some(place))
    }

    /// A line, by a function that gives the cell at a place.
    ///
    /// # Errors
    /// An amount, a time or a word of a fixed list cannot be read.
    pub fn charge<'c>(
        &mut self,
        cell: impl Fn(usize) -> Option<&'c str>,
    ) -> Result<Charge, LineError> {
        let get = Cells {
            places: &self.places.clone(),
            cell: &cell,
            decimal_comma: self.decimal_comma,
        };
        let start_ms = self.required_time(&get, "ChargePeriodStart")?;
        let end_ms = self.time(&get, "ChargePeriodEnd")?.unwrap_or(start_ms);

        if end_ms < start_ms {
            let found = get.text("ChargePeriodEnd").unwrap_or_default();
            return Err(wrong(
                "ChargePeriodEnd",
                found,
                "the charge ends before it starts",
            ));
        }

        let currency = match get.place("BillingCurrency") {
            Some(_) => get
                .text("BillingCurrency")
                .ok_or_else(|| wrong("BillingCurrency", "", "a charge has a currency"))?,
            None => NO_CURRENCY,
        };

        Ok(Charge {
            provider: self.text(&get, "ProviderName"),
            service: self.text(&get, "ServiceName"),
            service_category: self.text(&get, "ServiceCategory"),
            account: self.text(&get, "BillingAccountId"),
            sub_account: self.text(&get, "SubAccountId"),
            sub_account_name: self.text(&get, "SubAccountName"),
            region: self.text(&get, "RegionId"),
            resource: self.text(&get, "ResourceId"),
            resource_type: self.text(&get, "ResourceType"),
            category: category(&get)?,
            correction: get
                .text("ChargeClass")
                .is_some_and(|class| class.eq_ignore_ascii_case("correction")),
            start_ms,
            end_ms,
            billing_start_ms: self.time(&get, "BillingPeriodStart")?,
            currency: self.shared(currency),
            billed: get.amount("BilledCost")?.unwrap_or(Amount::ZERO),
            effective: get.amount("EffectiveCost")?,
            list: get.amount("ListCost")?,
            contracted: get.amount("ContractedCost")?,
            pricing: get.text("PricingCategory").map(|text| {
                let known = PricingCategory::ALL
                    .iter()
                    .find(|known| known.as_str().eq_ignore_ascii_case(text));
                known.copied().unwrap_or(PricingCategory::Other)
            }),
            consumed: get
                .amount("ConsumedQuantity")?
                .or(get.amount("PricingQuantity")?),
            unit: self
                .text(&get, "ConsumedUnit")
                .or_else(|| self.text(&get, "PricingUnit")),
            commitment: self.text(&get, "CommitmentDiscountId"),
            commitment_status: get.text("CommitmentDiscountStatus").and_then(|text| {
                CommitmentStatus::ALL
                    .iter()
                    .find(|known| known.as_str().eq_ignore_ascii_case(text))
                    .copied()
            }),
            description: self.text(&get, "ChargeDescription"),
            sku: self.text(&get, "SkuId"),
            tags: self.tags(&get),
        })
    }

    fn text(&mut self, get: &Cells<'_, '_>, column: &str) -> Option<Arc<str>> {
        get.text(column).map(|text| self.shared(text))
    }

    fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = Arc::from(text);
        self.known.insert(Arc::clone(&new));
        new
    }

    fn required_time(
        &mut self,
        get: &Cells<'_, '_>,
        column: &'static str,
    ) -> Result<i64, LineError> {
        self.time(get, column)?
            .ok_or_else(|| wrong(column, "", "a charge has a time"))
    }

    /// Lines that follow one another mostly share their times.
    fn time(
        &mut self,
        get: &Cells<'_, '_>,
        column: &'static str,
    ) -> Result<Option<i64>, LineError> {
        let Some(text) = get.text(column) else {
            return Ok(None);
        };

        if self.time.0 != text {
            let at = cell::time(text).ok_or_else(|| wrong(column, text, NO_TIME))?;
            self.time = (text.to_owned(), at);
        }
        Ok(Some(self.time.1))
    }

    fn tags(&mut self, get: &Cells<'_, '_>) -> Option<Arc<[(String, String)]>> {
        let place = get.place("Tags")?;
        let text = (get.cell)(place).map_or("", str::trim);
        if let Some((last, tags)) = &self.tags
            && last == text
        {
            return Some(Arc::clone(tags));
        }

        let tags: Arc<[(String, String)]> = tags(text).into();
        self.tags = Some((text.to_owned(), Arc::clone(&tags)));
        Some(tags)
    }
}

/// The reason that is given for a cell without a time.
const NO_TIME: &str =
    "it is not a time such as 2026-11-20T10:00:00Z, 2026-11-20 or, month first, 11/20/2026";

struct Cells<'p, 'c> {
    places: &'p [Option<usize>; COLUMNS.len()],
    cell: &'p dyn Fn(usize) -> Option<&'c str>,
    decimal_comma: bool,
}

impl<'c> Cells<'_, 'c> {
    fn place(&self, column: &str) -> Option<usize> {
        COLUMNS
            .iter()
            .zip(self.places)
            .find(|((name, _), _)| *name == column)
            .and_then(|(_, place)| *place)
    }

    fn text(&self, column: &str) -> Option<&'c str> {
        let text = (self.cell)(self.place(column)?)?.trim();
        (!text.is_empty() && !text.eq_ignore_ascii_case("null")).then_some(text)
    }

    fn amount(&self, column: &'static str) -> Result<Option<Amount>, LineError> {
        let Some(text) = self.text(column) else {
            return Ok(None);
        };
        cell::amount(text, self.decimal_comma)
            .map(Some)
            .map_err(|error| wrong(column, text, &error.to_string()))
    }
}

fn category(get: &Cells<'_, '_>) -> Result<ChargeCategory, LineError> {
    let Some(text) = get.text("ChargeCategory") else {
        return Ok(ChargeCategory::Usage);
    };

    let known = ChargeCategory::ALL
        .iter()
        .find(|known| known.as_str().eq_ignore_ascii_case(text));
    known.copied().ok_or_else(|| {
        wrong(
            "ChargeCategory",
            text,
            "expected Usage, Purchase, Tax, Credit or Adjustment",
        )
    })
}

fn wrong(column: &'static str, found: &str, reason: &str) -> LineError {
    LineError {
        column,
        found: found.chars().take(40).collect(),
        reason: reason.to_owned(),
    }
}

/// Tags of `{"a": "b"}`, also without its braces, as some exports have it. What is neither counts
/// as no tags.
fn tags(text: &str) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    let mut key: Option<String> = None;
    let mut rest = text.trim();
    rest = rest.strip_prefix('{').unwrap_or(rest);

    loop {
        rest = rest.trim_start_matches([' ', ',', ':', '\t']);
        let (token, after) = match rest.as_bytes().first() {
            None | Some(b'}') => break,
            Some(b'"') => match quoted(&rest[1..]) {
                Some(found) => found,
                None => break,
            },
            Some(_) => {
                let end = rest.find([',', '}', ':']).unwrap_or(rest.len());
                if end == 0 {
                    break;
                }
                (rest[..end].trim().to_owned(), &rest[end..])
            }
        };
        rest = after;
        match key.take() {
            None => key = Some(token),
            Some(key) => tags.push((key, token)),
        }
    }

    tags.retain(|(key, value)| !key.is_empty() && !value.is_empty() && value != "null");
    tags
}

/// The text up to the quote that ends it, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let (mut out, mut escaped) = (String::new(), false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if !escaped => return Some((out, &text[at + 1..])),
            '\\' if !escaped => escaped = true,
            _ => {
                escaped = false;
                out.push(letter);
            }
        }
    }

    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn line(header: &str, line: &str) -> Result<Charge, String> {
        let mut reader =
            FocusReader::from_header(header.split(',')).map_err(|error| error.to_string())?;
        let cells: Vec<&str> = line.split(',').collect();
        reader
            .charge(|place| cells.get(place).copied())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn columns_may_be_missing_and_in_any_order() {
        let charge = line(
            "ChargePeriodStart,BillingCurrency,BilledCost",
            "2026-11-01,EUR,1.10",
        )
        .unwrap();

        assert_eq!(
            (charge.cost().to_string().as_str(), &*charge.currency),
            ("1.1", "EUR")
        );
        assert_eq!(
            (charge.effective, charge.tags, charge.end_ms),
            (None, None, charge.start_ms)
        );

        let header = "billed_cost,Billing Currency,CHARGEPERIODSTART,ChargePeriodEnd,EffectiveCost,ChargeCategory,Tags";
        let charge = line(
            header,
            "NULL,USD,2026-11-01 00:00:00 UTC,2026-11-01T01:00:00Z,-2,credit,",
        )
        .unwrap();
        assert_eq!(charge.end_ms - charge.start_ms, 3_600_000);
        assert_eq!(
            (charge.billed, charge.category),
            (Amount::ZERO, ChargeCategory::Credit)
        );
        assert!(charge.tags.unwrap().is_empty());
    }

    #[test]
    fn a_file_without_currencies_has_one_unknown_currency() {
        let charge = line("BilledCost,ChargePeriodStart", "1,2026-11-01").unwrap();
        assert_eq!(&*charge.currency, NO_CURRENCY);
    }

    #[test]
    fn faults_are_named() {
        assert!(
            line("a,b", "1,2")
                .unwrap_err()
                .contains("names no BilledCost")
        );

        let ends = line(
            "BilledCost,ChargePeriodStart,ChargePeriodEnd",
            "1,2026-11-02,2026-11-01",
        )
        .unwrap_err();

        assert_eq!(
            ends,
            "ChargePeriodEnd: \"2026-11-01\": the charge ends before it starts"
        );

        let header = "BilledCost,BillingCurrency,ChargePeriodStart,ChargeCategory";
        for (text, expect) in [
            (
                "1 000,USD,2026-11-01,Usage",
                "BilledCost: \"1 000\": it is not a decimal number",
            ),
            (
                "1,NULL,2026-11-01,Usage",
                "BillingCurrency: \"\": a charge has a currency",
            ),
            (
                "1,USD,yesterday,Usage",
                "ChargePeriodStart: \"yesterday\": it is not a time",
            ),
            (
                "1,USD,2026-11-01,Gift",
                "ChargeCategory: \"Gift\": expected Usage, Purchase",
            ),
        ] {
            let error = line(header, text).unwrap_err();
            assert!(error.starts_with(expect), "{error}");
        }
    }

    #[test]
    fn tags_with_and_without_braces() {
        let expect = [
            ("env".to_owned(), "prod, \"eu\"".to_owned()),
            ("n".to_owned(), "3".to_owned()),
        ];
        assert_eq!(tags(r#"{"env": "prod, \"eu\"", "n": 3}"#), expect);
        assert_eq!(tags(r#""env": "prod, \"eu\"","n": "3""#), expect);
        for text in ["", "{}", "NULL", "{\"a\": null}", "{\"a", "{\"a\":\"\"}"] {
            assert!(tags(text).is_empty(), "{text}");
        }
    }
}
