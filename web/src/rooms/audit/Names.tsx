import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Entry } from '../../api/bodies';
import { useMay } from '../../api/session';
import { agentsQuery } from '../intelligence/queries';
import { actorOf, resourceOf, tail } from './naming';

/** Agents' names by their identifiers, where the reader may see agents; asked for only where they are wanted. */
export function useAgentNames(wanted = true): Map<string, string> {
  const enabled = useMay()('intelligence.view') && wanted;
  const { data } = useQuery({ ...agentsQuery, enabled, refetchInterval: false, staleTime: 60_000 });
  return useMemo(() => new Map(data?.items.map(({ id, name }) => [id, name])), [data]);
}

/** Who did it; agents by their name. */
export function ActorName({ of: entry }: { of: Entry }) {
  const names = useAgentNames(entry.actor?.type === 'agent');
  return <span title={entry.actor?.id ?? undefined}>{actorOf(entry, names)}</span>;
}

/** To what it was done; agents by their name. */
export function ResourceName({ of: entry }: { of: Entry }) {
  const names = useAgentNames(entry.resource?.type === 'agent');
  const id = resourceOf(entry);
  return <span title={id}>{names.get(id) ?? tail(id)}</span>;
}
