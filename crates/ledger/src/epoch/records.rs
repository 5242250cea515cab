//! The records of key epochs on disk, `ledger/epochs/`. Refuses records that do not verify or do
//! not follow each other.

use std::path::Path;

use reeve_tlog::{Epoch, Epochs};

use crate::disk::{Disk, names};

/// Reads the records of a folder, if there are any; the error says which file and why.
pub(crate) fn read(disk: &dyn Disk, dir: &Path) -> Result<Option<Epochs>, (String, String)> {
    let failed = |name: &str, cause: String| (name.to_owned(), cause);
    let mut numbers: Vec<u64> = names(disk, dir)
        .map_err(|error| failed("", error.to_string()))?
        .iter()
        .filter(|name| !name.ends_with(".tmp"))
        .map(|name| {
            name.parse()
                .map_err(|_| failed(name, "it is not a record of a key epoch".into()))
        })
        .collect::<Result<_, _>>()?;
    numbers.sort_unstable();

    let mut keys: Option<Epochs> = None;
    for number in numbers {
        let name = number.to_string();
        let bytes = disk
            .read(&dir.join(&name))
            .map_err(|error| failed(&name, error.to_string()))?;
        let epoch = Epoch::open(&bytes).map_err(|error| failed(&name, error.to_string()))?;
        let keys = keys.get_or_insert_with(|| Epochs::single(epoch.old.clone()));
        keys.push(epoch)
            .map_err(|error| failed(&name, error.to_string()))?;
    }

    Ok(keys)
}
