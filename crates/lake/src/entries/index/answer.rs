//! A query asked of an index: which rows surely match, and which may.
//!
//! Every condition becomes two sets of rows, one inside the truth and one around it; NOT swaps
//! them. Where they are the same the index knows the answer, and elsewhere the rows between the two
//! have to be read.

use std::io;

use memchr::memmem::Finder;
use reeve_audit::query::{
    Bound, Expr, FieldPath, Match, QueryColumn, TextMatch, TextWord, fold, words,
};

use super::bits::Bits;
use super::code::hash;
use super::dictionary::{DictionaryList, DictionaryVerdict};
use super::holds;
use super::kind;
use super::open::{EntryIndex, Field};
use crate::entries::budget::EntryBudget;
use crate::entries::translate::{self, span};

/// Answer of an index to a query.
#[derive(Debug, Clone)]
pub(in crate::entries) struct IndexAnswer {
    /// Rows that surely match.
    pub(in crate::entries) sure: Bits,
    /// Those and the rows that may match; `None` when there are no others.
    maybe: Option<Bits>,
}

impl IndexAnswer {
    /// The rows that match are these.
    fn exactly(sure: Bits) -> Self {
        IndexAnswer { sure, maybe: None }
    }

    /// Some of these rows.
    fn within(maybe: Bits) -> Self {
        if maybe.is_empty() {
            return IndexAnswer::exactly(maybe);
        }
        IndexAnswer {
            sure: Bits::none(maybe.len()),
            maybe: Some(maybe),
        }
    }

    /// Nothing is known of any row.
    pub(in crate::entries) fn unknown(rows: usize) -> Self {
        IndexAnswer::within(Bits::all(rows))
    }

    fn around(&self) -> &Bits {
        self.maybe.as_ref().unwrap_or(&self.sure)
    }

    /// Rows that have to be read; `None` when the answer is exact.
    pub(in crate::entries) fn unsure(&self) -> Option<Bits> {
        let mut rows = self.maybe.clone()?;
        rows.and_not(&self.sure);
        (!rows.is_empty()).then_some(rows)
    }

    fn and(mut self, other: IndexAnswer) -> Self {
        if self.maybe.is_some() || other.maybe.is_some() {
            let mut maybe = self.around().clone();
            maybe.and(other.around());
            self.maybe = Some(maybe);
        }
        self.sure.and(&other.sure);
        self
    }

    fn or(mut self, other: IndexAnswer) -> Self {
        if self.maybe.is_some() || other.maybe.is_some() {
            let mut maybe = self.around().clone();
            maybe.or(other.around());
            self.maybe = Some(maybe);
        }
        self.sure.or(&other.sure);
        self
    }

    fn not(self) -> Self {
        match self.maybe {
            None => IndexAnswer::exactly(self.sure.not()),
            Some(maybe) => IndexAnswer {
                sure: maybe.not(),
                maybe: Some(self.sure.not()),
            },
        }
    }
}

/// A term, and the rows of which a UUID that is kept by its words alone has it.
#[derive(Debug)]
pub(in crate::entries) struct Known {
    pub(in crate::entries) term: TextMatch,
    pub(in crate::entries) rows: Bits,
}

impl EntryIndex {
    /// The columns with UUIDs of which the index keeps only a piece; `None` when there are such
    /// outside columns.
    pub(in crate::entries) fn uuid_columns(&self) -> Option<Vec<QueryColumn>> {
        let with = self.fields.iter().filter(|field| field.uuids);
        with.map(|field| {
            QueryColumn::ALL
                .into_iter()
                .find(|column| kind::column_key(*column) == field.key)
        })
        .collect()
    }

