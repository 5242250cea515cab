import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Entry } from '../../api/bodies';
import { useMay } from '../../api/session';
import { agentsQuery } from '../intelligence/queries';
import { actorOf } from './naming';

/** Who did it; agents by their name where the reader may see agents. */
export function ActorName({ of: entry }: { of: Entry }) {
  const enabled = useMay()('intelligence.view') && entry.actor?.type === 'agent';
  const { data } = useQuery({ ...agentsQuery, enabled, refetchInterval: false, staleTime: 60_000 });
  const names = useMemo(() => new Map(data?.items.map(({ id, name }) => [id, name])), [data]);
  return <span title={entry.actor?.id ?? undefined}>{actorOf(entry, names)}</span>;
}
