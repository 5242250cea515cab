//! Text: runs of one face, their widths, and breaking into lines.
//!
//! A character that a face lacks is looked for in the others. What no face has, and what a reader
//! could not see (control characters, marks that turn the direction of writing), is written as its
//! code point in angle brackets, such as ‹4E2D›.

use crate::fonts::{Face, Fonts};
use crate::style::Style;

/// Text of one face.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextRun {
    pub(crate) face: Face,
    pub(crate) text: String,
}

/// A line: runs and their width.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TextLine {
    pub(crate) runs: Vec<TextRun>,
    pub(crate) width: f32,
}

/// Returns the face that has the character; `None` where none has.
fn face_of(fonts: &Fonts, wanted: Face, character: char) -> Option<Face> {
    if character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    {
        return None;
    }
    [wanted, Face::Regular, Face::Mono]
        .into_iter()
        .find(|face| fonts.glyph(*face, character).is_some())
}

/// Returns what is drawn for a character: itself, or its code point.
fn shown(fonts: &Fonts, wanted: Face, character: char) -> (Face, String) {
    match face_of(fonts, wanted, character) {
        Some(face) => (face, character.to_string()),
        None => (Face::Mono, format!("‹{:04X}›", u32::from(character))),
    }
}

/// Returns `true` if the text has a character that is shown as its code point.
pub(crate) fn is_escaped(fonts: &Fonts, text: &str) -> bool {
    text.chars()
        .any(|character| character != '\n' && face_of(fonts, Face::Regular, character).is_none())
}

fn advance(fonts: &Fonts, face: Face, text: &str, size: f32) -> f32 {
    text.chars()
        .filter_map(|character| fonts.glyph(face, character))
        .map(|glyph| glyph.advance * size)
        .sum()
}

impl TextLine {
    fn push(&mut self, fonts: &Fonts, face: Face, text: &str, size: f32) {
        self.width += advance(fonts, face, text, size);
        match self.runs.last_mut() {
            Some(run) if run.face == face => run.text.push_str(text),
            _ => self.runs.push(TextRun {
                face,
                text: text.to_owned(),
            }),
        }
    }

    fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

/// Returns the text on one line, however long.
pub(crate) fn line(fonts: &Fonts, text: &str, style: Style) -> TextLine {
    let mut line = TextLine::default();
    for character in text.chars() {
        let (face, text) = shown(fonts, style.face, character);
        line.push(fonts, face, &text, style.size);
    }
    line
}

/// Returns the text on one line, cut with an ellipsis to a width.
pub(crate) fn cut(fonts: &Fonts, text: &str, style: Style, width: f32) -> TextLine {
    let whole = line(fonts, text, style);
    if whole.width <= width {
        return whole;
    }

    let room = width - advance(fonts, style.face, "…", style.size);
    let mut cut = TextLine::default();

    for character in text.chars() {
        let (face, text) = shown(fonts, style.face, character);
        if cut.width + advance(fonts, face, &text, style.size) > room {
            break;
        }
        cut.push(fonts, face, &text, style.size);
    }

    cut.push(fonts, style.face, "…", style.size);
    cut
}

/// Breaks text into lines of at most a width: at spaces, else after punctuation, else anywhere.
pub(crate) fn wrap(fonts: &Fonts, text: &str, style: Style, width: f32) -> Vec<TextLine> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = TextLine::default();
        for word in paragraph.split_inclusive(' ') {
            let bare = self::line(fonts, word.trim_end(), style);
            if !line.is_empty() && line.width + bare.width > width {
                lines.push(trimmed(std::mem::take(&mut line)));
            }
            if bare.width <= width {
                append(fonts, &mut line, word, style);
            } else {
                for piece in pieces(fonts, word, style, width) {
                    let wide = self::line(fonts, piece.trim_end(), style).width;
                    if !line.is_empty() && line.width + wide > width {
                        lines.push(trimmed(std::mem::take(&mut line)));
                    }
                    append(fonts, &mut line, &piece, style);
                }
            }
        }
        lines.push(trimmed(line));
    }

    lines
}

/// A line that ends with the space it was broken at would be drawn too long.
fn trimmed(mut line: TextLine) -> TextLine {
    if let Some(run) = line.runs.last_mut() {
        run.text.truncate(run.text.trim_end().len());
    }
    line
}

fn append(fonts: &Fonts, line: &mut TextLine, text: &str, style: Style) {
    for character in text.chars() {
        let (face, text) = shown(fonts, style.face, character);
        line.push(fonts, face, &text, style.size);
    }
}

/// Cuts a word that is too long for a line: after punctuation, and wherever a piece would still be
/// too long.
fn pieces(fonts: &Fonts, word: &str, style: Style, width: f32) -> Vec<String> {
    let (mut pieces, mut piece, mut wide) = (Vec::new(), String::new(), 0.0);
    for character in word.chars() {
        let (face, text) = shown(fonts, style.face, character);
        let more = advance(fonts, face, &text, style.size);
        if wide + more > width && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
            wide = 0.0;
        }
        piece.push(character);
        wide += more;
        if matches!(
            character,
            '/' | '-' | '_' | '.' | ':' | '@' | ',' | '=' | '?' | '&' | '|' | '+'
        ) {
            pieces.push(std::mem::take(&mut piece));
            wide = 0.0;
        }
    }

    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::fonts::FONTS;
    use crate::style::{BODY, CODE};

    fn text(line: &TextLine) -> String {
        line.runs.iter().map(|run| run.text.as_str()).collect()
    }

    #[test]
    fn lines_fit_and_nothing_is_lost() {
        let long =
            "arn:aws:iam::123456789012:role/with/a/very/long/path ".repeat(4) + &"x".repeat(300);
        for style in [BODY, CODE] {
            let lines = wrap(&FONTS, &long, style, 120.0);
            assert!(lines.len() > 4);
            for line in &lines {
                assert!(
                    advance(&FONTS, style.face, &text(line), style.size) <= 120.01,
                    "{}",
                    text(line)
                );
            }
            let joined: String = lines.iter().map(text).collect();
            assert_eq!(joined.replace(' ', ""), long.replace(' ', ""));
        }
    }

    #[test]
    fn a_character_that_no_font_has_is_written_as_its_code_point() {
        assert_eq!(
            text(&line(&FONTS, "Zoë Жанна 中\u{202e}", BODY)),
            "Zoë Жанна ‹4E2D›‹202E›"
        );
        assert!(is_escaped(&FONTS, "中") && !is_escaped(&FONTS, "Zoë Жанна\nΑθήνα"));
        assert!(!line(&FONTS, "→ ✓ ● … “quoted”", BODY).runs.is_empty());
    }

    #[test]
    fn a_cut_line_fits_and_says_that_it_is_cut() {
        let cut = cut(&FONTS, &"event".repeat(40), BODY, 80.0);
        assert!(cut.width <= 80.0 && text(&cut).ends_with('…'));
    }
}
