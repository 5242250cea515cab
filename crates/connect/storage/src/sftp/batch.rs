//! Commands of one upload, as `sftp` reads them.

use std::path::Path;

use super::program::{SftpFailure, SftpSession};
use crate::upload::StorageError;

/// A file and its place.
pub(super) struct Upload<'a> {
    /// Folder below the user's own; may be empty.
    pub(super) prefix: &'a str,
    /// Name of the file there.
    pub(super) name: &'a str,
    /// Path of the local file.
    pub(super) file: &'a Path,
}

impl Upload<'_> {
    /// Uploads under another name, then renames.
    pub(super) async fn run(&self, session: &SftpSession) -> Result<(), StorageError> {
        match session.run(&self.upload()).await {
            Ok(()) => Ok(()),
            // A server without `posix-rename@openssh.com` does not rename onto a file, which an
            // attempt before may have left.
            Err(SftpFailure::Refused(text)) if text.contains("rename") => session
                .run(&self.replace())
                .await
                .map_err(StorageError::from),
            Err(failure) => Err(failure.into()),
        }
    }

    fn upload(&self) -> String {
        let mut folder = String::new();
        let mut batch = String::new();

        for part in self.prefix.split('/').filter(|part| !part.is_empty()) {
            folder = if folder.is_empty() {
                part.to_owned()
            } else {
                format!("{folder}/{part}")
            };
            // Goes on where it fails: the folder may be there.
            batch.push_str(&format!("-mkdir {}\n", quoted(&folder)));
        }

        let file = quoted(&self.file.to_string_lossy());
        let (unnamed, named) = (quoted(&self.unnamed()), quoted(&self.named()));
        batch.push_str(&format!(
            "put -f {file} {unnamed}\nrename {unnamed} {named}\n"
        ));

        batch
    }

    fn replace(&self) -> String {
        let (unnamed, named) = (quoted(&self.unnamed()), quoted(&self.named()));
        format!("-rm {named}\nrename {unnamed} {named}\n")
    }

    fn unnamed(&self) -> String {
        self.below(&format!(".{}.part", self.name))
    }

    fn named(&self) -> String {
        self.below(self.name)
    }

    fn below(&self, name: &str) -> String {
        if self.prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.prefix)
        }
    }
}

/// Quotes an argument: `sftp` takes what stands between quotation marks as it is, but for a
/// backslash, patterns and the marks themselves.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '*' | '?' | '[' | ']') {
            quoted.push('\\');
        }
        quoted.push(c);
    }

    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_and_the_name_comes_last() {
        let upload = Upload {
            prefix: "audit/my logs",
            name: "a.jsonl",
            file: Path::new("/tmp/x [1]/a.jsonl"),
        };

        let expected = "-mkdir \"audit\"\n-mkdir \"audit/my logs\"\n\
                        put -f \"/tmp/x \\[1\\]/a.jsonl\" \"audit/my logs/.a.jsonl.part\"\n\
                        rename \"audit/my logs/.a.jsonl.part\" \"audit/my logs/a.jsonl\"\n";
        assert_eq!(upload.upload(), expected);

        let upload = Upload {
            prefix: "",
            name: "a.jsonl",
            file: Path::new("a.jsonl"),
        };

        assert_eq!(
            upload.replace(),
            "-rm \"a.jsonl\"\nrename \".a.jsonl.part\" \"a.jsonl\"\n"
        );
    }
}
