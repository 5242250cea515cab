//! Errors of the files of a catalogue.

/// Error of a file of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}{}{field}: {reason}", self.place(), if field.is_empty() { "" } else { ", " })]
pub struct CatalogueError {
    /// Path of the file below the folder of the catalogue.
    pub file: String,
    /// Line of the fault, counted from 1; `None` where the file as a whole is wrong.
    pub line: Option<usize>,
    /// Field that is wrong; empty if the file as a whole is.
    pub field: String,
    /// Reason, as a clause.
    pub reason: String,
}

impl CatalogueError {
    pub(crate) fn field(file: &str, field: &str, reason: String) -> CatalogueError {
        CatalogueError {
            file: file.to_owned(),
            line: None,
            field: field.to_owned(),
            reason,
        }
    }

    /// Error of a text that is no TOML of the expected form.
    pub(crate) fn form(file: &str, text: &str, error: &toml::de::Error) -> CatalogueError {
        let before = error.span().and_then(|span| text.get(..span.start));
        CatalogueError {
            line: before.map(|before| before.matches('\n').count() + 1),
            ..CatalogueError::field(file, "", error.message().to_owned())
        }
    }

    /// Returns the error with the path of its file, and with its line where that follows from the
    /// field.
    pub(crate) fn in_file(self, path: &str, text: &str) -> CatalogueError {
        CatalogueError {
            file: path.to_owned(),
            line: self.line.or_else(|| line_of(text, &self.field)),
            ..self
        }
    }

    fn place(&self) -> String {
        self.line.map(|line| format!(":{line}")).unwrap_or_default()
    }
}

/// Returns the line on which a field begins.
fn line_of(text: &str, field: &str) -> Option<usize> {
    let (table, key) = field.rsplit_once('.').unwrap_or(("", field));
    let mut here = "";
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            here = header.trim_start_matches('[').split(']').next()?.trim();
            if here == field {
                return Some(number);
            }
            continue;
        }

        let Some((name, _)) = line.split_once('=') else {
            continue;
        };
        let name = name.trim();
        let is_inline = here.is_empty() && !table.is_empty() && name == table;
        if (here == table && name == key) || is_inline {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_on_its_line() {
        let text = "title = \"a\"\n\n[remediation]\ntext = \"b\"\n\n[remediation.parameters]\nrules = 'c'\n\n[[sample]]\ntext = 1\n";
        let check = |field: &str, line: Option<usize>| assert_eq!(line_of(text, field), line);
        check("title", Some(1));
        check("remediation.text", Some(4));
        check("remediation.parameters.rules", Some(7));
        check("sample", Some(9));
        check("why", None);
        assert_eq!(
            line_of("a = 1\nremediation = { text = \"\" }", "remediation.text"),
            Some(2)
        );
    }
}
