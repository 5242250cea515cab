//! Draws laid-out pages with krilla as tagged PDF, with outline, links, metadata, headers and page
//! numbers.

use std::num::NonZeroU16;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::destination::{Destination, XyzDestination};
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::metadata::{DateTime, Metadata};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, Node, SpanTag, TableHeaderScope, Tag, TagGroup,
    TagTree,
};
use krilla::text::{Font, GlyphId, KrillaGlyph};
use krilla::{Document, SerializeSettings};

use crate::CheckpointLines;
use crate::fonts::{FONTS, Fonts};
use crate::layout::{Block, Draw, LayoutRole, Pages, PdfPage};
use crate::style::{self, Colour, HEIGHT, MARGIN, SMALL, Style, TEXT, WIDTH};
use crate::text::{self, TextLine};

/// Reason why a report was not typeset.
#[derive(Debug, thiserror::Error)]
#[error("the report could not be typeset: {0}")]
pub struct PdfError(String);

/// Names and dates of a document, on every page and in the metadata.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PdfIdentity<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    /// Person whose rights the log was read with.
    pub(crate) author: &'a str,
    pub(crate) generated_at: Timestamp,
    pub(crate) checkpoint: &'a CheckpointLines,
}

/// Draws the pages and returns the bytes of the PDF.
pub(crate) fn pdf(of: &PdfIdentity<'_>, pages: &Pages) -> Result<Vec<u8>, PdfError> {
    let wrong = |text: &str| PdfError(text.to_owned());
    let fonts = FONTS
        .load()
        .ok_or_else(|| wrong("an embedded font is not one"))?;
    let mut document = Document::new_with(SerializeSettings {
        enable_tagging: true,
        ..SerializeSettings::default()
    });
    let mut contents: Vec<Vec<Identifier>> = vec![Vec::new(); pages.blocks.len()];

    for (at, page) in pages.pages.iter().enumerate() {
        let settings =
            PageSettings::from_wh(WIDTH, HEIGHT).ok_or_else(|| wrong("a page has no size"))?;
        let mut drawn = document.start_page_with(settings);
        let mut surface = drawn.surface();
        draw(&mut surface, &fonts, page, &mut contents);
        frame(&mut surface, &fonts, of, page, (at, pages.pages.len()));
        surface.finish();
        for link in &page.links {
            let Some(rect) = rect(link.rect) else {
                continue;
            };
            let place =
                XyzDestination::new(link.page, Point::from_xy(0.0, (link.y - 20.0).max(0.0)));
            let target = Target::Destination(Destination::Xyz(place));
            let annotation =
                Annotation::new_link(LinkAnnotation::new(rect, target), Some(link.words.clone()));
            let id = drawn.add_tagged_annotation(annotation);
            if let Some(block) = link.block {
                contents[block].push(id);
            }
        }
        drawn.finish();
    }

    document.set_outline(outline(pages));
    document.set_metadata(metadata(of));
    document.set_tag_tree(tree(pages, contents));

    document
        .finish()
        .map_err(|error| PdfError(format!("{error:?}")))
}

/// Draws a page; neighbouring parts of one block become one piece of tagged content.
fn draw(
    surface: &mut Surface<'_>,
    fonts: &[Font; 3],
    page: &PdfPage,
    contents: &mut [Vec<Identifier>],
) {
    let mut open: Option<Block> = None;
    for one in &page.draws {
        let (Draw::Text { block, .. } | Draw::Fill { block, .. }) = one;
        if open != Some(*block) {
            if open.is_some() {
                surface.end_tagged();
            }
            begin(surface, *block, contents);
            open = Some(*block);
        }
        match one {
            Draw::Text {
                x, y, line, style, ..
            } => draw_line(surface, fonts, (*x, *y), line, *style),
            Draw::Fill { rect, colour, .. } => draw_fill(surface, *rect, *colour),
        }
    }

    if open.is_some() {
        surface.end_tagged();
    }
}

