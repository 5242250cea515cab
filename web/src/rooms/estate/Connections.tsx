import { Button, SimpleGrid, Skeleton } from '@mantine/core';
import { IconCloudPlus, IconDatabasePlus, IconPlus, IconRoute } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Connection } from '../../api/bodies';
import { useMay } from '../../api/session';
import { EmptyState } from '../../display/EmptyState';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { ProblemAlert } from '../../display/ProblemAlert';
import { ConnectionCard } from './ConnectionCard';
import { BillSources } from './BillSources';
import { MetricSources } from './MetricSources';
import { PriceTables } from './PriceTables';
import { connectionsQuery } from './queries';

const DatabaseForm = lazyComponent(() => import('./DatabaseForm'), 'DatabaseForm');
const ConnectionForm = lazyComponent(() => import('./ConnectionForm'), 'ConnectionForm');

type Edited = Connection | 'new' | 'database';

/** Whether the dialog of databases edits it. */
function isDatabase(edited: Edited): edited is Exclude<Edited, 'new'> {
  return edited === 'database' || (edited !== 'new' && edited.provider === 'database');
}

export function Connections() {
  const may = useMay();
  const { data, error, refetch } = useQuery(connectionsQuery);
  const [editing, setEditing] = useState<Edited | null>(null);
  const manages = may('estate.manage');
  const guide = (
    <Button
      leftSection={<IconRoute size={16} />}
      renderRoot={(props) => <Link to="/estate/connections/aws" {...props} />}
    >
      Connect an AWS account
    </Button>
  );
  const add = manages ? (
    <>
      {guide}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        onClick={() => setEditing('new')}
      >
        Add AWS connection
      </Button>
      <Button
        variant="default"
        leftSection={<IconDatabasePlus size={16} />}
        onClick={() => setEditing('database')}
      >
        Add database
      </Button>
    </>
  ) : undefined;
  return (
    <Page
      title="Connections"
      description="Connect each cloud account and database once. Shows the last sync and missing permissions."
      actions={add}
    >
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <Skeleton h={240} radius="lg" />
          <Skeleton h={240} radius="lg" />
        </SimpleGrid>
      )}
      {data?.items.length === 0 && (
        <div className="panel">
          <EmptyState
            title="No connections yet"
            icon={<IconCloudPlus size={22} />}
            action={manages ? <div style={{ marginTop: 12 }}>{guide}</div> : undefined}
          >
            {manages
              ? 'Connect an AWS account in four steps: permissions, role, test, first findings. Reading permissions are enough to begin with.'
              : 'Ask an operator or administrator to connect a cloud account.'}
          </EmptyState>
        </div>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {data?.items.map((connection) => (
          <ConnectionCard
            key={connection.id}
            connection={connection}
            onChange={() => setEditing(connection)}
          />
        ))}
      </SimpleGrid>
      <MetricSources />
      <BillSources />
      <PriceTables />
      {editing && isDatabase(editing) && (
        <DatabaseForm
          connection={editing === 'database' ? undefined : editing}
          onClose={() => setEditing(null)}
        />
      )}
      {editing && !isDatabase(editing) && (
        <ConnectionForm
          connection={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(null)}
        />
      )}
    </Page>
  );
}
