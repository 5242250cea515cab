// What the pages about incidents and playbooks ask the service for.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';
import { MOST } from '../queries';

type Schemas = components['schemas'];

export type IncidentSummary = Schemas['IncidentSummaryBody'];
export type Incident = Schemas['IncidentRecordBody'];
export type IncidentStatus = Schemas['IncidentStatus'];
export type Moment = Schemas['IncidentMomentBody'];
export type Graph = Schemas['IncidentGraphBody'];
export type Run = Schemas['PlaybookRunBody'];
export type RunStep = Schemas['PlaybookRunStepBody'];
export type Playbook = Schemas['PlaybookBody'];
export type PlaybookAction = Schemas['PlaybookAction'];
export type StepState = Schemas['PlaybookStepState'];

const INCIDENT = '/api/v1/intelligence/incidents/{id}' as const;
const at = (id: string) => ({ params: { path: { id } } });

export const incidentsQuery = (status: string | undefined) =>
  queryOptions({
    queryKey: ['intelligence', 'incidents', status],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/incidents', {
          params: { query: { status, limit: MOST } },
        }),
      ),
    refetchInterval: 15_000,
  });

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ['intelligence', 'incident', id],
    queryFn: () => body(client.GET(INCIDENT, at(id))),
    refetchInterval: 15_000,
  });

export const timelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['intelligence', 'incident', id, 'timeline'],
    queryFn: () =>
      body(
        client.GET(`${INCIDENT}/timeline`, {
          params: { path: { id }, query: { limit: MOST } },
        }),
      ),
    refetchInterval: 30_000,
  });

export const graphQuery = (id: string) =>
  queryOptions({
    queryKey: ['intelligence', 'incident', id, 'graph'],
    queryFn: () => body(client.GET(`${INCIDENT}/graph`, at(id))),
  });

/** Runs, asked for more often while one goes on. */
export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ['intelligence', 'incident', id, 'runs'],
    queryFn: () => body(client.GET(`${INCIDENT}/runs`, at(id))),
    refetchInterval: (query) => (query.state.data?.items.some(goesOn) ? 2_000 : 15_000),
  });

export const goesOn = (run: Run): boolean =>
  (run.rollback && !run.rollback.ended_at) ||
  run.steps.some(({ state }) => state === 'running' || state === 'rolling_back');

export const playbooksQuery = queryOptions({
  queryKey: ['intelligence', 'playbooks'],
  queryFn: () => body(client.GET('/api/v1/intelligence/playbooks')),
});

export const createIncident = (given: Schemas['IncidentCreateBody']) =>
  body(client.POST('/api/v1/intelligence/incidents', { body: given }));

export const editIncident = ({
  id,
  ...given
}: { id: string } & Partial<Schemas['IncidentPatchBody']>) =>
  body(client.PATCH(INCIDENT, { ...at(id), body: given }));

export const addNote = ({ id, text }: { id: string; text: string }) =>
  body(client.POST(`${INCIDENT}/notes`, { ...at(id), body: { text } }));

export const addTask = ({ id, ...given }: { id: string; text: string; assignee?: string }) =>
  body(client.POST(`${INCIDENT}/tasks`, { ...at(id), body: given }));

export const editTask = ({ id, task, done }: { id: string; task: string; done: boolean }) =>
  body(
    client.PATCH(`${INCIDENT}/tasks/{task}`, {
      params: { path: { id, task } },
      body: { done },
    }),
  );

export const runPlaybook = ({ id, playbook }: { id: string; playbook: string }) =>
  body(client.POST(`${INCIDENT}/runs`, { ...at(id), body: { playbook } }));

export const rollBackRun = ({ id, run }: { id: string; run: string }) =>
  body(client.POST(`${INCIDENT}/runs/{run}/rollback`, { params: { path: { id, run } } }));

export const createPlaybook = (given: Schemas['PlaybookCreateBody']) =>
  body(client.POST('/api/v1/intelligence/playbooks', { body: given }));

export const replacePlaybook = ({
  name,
  ...given
}: { name: string } & Schemas['PlaybookPutBody']) =>
  body(
    client.PUT('/api/v1/intelligence/playbooks/{name}', {
      params: { path: { name } },
      body: given,
    }),
  );

export const removePlaybook = (name: string) =>
  body(client.DELETE('/api/v1/intelligence/playbooks/{name}', { params: { path: { name } } }));