fn begin(surface: &mut Surface<'_>, block: Block, contents: &mut [Vec<Identifier>]) {
    match block {
        Some(block) => {
            let id = surface.start_tagged(ContentTag::Span(SpanTag::empty()));
            contents[block].push(id);
        }
        None => {
            surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(
                ArtifactType::Other,
            )));
        }
    }
}

/// Draws the running header and the foot.
fn frame(
    surface: &mut Surface<'_>,
    fonts: &[Font; 3],
    of: &PdfIdentity<'_>,
    page: &PdfPage,
    (at, pages): (usize, usize),
) {
    let Some(section) = &page.section else { return };
    surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(
        ArtifactType::Other,
    )));
    let section = text::cut(&FONTS, section, SMALL, TEXT / 2.0 - 10.0);
    let name = text::cut(&FONTS, of.name, SMALL, TEXT / 2.0 - 10.0);
    draw_line(surface, fonts, (MARGIN, 48.0), &name, SMALL);
    draw_line(
        surface,
        fonts,
        (MARGIN + TEXT - section.width, 48.0),
        &section,
        SMALL,
    );

    draw_fill(surface, [MARGIN, 56.0, TEXT, 0.6], style::RULE);
    let foot = HEIGHT - 40.0;
    draw_fill(surface, [MARGIN, foot - 14.0, TEXT, 0.6], style::RULE);
    let checkpoint = of.checkpoint;
    let root: String = checkpoint.root.chars().take(16).collect();
    let line = format!(
        "{}, {} entries, root {root}…",
        checkpoint.origin, checkpoint.size
    );
    draw_line(
        surface,
        fonts,
        (MARGIN, foot),
        &text::cut(&FONTS, &line, SMALL, TEXT - 80.0),
        SMALL,
    );

    let number = text::line(&FONTS, &format!("Page {} of {pages}", at + 1), SMALL);
    draw_line(
        surface,
        fonts,
        (MARGIN + TEXT - number.width, foot),
        &number,
        SMALL,
    );

    surface.end_tagged();
}

fn paint((red, green, blue): Colour) -> Fill {
    Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        ..Fill::default()
    }
}

fn draw_fill(surface: &mut Surface<'_>, area: [f32; 4], colour: Colour) {
    let Some(rect) = rect(area) else { return };
    let mut path = PathBuilder::new();
    path.push_rect(rect);
    if let Some(path) = path.finish() {
        surface.set_fill(Some(paint(colour)));
        surface.draw_path(&path);
    }
}

fn rect([x, y, width, height]: [f32; 4]) -> Option<Rect> {
    Rect::from_xywh(x, y, width, height).filter(|_| width > 0.0 && height > 0.0)
}

fn draw_line(
    surface: &mut Surface<'_>,
    fonts: &[Font; 3],
    (x, y): (f32, f32),
    line: &TextLine,
    style: Style,
) {
    surface.set_fill(Some(paint(style.colour)));
    let mut left = x;

    for run in &line.runs {
        let (glyphs, advance) = glyphs(&FONTS, run);
        surface.draw_glyphs(
            Point::from_xy(left, y),
            &glyphs,
            fonts[run.face as usize].clone(),
            &run.text,
            style.size,
            false,
        );
        left += advance * style.size;
    }
}

fn glyphs(fonts: &Fonts, run: &text::TextRun) -> (Vec<KrillaGlyph>, f32) {
    let mut glyphs = Vec::with_capacity(run.text.len());
    let mut total = 0.0;

    for (at, character) in run.text.char_indices() {
        let Some(glyph) = fonts.glyph(run.face, character) else {
            continue;
        };
        let range = at..at + character.len_utf8();
        glyphs.push(KrillaGlyph::new(
            GlyphId::new(glyph.id),
            glyph.advance,
            0.0,
            0.0,
            0.0,
            range,
            None,
        ));
        total += glyph.advance;
    }

    (glyphs, total)
}