    /// Returns the answer to a query whose times are resolved. Of the terms in `known` it is known
    /// already which UUIDs that the index does not keep have them. Ends with `TimedOut` where no
    /// time is left.
    pub(in crate::entries) fn answer(
        &self,
        asked: &Expr,
        known: &[Known],
        budget: &EntryBudget,
    ) -> io::Result<IndexAnswer> {
        budget.check()?;
        match asked {
            Expr::All => Ok(IndexAnswer::exactly(Bits::all(self.rows))),
            Expr::And(terms) => {
                let mut all = IndexAnswer::exactly(Bits::all(self.rows));
                for term in terms {
                    all = all.and(self.answer(term, known, budget)?);
                    if all.around().is_empty() {
                        break;
                    }
                }
                Ok(all)
            }
            Expr::Or(terms) => {
                let mut any = IndexAnswer::exactly(Bits::none(self.rows));
                for term in terms {
                    any = any.or(self.answer(term, known, budget)?);
                }
                Ok(any)
            }
            Expr::Not(inner) => Ok(self.answer(inner, known, budget)?.not()),
            Expr::Field { field, op } => self.on_field(field, op),
            Expr::Text(term) => self.text(term, known),
        }
    }

    fn on_field(&self, field: &FieldPath, op: &Match) -> io::Result<IndexAnswer> {
        match field {
            FieldPath::Column(column) if column.is_time() => self.on_time(*column, op),
            FieldPath::Column(column) => self.on_column(*column, op),
            FieldPath::User => Ok(self
                .on_column(QueryColumn::ActorId, op)?
                .or(self.on_column(QueryColumn::ActorEmail, op)?)),
            FieldPath::ApiVersion => self.on_keyed(&[kind::API_VERSION, b':'], op, &|_, text| {
                op.is_satisfied_by(text)
            }),
            FieldPath::MetadataTags => self.on_keyed(&[kind::LABELS, b':'], op, &|_, text| {
                op.is_satisfied_by(text)
            }),
            FieldPath::ResourceTags => {
                self.on_tags(|_| true, op, &|_, text| op.is_satisfied_by(text))
            }
            FieldPath::ResourceTag(name) => {
                self.on_tags(|held| fold::equals(held, name), op, &|_, text| {
                    holds::open(kind::TEXT, text, op)
                })
            }
            FieldPath::Tags => self.on_any_tag(op),
            FieldPath::Changes => {
                let both = [kind::BEFORE, kind::AFTER].map(|root| self.on_path(root, &[], op));
                let [before, after] = both;
                Ok(before?.or(after?))
            }
            FieldPath::Before(path) => self.on_path(kind::BEFORE, path, op),
            FieldPath::After(path) => self.on_path(kind::AFTER, path, op),
            FieldPath::Metadata(path) => self.on_path(kind::METADATA, path, op),
            FieldPath::Submitter(field) => {
                self.on_keyed(&kind::submitter_key(*field), op, &|_, text| {
                    translate::submitter_holds(*field, text, op)
                })
            }
        }
    }

    fn on_time(&self, column: QueryColumn, op: &Match) -> io::Result<IndexAnswer> {
        match op {
            Match::Exists => Ok(IndexAnswer::exactly(Bits::all(self.rows))),
            Match::Compare(side, Bound::Time(at)) => {
                let (first, last) = span(*side, *at);
                let times = self.times(column == QueryColumn::RecordedAt)?;
                let mut bits = Bits::none(self.rows);
                let mut values = Vec::new();
                for block in 0..times.blocks() {
                    let (least, most) = times.span(block);
                    let start = block * super::code::BLOCK;
                    if first <= least && most <= last {
                        bits.set_range(start..start + super::code::BLOCK);
                    } else if least <= last && first <= most {
                        times.block(block, &mut values);
                        let inside = values
                            .iter()
                            .enumerate()
                            .filter(|(_, at)| (first..=last).contains(at));
                        inside.for_each(|(row, _)| bits.set(start + row));
                    }
                }
                Ok(IndexAnswer::exactly(bits))
            }
            // A number or a severity is on no side of a time.
            Match::Compare(_, Bound::Number(_) | Bound::Severity(_))
            | Match::Cidr(_)
            | Match::Ip(_) => Ok(IndexAnswer::exactly(Bits::none(self.rows))),
            _ => Ok(IndexAnswer::unknown(self.rows)),
        }
    }

