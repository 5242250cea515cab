//! The embedded fonts: which characters they have and how wide those are.

use std::sync::LazyLock;

use krilla::text::Font;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider as _};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    /// Inter, the face of running text.
    Regular,
    /// Inter, semibold: headings and emphasis.
    SemiBold,
    /// JetBrains Mono: queries, hashes, identifiers.
    Mono,
}

/// A glyph and its advance, in parts of the size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GlyphOf {
    pub(crate) id: u32,
    pub(crate) advance: f32,
}

struct FaceData {
    bytes: &'static [u8],
    charmap: skrifa::charmap::Charmap<'static>,
    metrics: GlyphMetrics<'static>,
}

/// The fonts of a document.
pub(crate) struct Fonts([FaceData; 3]);

pub(crate) static FONTS: LazyLock<Fonts> = LazyLock::new(|| {
    Fonts(
        [
            include_bytes!("../fonts/Inter-Regular.otf").as_slice(),
            include_bytes!("../fonts/Inter-SemiBold.otf").as_slice(),
            include_bytes!("../fonts/JetBrainsMono-Regular.ttf").as_slice(),
        ]
        .map(|bytes| {
            #[allow(
                clippy::expect_used,
                reason = "the bytes are part of the program, and tests read them"
            )]
            let font = FontRef::new(bytes).expect("an embedded font is a font");
            let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::default());
            FaceData {
                bytes,
                charmap: font.charmap(),
                metrics,
            }
        }),
    )
});

impl Fonts {
    fn data(&self, face: Face) -> &FaceData {
        &self.0[face as usize]
    }

    /// Returns the glyph of a character; `None` where the face has none.
    pub(crate) fn glyph(&self, face: Face, character: char) -> Option<GlyphOf> {
        let data = self.data(face);
        let id = data.charmap.map(character).filter(|id| id.to_u32() != 0)?;
        let advance = data.metrics.advance_width(id)?;
        Some(GlyphOf {
            id: id.to_u32(),
            advance,
        })
    }

    /// Returns the fonts for krilla, in the order of [`Face`].
    pub(crate) fn load(&self) -> Option<[Font; 3]> {
        let load = |at: usize| Font::new(self.0[at].bytes.to_vec().into(), 0);
        Some([load(0)?, load(1)?, load(2)?])
    }
}
