import { Button } from '@mantine/core';
import { IconLock, IconMap2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../display/EmptyState';
import { Page } from '../display/Page';
import { ProblemAlert } from '../display/ProblemAlert';
import type { Place } from './navigation';

/** No such page. */
export function Lost() {
  return (
    <div style={{ padding: 'clamp(20px, 5vw, 64px)' }}>
      <Page title="Page not found">
        <EmptyState
          title="This page does not exist"
          icon={<IconMap2 size={22} />}
          action={
            <Button mt="sm" variant="light" renderRoot={(props) => <Link to="/" {...props} />}>
              Go to the dashboard
            </Button>
          }
        >
          Check the address, or go to the dashboard.
        </EmptyState>
      </Page>
    </div>
  );
}

/** A page that the person's roles do not open: the permission that it needs, and who can give it. */
export function NotYours({ place: { label, any } }: { place: Pick<Place, 'label' | 'any'> }) {
  return (
    <Page title={label}>
      <EmptyState
        title="You don't have access to this page"
        icon={<IconLock size={22} />}
        action={
          <Button mt="sm" variant="light" renderRoot={(props) => <Link to="/" {...props} />}>
            Go to the dashboard
          </Button>
        }
      >
        {any.includes('administer')
          ? 'Only administrators see this page.'
          : `You need the permission ${any.join(' or ')}. Ask an administrator for a role that includes it.`}
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
