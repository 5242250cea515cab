import { Anchor, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { percent, shortCount } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { blocks, duration, figure } from './figures';
import { databaseQueriesQuery, type DatabaseQuery } from './queries';
import { Sparkline } from './Sparkline';

const QueryDetail = lazyComponent(() => import('./QueryDetail'), 'QueryDetail');

/** Statements with the most time. */
export function Queries({ id, name, hours }: { id: string; name: string; hours: number }) {
  const { data, error } = useQuery(databaseQueriesQuery(id, hours));
  const [opened, setOpened] = useState<string>();
  const shown = data?.items.find((one) => one.id === opened);
  const reading = data?.database.reading;
  return (
    <Panel
      title="Queries"
      note="By time. Values are left out of every text. The change is against the period before."
      flush
    >
      {error && !data ? (
        <ProblemAlert error={error} />
      ) : (
        <DataTable
          bare
          label={`Queries of ${name}`}
          columns={columns(setOpened)}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={10}
          empty={
            <EmptyState
              title={reading?.no_statements ? 'Statements are not counted' : 'No statement yet'}
            >
              {reading?.no_statements
                ? `${reading.no_statements}. ${reading.remedy ?? ''}`
                : 'No statement was called in this period. The first figures are here after two readings, which are a minute apart.'}
            </EmptyState>
          }
        />
      )}
      {shown && (
        <QueryDetail
          database={id}
          query={shown}
          noPlans={reading?.no_plans ?? undefined}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Panel>
  );
}

function columns(onOpen: (id: string) => void): Column<DatabaseQuery>[] {
  return [
    {
      id: 'query',
      header: 'Query',
      lead: true,
      csv: { Query: (row) => row.text, Identifier: (row) => row.id },
      cell: (row) => (
        <Anchor
          component="button"
          size="sm"
          ta="left"
          className="hash"
          c="inherit"
          lineClamp={2}
          onClick={() => onOpen(row.id)}
          style={{ minWidth: 220, maxWidth: 460 }}
        >
          {row.text}
        </Anchor>
      ),
    },
    {
      id: 'time',
      header: 'Time',
      sortBy: (row) => row.total_ms,
      csv: { 'Time (ms)': (row) => row.total_ms, 'Share (%)': (row) => row.share_percent },
      cell: (row) => (
        <div style={{ minWidth: 84 }}>
          <Text size="sm" className="numeral">
            {duration(row.total_ms)}
          </Text>
          <Progress
            value={row.share_percent}
            size={4}
            mt={2}
            aria-label={`${percent(row.share_percent)} of the time`}
          />
        </div>
      ),
    },
    {
      id: 'calls',
      header: 'Calls',
      align: 'right',
      sortBy: (row) => row.calls,
      csv: { Calls: (row) => row.calls },
      cell: (row) => shortCount(row.calls),
    },
    {
      id: 'mean',
      header: 'Mean',
      align: 'right',
      sortBy: (row) => row.mean_ms,
      csv: { 'Mean (ms)': (row) => row.mean_ms, 'Change (%)': (row) => row.change_percent },
      cell: (row) => (
        <div>
          <Text size="sm" className="numeral">
            {duration(row.mean_ms)}
          </Text>
          <Change percent={row.change_percent ?? undefined} />
        </div>
      ),
    },
    {
      id: 'rows',
      header: 'Rows a call',
      align: 'right',
      sortBy: (row) => row.rows / Math.max(1, row.calls),
      csv: { Rows: (row) => row.rows, 'Rows read': (row) => row.rows_examined },
      cell: (row) => (
        <div>
          <Text size="sm" className="numeral">
            {figure(row.rows / Math.max(1, row.calls))}
          </Text>
          {row.rows_examined != null && (
            <Text size="xs" className="muted numeral">
              {figure(row.rows_examined / Math.max(1, row.calls))} read
            </Text>
          )}
        </div>
      ),
    },
    {
      id: 'io',
      header: 'Read from disk',
      align: 'right',
      sortBy: (row) => row.blocks_read ?? row.temporary_writes,
      csv: { 'Blocks read': (row) => row.blocks_read, 'Blocks hit': (row) => row.blocks_hit },
      cell: (row) => <Io of={row} />,
    },
    {
      id: 'trend',
      header: 'Mean over time',
      minor: true,
      csv: {},
      cell: (row) => <Sparkline values={row.trend.map((point) => point.mean_ms)} />,
    },
  ];
}

/** A mean time that grew or fell by a tenth or more. */
function Change({ percent: change }: { percent?: number }) {
  if (change === undefined || Math.abs(change) < 10) return null;
  const slower = change > 0;
  return (
    <Text size="xs" c={slower ? 'red' : 'green'} className="numeral">
      {percent(Math.abs(change))} {slower ? 'slower' : 'faster'}
    </Text>
  );
}

function Io({ of: row }: { of: DatabaseQuery }) {
  if (row.blocks_read == null)
    return (
      <Text size="xs" className="muted">
        not counted
      </Text>
    );
  const all = row.blocks_read + (row.blocks_hit ?? 0);
  return (
    <div>
      <Text size="sm" className="numeral">
        {blocks(row.blocks_read)}
      </Text>
      {all > 0 && (
        <Text size="xs" className="muted numeral">
          {percent(((row.blocks_hit ?? 0) / all) * 100)} cached
        </Text>
      )}
    </div>
  );
}
