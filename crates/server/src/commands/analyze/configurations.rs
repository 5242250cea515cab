//! Configurations of resources from files.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use reeve_controls::Input;

use super::file;

/// Configurations of files, with the number of elements that could not be read.
pub(super) struct Configurations {
    pub(super) inputs: Vec<Input>,
    pub(super) unread: u64,
}

/// Reads files; elements that cannot be read are said on standard error.
pub(super) fn read(paths: &[PathBuf]) -> Result<Configurations> {
    let (mut inputs, mut unread) = (Vec::new(), 0_u64);
    for path in paths {
        let mut input = file::Input::open(path)?;
        let found = Input::read(&input.text()?).with_context(|| input.name.clone())?;
        for one in found {
            match one {
                Ok(one) => inputs.push(one),
                Err(error) => {
                    unread += 1;
                    eprintln!("{}: {error}", input.name);
                }
            }
        }
    }

    Ok(Configurations {
        inputs: Input::joined(inputs),
        unread,
    })
}
