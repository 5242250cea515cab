//! The reader: recursive descent over UTF-8, one pass, bounded depth. Grammar of RFC 8259, limits
//! of RFC 7493.

use super::error::{JsonError, JsonFault, JsonStep, Path};
use super::object::utf16_order;
use super::{Json, Object, number, text};

/// Largest nesting depth of arrays and objects.
pub const MAX_DEPTH: usize = 64;

/// Treatment of a number that a double cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Integers beyond 2^53 and numbers that overflow are refused. This is how entries are read.
    Strict,
    /// Integers of any size become the nearest double. Only for bytes that our canonical writer
    /// spelled: it writes the double `1e17` as an integer.
    Stored,
    /// Any number whose digits a double would change becomes a string of the digits as written, and
    /// its place is noted. This is how foreign records are imported without loss.
    KeepAsText,
}

/// Limits and number handling of the JSON reader.
#[derive(Debug, Clone, Copy)]
pub struct ParseOptions {
    /// Nesting beyond this is refused; a lone scalar has depth 0.
    pub max_depth: usize,
    /// Treatment of a number that a double cannot hold.
    pub numbers: Numbers,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            max_depth: MAX_DEPTH,
            numbers: Numbers::Strict,
        }
    }
}

/// A value and the places where [`Numbers::KeepAsText`] turned a number into a string.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub value: Json,
    /// Paths at which a number was kept as a string, since a double cannot hold it.
    pub kept_as_text: Vec<Path>,
}

/// Reads one strict JSON text.
pub fn parse(bytes: &[u8]) -> Result<Json, JsonError> {
    parse_with(bytes, &ParseOptions::default()).map(|parsed| parsed.value)
}

/// Reads one JSON text as `options` say.
pub fn parse_with(bytes: &[u8], options: &ParseOptions) -> Result<Parsed, JsonError> {
    let input =
        std::str::from_utf8(bytes).map_err(|e| invalid_utf8(bytes, e.valid_up_to(), options))?;
    let reader = Reader {
        input,
        at: 0,
        depth: 0,
        options,
        kept: Vec::new(),
    };

    reader.text().map_err(|failure| {
        let Failure {
            fault,
            offset,
            mut steps,
        } = *failure;
        steps.reverse();
        JsonError {
            fault,
            path: Path(steps),
            offset,
        }
    })
}

/// Reads up to the invalid byte, to find the value that contains it.
fn invalid_utf8(bytes: &[u8], offset: usize, options: &ParseOptions) -> JsonError {
    let path = match parse_with(&bytes[..offset], options) {
        Err(e) if e.offset == offset => e.path,
        _ => Path::default(),
    };
    JsonError {
        fault: JsonFault::InvalidUtf8,
        path,
        offset,
    }
}

/// A fault on its way out; steps are pushed while unwinding, so innermost first.
struct Failure {
    fault: JsonFault,
    offset: usize,
    steps: Vec<JsonStep>,
}

type Outcome<T> = Result<T, Box<Failure>>;

struct Reader<'a> {
    input: &'a str,
    at: usize,
    depth: usize,
    options: &'a ParseOptions,
    /// Steps to each number kept as text, innermost first while reading.
    kept: Vec<Vec<JsonStep>>,
}

