//! Texts without literals: values of a workload do not leave a server with its statements.
//!
//! Servers normalize the statements of a workload, and leave literals in some: in utility statements
//! (`ALTER ROLE ... PASSWORD '...'`), and where a text was kept before it was normalized. Conditions
//! of plans have those of views.

/// Longest text that is kept, characters.
const MOST: usize = 4_000;

/// Replaces strings and numbers of a statement or a condition by `?`. Names, placeholders (`$1`) and
/// digits within names stay. Comments are left out, because applications write values there.
#[must_use]
pub fn without_literals(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => masked_string(&mut masked, rest),
            '$' => dollar(&mut masked, rest),
            '"' | '`' => copied(&mut masked, rest, quotation(rest, first)),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => {
                rest.find("*/").map_or(rest.len(), |at| at + "*/".len())
            }
            _ if first.is_ascii_digit() => {
                masked.push('?');
                number(rest)
            }
            _ if is_name(first) => copied(&mut masked, rest, word(rest)),
            _ => copied(&mut masked, rest, first.len_utf8()),
        };
        rest = &rest[length..];
    }
    masked.chars().take(MOST).collect()
}

const fn is_ascii_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn is_name(letter: char) -> bool {
    is_ascii_name(letter) || !letter.is_ascii()
}

fn copied(masked: &mut String, text: &str, length: usize) -> usize {
    masked.push_str(&text[..length]);
    length
}

/// Length of a quoted name, whose quotation mark is doubled within it.
fn quotation(text: &str, mark: char) -> usize {
    let mut rest = &text[1..];
    while let Some(at) = rest.find(mark) {
        rest = &rest[at + 1..];
        match rest.strip_prefix(mark) {
            Some(further) => rest = further,
            None => return text.len() - rest.len(),
        }
    }
    text.len()
}

/// Masks a string; the length is that of the literal. A backslash escapes the character behind it in
/// `E'...'` alone, as the standard has it.
fn masked_string(masked: &mut String, text: &str) -> usize {
    let mut before = masked.chars().rev();
    let has_escapes =
        matches!(before.next(), Some('e' | 'E')) && !before.next().is_some_and(is_name);
    masked.push('?');
    let mut is_escaped = false;
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = has_escapes,
            '\'' if letters.peek().is_some_and(|(_, next)| *next == '\'') => is_escaped = true,
            '\'' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A placeholder is copied, and a string in dollar quotes masked.
fn dollar(masked: &mut String, text: &str) -> usize {
    let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return copied(masked, text, 1 + digits);
    }
    let tag = text[1..].chars().take_while(|letter| is_name(*letter));
    let end = 1 + tag.map(char::len_utf8).sum::<usize>();
    if !text[end..].starts_with('$') {
        return copied(masked, text, 1);
    }
    let tag = &text[..=end];
    masked.push('?');
    match text[tag.len()..].find(tag) {
        Some(at) => at + 2 * tag.len(),
        None => text.len(),
    }
}

/// Length of a number, with its fraction and its exponent; hexadecimal ones are of letters too.
fn number(text: &str) -> usize {
    let is_part = |letter: char| is_ascii_name(letter) || letter == '.';
    let mut length = 0;
    for letter in text.chars() {
        let is_exponent = text[..length].ends_with(['e', 'E']) && matches!(letter, '+' | '-');
        if !is_part(letter) && !is_exponent {
            break;
        }
        length += letter.len_utf8();
    }
    length
}

fn word(text: &str) -> usize {
    let letters = text.chars().take_while(|letter| is_name(*letter));
    letters.map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_become_placeholders_and_names_stay() {
        for (text, expected) in [
            (
                "SELECT a1, \"b 2\" FROM t_3 WHERE id = $1 AND n > 42",
                "SELECT a1, \"b 2\" FROM t_3 WHERE id = $1 AND n > ?",
            ),
            (
                "ALTER ROLE keeper PASSWORD 'it''s secret'; SELECT 1",
                "ALTER ROLE keeper PASSWORD ?; SELECT ?",
            ),
            ("(note ~~ E'%o\\'clock%'::text)", "(note ~~ E?::text)"),
            ("path = 'C:\\' AND name = 'secret'", "path = ? AND name = ?"),
            ("x = -1.5e-3 OR y = 0xFF", "x = -? OR y = ?"),
            ("SELECT $$a 'b'$$, $tag$c$tag$, 'open", "SELECT ?, ?, ?"),
            (
                "SELECT 1 /* user 17 */ -- and 18\nFROM t",
                "SELECT ?  \nFROM t",
            ),
            (
                "SELECT `a``1` FROM größe WHERE x IN (...)",
                "SELECT `a``1` FROM größe WHERE x IN (...)",
            ),
        ] {
            assert_eq!(without_literals(text), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(without_literals(&"ä, ".repeat(4_000)).chars().count(), MOST);
    }
}
