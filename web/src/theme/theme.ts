import {
  ActionIcon,
  Badge,
  Button,
  Paper,
  createTheme,
  type MantineColorsTuple,
} from '@mantine/core';

/** The one accent: the green-blue of a ledger's binding. */
const petrol: MantineColorsTuple = [
  '#eaf6f6',
  '#d3eaeb',
  '#a5d4d6',
  '#74bdc1',
  '#4ca8ad',
  '#2f979d',
  '#178086',
  '#0d6b72',
  '#0b5a60',
  '#06434a',
];

/** Neutrals with a trace of the accent, so that grey areas and accent sit together. */
const dark: MantineColorsTuple = [
  '#d5dbdd',
  '#a9b3b6',
  '#8a9699',
  '#5d6a6e',
  '#3a4649',
  '#2a3437',
  '#1c2527',
  '#141b1d',
  '#0f1517',
  '#0a0f10',
];
const gray: MantineColorsTuple = [
  '#f7f9f9',
  '#eff3f3',
  '#e4e9ea',
  '#d5dcdd',
  '#bcc6c8',
  '#98a5a8',
  '#6f7d81',
  '#4f5c60',
  '#333f42',
  '#1c2628',
];

/** Dark enough for white words on it. */
const red: MantineColorsTuple = [
  '#fff1f0',
  '#ffe1df',
  '#fdc5c2',
  '#f9a39e',
  '#f0867f',
  '#e0615a',
  '#cf453d',
  '#b8352e',
  '#9c2b25',
  '#7d221d',
];

export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 6 },
  colors: { petrol, dark, gray, red },
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SFMono-Regular', 'Cascadia Mono', 'DejaVu Sans Mono', monospace",
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1.125rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h4: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '20px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Components that not every page shows are named without importing them: the theme is part of what every page loads first.
  components: {
    Button: Button.extend({ defaultProps: { size: 'sm' }, styles: { root: { fontWeight: 550 } } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Badge: Badge.extend({
      defaultProps: { variant: 'light', radius: 'sm', size: 'md' },
      styles: { root: { textTransform: 'none', fontWeight: 550, letterSpacing: 0 } },
    }),
    Paper: Paper.extend({ defaultProps: { radius: 'lg' } }),
    Card: { defaultProps: { withBorder: true, radius: 'lg', padding: 'lg' } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        overlayProps: { backgroundOpacity: 0.45, blur: 2 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: { title: { fontWeight: 600, lineHeight: 1.35, overflowWrap: 'anywhere' } },
    },
  },
});