    fn on_column(&self, column: QueryColumn, op: &Match) -> io::Result<IndexAnswer> {
        self.on_keyed(&kind::column_key(column), op, &|_, text| {
            translate::holds(column, text, op)
        })
    }

    fn on_keyed(
        &self,
        key: &[u8],
        op: &Match,
        holds: &dyn Fn(u8, &str) -> bool,
    ) -> io::Result<IndexAnswer> {
        match self.by_key.get(key) {
            Some(&at) => self.on_values(&self.fields[at], op, holds),
            None => Ok(IndexAnswer::exactly(Bits::none(self.rows))),
        }
    }

    fn on_tags(
        &self,
        named: impl Fn(&str) -> bool,
        op: &Match,
        holds: &dyn Fn(u8, &str) -> bool,
    ) -> io::Result<IndexAnswer> {
        let mut any = self.unless_complete();
        for (name, field) in self.tags() {
            if named(name) {
                any = any.or(self.on_values(field, op, holds)?);
            }
        }
        Ok(any)
    }

    fn tags(&self) -> impl Iterator<Item = (&str, &Field)> {
        self.fields.iter().filter_map(|field| {
            let name = field.key.strip_prefix(&[kind::TAG, b':'])?;
            Some((std::str::from_utf8(name).ok()?, field))
        })
    }

    fn on_any_tag(&self, op: &Match) -> io::Result<IndexAnswer> {
        let mut any = self.on_keyed(&[kind::LABELS, b':'], op, &|_, text| {
            op.is_satisfied_by(text)
        })?;
        any = any.or(self.unless_complete());

        for (name, field) in self.tags() {
            any = any.or(if op.is_satisfied_by(name) {
                IndexAnswer::exactly(field.present.rows(&self.file, self.rows)?)
            } else {
                // The name and an equals sign may stand before: values can begin with anything.
                let holds = |_, text: &str| {
                    op.is_satisfied_by(text) || op.is_satisfied_by(&format!("{name}={text}"))
                };
                match &field.values {
                    Some(values) => {
                        let lists = values.walk(&self.file, (0, ""), |_, kind, text, _| {
                            taken(holds(kind, text))
                        })?;
                        IndexAnswer::exactly(values.rows(&self.file, &lists, self.rows)?)
                    }
                    None => IndexAnswer::within(field.present.rows(&self.file, self.rows)?),
                }
            });
        }

        Ok(any)
    }

    /// No row, or, where members were left out, perhaps any.
    fn unless_complete(&self) -> IndexAnswer {
        if self.incomplete {
            IndexAnswer::unknown(self.rows)
        } else {
            IndexAnswer::exactly(Bits::none(self.rows))
        }
    }

    fn on_path(&self, root: u8, path: &[String], op: &Match) -> io::Result<IndexAnswer> {
        let mut any = self.unless_complete();
        // A number may name an element of a list, whose place the index does not keep.
        let steps: Vec<usize> = (0..path.len())
            .filter(|&at| path[at].parse::<usize>().is_ok())
            .collect();
        if steps.len() > 3 {
            return Ok(IndexAnswer::unknown(self.rows));
        }

        for left_out in 0..1usize << steps.len() {
            let is_left_out = |at: usize| {
                steps
                    .iter()
                    .position(|&step| step == at)
                    .is_some_and(|bit| left_out >> bit & 1 == 1)
            };
            let rest: Vec<String> = (0..path.len())
                .filter(|&at| !is_left_out(at))
                .map(|at| path[at].clone())
                .collect();
            let key = kind::path_key(root, &rest);
            if root == kind::METADATA && rest.is_empty() {
                continue;
            }
            let found = self.on_keyed(&key, op, &|kind, text| holds::open(kind, text, op))?;
            any = any.or(if left_out == 0 {
                found
            } else {
                IndexAnswer::within(found.around().clone())
            });
        }

        Ok(any)
    }

