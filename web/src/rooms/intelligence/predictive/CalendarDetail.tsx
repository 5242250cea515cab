import {
  Alert,
  Anchor,
  Button,
  Grid,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Calendar, Occurrence, Rule } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { plural } from '../../../display/amounts';
import { Awaited } from '../../../display/Awaited';
import { Copyable } from '../../../display/Copyable';
import { DataTable, type Column } from '../../../display/DataTable';
import { Facts } from '../../../display/Facts';
import { clockTime, took } from '../../../display/instants';
import { lazyComponent } from '../../../display/lazy';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { Status } from '../../../display/Status';
import { Trail } from '../../../display/Trail';
import { When } from '../../../display/When';
import { KindOf } from './Calendars';
import { calendarQuery, eventsQuery, removeCalendar, rulesQuery } from './queries';
import { spanInWords } from '../../../display/durations';
import { ACTIONS, effectsOf, rulesOf, wallTime, wholeDay } from './labels';

const CalendarForm = lazyComponent(() => import('./CalendarForm'), 'CalendarForm');

const route = getRouteApi('/app/intelligence/predictions/calendars/$id');
const TRAIL = (
  <Trail
    of={[
      ['Intelligence Automation', '/intelligence'],
      ['Predictions', '/intelligence/predictions'],
      ['Calendars', '/intelligence/predictions/calendars'],
    ]}
  />
);

export function CalendarDetail() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(calendarQuery(id));
  if (!data) return <Awaited title="Calendar" above={TRAIL} error={error} onRetry={refetch} />;
  return <Shown of={data} />;
}

function Shown({ of: calendar }: { of: Calendar }) {
  const may = useMay();
  const configure = may('intelligence.configure');
  const navigate = useNavigate();
  const [changing, setChanging] = useState(false);
  const { data: rules } = useQuery(rulesQuery);
  const knowing = useMemo(() => rules && rulesOf(calendar, rules.items), [calendar, rules]);
  return (
    <Page
      title={calendar.name}
      above={TRAIL}
      description={<KindOf of={calendar.kind} />}
      actions={
        configure ? (
          <>
            <Remove
              what="calendar"
              room="intelligence"
              remove={() => removeCalendar(calendar.id)}
              onRemoved={() => void navigate({ to: '/intelligence/predictions/calendars' })}
              explain="Rules stop using its events. Change rules that name it first. The audit log keeps a record."
            />
            <Button
              variant="default"
              leftSection={<IconEdit size={16} />}
              onClick={() => setChanging(true)}
            >
              Change
            </Button>
          </>
        ) : undefined
      }
    >
      {calendar.problem && (
        <Alert color="yellow" title="The address could not be read" mb="lg">
          {calendar.address}: {calendar.problem}. The events of the last reading are used. Reeve
          tries again every hour.
        </Alert>
      )}
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Ahead of={calendar} rules={knowing ?? []} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="lg">
            <KnownTo rules={knowing} kind={calendar.kind} />
            <Panel title="About">
              <Facts
                of={[
                  [
                    'Events',
                    `${plural(calendar.events, 'event')} in the text, recurring ones counted once`,
                  ],
                  ['Times without a zone', calendar.time_zone ?? 'the file’s own zone, else UTC'],
                  [
                    'Address',
                    calendar.address ? `${calendar.address} (the rest may be secret)` : undefined,
                  ],
                  [
                    'Last read',
                    calendar.checked_at ? (
                      <When key="read" at={calendar.checked_at} form="full" />
                    ) : undefined,
                  ],
                  ['Imported by', calendar.created_by],
                  ['Imported', <When key="made" at={calendar.created_at} form="full" />],
                  ['Last changed', <When key="changed" at={calendar.updated_at} form="full" />],
                  [
                    'SHA-256',
                    <Copyable key="hash" value={calendar.sha256} label="SHA-256 of the text" />,
                  ],
                ]}
              />
            </Panel>
          </Stack>
        </Grid.Col>
      </Grid>
      {changing && (
        <CalendarForm
          key={calendar.version}
          calendar={calendar}
          onClose={() => setChanging(false)}
        />
      )}
    </Page>
  );
}

const SPANS = [
  { value: '31', label: 'A month' },
  { value: '92', label: '3 months' },
  { value: '366', label: 'A year' },
];

