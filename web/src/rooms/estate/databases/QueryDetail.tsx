import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { QueryTrend } from '../../../charts/QueryTrend';
import { count, percent } from '../../../display/amounts';
import { CodeBlock } from '../../../display/CodeBlock';
import { Facts } from '../../../display/Facts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { blocks, duration } from './figures';
import { PlanTree } from './PlanTree';
import { planQuery, type DatabaseQuery } from './queries';

interface Props {
  database: string;
  query: DatabaseQuery;
  /** Reason why the server's plans are not taken. */
  noPlans?: string;
  onClose: () => void;
}

/** A statement: its whole text, its figures, its use over time, and its plan. */
export function QueryDetail({ database, query, noPlans, onClose }: Props) {
  return (
    <Modal opened onClose={onClose} title="Query" size="xl">
      <Stack gap="md">
        <CodeBlock label="Query" text={query.text} />
        <Facts
          of={[
            ['Time', `${duration(query.total_ms)} (${percent(query.share_percent)} of all)`],
            ['Calls', count(query.calls)],
            ['Mean', duration(query.mean_ms)],
            ['Rows', count(query.rows)],
            ['Rows read', query.rows_examined == null ? undefined : count(query.rows_examined)],
            ['Read from disk', query.blocks_read == null ? undefined : blocks(query.blocks_read)],
            [
              'Found in the buffer',
              query.blocks_hit == null ? undefined : blocks(query.blocks_hit),
            ],
            [
              'Temporary writes',
              query.temporary_writes > 0 ? count(query.temporary_writes) : undefined,
            ],
          ]}
        />
        {query.trend.length > 0 && (
          <QueryTrend label="Calls and mean time of the query" points={query.trend} />
        )}
        <Plan database={database} query={query} noPlans={noPlans} />
      </Stack>
    </Modal>
  );
}

function Plan({ database, query, noPlans }: Omit<Props, 'onClose'>) {
  const { data, error } = useQuery(planQuery(database, query.id));
  return (
    <section aria-label="Plan">
      <Text fw={600} size="sm">
        Plan
      </Text>
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={120} mt="xs" />}
      {data && !data.root && (
        <Text size="sm" className="muted">
          {noPlans
            ? `${noPlans}, so there is no plan here.`
            : 'No plan was taken. A plan needs the right to read the tables (pg_read_all_data), and only statements with well-known functions are planned.'}
        </Text>
      )}
      {data?.root && (
        <>
          <Text size="xs" className="muted" mb="xs">
            Taken <When at={data.taken_at} form="ago" />. Costs and rows are estimates of the
            planner; the statement was not executed.
          </Text>
          <PlanTree root={data.root} />
        </>
      )}
    </section>
  );
}
