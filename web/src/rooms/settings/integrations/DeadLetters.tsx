import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { EntryLink } from '../../../display/EntryLink';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import {
  deadLettersQuery,
  dropLetter,
  LISTED,
  replayLetter,
  type DeadLetter,
  type Integration,
} from './queries';

/** Entries that the receiver refused: read, sent again, or dropped. */
export function DeadLetters({
  integration,
  onClose,
}: {
  integration: Integration;
  onClose: () => void;
}) {
  const { id, name } = integration;
  const letters = useQuery(deadLettersQuery(id));
  const replay = useChange(replayLetter);
  const drop = useChange(dropLetter);
  const columns: Column<DeadLetter>[] = [
    {
      id: 'entry',
      header: 'Entry',
      cell: (row) => <EntryLink id={row.event_id}>{row.sequence}</EntryLink>,
    },
    {
      id: 'reason',
      header: 'Answer of the receiver',
      cell: (row) => (
        <Text size="sm" style={{ overflowWrap: 'anywhere', maxWidth: 360 }}>
          {row.reason}
        </Text>
      ),
    },
    { id: 'when', header: 'Refused', cell: (row) => <When at={row.refused_at} form="ago" /> },
    {
      id: 'do',
      header: '',
      align: 'right',
      cell: ({ sequence }) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Send ${sequence} again`}
            loading={replay.isPending && replay.variables.sequence === sequence}
            onClick={() => replay.mutate({ id, sequence })}
          >
            Send again
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Drop ${sequence}`}
            onClick={() => drop.mutate({ id, sequence })}
          >
            Drop
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <Modal opened onClose={onClose} size="xl" title={`Dead letters of ${name}`}>
      <Stack>
        <Text size="sm" className="muted">
          Entries that the receiver refused when they were sent alone. They stay in the log; an
          entry that is sent again arrives out of its order.
        </Text>
        {replay.data && !replay.data.delivered && (
          <Alert color="red" variant="light" title="Refused again">
            {replay.data.error}
          </Alert>
        )}
        <ProblemAlert error={letters.error ?? replay.error ?? drop.error} />
        <DataTable
          label={`Dead letters of ${name}`}
          columns={columns}
          rows={letters.data?.items}
          rowId={(row) => String(row.sequence)}
          pageSize={10}
          empty={<EmptyState title="No dead letter">The receiver took every entry.</EmptyState>}
        />
        {letters.data && letters.data.total > LISTED && (
          <Text size="xs" className="muted">
            The first {LISTED} of {letters.data.total}.
          </Text>
        )}
      </Stack>
    </Modal>
  );
}
