import { Button } from '@mantine/core';
import { IconMap2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../display/EmptyState';
import { Page } from '../display/Page';
import { ProblemAlert } from '../display/ProblemAlert';

/** No such page. */
export function Lost() {
  return (
    <Page title="Page not found">
      <EmptyState title="There is no page at this address" icon={<IconMap2 size={22} />} action={<Button mt="sm" variant="light" renderRoot={(props) => <Link to="/" {...props} />}>Go to the start</Button>}>
        It may have been moved, or the address has a typing error.
      </EmptyState>
    </Page>
  );
}

/** A page that could not be shown. */
export function Failed({ error, reset }: { error: unknown; reset?: () => void }) {
  return (
    <Page title="Something went wrong">
      <ProblemAlert error={error} onRetry={reset ?? (() => window.location.reload())} />
    </Page>
  );
}
