//! C2SP tlog-tiles (<https://c2sp.org/tlog-tiles>): which tile is which, its path, and which tiles
//! a growing tree completes. Paths are read strictly: only the one spelling the specification gives
//! each tile is accepted.

use std::fmt;

use thiserror::Error;

use crate::decimal;

/// Tree levels a tile spans.
pub const TILE_HEIGHT: u8 = 8;

/// Hashes in a full tile, and records in a full entry bundle.
pub const TILE_WIDTH: u16 = 256;

/// The highest level a tile can have in a tree whose size fits 64 bits.
pub const MAX_TILE_LEVEL: u8 = 7;

/// One hash tile: 1 to 256 consecutive hashes of tree level `8 * level`. Level 0 also names the
/// entry bundle over the same leaves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TileId {
    level: u8,
    index: u64,
    width: u16,
}

/// Resource that a tile path names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TileResource {
    /// `tile/<L>/<N>[.p/<W>]`: hashes of level L.
    Hashes(TileId),
    /// `tile/entries/<N>[.p/<W>]`; the tile is the level 0 tile over the same leaves.
    Entries(TileId),
}

/// Reason why numbers or a path do not name a tile.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TileIdError {
    /// Levels go from 0 to 7.
    #[error("a tile level is between 0 and 7, not {0}")]
    Level(u8),
    /// Widths go from 1 to 256.
    #[error("a tile has 1 to 256 hashes, not {0}")]
    Width(u16),
    /// Tile that no tree of 64-bit size has.
    #[error("there is no tile with index {index} at level {level}")]
    Index {
        /// Level of the tile.
        level: u8,
        /// Index in that level.
        index: u64,
    },
    /// Text that is not the canonical path of a tile.
    #[error("not a tile path: expected tile/<level>/<index>[.p/<width>] or tile/entries/...")]
    Path,
}

impl TileId {
    /// A tile by its coordinates.
    pub fn new(level: u8, index: u64, width: u16) -> Result<TileId, TileIdError> {
        if level > MAX_TILE_LEVEL {
            return Err(TileIdError::Level(level));
        }
        if !(1..=TILE_WIDTH).contains(&width) {
            return Err(TileIdError::Width(width));
        }

        // The exclusive end, in hashes of this level, must be reachable by a 64-bit size.
        let reachable = index
            .checked_mul(u64::from(TILE_WIDTH))
            .and_then(|first| first.checked_add(u64::from(width)))
            .is_some_and(|end| end <= u64::MAX >> (TILE_HEIGHT * level));
        if !reachable {
            return Err(TileIdError::Index { level, index });
        }

        Ok(TileId {
            level,
            index,
            width,
        })
    }

    /// The tile at these coordinates in a tree of `size` leaves, as wide as that tree makes it;
    /// `None` where the tree does not reach it.
    pub fn at(level: u8, index: u64, size: u64) -> Option<TileId> {
        if level > MAX_TILE_LEVEL {
            return None;
        }

        let hashes = size >> (TILE_HEIGHT * level);
        let first = index.checked_mul(u64::from(TILE_WIDTH))?;
        let width = hashes.checked_sub(first)?.min(u64::from(TILE_WIDTH)) as u16;

        (width > 0).then_some(TileId {
            level,
            index,
            width,
        })
    }

    /// Level: 0 holds leaf hashes, level n the roots of full tiles of level n - 1.
    pub fn level(&self) -> u8 {
        self.level
    }

    /// Index within the level, from 0.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Hashes in the tile, 1 to 256.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Returns `true` if the tile has all 256 hashes.
    pub fn is_full(&self) -> bool {
        self.width == TILE_WIDTH
    }

    /// The leaves the tile's hashes cover: first, and one past the last.
    pub fn leaves(&self) -> (u64, u64) {
        let shift = TILE_HEIGHT * self.level;
        let first = self.index * u64::from(TILE_WIDTH);
        (first << shift, (first + u64::from(self.width)) << shift)
    }

    /// `tile/<L>/<N>[.p/<W>]`, relative to the log's prefix.
    pub fn path(&self) -> String {
        format!("tile/{}/{}", self.level, Index(self))
    }

