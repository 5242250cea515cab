// Integrations of the log: what is asked for, and what is changed.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type Integration = Schemas['IntegrationBody'];
export type DeadLetter = Schemas['DeadLetterBody'];

const PATH = '/api/v1/audit-logs/integrations' as const;
const LETTER = `${PATH}/{id}/dead-letters/{sequence}` as const;
/** Dead letters that a dialog lists. */
export const LISTED = 100;

const at = (id: string) => ({ params: { path: { id } } });
const letterAt = ({ id, sequence }: { id: string; sequence: number }) => ({
  params: { path: { id, sequence } },
});

const isStream = (one: Schemas['DirectedIntegrationBody']): one is Integration => 'receiver' in one;

export const integrationsQuery = queryOptions({
  queryKey: ['settings', 'integrations'],
  queryFn: async () => {
    const query = { limit: 100, direction: 'out' };
    const page = await body(client.GET(PATH, { params: { query } }));
    return { ...page, items: page.items.filter(isStream) };
  },
  refetchInterval: 5_000,
});

export const deadLettersQuery = (id: string) =>
  queryOptions({
    queryKey: ['settings', 'integrations', id, 'dead-letters'],
    queryFn: () =>
      body(
        client.GET(`${PATH}/{id}/dead-letters`, {
          params: { path: { id }, query: { limit: LISTED } },
        }),
      ),
  });

export const addIntegration = (given: Schemas['IntegrationCreate']) =>
  body(client.POST(PATH, { body: given }));
export const changeIntegration = ({ id, ...given }: { id: string } & Schemas['IntegrationPatch']) =>
  body(client.PATCH(`${PATH}/{id}`, { ...at(id), body: given }));
export const removeIntegration = (id: string) => body(client.DELETE(`${PATH}/{id}`, at(id)));
export const testIntegration = (id: string) => body(client.POST(`${PATH}/{id}/test`, at(id)));
export const pauseIntegration = (id: string) => body(client.POST(`${PATH}/{id}/pause`, at(id)));
export const resumeIntegration = (id: string) => body(client.POST(`${PATH}/{id}/resume`, at(id)));
export const replayIntegration = ({ id, sequence }: { id: string; sequence: number }) =>
  body(client.POST(`${PATH}/{id}/replay`, { ...at(id), body: { sequence } }));
export const replayLetter = (letter: { id: string; sequence: number }) =>
  body(client.POST(`${LETTER}/replay`, letterAt(letter)));
export const dropLetter = (letter: { id: string; sequence: number }) =>
  body(client.DELETE(LETTER, letterAt(letter)));
