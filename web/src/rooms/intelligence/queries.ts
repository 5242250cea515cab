// What the room asks the service for, and what it changes.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { body, client } from '../../api/client';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

/** Lists are asked for whole; the service's own limit is a thousand. */
export const MOST = 1000;

/** Kinds of recommendations: the types of, then those that fit none of them. */
export const TYPES = [
  'right_size',
  'reserved_instances',
  'spot_instances',
  'storage_optimization',
  'idle_resource_cleanup',
  'auto_scaling',
  'instance_type',
  'database_tuning',
  'caching_strategy',
  'security_group',
  'encryption',
  'iam_optimization',
  'patch_management',
  'storage_expansion',
  'limit_increase',
  'failover',
  'resource_tagging',
  'high_availability',
  'compliance',
  'failure_prevention',
  'known_issue',
];

export const dashboardQuery = queryOptions({
  queryKey: ['intelligence', 'dashboard'],
  queryFn: () => body(client.GET('/api/v1/intelligence/dashboard')),
  refetchInterval: 30_000,
});

export const guardrailsQuery = queryOptions({
  queryKey: ['intelligence', 'guardrails'],
  queryFn: () => body(client.GET('/api/v1/intelligence/guardrails')),
});

/** How far the guardrails are used up. */
export const guardrailsStatusQuery = queryOptions({
  queryKey: ['intelligence', 'guardrails', 'status'],
  queryFn: () => body(client.GET('/api/v1/intelligence/guardrails/status')),
  refetchInterval: 10_000,
});

export const agentsQuery = queryOptions({
  queryKey: ['intelligence', 'agents'],
  queryFn: () => body(client.GET('/api/v1/intelligence/agents')),
  refetchInterval: 15_000,
});

export const agentTypesQuery = queryOptions({
  queryKey: ['intelligence', 'agent-types'],
  queryFn: () => body(client.GET('/api/v1/intelligence/agent-types')),
  staleTime: Infinity,
});

/** Accounts and services that a scope may name. */
export const scopeChoicesQuery = queryOptions({
  queryKey: ['intelligence', 'scope-choices'],
  queryFn: () => body(client.GET('/api/v1/intelligence/scope-choices')),
});

/** The same as the entries of two pickers: an account goes by its connection's name. */
export function useScopeChoices(): { accounts: string[]; services: string[] } {
  const { data } = useQuery(scopeChoicesQuery);
  const accounts = new Set(
    data?.accounts.map(({ connection, account }) => connection || account) ?? [],
  );
  return { accounts: [...accounts], services: data?.services.map(({ name }) => name) ?? [] };
}

export interface RecommendationFilter {
  status?: string;
  priority?: string;
  type?: string;
  min_confidence?: number;
  account?: string;
  resource?: string;
  applicability?: string;
  limit?: number;
}

export function recommendationsQuery(filter: RecommendationFilter) {
  return queryOptions({
    queryKey: ['intelligence', 'recommendations', filter],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/recommendations', {
          params: { query: { limit: MOST, ...filter } },
        }),
      ),
    refetchInterval: 30_000,
  });
}

/** Recommendations that have not ended, best first: as many as a dashboard looks through. */
export const waitingQuery = recommendationsQuery({
  status: 'open,pending_approval,scheduled',
  limit: 200,
});

export function recommendationQuery(id: string, everyMs: number | false = 15_000) {
  return queryOptions({
    queryKey: ['intelligence', 'recommendation', id],
    queryFn: () =>
      body(client.GET('/api/v1/intelligence/recommendations/{id}', { params: { path: { id } } })),
    refetchInterval: everyMs,
  });
}

export type GroupRules = Schemas['GroupRulesBody'];
export type GroupRule = Schemas['GroupRuleBody'];
export type CutFlow = Schemas['CutFlowBody'];

/** The rules that a security group needs, where they were judged. */
export const groupRulesQuery = (resource: string) =>
  queryOptions({
    queryKey: ['intelligence', 'security-groups', resource],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/security-groups', {
          params: { query: { resource, limit: 1 } },
        }),
      ),
  });

export const actionsQuery = queryOptions({
  queryKey: ['intelligence', 'actions'],
  queryFn: () =>
    body(client.GET('/api/v1/intelligence/actions', { params: { query: { limit: MOST } } })),
  refetchInterval: 10_000,
});

export const approvalsQuery = queryOptions({
  queryKey: ['intelligence', 'approvals'],
  queryFn: () =>
    body(client.GET('/api/v1/intelligence/approvals', { params: { query: { limit: MOST } } })),
  refetchInterval: 10_000,
});

export const modelsQuery = queryOptions({
  queryKey: ['intelligence', 'models'],
  queryFn: () =>
    body(
      client.GET('/api/v1/intelligence/models', {
        params: { query: { status: 'serving', limit: MOST } },
      }),
    ),
  refetchInterval: 15_000,
});

