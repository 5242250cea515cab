import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { percent, plural } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { sentence, words } from '../../../display/wording';
import classes from './Advice.module.css';
import { effectValue } from './figures';
import { adviceQuery, type Advice, type DatabaseChange, type Effect } from './queries';

/** Reasons that are shown before somebody asks for all. */
const FEW = 2;

/** Open recommendations about a database, each with its figure before and after. */
export function DatabaseAdvice({ id }: { id: string }) {
  const { data, error } = useQuery(adviceQuery(id));
  return (
    <Panel
      title="Advice"
      note={data && data.total > 0 ? plural(data.total, 'open recommendation') : undefined}
    >
      {error && !data && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={160} />}
      {data?.items.length === 0 && (
        <EmptyState
          title={data.has_agent ? 'No open recommendation' : 'No agent judges databases yet'}
          action={
            data.has_agent ? undefined : (
              <Anchor
                size="sm"
                renderRoot={(props) => <Link to="/intelligence/agents" {...props} />}
              >
                Agents
              </Anchor>
            )
          }
        >
          {data.has_agent
            ? 'The database optimizer found nothing to change at its last run.'
            : 'Create an agent of the type Database optimizer: it looks for missing and unused indexes, settings that do not fit, and statements that cost too much.'}
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <ul className={classes.list}>
          {data.items.map((one) => (
            <Item key={one.id} of={one} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Item({ of: one }: { of: Advice }) {
  const [all, setAll] = useState(false);
  const shown = all ? one.reasons : one.reasons.slice(0, FEW);
  return (
    <li className={classes.item}>
      <Group gap={8}>
        <Anchor
          size="sm"
          fw={600}
          c="inherit"
          renderRoot={(props) => (
            <Link to="/intelligence/recommendations/$id" params={{ id: one.id }} {...props} />
          )}
        >
          {one.title}
        </Anchor>
        <Status of={one.priority} />
        {one.status !== 'open' && <Status of={one.status} />}
        <Text size="xs" className="muted">
          {words(one.rule)} · {percent(one.confidence)} confidence ·{' '}
          {one.has_plan ? 'Reeve can make the change' : 'advice only'}
        </Text>
      </Group>
      {one.effect && <BeforeAfter of={one.effect} />}
      {shown.length > 0 && (
        <Stack component="ul" gap={2} mt={6} mb={0} pl={18}>
          {shown.map((reason) => (
            <Text component="li" size="sm" key={reason} style={{ overflowWrap: 'anywhere' }}>
              {sentence(reason)}
            </Text>
          ))}
        </Stack>
      )}
      {one.reasons.length > FEW && (
        <Button
          size="compact-xs"
          variant="subtle"
          mt={4}
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? 'Fewer reasons' : `${plural(one.reasons.length - FEW, 'further reason')}`}
        </Button>
      )}
    </li>
  );
}

/** Two bars of one scale: the figure now, and as it is expected. */
export function BeforeAfter({ of: { before, after, unit } }: { of: Effect }) {
  const most = Math.max(before, after ?? 0);
  const sides: [string, number | null | undefined][] = [
    ['Now', before],
    ['After', after],
  ];
  return (
    <div className={classes.effect}>
      {sides.map(([label, value]) =>
        value == null ? null : (
          <Fragment key={label}>
            <Text size="xs" className="muted">
              {label}
            </Text>
            <div className={classes.bar} data-after={label === 'After' || undefined} aria-hidden>
              <span style={{ width: `${most > 0 ? (value / most) * 100 : 0}%` }} />
            </div>
            <Text size="xs" className="numeral">
              {effectValue(value, unit)}
            </Text>
          </Fragment>
        ),
      )}
    </div>
  );
}

/** Changes that Reeve made, each with the verdict of the watch over its effect. */
export function DatabaseHistory({ id }: { id: string }) {
  const { data } = useQuery(adviceQuery(id));
  if (!data) return null;
  return (
    <Panel title="History" note="Changes of this database, and their verified effect" flush>
      <DataTable
        bare
        label="Changes of this database"
        columns={CHANGES}
        rows={data.history}
        rowId={(row) => row.id}
        pageSize={10}
        empty={
          <EmptyState title="No change yet">
            Apply a recommendation to build or drop an index or to set a parameter. Its effect on
            the statements is measured, and a change that does harm is taken back.
          </EmptyState>
        }
      />
    </Panel>
  );
}

const CHANGES: Column<DatabaseChange>[] = [
  {
    id: 'change',
    header: 'Change',
    lead: true,
    csv: { Change: (row) => row.title },
    cell: (row) => (
      <div style={{ minWidth: 200 }}>
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          renderRoot={(props) => (
            <Link
              to="/intelligence/recommendations/$id"
              params={{ id: row.recommendation_id }}
              {...props}
            />
          )}
        >
          {row.title}
        </Anchor>
        {row.purpose !== 'apply' && (
          <Text size="xs" className="muted">
            {words(row.purpose)}
          </Text>
        )}
      </div>
    ),
  },
  {
    id: 'started',
    header: 'Started',
    sortBy: (row) => row.started_at,
    cell: (row) => <When at={row.started_at} />,
  },
  { id: 'by', header: 'By', minor: true, cell: (row) => row.by },
  { id: 'status', header: 'Status', cell: (row) => <Status of={row.status} /> },
  {
    id: 'effect',
    header: 'Effect',
    csv: { Verdict: (row) => row.verdict, Detail: (row) => row.verdict_detail },
    cell: (row) => <Verified of={row} />,
  },
];

function Verified({ of: row }: { of: DatabaseChange }) {
  return (
    <div style={{ minWidth: 220, maxWidth: 480 }}>
      {row.verdict ? (
        <Status of={row.verdict} />
      ) : (
        <Text size="xs" className="muted">
          not measured
        </Text>
      )}
      {(row.verdict_detail ?? row.reason) && (
        <Text size="xs" mt={2} style={{ overflowWrap: 'anywhere' }}>
          {row.verdict_detail ?? row.reason}
        </Text>
      )}
    </div>
  );
}