    /// The rows of a field whose values meet a condition.
    fn on_values(
        &self,
        field: &Field,
        op: &Match,
        holds: &dyn Fn(u8, &str) -> bool,
    ) -> io::Result<IndexAnswer> {
        let present = || field.present.rows(&self.file, self.rows);
        let Some(values) = &field.values else {
            return match op {
                Match::Exists => Ok(IndexAnswer::exactly(present()?)),
                Match::Exact(text) | Match::Identical(text) if text.parse::<f64>().is_err() => {
                    let mut rows = present()?;
                    for word in words(text) {
                        let word = TextWord::Whole(fold::fold(word).into_owned());
                        rows.and(self.word(&word, true)?.around());
                    }
                    Ok(IndexAnswer::within(rows))
                }
                _ => Ok(IndexAnswer::within(present()?)),
            };
        };

        let mut lists: Vec<DictionaryList> = Vec::new();
        match holds::begins(op) {
            None => {
                lists = values.walk(&self.file, (0, ""), |_, kind, text, _| {
                    taken(holds(kind, text))
                })?
            }
            Some(begin) => {
                // Columns and tags hold texts alone. Elsewhere kinds before texts and after them
                // hold few values.
                let mixed = kind::is_open(&field.key);
                if mixed {
                    lists.extend(values.walk(
                        &self.file,
                        (0, ""),
                        |_, kind, text, _| match kind {
                            kind if kind >= kind::TEXT => DictionaryVerdict::Stop,
                            kind => taken(holds(kind, text)),
                        },
                    )?);
                }
                lists.extend(values.walk(
                    &self.file,
                    (kind::TEXT, &begin),
                    |_, kind, text, _| {
                        if kind != kind::TEXT || !fold::starts_with(text, &begin) {
                            return DictionaryVerdict::Stop;
                        }
                        taken(holds(kind, text))
                    },
                )?);
                if mixed {
                    let after = (kind::TEXT + 1, "");
                    lists.extend(values.walk(&self.file, after, |_, kind, text, _| {
                        taken(holds(kind, text))
                    })?);
                }
            }
        }

        Ok(IndexAnswer::exactly(
            values.rows(&self.file, &lists, self.rows)?,
        ))
    }

