import { Button, SimpleGrid, Skeleton } from '@mantine/core';
import { IconCloudPlus, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Connection } from '../../api/bodies';
import { useMay } from '../../api/session';
import { EmptyState } from '../../display/EmptyState';
import { Page } from '../../display/Page';
import { ProblemAlert } from '../../display/ProblemAlert';
import { ConnectionCard } from './ConnectionCard';
import { ConnectionForm } from './ConnectionForm';
import { connectionsQuery } from './queries';

export function Connections() {
  const may = useMay();
  const { data, error, refetch } = useQuery(connectionsQuery);
  const [editing, setEditing] = useState<Connection | 'new' | null>(null);
  const add = may('estate.manage') ? <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>Add AWS connection</Button> : undefined;
  return (
    <Page title="Connections" description="Connect each cloud account once. Shows the last sync and missing permissions." actions={add}>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SimpleGrid cols={{ base: 1, lg: 2 }}><Skeleton h={240} radius="lg" /><Skeleton h={240} radius="lg" /></SimpleGrid>}
      {data?.items.length === 0 && (
        <div className="panel">
          <EmptyState title="No connections yet" icon={<IconCloudPlus size={22} />}>
            Add an AWS account with an access key, a role to assume, or the environment&apos;s own credentials. Reading rights are enough to begin with.
          </EmptyState>
        </div>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {data?.items.map((connection) => <ConnectionCard key={connection.id} connection={connection} onChange={() => setEditing(connection)} />)}
      </SimpleGrid>
      {editing && <ConnectionForm connection={editing === 'new' ? undefined : editing} onClose={() => setEditing(null)} />}
    </Page>
  );
}
