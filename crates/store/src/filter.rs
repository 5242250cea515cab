//! Puts the `WHERE` of a list together: literals joined, values bound.

use reeve_estate::VisibleConnections;
use sqlx::any::{Any, AnyArguments};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, SqlSafeStr as _, SqlStr};

/// A value of a condition.
#[derive(Debug, Clone)]
enum Value {
    Text(String),
    Integer(i64),
    Real(f64),
}

/// Conditions that must all hold, with their values.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    sql: String,
    values: Vec<Value>,
}

impl Filter {
    /// Adds a condition on a text; every `?` is replaced by the value.
    pub(crate) fn text(&mut self, condition: &'static str, value: impl Into<String>) {
        self.values.push(Value::Text(value.into()));
        self.condition(condition);
    }

    /// Adds a condition on several texts; each `?` is replaced by the next of them.
    pub(crate) fn texts(&mut self, condition: &'static str, values: &[&str]) {
        let mut pieces = condition.split('?');
        let mut sql = pieces.next().unwrap_or_default().to_owned();
        for (piece, value) in pieces.zip(values) {
            self.values.push(Value::Text((*value).to_owned()));
            sql.push_str(&format!("${}{piece}", self.values.len()));
        }

        self.join();
        self.sql.push_str(&sql);
    }

    /// Adds a condition on an integer; every `?` is replaced by the value.
    pub(crate) fn integer(&mut self, condition: &'static str, value: i64) {
        self.values.push(Value::Integer(value));
        self.condition(condition);
    }

    /// Adds a condition on a fraction; every `?` is replaced by the value.
    pub(crate) fn real(&mut self, condition: &'static str, value: f64) {
        self.values.push(Value::Real(value));
        self.condition(condition);
    }

    /// Adds a condition without a value.
    pub(crate) fn fixed(&mut self, condition: &'static str) {
        self.join();
        self.sql.push_str(condition);
    }

    /// Rows behind a place in the order of a number and, where that is equal, of a text.
    pub(crate) fn behind(
        &mut self,
        (number, text): (&'static str, &'static str),
        (integer, value): (i64, &str),
    ) {
        self.values.push(Value::Integer(integer));
        self.values.push(Value::Text(value.to_owned()));
        let (n, m) = (self.values.len() - 1, self.values.len());
        self.join();
        self.sql.push_str(&format!(
            "{number} >= ${n} AND ({number} > ${n} OR {text} > ${m})"
        ));
    }

    /// A column that is one of several texts; none is no condition.
    pub(crate) fn one_of<'a>(
        &mut self,
        column: &'static str,
        texts: impl IntoIterator<Item = &'a str>,
    ) {
        let mut places = Vec::new();
        for text in texts {
            self.values.push(Value::Text(text.to_owned()));
            places.push(format!("${}", self.values.len()));
        }

        if !places.is_empty() {
            self.join();
            self.sql
                .push_str(&format!("{column} IN ({})", places.join(", ")));
        }
    }

    /// A column of connections, of which a reader may see some.
    pub(crate) fn visible(&mut self, column: &'static str, visible: &VisibleConnections) {
        match visible.limit() {
            None => {}
            Some(none) if none.is_empty() => self.fixed("1 = 0"),
            Some(some) => self.one_of(column, some.iter().map(|id| id.0.as_str())),
        }
    }

    /// [`Filter::one_of`], and the place of a row's text among them as a term of `ORDER BY`; `None`
    /// without any.
    pub(crate) fn one_of_in_order<'a>(
        &mut self,
        column: &'static str,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        let first = self.values.len() + 1;
        self.one_of(column, texts);

        let places = (first..=self.values.len()).zip(0_u32..);
        let cases: Vec<String> = places
            .map(|(value, place)| format!("WHEN ${value} THEN {place}"))
            .collect();
        (!cases.is_empty()).then(|| format!("CASE {column} {} END", cases.join(" ")))
    }

    /// A column that contains a text.
    pub(crate) fn contains(&mut self, condition: &'static str, text: &str) {
        self.text(condition, format!("%{}%", escaped(text)));
    }

    /// A column that is one of several texts, in which `*` stands for any text; none is no
    /// condition.
    pub(crate) fn like_one_of(&mut self, column: &'static str, patterns: &[String]) {
        let mut any = Vec::new();
        for pattern in patterns {
            let (operator, value) = if pattern.contains('*') {
                ("LIKE", escaped(pattern).replace('*', "%"))
            } else {
                ("=", pattern.clone())
            };
            self.values.push(Value::Text(value));
            let place = format!("${}", self.values.len());
            let escape = if operator == "LIKE" {
                " ESCAPE '!'"
            } else {
                ""
            };
            any.push(format!("{column} {operator} {place}{escape}"));
        }

        if !any.is_empty() {
            self.join();
            self.sql.push_str(&format!("({})", any.join(" OR ")));
        }
    }

    fn condition(&mut self, condition: &'static str) {
        self.join();
        self.sql
            .push_str(&condition.replace('?', &format!("${}", self.values.len())));
    }

    fn join(&mut self) {
        self.sql.push_str(if self.sql.is_empty() {
            " WHERE "
        } else {
            " AND "
        });
    }

    /// `head`, the conditions, `tail`.
    pub(crate) fn sql(&self, head: &'static str, tail: &'static str) -> SqlStr {
        AssertSqlSafe(format!("{head}{}{tail}", self.sql)).into_sql_str()
    }

    /// [`Filter::sql`] with one page cut out; a limit of 0 is none.
    pub(crate) fn page(
        &self,
        head: &'static str,
        tail: &'static str,
        limit: u64,
        offset: u64,
    ) -> SqlStr {
        self.page_of(head, "", tail, limit, offset)
    }

    /// [`Filter::page`] over a table.
    pub(crate) fn page_of(
        &self,
        head: &'static str,
        table: &'static str,
        tail: &str,
        limit: u64,
        offset: u64,
    ) -> SqlStr {
        let limit = if limit == 0 {
            i64::MAX
        } else {
            i64::try_from(limit).unwrap_or(i64::MAX)
        };

        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        AssertSqlSafe(format!(
            "{head}{table}{}{tail} LIMIT {limit} OFFSET {offset}",
            self.sql
        ))
        .into_sql_str()
    }

    /// [`Filter::sql`] over a table.
    pub(crate) fn sql_of(
        &self,
        head: &'static str,
        table: &'static str,
        tail: &'static str,
    ) -> SqlStr {
        AssertSqlSafe(format!("{head}{table}{}{tail}", self.sql)).into_sql_str()
    }

    /// A query with the values bound.
    pub(crate) fn query(&self, sql: SqlStr) -> Query<'static, Any, AnyArguments> {
        self.values
            .iter()
            .cloned()
            .fold(sqlx::query(sql), |query, value| match value {
                Value::Text(text) => query.bind(text),
                Value::Integer(number) => query.bind(number),
                Value::Real(number) => query.bind(number),
            })
    }
}

