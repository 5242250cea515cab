import { Anchor, type AnchorProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link to an entry of the audit log. */
export function EntryLink({
  id,
  children = 'Entry',
  ...style
}: AnchorProps & { id: string; children?: ReactNode }) {
  return (
    <Anchor
      size="sm"
      {...style}
      renderRoot={(props) => <Link to="/audit/$eventId" params={{ eventId: id }} {...props} />}
    >
      {children}
    </Anchor>
  );
}
