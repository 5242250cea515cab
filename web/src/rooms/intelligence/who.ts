// People and agents by the names the room knows them by.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { agentsQuery } from './queries';

/** `agent:ID` as the agent's name, `reeve` and people as they are. */
export function whoOf(by: string, agents: Map<string, string>): string {
  const id = /^agent:(.+)$/.exec(by)?.[1];
  return id === undefined ? by : agents.get(id) ?? 'an agent that is gone';
}

export function useWho(): (by: string) => string {
  const { data } = useQuery({ ...agentsQuery, refetchInterval: false, staleTime: 60_000 });
  return useMemo(() => {
    const names = new Map(data?.items.map(({ id, name }) => [id, name]));
    return (by: string) => (data ? whoOf(by, names) : by.replace(/^agent:.*/, 'an agent'));
  }, [data]);
}