fn outline(pages: &Pages) -> Outline {
    let mut outline = Outline::new();
    let mut above: Option<OutlineNode> = None;

    for entry in &pages.entries {
        let place = XyzDestination::new(entry.page, Point::from_xy(0.0, (entry.y - 20.0).max(0.0)));
        let node = OutlineNode::new(entry.title.clone(), place);
        match (&mut above, entry.level) {
            (Some(parent), 2) => parent.push_child(node),
            _ => {
                if let Some(done) = above.replace(node) {
                    outline.push_child(done);
                }
            }
        }
    }

    if let Some(done) = above {
        outline.push_child(done);
    }

    outline
}

fn metadata(of: &PdfIdentity<'_>) -> Metadata {
    let at = of.generated_at.to_zoned(TimeZone::UTC);
    let small = |number: i8| u8::try_from(number).unwrap_or_default();
    let date = DateTime::new(u16::try_from(at.year()).unwrap_or_default())
        .month(small(at.month()))
        .day(small(at.day()))
        .hour(small(at.hour()))
        .minute(small(at.minute()))
        .second(small(at.second()))
        .utc_offset_hour(0)
        .utc_offset_minute(0);

    Metadata::new()
        .title(of.name.to_owned())
        .authors(vec![of.author.to_owned()])
        .creator("Reeve".to_owned())
        .language("en".to_owned())
        .document_id(of.id.to_owned())
        .creation_date(date)
}

/// A table under construction: its number, and the cells of its rows by number.
type OpenTable = (usize, Vec<(usize, Vec<TagGroup>)>);

/// The structure for readers that do not see the pages: headings, paragraphs, tables with their
/// rows and heads.
fn tree(pages: &Pages, contents: Vec<Vec<Identifier>>) -> TagTree {
    let mut tree = TagTree::new().with_lang(Some("en".to_owned()));
    let mut table: Option<OpenTable> = None;

    for (role, ids) in pages.blocks.iter().zip(contents) {
        if ids.is_empty() {
            continue;
        }
        if let LayoutRole::Cell {
            table: number,
            row,
            head,
        } = role
        {
            if table.as_ref().is_some_and(|(open, _)| open != number) {
                close(&mut tree, table.take());
            }
            let rows = &mut table.get_or_insert_with(|| (*number, Vec::new())).1;
            if rows.last().is_none_or(|(last, _)| last != row) {
                rows.push((*row, Vec::new()));
            }
            let nodes = ids.into_iter().map(Node::from).collect();
            let cell = if *head {
                TagGroup::with_children(Tag::TH(TableHeaderScope::Column), nodes)
            } else {
                TagGroup::with_children(Tag::TD, nodes)
            };
            if let Some((_, cells)) = rows.last_mut() {
                cells.push(cell);
            }
            continue;
        }
        close(&mut tree, table.take());
        tree.push(group(*role, ids));
    }

    close(&mut tree, table);
    tree
}

fn group(role: LayoutRole, ids: Vec<Identifier>) -> TagGroup {
    let nodes = ids.into_iter().map(Node::from).collect();
    match role {
        LayoutRole::Heading(level) => TagGroup::with_children(
            Tag::Hn(NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN), None),
            nodes,
        ),
        LayoutRole::Contents => TagGroup::with_children(Tag::Link, nodes),
        LayoutRole::Figure => TagGroup::with_children(
            Tag::Figure(Some("Chart; its figures are in the text".to_owned())),
            nodes,
        ),
        LayoutRole::Paragraph | LayoutRole::Cell { .. } => TagGroup::with_children(Tag::P, nodes),
    }
}

fn close(tree: &mut TagTree, table: Option<OpenTable>) {
    let Some((_, rows)) = table else { return };
    let rows = rows.into_iter().map(|(_, cells)| {
        Node::Group(TagGroup::with_children(
            Tag::TR,
            cells.into_iter().map(Node::Group).collect(),
        ))
    });

    tree.push(TagGroup::with_children(Tag::Table, rows.collect()));
}
