//! Measures, colours and text styles of the page.

use crate::fonts::Face;

/// Width of A4, points.
pub(crate) const WIDTH: f32 = 595.28;
/// Height of A4, points.
pub(crate) const HEIGHT: f32 = 841.89;
/// Left and right margin.
pub(crate) const MARGIN: f32 = 56.0;
/// First baseline area below the running header.
pub(crate) const TOP: f32 = 84.0;
/// Lowest point of the text.
pub(crate) const BOTTOM: f32 = HEIGHT - 72.0;
/// Width of the text.
pub(crate) const TEXT: f32 = WIDTH - 2.0 * MARGIN;

/// A colour: red, green, blue.
pub(crate) type Colour = (u8, u8, u8);

pub(crate) const INK: Colour = (0x1b, 0x22, 0x2c);
pub(crate) const MUTED: Colour = (0x5c, 0x67, 0x76);
pub(crate) const RULE: Colour = (0xd5, 0xda, 0xe1);
pub(crate) const SHADE: Colour = (0xf4, 0xf6, 0xf9);
pub(crate) const ACCENT: Colour = (0x1d, 0x5f, 0xbf);
pub(crate) const DARK: Colour = (0x14, 0x2a, 0x4d);
pub(crate) const WHITE: Colour = (0xff, 0xff, 0xff);
pub(crate) const GREEN: Colour = (0x2c, 0x8a, 0x57);
pub(crate) const AMBER: Colour = (0xd0, 0x8a, 0x12);
pub(crate) const GREY: Colour = (0x9a, 0xa5, 0xb3);
pub(crate) const OCHRE: Colour = (0x9c, 0x7a, 0x3c);
pub(crate) const DARK_GREY: Colour = (0x5a, 0x64, 0x70);
pub(crate) const BLUE_GREY: Colour = (0x6d, 0x84, 0xa8);

/// Style of a run of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    pub(crate) face: Face,
    /// Font size, in points.
    pub(crate) size: f32,
    /// Distance between baselines, points.
    pub(crate) leading: f32,
    pub(crate) colour: Colour,
}

const fn style(face: Face, size: f32, leading: f32, colour: Colour) -> Style {
    Style {
        face,
        size,
        leading,
        colour,
    }
}

pub(crate) const TITLE: Style = style(Face::SemiBold, 30.0, 36.0, WHITE);
pub(crate) const H1: Style = style(Face::SemiBold, 20.0, 26.0, INK);
pub(crate) const H2: Style = style(Face::SemiBold, 12.5, 17.0, INK);
pub(crate) const LEAD: Style = style(Face::Regular, 11.0, 16.5, INK);
pub(crate) const BODY: Style = style(Face::Regular, 9.5, 14.0, INK);
pub(crate) const STRONG: Style = style(Face::SemiBold, 9.5, 14.0, INK);
pub(crate) const SMALL: Style = style(Face::Regular, 8.0, 11.5, MUTED);
pub(crate) const CELL: Style = style(Face::Regular, 8.0, 11.0, INK);
pub(crate) const CELL_HEAD: Style = style(Face::SemiBold, 7.5, 10.5, MUTED);
pub(crate) const CODE: Style = style(Face::Mono, 7.2, 10.5, INK);
pub(crate) const CODE_BLOCK: Style = style(Face::Mono, 8.2, 12.5, INK);

impl Style {
    pub(crate) const fn coloured(self, colour: Colour) -> Style {
        Style { colour, ..self }
    }
}
