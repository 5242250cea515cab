import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconCrystalBall, IconPlus, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Prediction, Rule } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { percent } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { MOST } from '../queries';
import { predictionsQuery, rulesQuery } from './queries';
import { approvalInShort, lastFired, ruleInWords } from './labels';

const TrafficDialog = lazyComponent(() => import('./TrafficDialog'), 'TrafficDialog');
const RuleForm = lazyComponent(() => import('./RuleForm'), 'RuleForm');

function columns(fired: Map<string, Prediction> | undefined): Column<Rule>[] {
  return [
    {
      id: 'name',
      header: 'Rule',
      sortBy: (row) => row.name,
      cell: (row) => (
        <div style={{ minWidth: 240, maxWidth: 420 }}>
          <Anchor
            size="sm"
            fw={550}
            c="inherit"
            renderRoot={(props) => (
              <Link to="/intelligence/predictions/rules/$id" params={{ id: row.id }} {...props} />
            )}
          >
            {row.name}
          </Anchor>
          <Text size="xs" className="muted">
            {ruleInWords(row)}
          </Text>
        </div>
      ),
    },
    {
      id: 'state',
      header: 'State',
      sortBy: (row) => Number(row.enabled),
      cell: (row) => (
        <Status of={row.enabled ? 'active' : 'disabled'} label={row.enabled ? 'On' : 'Off'} />
      ),
    },
    {
      id: 'approval',
      header: 'Approval',
      sortBy: approvalInShort,
      cell: (row) => approvalInShort(row),
    },
    {
      id: 'last',
      header: 'Last forecast',
      sortBy: (row) => row.evaluated_at ?? '',
      cell: (row) => (
        <div style={{ minWidth: 150, maxWidth: 260 }}>
          <Text size="sm">
            <When at={row.evaluated_at} form="ago" />
          </Text>
          {row.last_result && (
            <Text size="xs" className="muted">
              {row.last_result}
            </Text>
          )}
        </div>
      ),
    },
    {
      id: 'fired',
      header: 'Last prediction',
      sortBy: (row) => fired?.get(row.id)?.at ?? '',
      cell: (row) => {
        const one = fired?.get(row.id);
        if (!one)
          return (
            <Text span size="sm" className="muted">
              {fired ? 'None yet' : ''}
            </Text>
          );
        return (
          <div style={{ minWidth: 130 }}>
            <Text size="sm">
              <When at={one.at} form="ago" />
            </Text>
            <Text size="xs" className="muted">
              {one.resource_name}
              {one.probability != null && `, ${percent(one.probability)}`}
            </Text>
          </div>
        );
      },
    },
    {
      id: 'by',
      header: 'Created by',
      sortBy: (row) => row.created_by,
      cell: (row) =>
        row.created_by === 'system' ? (
          <Badge color="gray">Built in</Badge>
        ) : (
          <Text size="xs" className="muted">
            {row.created_by}
          </Text>
        ),
    },
  ];
}

/** Condition, how far ahead, and what is to be done about it. */
export function Rules() {
  const may = useMay();
  const navigate = useNavigate();
  const [adding, setAdding] = useState(false);
  const [traffic, setTraffic] = useState(false);
  const { data, error, refetch } = useQuery(rulesQuery);
  const { data: fired } = useQuery(predictionsQuery({ outcome: 'foreseen', limit: MOST }));
  const table = useMemo(() => columns(fired && lastFired(fired.items)), [fired]);
  const add = may('intelligence.configure') ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      Add a rule
    </Button>
  ) : undefined;
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="muted" maw={720}>
          A rule forecasts a metric of each resource in its scope and creates a recommendation when
          it expects a limit to be reached.
        </Text>
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconSettings size={16} />}
            onClick={() => setTraffic(true)}
          >
            Traffic intelligence
          </Button>
          {add}
        </Group>
      </Group>
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Predictive rules"
          columns={table}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={25}
          onOpen={(row) =>
            void navigate({ to: '/intelligence/predictions/rules/$id', params: { id: row.id } })
          }
          empty={
            <EmptyState title="No predictive rules" icon={<IconCrystalBall size={22} />}>
              {add
                ? 'A rule acts before a forecast limit is reached. You can try a rule before you save it.'
                : 'Operators and administrators can add one.'}
            </EmptyState>
          }
        />
      )}
      {adding && <RuleForm onClose={() => setAdding(false)} />}
      {traffic && (
        <TrafficDialog locked={!may('intelligence.configure')} onClose={() => setTraffic(false)} />
      )}
    </Stack>
  );
}
