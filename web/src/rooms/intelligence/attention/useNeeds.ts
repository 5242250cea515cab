import { useQuery } from '@tanstack/react-query';
import { useMay, useMe } from '../../../api/session';
import { firingsQuery } from '../../audit/alerts/queries';
import { connectionsQuery } from '../../estate/queries';
import { anomaliesQuery } from '../anomalies/queries';
import { FILTERS } from '../incidents/labels';
import { incidentsQuery } from '../incidents/queries';
import { actionsQuery, approvalsQuery, waitingQuery } from '../queries';
import { rolloutsQuery } from '../rollouts/queries';
import { useWho } from '../requesters';
import {
  alarms,
  anomalies,
  blocked,
  broken,
  failures,
  incidents,
  ordered,
  toSign,
  type Need,
} from './attention';

interface Needs {
  needs: Need[];
  /** Parts that the role of the reader shows; all others it always does. */
  shows: { alerts: boolean; connections: boolean };
  loading: boolean;
  /** Parts that could not be read. */
  failed: { name: string; retry: () => void }[];
}

/** Items that need the signed-in person's attention, from all the pages that they may see. */
export function useNeeds(): Needs {
  const may = useMay();
  const who = useWho();
  const me = useMe();
  const shows = { alerts: may('audit.view.all'), connections: may('estate.view') };
  const active = useQuery(incidentsQuery(FILTERS.active));
  const open = useQuery(anomaliesQuery({ status: 'open' }));
  const firings = useQuery({ ...firingsQuery('open'), enabled: shows.alerts });
  const approvals = useQuery(approvalsQuery);
  const actions = useQuery(actionsQuery);
  const recommendations = useQuery(waitingQuery);
  const rollouts = useQuery(rolloutsQuery({}));
  const connections = useQuery({ ...connectionsQuery, enabled: shows.connections });
  const parts = [
    { name: 'incidents', query: active },
    { name: 'anomalies', query: open },
    { name: 'alerts', query: firings },
    { name: 'approvals', query: approvals },
    { name: 'actions', query: actions },
    { name: 'recommendations', query: recommendations },
    { name: 'rollouts', query: rollouts },
    { name: 'connections', query: connections },
  ];
  return {
    shows,
    needs: ordered([
      ...incidents(active.data?.items ?? [], me?.email),
      ...anomalies(open.data?.items ?? [], active.data?.items ?? []),
      ...alarms(firings.data?.items ?? []),
      ...toSign(approvals.data?.items ?? [], who),
      ...failures(actions.data?.items ?? [], actions.dataUpdatedAt),
      ...blocked(recommendations.data?.items ?? [], rollouts.data?.items ?? []),
      ...broken(connections.data?.items ?? []),
    ]),
    loading: parts.some(({ query }) => query.isLoading),
    failed: parts
      .filter(({ query }) => query.error && !query.data)
      .map(({ name, query }) => ({ name, retry: () => void query.refetch() })),
  };
}
