import { Anchor, Button, Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../../api/bodies';
import { useMay } from '../../api/session';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { ProblemAlert } from '../../display/ProblemAlert';
import { SecretDialog } from '../../display/SecretDialog';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { EVENT_NAMES, filterParts } from './fields';
import { webhooksQuery } from './queries';

const WebhookForm = lazyComponent(() => import('./WebhookForm'), 'WebhookForm');

export function filterInWords(filter: string): string {
  const parts = Object.entries(filterParts(filter)).map(
    ([key, value]) => `${words(key)}: ${words(value).toLowerCase()}`,
  );
  return parts.length ? parts.join(', ') : 'Everything';
}

/** What the secret of a webhook is for. */
export const CHECKS = 'The receiver verifies each message with this secret (Standard Webhooks).';

const COLUMNS: Column<Webhook>[] = [
  {
    id: 'name',
    header: 'Webhook',
    sortBy: (row) => row.name || row.url,
    cell: (row) => (
      <div style={{ minWidth: 200, maxWidth: 380 }}>
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          renderRoot={(props) => (
            <Link to="/settings/webhooks/$id" params={{ id: row.id }} {...props} />
          )}
        >
          {row.name || hostOf(row.url)}
        </Anchor>
        <Text size="xs" className="muted" truncate title={row.url}>
          {row.url}
        </Text>
      </div>
    ),
  },
  {
    id: 'event',
    header: 'Events',
    sortBy: (row) => row.event,
    cell: (row) => EVENT_NAMES[row.event] ?? words(row.event),
  },
  { id: 'filter', header: 'Only', cell: (row) => filterInWords(row.filter) },
  {
    id: 'enabled',
    header: 'Status',
    sortBy: (row) => Number(row.enabled),
    cell: (row) => (
      <Status
        of={row.enabled ? 'active' : row.disabled_reason ? 'failed' : 'disabled'}
        label={row.enabled ? 'On' : row.disabled_reason ? 'Disabled by Reeve' : 'Off'}
      />
    ),
  },
  {
    id: 'updated',
    header: 'Last changed',
    sortBy: (row) => row.updated_at,
    cell: (row) => <When at={row.updated_at} form="ago" />,
  },
];

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** Programs that are told what happens. */
export function Webhooks() {
  const may = useMay();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(webhooksQuery);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<{ secret: string; id: string } | null>(null);
  const add = may('intelligence.configure') ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  ) : undefined;
  return (
    <Page
      title="Webhooks"
      description="Send signed messages to another program when a recommendation is ready, an anomaly is detected or an action is completed."
      actions={add}
    >
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Webhooks"
          columns={COLUMNS}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={25}
          onOpen={(row) => void navigate({ to: '/settings/webhooks/$id', params: { id: row.id } })}
          empty={
            <EmptyState title="No webhooks yet" icon={<IconWebhook size={22} />}>
              {add
                ? 'Add one with the address of a receiver. You get a secret to check the signatures with, and can send a test at once.'
                : 'Operators and administrators can add one.'}
            </EmptyState>
          }
        />
      )}
      {adding && (
        <WebhookForm
          onClose={() => setAdding(false)}
          onMade={(secret, id) => {
            setAdding(false);
            setMade({ secret, id });
          }}
        />
      )}
      {made && (
        <SecretDialog
          title="The signing secret"
          secret={made.secret}
          onClose={() => {
            setMade(null);
            void navigate({ to: '/settings/webhooks/$id', params: { id: made.id } });
          }}
        >
          {CHECKS}
        </SecretDialog>
      )}
    </Page>
  );
}