    /// `tile/entries/<N>[.p/<W>]`, the bundle of the records behind a level 0 tile; `None` above
    /// level 0.
    pub fn entries_path(&self) -> Option<String> {
        (self.level == 0).then(|| format!("tile/entries/{}", Index(self)))
    }
}

impl fmt::Display for TileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tile/{}/{}", self.level, Index(self))
    }
}

/// Index and width as a path writes them: groups of three digits, all but the last after an `x`.
struct Index<'a>(&'a TileId);

impl fmt::Display for Index<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut divisor: u64 = 1;
        while self.0.index / divisor >= 1000 {
            divisor *= 1000;
        }

        while divisor > 1 {
            write!(f, "x{:03}/", self.0.index / divisor % 1000)?;
            divisor /= 1000;
        }

        write!(f, "{:03}", self.0.index % 1000)?;
        if !self.0.is_full() {
            write!(f, ".p/{}", self.0.width)?;
        }

        Ok(())
    }
}

impl TileResource {
    /// Reads a path as [`TileId::path`] and [`TileId::entries_path`] write them.
    pub fn parse(path: &str) -> Result<TileResource, TileIdError> {
        let rest = path.strip_prefix("tile/").ok_or(TileIdError::Path)?;
        let (level, rest) = rest.split_once('/').ok_or(TileIdError::Path)?;
        let (index, width) = match rest.split_once(".p/") {
            None => (rest, u64::from(TILE_WIDTH)),
            Some((index, width)) => {
                let width = decimal::parse(width).ok_or(TileIdError::Path)?;
                if width >= u64::from(TILE_WIDTH) {
                    return Err(TileIdError::Path);
                }
                (index, width)
            }
        };

        let index = parse_index(index).ok_or(TileIdError::Path)?;
        if level == "entries" {
            return TileId::new(0, index, width as u16).map(TileResource::Entries);
        }

        let level = decimal::parse(level).ok_or(TileIdError::Path)?;
        let level = u8::try_from(level).map_err(|_| TileIdError::Path)?;
        TileId::new(level, index, width as u16).map(TileResource::Hashes)
    }
}

/// `x001/x234/067` to 1234067; `None` for any other spelling.
fn parse_index(text: &str) -> Option<u64> {
    let mut groups = text.split('/').peekable();
    let mut index: u64 = 0;
    let mut first = true;

    while let Some(group) = groups.next() {
        let last = groups.peek().is_none();
        let digits = if last {
            group
        } else {
            group.strip_prefix('x')?
        };
        if digits.len() != 3 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        if first && !last && digits == "000" {
            return None;
        }
        first = false;
        index = index.checked_mul(1000)?.checked_add(digits.parse().ok()?)?;
    }

    Some(index)
}

/// The full tiles that a tree growing from `old` to `new` leaves completes, lower levels first.
pub fn tiles_completed(old: u64, new: u64) -> impl Iterator<Item = TileId> {
    (0..=MAX_TILE_LEVEL).flat_map(move |level| {
        let shift = u32::from(TILE_HEIGHT) * (u32::from(level) + 1);
        let full = move |size: u64| size.checked_shr(shift).unwrap_or(0);
        (full(old)..full(new)).map(move |index| TileId {
            level,
            index,
            width: TILE_WIDTH,
        })
    })
}

