import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Me } from './bodies';
import { body, client } from './client';
import { sendHeld } from './held';
import { Problem } from './problem';
import type { components } from './schema';
import { SCOPED } from '../shell/navigation';

/** Who is signed in; `null` when nobody is. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async (): Promise<Me | null> => {
    try {
      const me = await body(client.GET('/api/v1/sessions/current'));
      // Pages that a scope does not narrow are closed.
      return me.scope ? { ...me, permissions: [...me.permissions, SCOPED] } : me;
    } catch (error) {
      if (error instanceof Problem && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

export function useMe(): Me | null {
  return useQuery(meQuery).data ?? null;
}

/** Whether the person may do something, by the service's own names (`intelligence.operate`). */
export function useMay(): (permission: string) => boolean {
  const me = useMe();
  return (permission) => me?.permissions.includes(permission) ?? false;
}

export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (given: components['schemas']['SignIn']) =>
      body(client.POST('/api/v1/sessions', { body: given })),
    onSuccess: async () => {
      queries.removeQueries({ predicate: (query) => query.queryKey[0] !== 'me' });
      await queries.fetchQuery({ ...meQuery, staleTime: 0 });
    },
  });
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      await sendHeld();
      return body(client.DELETE('/api/v1/sessions/current'));
    },
    onSettled: () => {
      queries.setQueryData(meQuery.queryKey, null);
      queries.removeQueries({ predicate: (query) => query.queryKey[0] !== 'me' });
    },
  });
}
