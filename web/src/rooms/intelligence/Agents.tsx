import { Button, Group, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent } from '../../api/bodies';
import { useMay } from '../../api/session';
import { EmptyState } from '../../display/EmptyState';
import { ProblemAlert } from '../../display/ProblemAlert';
import { AgentCard } from './AgentCard';
import { AgentForm } from './AgentForm';
import { agentsQuery } from './queries';

export function Agents() {
  const may = useMay();
  const { data, error, refetch } = useQuery(agentsQuery);
  const [editing, setEditing] = useState<Agent | 'new' | null>(null);
  const configure = may('intelligence.configure');
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  const create = <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>Create agent</Button>;
  return (
    <Stack gap="md">
      {configure && data && data.items.length > 0 && <Group justify="flex-end">{create}</Group>}
      {!data && <SimpleGrid cols={{ base: 1, lg: 2 }}><Skeleton h={280} radius="lg" /><Skeleton h={280} radius="lg" /></SimpleGrid>}
      {data?.items.length === 0 && (
        <div className="panel">
          <EmptyState title="No agents yet" icon={<IconRobot size={22} />} action={configure ? <div style={{ marginTop: 12 }}>{create}</div> : undefined}>
            An agent watches your resources and recommends changes. It applies them only if you allow it.
          </EmptyState>
        </div>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {data?.items.map((agent) => <AgentCard key={agent.id} agent={agent} onConfigure={() => setEditing(agent)} />)}
      </SimpleGrid>
      {editing && <AgentForm agent={editing === 'new' ? undefined : editing} onClose={() => setEditing(null)} />}
    </Stack>
  );
}