function Ahead({ of: calendar, rules }: { of: Calendar; rules: Rule[] }) {
  const [days, setDays] = useState('31');
  const { data, error } = useQuery(eventsQuery(calendar.id, Number(days), calendar.version));
  const columns = useMemo(() => columnsOf(rules), [rules]);
  const reader = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Panel
      title="Events ahead"
      note={`In your zone, ${reader}, with the event’s own. ${calendar.kind === 'traffic' ? 'What comes before it is done only where a peak is forecast.' : ''}`}
      flush={(data?.total ?? 1) > 0}
      actions={
        <SegmentedControl
          size="xs"
          aria-label="How far ahead"
          value={days}
          onChange={setDays}
          data={SPANS}
        />
      }
    >
      {error && <ProblemAlert error={error} />}
      {data && data.total > data.items.length && (
        <Alert color="yellow">
          Only the first {data.items.length} of {data.total} are shown.
        </Alert>
      )}
      {data?.total === 0 && (
        <Text size="sm" className="muted">
          No events in this period. Choose a longer period or import the calendar again.
        </Text>
      )}
      {!error && data?.total !== 0 && (
        <DataTable
          bare
          label="Events ahead"
          columns={columns}
          rows={data?.items}
          rowId={(row) => row.start + row.summary}
          pageSize={25}
          empty={null}
        />
      )}
    </Panel>
  );
}

function columnsOf(rules: Rule[]): Column<Occurrence>[] {
  return [
    {
      id: 'event',
      header: 'Event',
      lead: true,
      sortBy: (row) => row.summary,
      cell: (row) => (
        <div style={{ minWidth: 140, maxWidth: 260 }}>
          <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
            {row.summary}
          </Text>
        </div>
      ),
    },
    {
      id: 'begins',
      header: 'Begins',
      sortBy: (row) => row.start,
      cell: (row) => <Begins of={row} />,
    },
    {
      id: 'lasts',
      header: 'Lasts',
      cell: (row) => (row.whole_day ? 'Whole days' : took(row.start, row.end)),
    },
    {
      id: 'before',
      header: 'Before it',
      cell: (row) => (
        <div style={{ minWidth: 150, maxWidth: 260 }}>
          {effectsOf(row, rules).map(({ rule, at, words }) => (
            <Text size="xs" key={rule.id}>
              <span className="numeral">{clockTime(at, row.start)}</span>{' '}
              <span className="muted">{words}</span>
            </Text>
          ))}
          {rules.every(({ enabled }) => !enabled) && (
            <Text size="xs" className="muted">
              nothing: no rule that is on knows it
            </Text>
          )}
        </div>
      ),
    },
  ];
}

function Begins({ of: { start, time_zone, whole_day } }: { of: Occurrence }) {
  const there = wallTime(start, time_zone);
  return (
    <div style={{ minWidth: 150 }}>
      <Text size="sm">
        {whole_day ? wholeDay(start, time_zone) : <When at={start} form="minute" />}
      </Text>
      <Text size="xs" className="muted">
        {whole_day
          ? `whole day in ${time_zone ?? 'its zone'}`
          : there
            ? `${there} in ${time_zone ?? ''}`
            : (time_zone ?? 'a zone without a name')}
      </Text>
    </div>
  );
}

/** Which rules know its events, and what they do before them. */
function KnownTo({ rules, kind }: { rules: Rule[] | undefined; kind: string }) {
  return (
    <Panel title="Known to" note="Rules that name it, or name none and ask for its kind">
      {!rules && <Skeleton h={80} />}
      {rules?.length === 0 && (
        <Text size="sm" className="muted">
          No rule. One that{' '}
          {kind === 'maintenance' ? 'waits for an event and prepares a failover' : 'predicts peaks'}{' '}
          would know it.
        </Text>
      )}
      <Stack gap="sm">
        {rules?.map((rule) => (
          <Group key={rule.id} justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
            <div style={{ minWidth: 0 }}>
              <Anchor
                size="sm"
                fw={550}
                c="inherit"
                renderRoot={(props) => (
                  <Link
                    to="/intelligence/predictions/rules/$id"
                    params={{ id: rule.id }}
                    {...props}
                  />
                )}
              >
                {rule.name}
              </Anchor>
              <Text size="xs" className="muted">
                {ACTIONS[rule.action.kind]}, {spanInWords(rule.condition.horizon)} ahead
              </Text>
            </div>
            <Status of={rule.enabled ? 'active' : 'disabled'} label={rule.enabled ? 'On' : 'Off'} />
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}