impl Reader<'_> {
    fn text(mut self) -> Outcome<Parsed> {
        let value = self.value()?;
        self.skip_space();
        if self.at < self.input.len() {
            return Err(self.fail(JsonFault::TrailingBytes));
        }

        let kept_as_text = self.kept.into_iter().map(|mut steps| {
            steps.reverse();
            Path(steps)
        });
        Ok(Parsed {
            value,
            kept_as_text: kept_as_text.collect(),
        })
    }

    fn fail(&self, fault: JsonFault) -> Box<Failure> {
        self.fail_at(fault, self.at)
    }

    fn fail_at(&self, fault: JsonFault, offset: usize) -> Box<Failure> {
        Box::new(Failure {
            fault,
            offset,
            steps: Vec::new(),
        })
    }

    fn peek(&self) -> Option<u8> {
        self.input.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The fault for a missing piece: the text went on differently, or ended.
    fn missing(&self, expected: &'static str) -> Box<Failure> {
        self.fail(if self.peek().is_some() {
            JsonFault::Syntax(expected)
        } else {
            JsonFault::UnexpectedEnd
        })
    }

    fn value(&mut self) -> Outcome<Json> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err(self.missing("a value")),
        }
    }

    fn word(&mut self, word: &'static str, value: Json) -> Outcome<Json> {
        let rest = &self.input.as_bytes()[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }

        let same = rest
            .iter()
            .zip(word.as_bytes())
            .take_while(|(a, b)| a == b)
            .count();
        self.at += same;
        Err(self.missing("true, false or null"))
    }

    fn nested(&mut self, read: fn(&mut Self) -> Outcome<Json>) -> Outcome<Json> {
        if self.depth == self.options.max_depth {
            return Err(self.fail(JsonFault::TooDeep));
        }

        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// Reads one value; whatever goes wrong or is noted inside it happened under `step`.
    fn child(&mut self, step: impl Fn() -> JsonStep) -> Outcome<Json> {
        let noted = self.kept.len();
        match self.value() {
            Ok(value) => {
                self.kept[noted..]
                    .iter_mut()
                    .for_each(|steps| steps.push(step()));
                Ok(value)
            }
            Err(mut failure) => {
                failure.steps.push(step());
                Err(failure)
            }
        }
    }

    fn array(&mut self) -> Outcome<Json> {
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }

        loop {
            let index = items.len();
            items.push(self.child(|| JsonStep::Index(index))?);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break self.at += 1,
                _ => return Err(self.missing("`,` or `]`")),
            }
        }

        Ok(Json::Array(items))
    }

    fn object(&mut self) -> Outcome<Json> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut offsets = Vec::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(Object::new()));
        }

        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.missing("a key in double quotes"));
            }
            offsets.push(self.at);
            let key = self.string()?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.missing("`:`"));
            }
            self.at += 1;
            let value = self.child(|| JsonStep::Key(key.clone()))?;
            members.push((key, value));
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break self.at += 1,
                _ => return Err(self.missing("`,` or `}`")),
            }
        }

        self.distinct(members, offsets)
    }

    /// Brings members into canonical order and refuses a name that occurs twice.
    fn distinct(&self, mut members: Vec<(String, Json)>, offsets: Vec<usize>) -> Outcome<Json> {
        if !members.is_sorted_by(|a, b| utf16_order(&a.0, &b.0).is_lt()) {
            let mut order: Vec<usize> = (0..members.len()).collect();
            order.sort_by(|&a, &b| utf16_order(&members[a].0, &members[b].0));
            if let Some(pair) = order
                .windows(2)
                .find(|pair| members[pair[0]].0 == members[pair[1]].0)
            {
                let mut failure = self.fail_at(JsonFault::DuplicateKey, offsets[pair[1]]);
                failure
                    .steps
                    .push(JsonStep::Key(std::mem::take(&mut members[pair[1]].0)));
                return Err(failure);
            }
            members.sort_by(|a, b| utf16_order(&a.0, &b.0));
        }
        Ok(Json::Object(Object::from_sorted(members)))
    }

    fn string(&mut self) -> Outcome<String> {
        let (value, next) = text::read(self.input, self.at + 1)
            .map_err(|(fault, offset)| self.fail_at(fault, offset))?;
        self.at = next;
        Ok(value)
    }

    fn number(&mut self) -> Outcome<Json> {
        let literal = number::scan(&self.input[self.at..])
            .map_err(|(fault, skip)| self.fail_at(fault, self.at + skip))?;
        let value = match self.options.numbers {
            Numbers::Strict => number::value(literal)
                .map(Json::Number)
                .map_err(|fault| self.fail(fault))?,
            Numbers::Stored => number::finite(literal)
                .map(Json::Number)
                .map_err(|fault| self.fail(fault))?,
            Numbers::KeepAsText => {
                match number::finite(literal).and_then(|value| number::unchanged(literal, value)) {
                    Ok(value) => Json::Number(value),
                    Err(_) => {
                        self.kept.push(Vec::new());
                        Json::String(literal.to_owned())
                    }
                }
            }
        };

        self.at += literal.len();
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn refused(text: &str, fault: JsonFault, path: &str, offset: usize) {
        let error = parse(text.as_bytes()).unwrap_err();
        assert_eq!(
            (error.fault, error.path.to_string().as_str(), error.offset),
            (fault, path, offset),
            "{text}"
        );
    }

    #[test]
    fn faults_name_path_and_byte() {
        use JsonFault::*;

        refused(r#"{"a":{"b":1,"c":2,"b":3}}"#, DuplicateKey, "a.b", 18);
        refused(r#"{"a":1,"\u0061":2}"#, DuplicateKey, "a", 7);
        refused(r#"{"a":["x","\ud800"]}"#, LoneSurrogate, "a[1]", 11);
        refused(r#"{"a":"\udc00"}"#, LoneSurrogate, "a", 6);
        refused(r#"{"a":"\ud800\u0041"}"#, LoneSurrogate, "a", 6);
        refused(r#"{"n":9007199254740993}"#, IntegerTooLarge, "n", 5);
        refused(r#"[-9007199254740993]"#, IntegerTooLarge, "[0]", 1);
        refused(r#"[1e999]"#, NumberTooLarge, "[0]", 1);
        refused("{} x", TrailingBytes, "", 3);
        refused("", UnexpectedEnd, "", 0);
        refused(
            r#"{"a":{"b":tru}}"#,
            Syntax("true, false or null"),
            "a.b",
            13,
        );

        refused("\u{feff}{}", Syntax("a value"), "", 0);
        refused(
            "{\"a\":\"x\ny\"}",
            Syntax("an escape instead of a control character"),
            "a",
            7,
        );

        refused("[01]", Syntax("`,` or `]`"), "[0]".get(..0).unwrap(), 2);
    }

    #[test]
    fn broken_utf8_names_byte_and_field() {
        let mut text = br#"{"actor":{"id":"a"#.to_vec();
        text.extend([0xff, b'"', b'}', b'}']);
        let error = parse(&text).unwrap_err();
        assert_eq!(
            (error.fault, error.offset, error.path.to_string().as_str()),
            (JsonFault::InvalidUtf8, 17, "actor.id")
        );
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert_eq!(
            parse(nested(MAX_DEPTH + 1).as_bytes()).unwrap_err().fault,
            JsonFault::TooDeep
        );
        assert_eq!(
            parse("[".repeat(1_000_000).as_bytes()).unwrap_err().fault,
            JsonFault::TooDeep
        );
    }

    #[test]
    fn limits_of_integers() {
        for (text, value) in [
            ("9007199254740992", 2f64.powi(53)),
            ("-9007199254740992", -(2f64.powi(53))),
            ("-0", 0.0),
            ("1e3", 1000.0),
        ] {
            assert_eq!(
                parse(text.as_bytes()).unwrap(),
                Json::Number(value),
                "{text}"
            );
        }
    }

    #[test]
    fn foreign_numbers_are_kept_and_noted() {
        let options = ParseOptions {
            numbers: Numbers::KeepAsText,
            ..ParseOptions::default()
        };
        let text =
            br#"{"a":[1,9007199254740993],"b":{"c":1e999},"d":1.50,"e":0.12345678901234567890}"#;
        let parsed = parse_with(text, &options).unwrap();
        let places: Vec<_> = parsed.kept_as_text.iter().map(Path::to_pointer).collect();
        assert_eq!(places, ["/a/1", "/b/c", "/e"]);
        assert_eq!(
            parsed.value.get("b").unwrap().get("c"),
            Some(&Json::from("1e999"))
        );
        assert_eq!(parsed.value.get("d"), Some(&Json::Number(1.5)));
    }
}
