import { describe, expect, it } from 'vitest';
import { closedTo, landing, openTo } from './navigation';

const labels = (permissions: string[]) => openTo(permissions).flatMap(({ places }) => places.map(({ label }) => label));

describe('navigation', () => {
  it.each([
    [['audit.view.own', 'audit.search'], ['Audit Logging', 'API tokens'], '/audit'],
    [['intelligence.view', 'estate.view'], ['Intelligence Automation', 'Connections', 'Resources', 'Budgets', 'Notifications', 'Webhooks', 'API tokens'], '/intelligence'],
    [['administer'], ['Workspace', 'Users', 'Teams', 'API tokens'], '/settings/workspace'],
    [[], ['API tokens'], '/settings/tokens'],
  ])('%j', (permissions, expected, start) => {
    expect(labels(permissions)).toEqual(expected);
    expect(landing(permissions)).toBe(start);
  });

  it.each([
    ['/intelligence/rollouts/1', ['audit.view.own'], 'Intelligence Automation'], ['/intelligence', ['intelligence.view'], undefined], ['/estate/resources', [], 'Resources'],
    ['/settings/tokens', [], undefined], ['/elsewhere', [], undefined], ['/auditing', [], undefined],
  ])('%s with %j', (path, permissions, expected) => expect(closedTo(path, permissions)?.label).toBe(expected));
});
