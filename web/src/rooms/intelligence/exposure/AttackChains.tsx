import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { OpenName } from '../../../display/OpenName';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { gravity, likelihood, nextStep, stages } from './chains';
import { attackChainsQuery, type AttackChain } from './queries';

const ChainDetail = lazyComponent(() => import('./ChainDetail'), 'ChainDetail');
const route = getRouteApi('/app/intelligence/exposure');

/** Principals whose calls may be an attack, with the next likely step. */
export function AttackChains() {
  const { chain: wanted } = route.useSearch();
  const [opened, setOpened] = useState(wanted);
  const chains = useQuery(attackChainsQuery);
  if (chains.error)
    return <ProblemAlert error={chains.error} onRetry={() => void chains.refetch()} />;

  const shown = chains.data?.items.find((chain) => chain.id === opened);
  return (
    <Panel
      title="Attack chains"
      note="Stages of an attack that the calls of a principal show, and what may come next."
      flush
    >
      <DataTable
        bare
        label="Attack chains"
        columns={columns((chain) => setOpened(chain.id))}
        rows={chains.data?.items}
        rowId={(row) => row.id}
        pageSize={5}
        empty={
          <EmptyState title="No calls of the last 30 days look like the stages of an attack" />
        }
      />
      {shown && <ChainDetail chain={shown} onClose={() => setOpened(undefined)} />}
    </Panel>
  );
}

function columns(open: (chain: AttackChain) => void): Column<AttackChain>[] {
  return [
    {
      id: 'principal',
      header: 'Principal',
      sortBy: (row) => row.principal,
      csv: { Principal: (row) => row.principal, Account: (row) => row.account },
      cell: (row) => (
        <div style={{ minWidth: 150, maxWidth: 320 }}>
          <OpenName style={{ overflowWrap: 'anywhere' }} onOpen={() => open(row)}>
            {row.principal}
          </OpenName>
          <Text size="xs" className="muted">
            {row.account}
          </Text>
        </div>
      ),
    },
    {
      id: 'stages',
      header: 'Stages reached',
      cell: (row) => (
        <Text size="sm" style={{ maxWidth: 320 }}>
          {stages(row)}
        </Text>
      ),
    },
    {
      id: 'next',
      header: 'Next likely step',
      sortBy: (row) => row.next[0]?.probability ?? 0,
      csv: {
        'Next likely step': (row) => row.next[0]?.stage,
        'Probability of the step': (row) => row.next[0]?.probability,
      },
      cell: (row) => <Text size="sm">{nextStep(row)}</Text>,
    },
    {
      id: 'probability',
      header: 'Continues',
      sortBy: (row) => row.probability,
      csv: { 'Probability that it continues': (row) => row.probability },
      cell: (row) => <Status of={gravity(row)} label={likelihood(row.probability)} />,
    },
    {
      id: 'last',
      header: 'Last step',
      sortBy: (row) => row.last_at,
      cell: (row) => <When at={row.last_at} />,
    },
  ];
}