/// A text as `LIKE ... ESCAPE '!'` compares it literally.
pub(crate) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_numbered_and_joined() {
        let mut filter = Filter::default();
        assert_eq!(
            filter.sql("SELECT 1 FROM t", " ORDER BY id").as_str(),
            "SELECT 1 FROM t ORDER BY id"
        );
        filter.text("a = ?", "x");
        filter.one_of("b", ["y", "z"]);
        filter.one_of("c", []);
        filter.integer("(d > ? OR e > ?)", 4);
        filter.contains("f LIKE ? ESCAPE '!'", "50%_!");
        filter.texts("(g, h) > (?, ?)", &["u", "v"]);
        filter.behind(("j", "k"), (7, "w"));
        filter.like_one_of("i", &[]);
        filter.like_one_of("i", &["w".to_owned(), "x_*".to_owned()]);
        assert_eq!(
            filter.page("SELECT 1 FROM t", "", 10, 20).as_str(),
            "SELECT 1 FROM t WHERE a = $1 AND b IN ($2, $3) AND (d > $4 OR e > $4) AND f LIKE $5 ESCAPE '!' AND (g, h) > ($6, $7) AND j >= $8 AND (j > $8 OR k > $9) AND (i = $10 OR i LIKE $11 ESCAPE '!') LIMIT 10 OFFSET 20"
        );
        let mut ordered = Filter::default();
        ordered.integer("a = ?", 1);
        let order = ordered.one_of_in_order("b", ["y", "z"]);
        let order = order.unwrap_or_default();
        assert_eq!(order, "CASE b WHEN $2 THEN 0 WHEN $3 THEN 1 END");
        assert_eq!(ordered.one_of_in_order("c", []), None);
        let mut limited = Filter::default();
        limited.visible("c", &VisibleConnections::default());
        assert_eq!(limited.sql("", "").as_str(), "");
        limited.visible("c", &VisibleConnections::only([]));
        assert_eq!(limited.sql("", "").as_str(), " WHERE 1 = 0");
        assert_eq!(
            ordered
                .page_of("SELECT 1 FROM ", "t", &format!(" ORDER BY {order}"), 0, 0)
                .as_str(),
            format!(
                "SELECT 1 FROM t WHERE a = $1 AND b IN ($2, $3) ORDER BY {order} LIMIT {} OFFSET 0",
                i64::MAX
            )
        );
        assert!(matches!(&filter.values[10], Value::Text(text) if text == "x!_%"));
        assert!(matches!(&filter.values[4], Value::Text(text) if text == "%50!%!_!!%"));
    }
}
