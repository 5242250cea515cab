import { describe, expect, it } from 'vitest';
import { landing, openTo } from './navigation';

const labels = (permissions: string[]) => openTo(permissions).flatMap(({ places }) => places.map(({ label }) => label));

describe('navigation', () => {
  it.each([
    [['audit.view.own', 'audit.search'], ['Audit Logging', 'API tokens'], '/audit'],
    [['intelligence.view', 'estate.view'], ['Intelligence Automation', 'Connections', 'Resources', 'Notifications', 'Webhooks', 'API tokens'], '/intelligence'],
    [['administer'], ['Users', 'Teams', 'API tokens'], '/settings/users'],
    [[], ['API tokens'], '/settings/tokens'],
  ])('%j', (permissions, expected, start) => {
    expect(labels(permissions)).toEqual(expected);
    expect(landing(permissions)).toBe(start);
  });
});
