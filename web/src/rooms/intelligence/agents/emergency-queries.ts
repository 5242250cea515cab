// The emergency lane of an agent, as asked of the service, and the standing approvals that people give, sign and end.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];

const APPROVALS = '/api/v1/intelligence/agents/{agent_id}/standing-approvals' as const;

export const emergenciesQuery = (agent_id: string) =>
  queryOptions({
    queryKey: ['intelligence', 'emergencies', agent_id],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/agents/{agent_id}/emergencies', {
          params: { path: { agent_id } },
        }),
      ),
    refetchInterval: 15_000,
  });

export const giveStandingApproval = ({
  agent_id,
  ...given
}: { agent_id: string } & Schemas['StandingApprovalCreate']) =>
  body(client.POST(APPROVALS, { params: { path: { agent_id } }, body: given }));

export const signStandingApproval = ({
  agent_id,
  id,
  ...given
}: { agent_id: string; id: string } & Schemas['StandingApprovalSign']) =>
  body(client.POST(`${APPROVALS}/{id}/sign`, { params: { path: { agent_id, id } }, body: given }));

export const endStandingApproval = ({
  agent_id,
  id,
  ...given
}: { agent_id: string; id: string } & Schemas['StandingApprovalEnd']) =>
  body(client.POST(`${APPROVALS}/{id}/end`, { params: { path: { agent_id, id } }, body: given }));