export function modelQuery(id: string) {
  return queryOptions({
    queryKey: ['intelligence', 'model', id],
    queryFn: () =>
      body(client.GET('/api/v1/intelligence/models/{id}', { params: { path: { id } } })),
    refetchInterval: 10_000,
  });
}

export const costsQuery = queryOptions({
  queryKey: ['estate', 'costs'],
  queryFn: () => body(client.GET('/api/v1/costs')),
});

/**
 * A change that may move anything in the room: everything shown is asked for again. That is not waited for, so that what
 * follows a change (closing its dialog, saying that it went well) happens before what it changed disappears.
 */
export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['intelligence'] }),
  });
}

const RECOMMENDATION = '/api/v1/intelligence/recommendations/{id}' as const;

export const execute = ({ id, ...given }: { id: string } & Schemas['ExecuteBody']) =>
  body(client.POST(`${RECOMMENDATION}/execute`, { params: { path: { id } }, body: given }));

export const requestException = ({
  id,
  ...given
}: { id: string } & Schemas['ExceptionRequestBody']) =>
  body(client.POST(`${RECOMMENDATION}/exception`, { params: { path: { id } }, body: given }));

export const schedule = ({ id, ...given }: { id: string } & Schemas['ScheduleBody']) =>
  body(client.POST(`${RECOMMENDATION}/schedule`, { params: { path: { id } }, body: given }));

/** Reaches the service even where the page is being left. */
export const dismiss = ({ id, ...given }: { id: string } & Schemas['DismissBody']) =>
  body(
    client.POST(`${RECOMMENDATION}/dismiss`, {
      params: { path: { id } },
      body: given,
      keepalive: true,
    }),
  );

export const snooze = ({ id, ...given }: { id: string } & Schemas['SnoozeBody']) =>
  body(client.POST(`${RECOMMENDATION}/snooze`, { params: { path: { id } }, body: given }));

export const feedback = ({ id, ...given }: { id: string } & Schemas['FeedbackBody']) =>
  body(client.POST(`${RECOMMENDATION}/feedback`, { params: { path: { id } }, body: given }));

export const reopen = (id: string) =>
  body(client.POST(`${RECOMMENDATION}/reopen`, { params: { path: { id } } }));

export const testFirst = (id: string) =>
  body(client.POST(`${RECOMMENDATION}/test`, { params: { path: { id } }, body: {} }));

export const rollBack = ({ id, reason }: { id: string; reason: string }) =>
  body(
    client.POST('/api/v1/intelligence/actions/{id}/rollback', {
      params: { path: { id } },
      body: { reason },
    }),
  );

export const approve = ({ id, ...given }: { id: string } & Schemas['ApproveBody']) =>
  body(
    client.POST('/api/v1/intelligence/approvals/{id}/approve', {
      params: { path: { id } },
      body: given,
    }),
  );

export const reject = ({ id, ...given }: { id: string } & Schemas['RejectBody']) =>
  body(
    client.POST('/api/v1/intelligence/approvals/{id}/reject', {
      params: { path: { id } },
      body: given,
    }),
  );

export const delegate = ({ id, ...given }: { id: string } & Schemas['DelegateBody']) =>
  body(
    client.POST('/api/v1/intelligence/approvals/{id}/delegate', {
      params: { path: { id } },
      body: given,
    }),
  );

export const runAgent = (agent_id: string) =>
  body(
    client.POST('/api/v1/intelligence/agents/{agent_id}/run', { params: { path: { agent_id } } }),
  );

export const createAgent = (given: Schemas['AgentCreate']) =>
  body(client.POST('/api/v1/intelligence/agents', { body: given }));

export const configureAgent = ({
  agent_id,
  ...given
}: { agent_id: string } & Schemas['AgentPatch']) =>
  body(
    client.PATCH('/api/v1/intelligence/agents/{agent_id}', {
      params: { path: { agent_id } },
      body: given,
    }),
  );

export const removeAgent = (agent_id: string) =>
  body(client.DELETE('/api/v1/intelligence/agents/{agent_id}', { params: { path: { agent_id } } }));

export const retrainModel = (id: string) =>
  body(client.POST('/api/v1/intelligence/models/{id}/retrain', { params: { path: { id } } }));

export const setGuardrails = (given: Schemas['GuardrailsPut']) =>
  body(client.PUT('/api/v1/intelligence/guardrails', { body: given }));

export const killSwitch = (given: Schemas['KillSwitchBody']) =>
  body(client.POST('/api/v1/intelligence/kill-switch', { body: given }));

export const resetBreaker = (given: Schemas['BreakerResetBody']) =>
  body(client.POST('/api/v1/intelligence/guardrails/breaker-reset', { body: given }));