    /// Rows with a word in a value that is kept by its words alone.
    fn word(&self, word: &TextWord, in_uuids: bool) -> io::Result<IndexAnswer> {
        let start = word.start();
        let lists = self
            .words
            .walk(&self.file, (kind::TEXT, start), |_, _, held, _| {
                if held.starts_with(start) {
                    taken(word.is_satisfied_by(held))
                } else {
                    DictionaryVerdict::Stop
                }
            })?;
        let known = IndexAnswer::exactly(self.words.rows(&self.file, &lists, self.rows)?);

        let goes_on = word.whole().is_none();
        let texts = word.texts();
        let hex = texts
            .iter()
            .all(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let in_uuid = match texts.iter().map(|text| text.len()).sum::<usize>() {
            _ if !hex || !in_uuids || self.uuid_rows.count() == 0 => return Ok(known),
            0..=12 if matches!(word, TextWord::Like(_)) => {
                self.uuid_rows.rows(&self.file, self.rows)?
            }
            12 => {
                let word = start;
                let mut rows = Bits::none(self.rows);
                self.uuids
                    .find(&self.file, hash(word.as_bytes()))?
                    .into_iter()
                    .for_each(|row| rows.set(row));
                rows
            }
            4 | 8 => self.uuid_rows.rows(&self.file, self.rows)?,
            0..12 if goes_on => self.uuid_rows.rows(&self.file, self.rows)?,
            _ => return Ok(known),
        };

        Ok(known.or(IndexAnswer::within(in_uuid)))
    }

    fn text(&self, term: &TextMatch, known: &[Known]) -> io::Result<IndexAnswer> {
        let mut found = self.unless_complete();
        let known = known.iter().find(|known| known.term == *term);
        if let Some(known) = known {
            found = found.or(IndexAnswer::exactly(known.rows.clone()));
        }

        // Values that are kept: by their longest whole word, or by looking at all.
        let longest = term
            .words
            .iter()
            .filter_map(TextWord::whole)
            .max_by_key(|word| word.len());

        let blocks = match longest {
            Some(word) => Some(
                self.value_words
                    .find(&self.file, hash(fold::fold(word).as_bytes()))?,
            ),
            None => None,
        };
        found = found.or(IndexAnswer::exactly(
            self.values_with(term, blocks.as_deref())?,
        ));

        // Values that are not kept: rows that have all words.
        if self.words.count > 0 || self.uuid_rows.count() > 0 {
            let mut rows: Option<IndexAnswer> = None;
            for word in &term.words {
                let with = self.word(word, known.is_none())?;
                rows = Some(match rows {
                    Some(rows) => rows.and(with),
                    None => with,
                });
            }
            if let Some(rows) = rows {
                found = found.or(if term.words.len() == 1 {
                    rows
                } else {
                    IndexAnswer::within(rows.around().clone())
                });
            }
        }

        Ok(found)
    }

    /// Rows with the term in a value that is kept; looked for in some blocks, or in all.
    fn values_with(&self, term: &TextMatch, blocks: Option<&[usize]>) -> io::Result<Bits> {
        let mut bits = Bits::none(self.rows);
        let mut looked = Looked::new(term);

        for field in self.fields.iter().filter(|field| field.searched) {
            let Some(values) = &field.values else {
                continue;
            };
            let span = field.base..field.base + values.blocks();
            let own: Vec<usize> = match blocks {
                Some(blocks) => blocks
                    .iter()
                    .filter(|at| span.contains(at))
                    .map(|at| at - field.base)
                    .collect(),
                None => (0..values.blocks()).collect(),
            };
            let mut lists = Vec::new();
            values.in_blocks(&self.file, &own, |kind, text, list| {
                if matches!(kind, kind::TEXT | kind::NUMBER) && looked.found_in(text) {
                    lists.push(list);
                }
            })?;
            values.each_list(&self.file, &lists, |_, rows| rows.add_to(&mut bits))?;
        }

        Ok(bits)
    }
}

/// Returns the longest text of ASCII that stands in every value with a term, in lower case.
pub(in crate::entries) fn longest_text(term: &TextMatch) -> Option<&str> {
    let texts = term
        .words
        .iter()
        .flat_map(TextWord::texts)
        .filter(|text| text.is_ascii());
    texts.max_by_key(|text| text.len())
}

/// A term that is looked for in many values: most have not even its bytes.
struct Looked<'t> {
    term: &'t TextMatch,
    longest: Option<Finder<'t>>,
    lower: Vec<u8>,
}

impl<'t> Looked<'t> {
    fn new(term: &'t TextMatch) -> Self {
        Looked {
            term,
            longest: longest_text(term).map(|text| Finder::new(text.as_bytes())),
            lower: Vec::new(),
        }
    }

    fn found_in(&mut self, text: &str) -> bool {
        if let Some(longest) = &self.longest
            && text.is_ascii()
        {
            self.lower.clear();
            self.lower.extend_from_slice(text.as_bytes());
            self.lower.make_ascii_lowercase();
            if longest.find(&self.lower).is_none() {
                return false;
            }
        }

        self.term.found_in(text)
    }
}

fn taken(holds: bool) -> DictionaryVerdict {
    if holds {
        DictionaryVerdict::Take
    } else {
        DictionaryVerdict::Pass
    }
}
