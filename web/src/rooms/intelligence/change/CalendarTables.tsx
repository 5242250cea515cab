import { ActionIcon, Group, Text } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import type { Freeze, Guardrails, MaintenanceWindow } from '../../../api/bodies';
import { DataTable, type Column } from '../../../display/DataTable';
import { shortTime } from '../../../display/instants';
import { Remove } from '../../../display/Remove';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { useNow } from '../../../display/useNow';
import { setGuardrails } from '../queries';
import { daysInWords, freezeState, lengthInWords, opening, scopeInWords } from './calendar';
import { policyOf, withPolicy } from './policy';

interface Props {
  of: Guardrails;
  /** Absent for those who may only look. */
  onEdit?: (at: number) => void;
}

type Row<One> = One & { at: number };

function covers<One extends { accounts?: string[]; services?: string[] }>(): Column<Row<One>> {
  return {
    id: 'covers',
    header: 'Covers',
    cell: (row) => (
      <div style={{ maxWidth: 260 }}>
        <Text size="sm">{scopeInWords(row)}</Text>
      </div>
    ),
  };
}

function named<One extends { name: string }>(header: string): Column<Row<One>> {
  return {
    id: 'name',
    header,
    sortBy: (row) => row.name,
    cell: (row) => (
      <Text size="sm" fw={550}>
        {row.name}
      </Text>
    ),
  };
}

function changes<One extends { name: string }>(
  onEdit: Props['onEdit'],
  remove: (at: number) => Promise<unknown>,
  explain: string,
): Column<Row<One>>[] {
  if (!onEdit) return [];
  return [
    {
      id: 'do',
      header: '',
      align: 'right',
      cell: (row) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <ActionIcon aria-label={`Change ${row.name}`} onClick={() => onEdit(row.at)}>
            <IconEdit size={16} />
          </ActionIcon>
          <Remove
            room="intelligence"
            what={row.name}
            explain={explain}
            remove={() => remove(row.at)}
          />
        </Group>
      ),
    },
  ];
}

/** The policy is written whole, so that an entry is removed by writing the others. */
function without(of: Guardrails, list: 'maintenance_windows' | 'freezes', at: number) {
  return setGuardrails(
    withPolicy(of, { [list]: policyOf(of)[list].filter((_, index) => index !== at) }),
  );
}

export function WindowTable({ of: guardrails, onEdit }: Props) {
  const now = useNow();
  const remove = (at: number) => without(guardrails, 'maintenance_windows', at);
  const columns: Column<Row<MaintenanceWindow>>[] = [
    named('Window'),
    {
      id: 'when',
      header: 'Opens',
      cell: (row) => (
        <div>
          <Text size="sm">
            {daysInWords(row.days)} at {row.start} for {lengthInWords(row.duration_minutes)}
          </Text>
          <Text size="xs" className="muted">
            {row.time_zone || 'UTC'}
          </Text>
        </div>
      ),
    },
    covers(),
    { id: 'now', header: 'Now', cell: (row) => <OpenNow of={row} now={now} /> },
    ...changes<MaintenanceWindow>(
      onEdit,
      remove,
      'Resources covered only by this window can then restart at any time.',
    ),
  ];
  const rows = policyOf(guardrails).maintenance_windows.map((window, at) => ({ ...window, at }));
  return (
    <DataTable
      bare
      label="Maintenance windows"
      columns={columns}
      rows={rows}
      rowId={(row) => String(row.at)}
      empty={null}
    />
  );
}

function OpenNow({ of: window, now }: { of: MaintenanceWindow; now: number }) {
  const next = opening(window, now);
  if (!next)
    return (
      <Text size="sm" className="muted">
        not known here
      </Text>
    );
  if (next.from.getTime() <= now)
    return <Status of="running" label={`Open until ${shortTime(next.until.toISOString())}`} />;
  return (
    <Text size="sm" className="muted">
      Next <When at={next.from.toISOString()} />
    </Text>
  );
}

const STATES = {
  holds: ['indigo', 'Holds'],
  comes: ['yellow', 'Comes'],
  ended: ['gray', 'Ended'],
} as const;

export function FreezeTable({ of: guardrails, onEdit }: Props) {
  const now = useNow();
  const remove = (at: number) => without(guardrails, 'freezes', at);
  const columns: Column<Row<Freeze>>[] = [
    named('Freeze'),
    {
      id: 'from',
      header: 'From',
      sortBy: (row) => row.from,
      cell: (row) => <When at={row.from} form="full" />,
    },
    {
      id: 'until',
      header: 'Until',
      sortBy: (row) => row.until,
      cell: (row) => <When at={row.until} form="full" />,
    },
    covers(),
    {
      id: 'state',
      header: 'Now',
      cell: (row) => {
        const [color, label] = STATES[freezeState(row, now)];
        return <Status of={label} label={label} color={color} />;
      },
    },
    ...changes<Freeze>(
      onEdit,
      remove,
      'Changes to the covered resources are allowed again immediately.',
    ),
  ];
  const rows = policyOf(guardrails).freezes.map((freeze, at) => ({ ...freeze, at }));
  return (
    <DataTable
      bare
      label="Change freezes"
      columns={columns}
      rows={rows}
      rowId={(row) => String(row.at)}
      empty={null}
    />
  );
}
