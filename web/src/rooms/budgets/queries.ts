// What the room asks the service for, and what it changes.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { body, client } from '../../api/client';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];
export type Budget = Schemas['BudgetBody'];
export type BudgetAlert = Schemas['BudgetAlertBody'];
export type BudgetSettings = Schemas['BudgetSettings'];

/** Bills are looked at once a minute. */
const AGAIN_MS = 30_000;

export const budgetsQuery = queryOptions({
  queryKey: ['budgets', 'list'],
  queryFn: () => body(client.GET('/api/v1/budgets')),
  refetchInterval: AGAIN_MS,
});
export const budgetAlertsQuery = queryOptions({
  queryKey: ['budgets', 'alerts'],
  queryFn: () => body(client.GET('/api/v1/budgets/alerts')),
  refetchInterval: AGAIN_MS,
});
export const budgetQuery = (id: string) =>
  queryOptions({
    queryKey: ['budgets', id],
    queryFn: () => body(client.GET('/api/v1/budgets/{id}', { params: { path: { id } } })),
    refetchInterval: AGAIN_MS,
  });

export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['budgets'] }),
  });
}

export const createBudget = (given: BudgetSettings) =>
  body(client.POST('/api/v1/budgets', { body: given }));
export const changeBudget = ({ id, ...given }: { id: string } & BudgetSettings) =>
  body(client.PUT('/api/v1/budgets/{id}', { params: { path: { id } }, body: given }));
export const removeBudget = (id: string) =>
  body(client.DELETE('/api/v1/budgets/{id}', { params: { path: { id } } }));
