// What the room asks the service for, and what it changes.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { body, client } from '../../api/client';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export const ROLES = [
  'administrator',
  'audit_administrator',
  'security_analyst',
  'compliance_officer',
  'manager',
  'director',
  'operator',
  'regular_user',
  'log_source',
];

export const usersQuery = queryOptions({
  queryKey: ['settings', 'users'],
  queryFn: () => body(client.GET('/api/v1/users')),
});
export const teamsQuery = queryOptions({
  queryKey: ['settings', 'teams'],
  queryFn: () => body(client.GET('/api/v1/teams')),
});
export const tokensQuery = queryOptions({
  queryKey: ['settings', 'tokens'],
  queryFn: () => body(client.GET('/api/v1/tokens')),
});

export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['settings'] }),
  });
}

export const createUser = (given: Schemas['UserCreate']) =>
  body(client.POST('/api/v1/users', { body: given }));
export const changeUser = ({ id, ...given }: { id: string } & Schemas['UserPatch']) =>
  body(client.PATCH('/api/v1/users/{id}', { params: { path: { id } }, body: given }));
export const removeUser = (id: string) =>
  body(client.DELETE('/api/v1/users/{id}', { params: { path: { id } } }));

export const createTeam = (given: Schemas['TeamCreate']) =>
  body(client.POST('/api/v1/teams', { body: given }));
export const renameTeam = ({ id, name }: { id: string; name: string }) =>
  body(client.PATCH('/api/v1/teams/{id}', { params: { path: { id } }, body: { name } }));
export const removeTeam = (id: string) =>
  body(client.DELETE('/api/v1/teams/{id}', { params: { path: { id } } }));

export const createToken = (given: Schemas['TokenCreate']) =>
  body(client.POST('/api/v1/tokens', { body: given }));
export const removeToken = (id: string) =>
  body(client.DELETE('/api/v1/tokens/{id}', { params: { path: { id } } }));

export const changePassword = (given: Schemas['PasswordChange']) =>
  body(client.PUT('/api/v1/account/password', { body: given }));
