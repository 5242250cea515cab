//! Pages of a segment, unpacked with one decompressor a thread.
//!
//! The Parquet reader makes a compressor and a decompressor for every column it opens, which costs
//! more than unpacking the one page of it that shows an entry. Here it is told that nothing is
//! compressed, and what it hands out is unpacked. Dictionaries, which are most of what one row
//! needs, stay unpacked in memory.

use std::cell::RefCell;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use zstd::bulk::Decompressor;

use super::at::At;
use super::newest::Newest;

/// The most that a page unpacks to; a writer's are smaller.
const MOST: usize = 256 << 20;
/// Dictionaries kept in memory at most, bytes: those of some two hundred segments, each some 250
/// KiB.
const DICTIONARIES: usize = 64 << 20;

thread_local! {
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// A footer that says of no column that it is compressed, and which columns are, by row group.
#[derive(Debug, Clone)]
pub(super) struct Footer {
    plain: Arc<ParquetMetaData>,
    packed: Arc<Vec<Vec<bool>>>,
}

impl Footer {
    /// Of a footer as it was read; `None` where a column is compressed otherwise than with zstd.
    pub(super) fn new(read: ParquetMetaData) -> Result<Option<Footer>> {
        let mut packed = Vec::new();
        let mut groups = Vec::new();

        for group in read.row_groups() {
            let mut of_group = Vec::new();
            let mut columns = Vec::new();
            for column in group.columns() {
                of_group.push(match column.compression() {
                    Compression::UNCOMPRESSED => false,
                    Compression::ZSTD(_) => true,
                    _ => return Ok(None),
                });
                columns.push(
                    column
                        .clone()
                        .into_builder()
                        .set_compression(Compression::UNCOMPRESSED)
                        .build()?,
                );
            }
            packed.push(of_group);
            groups.push(
                group
                    .clone()
                    .into_builder()
                    .set_column_metadata(columns)
                    .build()?,
            );
        }

        let plain = read.into_builder().set_row_groups(groups).build();
        Ok(Some(Footer {
            plain: Arc::new(plain),
            packed: Arc::new(packed),
        }))
    }

    /// Metadata of the footer, less the compression.
    pub(super) fn metadata(&self) -> &ParquetMetaData {
        &self.plain
    }
}

/// The dictionary of a column: the number of its file, row group, column.
type Place = (u64, usize, usize);

/// Dictionaries of columns, unpacked, the newest that fit.
#[derive(Debug)]
pub(super) struct Dictionaries(Mutex<Newest<Place, Page>>);

impl Default for Dictionaries {
    fn default() -> Self {
        Dictionaries(Mutex::new(Newest::new(DICTIONARIES)))
    }
}

/// Some row groups of a file.
pub(super) struct Groups {
    pub(super) file: Arc<At>,
    /// Tells the file from others, and from what stood in its place before.
    pub(super) number: u64,
    pub(super) dictionaries: Arc<Dictionaries>,
    pub(super) footer: Footer,
    pub(super) chosen: Vec<usize>,
}

impl RowGroups for Groups {
    fn num_rows(&self) -> usize {
        self.row_groups()
            .map(|group| usize::try_from(group.num_rows()).unwrap_or_default())
            .sum()
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let chunks = self.chosen.iter().map(|&group| self.chunk(group, column));
        Ok(Box::new(Chunks(chunks.collect::<Vec<_>>().into_iter())))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(
            self.chosen
                .iter()
                .map(|&group| self.footer.plain.row_group(group)),
        )
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.footer.plain
    }
}

impl Groups {
    fn chunk(&self, group: usize, column: usize) -> Result<Box<dyn PageReader>> {
        let metadata = self.footer.plain.row_group(group);
        let locations = self
            .footer
            .plain
            .offset_index()
            .and_then(|index| index.get(group)?.get(column));

        let locations = locations
            .map(|index| index.page_locations().clone())
            .filter(|pages| !pages.is_empty());
        let rows = usize::try_from(metadata.num_rows()).unwrap_or_default();
        let reader = SerializedPageReader::new(
            Arc::clone(&self.file),
            metadata.column(column),
            rows,
            locations,
        )?;

        let packed = self
            .footer
            .packed
            .get(group)
            .and_then(|columns| columns.get(column))
            .copied();

        if packed != Some(true) {
            return Ok(Box::new(reader));
        }

        let place = metadata
            .column(column)
            .dictionary_page_offset()
            .map(|_| (self.number, group, column));
        let dictionary = place.map(|place| (place, Arc::clone(&self.dictionaries)));
        Ok(Box::new(Unpacked { reader, dictionary }))
    }
}

/// The chunks of a column.
struct Chunks(std::vec::IntoIter<Result<Box<dyn PageReader>>>);

impl Iterator for Chunks {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl PageIterator for Chunks {}

/// The pages of a chunk, unpacked.
struct Unpacked {
    reader: SerializedPageReader<At>,
    /// Place of the dictionary in memory, while it has not been read.
    dictionary: Option<(Place, Arc<Dictionaries>)>,
}

impl Iterator for Unpacked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Unpacked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let dictionary = self.dictionary.take();
        if let Some(kept) = dictionary
            .as_ref()
            .and_then(|(place, kept)| kept.0.lock().get(place).cloned())
        {
            self.reader.skip_next_page()?;
            return Ok(Some(kept));
        }

        let read = self.reader.get_next_page()?.map(page).transpose()?;
        if let (Some((place, kept)), Some(page @ Page::DictionaryPage { .. })) = (dictionary, &read)
        {
            kept.0.lock().put(place, page.clone(), page.buffer().len());
        }

        Ok(read)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.reader.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.dictionary = None;
        self.reader.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.reader.at_record_boundary()
    }
}

/// A page whose bytes are unpacked. Levels of pages of the second version are never compressed.
fn page(mut page: Page) -> Result<Page> {
    match &mut page {
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = unpack(buf, 0)?,
        Page::DataPageV2 {
            is_compressed: false,
            ..
        } => {}
        Page::DataPageV2 {
            buf,
            def_levels_byte_len,
            rep_levels_byte_len,
            is_compressed,
            ..
        } => {
            *buf = unpack(
                buf,
                *def_levels_byte_len as usize + *rep_levels_byte_len as usize,
            )?;
            *is_compressed = false;
        }
    }
    Ok(page)
}

/// A frame of zstd after some bytes that stay as they are.
fn unpack(bytes: &Bytes, plain: usize) -> Result<Bytes> {
    let (levels, frame) = bytes
        .split_at_checked(plain)
        .ok_or_else(|| wrong("a page is too short for its levels"))?;
    if frame.is_empty() {
        return Ok(bytes.clone());
    }

    let size = zstd::zstd_safe::get_frame_content_size(frame)
        .ok()
        .flatten();
    let size = size
        .and_then(|size| usize::try_from(size).ok())
        .filter(|size| *size <= MOST);
    let size = size.ok_or_else(|| wrong("a page does not say how long it is"))?;

    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new()?),
        };
        let unpacked = decompressor.decompress(frame, size)?;
        Ok(if levels.is_empty() {
            unpacked.into()
        } else {
            [levels, &unpacked].concat().into()
        })
    })
}

fn wrong(message: &str) -> ParquetError {
    ParquetError::General(message.to_owned())
}
