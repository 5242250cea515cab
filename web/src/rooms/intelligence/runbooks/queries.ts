// What the page about runbooks asks the service for.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];

export type Runbook = Schemas['RunbookBody'];
export type Trial = Schemas['RunbookTrialBody'];
export type Outcome = Schemas['RunbookOutcome'];

const RUNBOOKS = '/api/v1/intelligence/runbooks' as const;
const RUNBOOK = '/api/v1/intelligence/runbooks/{name}' as const;
const named = (name: string) => ({ params: { path: { name } } });

export const runbooksQuery = queryOptions({
  queryKey: ['intelligence', 'runbooks'],
  queryFn: () => body(client.GET(RUNBOOKS)),
  refetchInterval: 15_000,
});

export const createRunbook = (source: string) => body(client.POST(RUNBOOKS, { body: { source } }));

export const replaceRunbook = ({ name, source }: { name: string; source: string }) =>
  body(client.PUT(RUNBOOK, { ...named(name), body: { source } }));

export const removeRunbook = (name: string) => body(client.DELETE(RUNBOOK, named(name)));

export const tryRunbook = (given: { source: string; days: number }) =>
  body(client.POST(`${RUNBOOKS}/try`, { body: given }));

export const closeBreakers = ({ name, resource }: { name: string; resource?: string | null }) =>
  body(
    client.POST(`${RUNBOOK}/breakers/close`, {
      ...named(name),
      body: { resource_id: resource ?? null },
    }),
  );
