// Settings of the workspace, and what follows from them everywhere: the name, the zone of times, the currency of amounts.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { showMoneyIn } from '../display/amounts';
import { showIn } from '../display/instants';
import { body, client } from './client';
import type { components } from './schema';

export type Workspace = components['schemas']['WorkspaceBody'];

function applied(workspace: Workspace): Workspace {
  showIn(workspace.time_zone ?? undefined);
  showMoneyIn(workspace.currency, workspace.usd_rate);
  return workspace;
}

export const workspaceQuery = queryOptions({
  queryKey: ['workspace'],
  queryFn: async () => applied(await body(client.GET('/api/v1/settings'))),
  staleTime: 60_000,
});

export function useWorkspace(): Workspace | undefined {
  return useQuery({ ...workspaceQuery, enabled: false }).data;
}

export function useChangeWorkspace() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (given: components['schemas']['WorkspaceSettings']) =>
      body(client.PUT('/api/v1/settings', { body: given })),
    onSuccess: (workspace) => queries.setQueryData(workspaceQuery.queryKey, applied(workspace)),
  });
}
