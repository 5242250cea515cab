import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent, Model } from '../../api/bodies';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { count, percent, plural } from '../../display/amounts';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { Facts } from '../../display/Facts';
import { Modal } from '../../display/Modal';
import { OpenName } from '../../display/OpenName';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { useReturnFocus } from '../../display/useReturnFocus';
import { When } from '../../display/When';
import { sentence, words } from '../../display/wording';
import { AccuracyChart } from './AccuracyChart';
import { agentsQuery, modelQuery, modelsQuery, retrainModel, useChange } from './queries';

function columns(agents: Agent[], open: (id: string) => void): Column<Model>[] {
  const owner = (row: Model) =>
    agents.find(({ id }) => id === row.agent_id)?.name ?? 'a removed agent';
  return [
    {
      id: 'name',
      header: 'Model',
      sortBy: (row) => row.name,
      cell: (row) => (
        <div style={{ minWidth: 160 }}>
          <OpenName c="inherit" onOpen={() => open(row.id)}>
            {words(row.name)}
          </OpenName>
          <Text size="xs" className="muted">
            {words(row.type)}
          </Text>
        </div>
      ),
    },
    { id: 'agent', header: 'Agent', sortBy: owner, cell: owner },
    {
      id: 'version',
      header: 'Version',
      align: 'right',
      sortBy: (row) => row.version,
      cell: (row) => row.version,
    },
    {
      id: 'accuracy',
      header: 'Accuracy',
      align: 'right',
      sortBy: (row) => row.accuracy,
      csv: { 'Accuracy (%)': (row) => row.accuracy },
      cell: (row) => percent(row.accuracy),
    },
    {
      id: 'precision',
      header: 'Precision',
      align: 'right',
      sortBy: (row) => row.precision,
      csv: { 'Precision (%)': (row) => row.precision },
      cell: (row) => percent(row.precision),
    },
    {
      id: 'recall',
      header: 'Recall',
      align: 'right',
      sortBy: (row) => row.recall,
      csv: { 'Recall (%)': (row) => row.recall },
      cell: (row) => percent(row.recall),
    },
    {
      id: 'f1',
      header: 'F1',
      align: 'right',
      sortBy: (row) => row.f1,
      csv: { 'F1 (%)': (row) => row.f1 },
      cell: (row) => percent(row.f1),
    },
    {
      id: 'span',
      header: 'Trained on',
      align: 'right',
      sortBy: (row) => row.training_span_days,
      csv: { 'Trained on (days)': (row) => row.training_span_days },
      cell: (row) => plural(Math.round(row.training_span_days), 'day'),
    },
    {
      id: 'update',
      header: 'Last update',
      sortBy: (row) => row.last_update,
      cell: (row) => <When at={row.last_update} />,
    },
  ];
}

/** What the agents have learned, and how good it is on days it never saw. */
export function Models() {
  const [opened, setOpened] = useState<string | null>(null);
  const { data, error, refetch } = useQuery(modelsQuery);
  const { data: agents } = useQuery(agentsQuery);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="md">
      <DataTable
        label="Models"
        columns={columns(agents?.items ?? [], setOpened)}
        rows={data?.items}
        rowId={(row) => row.id}
        pageSize={25}
        onOpen={(row) => setOpened(row.id)}
        empty={
          <EmptyState title="No models yet">
            Models are trained after an agent has run and two weeks of metrics are available.
          </EmptyState>
        }
      />
      {opened && <ModelDialog id={opened} onClose={() => setOpened(null)} />}
    </Stack>
  );
}

function ModelDialog({ id, onClose }: { id: string; onClose: () => void }) {
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} size="xl" title="Model">
      <Detail id={id} />
    </Modal>
  );
}

const VERSIONS: Column<Model>[] = [
  { id: 'version', header: 'Version', cell: (row) => `Version ${row.version}` },
  { id: 'status', header: 'Status', cell: (row) => <Status of={row.status} /> },
  { id: 'accuracy', header: 'Accuracy', align: 'right', cell: (row) => percent(row.accuracy) },
  { id: 'f1', header: 'F1', align: 'right', cell: (row) => percent(row.f1) },
  { id: 'reason', header: 'Trained because', cell: (row) => words(row.retrain_reason) },
  { id: 'trained', header: 'Trained', cell: (row) => <When at={row.trained_at} /> },
];

function Detail({ id }: { id: string }) {
  const may = useMay();
  const { data, error } = useQuery(modelQuery(id));
  const retrain = useChange(retrainModel);
  if (error) return <ProblemAlert error={error} />;
  if (!data) return null;
  const waits = data.retrain_requested_by != null;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={550}>
            {words(data.name)}, version {data.version}
          </Text>
          <Status of={data.status} />
        </Group>
        {may('intelligence.configure') && data.status === 'serving' && (
          <Button
            variant="light"
            disabled={waits}
            loading={retrain.isPending}
            onClick={() =>
              retrain.mutate(id, {
                onSuccess: () =>
                  announce(
                    'Training started. The current version stays in use until a new one is more accurate.',
                  ),
              })
            }
          >
            {waits ? 'Training is due' : 'Retrain'}
          </Button>
        )}
      </Group>
      <ProblemAlert error={retrain.error} />
      <AccuracyChart
        label="Accuracy by version"
        versions={data.history}
        threshold={data.threshold}
      />
      <Facts
        of={[
          ['Type', words(data.type)],
          ['Evaluated on', `${count(data.held_out)} decisions on days not used for training`],
          [
            'Trained on',
            `${count(data.samples)} samples over ${plural(Math.round(data.training_span_days), 'day')}`,
          ],
          ['Trained because', words(data.retrain_reason)],
          ['Result', sentence(data.note)],
          ['Drift', data.drift == null ? undefined : `${data.drift.toFixed(2)} of 1`],
          ['A newer version was tested', data.tried_at ? <When at={data.tried_at} /> : undefined],
          ['Requested by', data.retrain_requested_by],
        ]}
      />
      <DataTable
        bare
        label="Versions"
        columns={VERSIONS}
        rows={data.history}
        rowId={(row) => row.id}
        pageSize={10}
        empty={null}
      />
    </Stack>
  );
}
