// Names of the people and agents that request changes.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { agentsQuery } from './queries';

/** A requester: the name in records, and the agent where the requester is one. */
export type Requester = { by: string; by_agent?: string | null };

/** A requester as approvals write it: an e-mail address, or `agent:` and the identifier. */
export function requesterOf(text: string): Requester {
  return { by: text, by_agent: /^agent:(.+)$/.exec(text)?.[1] };
}

/** The name of an agent, and people as the records name them. */
export function whoOf({ by, by_agent }: Requester, agents: Map<string, string>): string {
  return by_agent == null ? by : (agents.get(by_agent) ?? 'a deleted agent');
}

export function useWho(): (requester: Requester) => string {
  const { data } = useQuery({ ...agentsQuery, refetchInterval: false, staleTime: 60_000 });
  return useMemo(() => {
    const names = new Map(data?.items.map(({ id, name }) => [id, name]));
    return (requester) =>
      data ? whoOf(requester, names) : requester.by_agent == null ? requester.by : 'an agent';
  }, [data]);
}
