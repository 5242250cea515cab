import { Button, Group, SegmentedControl, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent } from '../../api/bodies';
import { useMay } from '../../api/session';
import { EmptyState } from '../../display/EmptyState';
import { lazyComponent } from '../../display/lazy';
import { ProblemAlert } from '../../display/ProblemAlert';
import { AgentCard } from './AgentCard';
import { Catalogue } from './agents/Catalogue';
import { agentsQuery } from './queries';

const AgentForm = lazyComponent(() => import('./AgentForm'), 'AgentForm');

export function Agents() {
  const may = useMay();
  const { data, error, refetch } = useQuery(agentsQuery);
  const [editing, setEditing] = useState<Agent | { type?: string } | null>(null);
  const [shown, setShown] = useState('agents');
  const configure = may('intelligence.configure');
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing({})}>
      Create agent
    </Button>
  );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Shown"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'agents', label: 'Agents' },
            { value: 'types', label: 'Agent types' },
          ]}
        />
        {configure && data && data.items.length > 0 && create}
      </Group>
      {shown === 'types' && (
        <Catalogue onCreate={configure ? (type) => setEditing({ type }) : undefined} />
      )}
      {shown === 'agents' && !data && (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <Skeleton h={280} radius="lg" />
          <Skeleton h={280} radius="lg" />
        </SimpleGrid>
      )}
      {shown === 'agents' && data?.items.length === 0 && (
        <div className="panel">
          <EmptyState
            title="No agents yet"
            icon={<IconRobot size={22} />}
            action={configure ? <div style={{ marginTop: 12 }}>{create}</div> : undefined}
          >
            {configure
              ? 'An agent watches your resources and recommends changes. It applies them only if you allow it. Create one, or see first what each type can do.'
              : 'An agent watches your resources and recommends changes. Ask an operator or administrator to create one.'}
          </EmptyState>
        </div>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
        {shown === 'agents' &&
          data?.items.map((agent) => (
            <AgentCard key={agent.id} agent={agent} onConfigure={() => setEditing(agent)} />
          ))}
      </SimpleGrid>
      {editing && (
        <AgentForm
          agent={'id' in editing ? editing : undefined}
          type={'id' in editing ? undefined : editing.type}
          onClose={() => setEditing(null)}
        />
      )}
    </Stack>
  );
}