/// The partial tiles at the right edge of a tree of `size` leaves, lower levels first: at most one
/// a level.
pub fn partial_tiles(size: u64) -> impl Iterator<Item = TileId> {
    (0..=MAX_TILE_LEVEL).filter_map(move |level| {
        let hashes = size >> (TILE_HEIGHT * level);
        let width = (hashes % u64::from(TILE_WIDTH)) as u16;
        (width > 0).then_some(TileId {
            level,
            index: hashes / u64::from(TILE_WIDTH),
            width,
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths() {
        let cases = [
            (0, 0, 256, "tile/0/000"),
            (0, 0, 1, "tile/0/000.p/1"),
            (0, 999, 256, "tile/0/999"),
            (0, 1000, 256, "tile/0/x001/000"),
            (1, 1_234_067, 256, "tile/1/x001/x234/067"),
            (2, 1_234_067, 255, "tile/2/x001/x234/067.p/255"),
            (0, 1_000_000_000, 7, "tile/0/x001/x000/x000/000.p/7"),
        ];

        for (level, index, width, path) in cases {
            let tile = TileId::new(level, index, width).unwrap();
            assert_eq!(tile.path(), path);
            assert_eq!(tile.to_string(), path);
            assert_eq!(TileResource::parse(path), Ok(TileResource::Hashes(tile)));
            let entries = path.replacen(&format!("tile/{level}/"), "tile/entries/", 1);
            let bundle = TileId::new(0, index, width).unwrap();
            assert_eq!(bundle.entries_path().as_ref(), Some(&entries));
            assert_eq!(
                TileResource::parse(&entries),
                Ok(TileResource::Entries(bundle))
            );
        }

        assert_eq!(TileId::new(1, 0, 1).unwrap().entries_path(), None);
    }

    #[test]
    fn refused_paths() {
        for path in [
            "",
            "tile",
            "tile/",
            "tile/0",
            "tile/0/",
            "tile/0/0",
            "tile/0/0000",
            "tile/0/x001",
            "tile/0/001/000",
            "tile/0/x000/001",
            "tile/0/x001/x000",
            "tile/0/x01/000",
            "tile/00/000",
            "tile/+0/000",
            "tile/-1/000",
            "tile/256/000",
            "tile/0/000.p/",
            "tile/0/000.p/0",
            "tile/0/000.p/01",
            "tile/0/000.p/256",
            "tile/0/000.p/+1",
            "tile/0/000.p/1/",
            "tile/0/000.p/1.p/1",
            "tile/0/000/",
            "tile/0/ 00",
            "/tile/0/000",
            "tile/Entries/000",
            "tile/0/x999/x999/x999/x999/x999/x999/x999/999",
        ] {
            let parsed = TileResource::parse(path);
            assert!(
                matches!(parsed, Err(TileIdError::Path | TileIdError::Width(0))),
                "{path}: {parsed:?}"
            );
        }

        assert_eq!(
            TileResource::parse("tile/8/000"),
            Err(TileIdError::Level(8))
        );
        assert_eq!(
            TileResource::parse("tile/7/001"),
            Err(TileIdError::Index { level: 7, index: 1 })
        );
        assert_eq!(TileId::new(0, 0, 257), Err(TileIdError::Width(257)));
    }

    /// The example of the specification: a tree of 70,000.
    #[test]
    fn tiles_of_the_published_example() {
        let full: Vec<_> = tiles_completed(0, 70_000).collect();
        assert_eq!(full.iter().filter(|t| t.level() == 0).count(), 273);
        assert_eq!(full.iter().filter(|t| t.level() == 1).count(), 1);
        assert_eq!(full.len(), 274);

        let partial: Vec<_> = partial_tiles(70_000)
            .map(|t| (t.level(), t.index(), t.width()))
            .collect();
        assert_eq!(partial, [(0, 273, 112), (1, 1, 17), (2, 0, 1)]);

        let partial: Vec<_> = partial_tiles(256).map(|t| t.path()).collect();
        assert_eq!(partial, ["tile/1/000.p/1"]);
        assert_eq!(partial_tiles(0).count(), 0);
    }

    #[test]
    fn growth_completes_each_tile_once() {
        let steps = [0, 1, 255, 256, 257, 65_535, 65_536, 70_000];
        let stepwise: Vec<_> = steps
            .windows(2)
            .flat_map(|w| tiles_completed(w[0], w[1]))
            .collect();
        let mut sorted = stepwise.clone();
        sorted.sort();
        let at_once: Vec<_> = tiles_completed(0, 70_000).collect();
        assert_eq!(sorted, at_once);
        assert_eq!(tiles_completed(70_000, 0).count(), 0);
    }

    #[test]
    fn width_follows_the_tree() {
        let width = |level, index, size| TileId::at(level, index, size).map(|t| t.width());
        assert_eq!(width(0, 273, 70_000), Some(112));
        assert_eq!(width(0, 272, 70_000), Some(256));
        assert_eq!(width(0, 274, 70_000), None);
        assert_eq!(width(1, 1, 70_000), Some(17));
        assert_eq!(width(8, 0, u64::MAX), None);
        assert_eq!(width(0, u64::MAX, u64::MAX), None);
        assert_eq!(TileId::new(1, 1, 17).unwrap().leaves(), (65_536, 69_888));
    }
}
