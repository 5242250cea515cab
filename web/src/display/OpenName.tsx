import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** The name of a row, as a button that opens its details on the same page. */
export function OpenName({
  onOpen,
  children,
  ...style
}: AnchorProps & { onOpen: () => void; children: ReactNode }) {
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      fw={550}
      ta="left"
      {...style}
      onClick={onOpen}
    >
      {children}
    </Anchor>
  );
}
