import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconCalendarEvent, IconFileImport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Calendar, Rule } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { calendarsQuery, eventsQuery, rulesQuery } from './queries';
import { rulesOf } from './labels';

const CalendarForm = lazyComponent(() => import('./CalendarForm'), 'CalendarForm');

export function KindOf({ of }: { of: string }) {
  return <Badge color={of === 'maintenance' ? 'orange' : 'indigo'}>{words(of)}</Badge>;
}

/** The next event within a year; nothing where none comes. */
function Next({ of: calendar }: { of: Calendar }) {
  const { data, dataUpdatedAt } = useQuery(eventsQuery(calendar.id, 366, calendar.version));
  const next =
    data?.items.find(({ start }) => new Date(start).getTime() > dataUpdatedAt) ?? data?.items[0];
  if (!next)
    return (
      <Text span size="sm" className="muted">
        {data ? 'none within a year' : ''}
      </Text>
    );
  return (
    <div style={{ minWidth: 150, maxWidth: 260 }}>
      <Text size="sm" truncate>
        {next.summary}
      </Text>
      <Text size="xs" className="muted">
        <When at={next.start} form="minute" />
      </Text>
    </div>
  );
}

function columns(rules: Rule[] | undefined): Column<Calendar>[] {
  return [
    {
      id: 'name',
      header: 'Calendar',
      sortBy: (row) => row.name,
      cell: (row) => (
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          renderRoot={(props) => (
            <Link to="/intelligence/predictions/calendars/$id" params={{ id: row.id }} {...props} />
          )}
        >
          {row.name}
        </Anchor>
      ),
    },
    {
      id: 'kind',
      header: 'Kind',
      sortBy: (row) => row.kind,
      cell: (row) => <KindOf of={row.kind} />,
    },
    {
      id: 'events',
      header: 'Events',
      align: 'right',
      sortBy: (row) => row.events,
      cell: (row) => count(row.events),
    },
    { id: 'next', header: 'Next', cell: (row) => <Next of={row} /> },
    {
      id: 'zone',
      header: 'Time zone',
      sortBy: (row) => row.time_zone ?? '',
      cell: (row) =>
        row.time_zone ?? (
          <Text span size="sm" className="muted">
            the file’s own
          </Text>
        ),
    },
    {
      id: 'rules',
      header: 'Known to',
      cell: (row) => {
        const knowing = rules && rulesOf(row, rules).filter(({ enabled }) => enabled);
        return (
          <div style={{ minWidth: 160, maxWidth: 320 }}>
            <Text size="xs" className="muted">
              {knowing?.map(({ name }) => name).join('; ') || (knowing ? 'no rule that is on' : '')}
            </Text>
          </div>
        );
      },
    },
    {
      id: 'changed',
      header: 'Last changed',
      sortBy: (row) => row.updated_at,
      cell: (row) => <When at={row.updated_at} form="ago" />,
    },
  ];
}

/** Events that bring traffic or maintenance, as other programs keep them. */
export function Calendars() {
  const may = useMay();
  const navigate = useNavigate();
  const [adding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery(calendarsQuery);
  const { data: rules } = useQuery(rulesQuery);
  const table = useMemo(() => columns(rules?.items), [rules]);
  const add = may('intelligence.configure') ? (
    <Button leftSection={<IconFileImport size={16} />} onClick={() => setAdding(true)}>
      Import a calendar
    </Button>
  ) : undefined;
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="muted" maw={720}>
          Events that rules know of: before high traffic capacity is added and caches are warmed,
          where a peak is forecast; before a maintenance the standby is made ready.
        </Text>
        {add}
      </Group>
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Calendars"
          columns={table}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={25}
          onOpen={(row) =>
            void navigate({ to: '/intelligence/predictions/calendars/$id', params: { id: row.id } })
          }
          empty={
            <EmptyState title="No calendar yet" icon={<IconCalendarEvent size={22} />}>
              {add
                ? 'Import the .ics file of your sales, launches or maintenance. Its times keep their zones, its recurrences are expanded.'
                : 'Operators and administrators can import one.'}
            </EmptyState>
          }
        />
      )}
      {adding && (
        <CalendarForm
          onClose={() => setAdding(false)}
          onMade={(id) =>
            void navigate({ to: '/intelligence/predictions/calendars/$id', params: { id } })
          }
        />
      )}
    </Stack>
  );
}
