import { Box, type BoxProps } from '@mantine/core';
import type { ComponentPropsWithoutRef, CSSProperties, ReactNode } from 'react';

type Tagged<Tag extends 'table' | 'tr' | 'th' | 'td'> = BoxProps &
  Omit<ComponentPropsWithoutRef<Tag>, keyof BoxProps>;

interface TableProps extends Tagged<'table'> {
  /** Space above and below the text of a cell, pixels. */
  verticalSpacing?: number;
  /** Space beside the text of a cell, pixels. */
  horizontalSpacing?: number;
  withRowBorders?: boolean;
}

const pixels = (space: number | undefined) => (space === undefined ? undefined : `${space}px`);

/**
 * A table in the style of the component library. The library's own table imports the positioning of dialogs, which is a tenth of what
 * every page loads first.
 */
export function Table({
  verticalSpacing,
  horizontalSpacing,
  withRowBorders = true,
  ...rest
}: TableProps) {
  const spacing = {
    '--cell-y': pixels(verticalSpacing),
    '--cell-x': pixels(horizontalSpacing),
  } as CSSProperties;
  return (
    <Box
      component="table"
      className="table"
      data-borders={withRowBorders || undefined}
      style={spacing}
      {...rest}
    />
  );
}

Table.Thead = function Thead({ children }: { children: ReactNode }) {
  return <thead>{children}</thead>;
};
Table.Tbody = function Tbody({ children }: { children: ReactNode }) {
  return <tbody>{children}</tbody>;
};
Table.Tr = function Tr(props: Tagged<'tr'>) {
  return <Box component="tr" {...props} />;
};
Table.Th = function Th(props: Tagged<'th'>) {
  return <Box component="th" {...props} />;
};
Table.Td = function Td(props: Tagged<'td'>) {
  return <Box component="td" {...props} />;
};

interface ScrollProps {
  label: string;
  /** Width below which the table scrolls, pixels; on a phone its rows are cards instead. */
  minWidth: number;
  mah?: number;
  children: ReactNode;
}

/** The box of a table within a dialog or a card, where it scrolls. */
Table.ScrollContainer = function ScrollContainer({ label, minWidth, mah, children }: ScrollProps) {
  return (
    <Box
      className="table-scroll as-cards"
      tabIndex={0}
      role="region"
      aria-label={`${label}, scrollable`}
      mah={mah}
      style={{ '--table-width': `${minWidth}px` } as CSSProperties}
    >
      {children}
    </Box>
  );
};
