import { describe, expect, it } from 'vitest';
import { closedTo, expanded, landing, openTo, pageAt, SECTIONS } from './navigation';

const labels = (permissions: string[]) =>
  openTo(permissions).flatMap(({ places }) => places.map(({ label }) => label));

describe('navigation', () => {
  it.each([
    [['audit.view.own', 'audit.search'], ['Audit Logging', 'API tokens'], '/audit'],
    [
      ['intelligence.view', 'estate.view'],
      [
        'Intelligence Automation',
        'Connections',
        'Resources',
        'Costs',
        'Budgets',
        'Notifications',
        'Webhooks',
        'API tokens',
      ],
      '/intelligence',
    ],
    [['administer'], ['Workspace', 'Users', 'Teams', 'API tokens'], '/settings/workspace'],
    [[], ['API tokens'], '/settings/tokens'],
  ])('%j', (permissions, expected, start) => {
    expect(labels(permissions)).toEqual(expected);
    expect(landing(permissions)).toBe(start);
  });

  it.each([
    ['/intelligence/rollouts/1', ['audit.view.own'], 'Intelligence Automation'],
    ['/intelligence', ['intelligence.view'], undefined],
    ['/estate/resources', [], 'Resources'],
    ['/audit/alerts', ['audit.view.own'], 'Alerts'],
    ['/audit/alerts', ['audit.view.all'], undefined],
    ['/audit/0192-entry', ['audit.view.own'], undefined],
    ['/settings/tokens', [], undefined],
    ['/elsewhere', [], undefined],
    ['/auditing', [], undefined],
  ])('%s with %j', (path, permissions, expected) =>
    expect(closedTo(path, permissions)?.label).toBe(expected),
  );

  it('groups the pages of a room by what a person does there', () => {
    const [room] = openTo(['intelligence.view']).flatMap(({ places }) => places);
    expect(
      room?.groups?.map(({ label, pages }) => [label, ...pages.map((page) => page.label)]),
    ).toEqual([
      [undefined, 'Dashboard'],
      ['Act', 'Recommendations', 'Approvals', 'Rollouts', 'Actions'],
      [
        'Watch',
        'Incidents',
        'Anomalies',
        'Predictions',
        'Objectives',
        'Compliance',
        'Exposure',
        'Dependencies',
        'Drift',
        'Models',
      ],
      [
        'Configure',
        'Agents',
        'Playbooks',
        'Runbooks',
        'Guardrails',
        'Change control',
        'Exclusions',
      ],
    ]);
  });

  it('opens to a user with a scope what is narrowed to it', () => {
    const scoped = [
      'scoped',
      'audit.view.all',
      'audit.search',
      'audit.reports',
      'intelligence.view',
      'estate.view',
    ];
    const pages = openTo(scoped).flatMap(({ places }) =>
      places.flatMap(({ label, groups }) => [
        label,
        ...(groups?.flatMap((group) => group.pages.map((page) => page.label)) ?? []),
      ]),
    );
    expect(pages).toEqual([
      'Intelligence Automation',
      'Recommendations',
      'Compliance',
      'Dependencies',
      'Drift',
      'Audit Logging',
      'Search',
      'Live View',
      'Compliance Reports',
      'Reports',
      'Resources',
      'API tokens',
    ]);
    expect(landing(scoped)).toBe('/intelligence/recommendations');
  });

  it('leaves out pages that need another permission', () => {
    const [room] = openTo(['audit.view.own']).flatMap(({ places }) => places);
    expect(room?.groups?.flatMap(({ pages }) => pages.map(({ label }) => label))).toEqual([
      'Dashboard',
      'Search',
      'Live View',
    ]);
  });

  it('gives every page a name and a sentence of its own', () => {
    for (const { groups } of SECTIONS.flatMap(({ places }) => places)) {
      const pages = groups?.flatMap((group) => group.pages) ?? [];
      expect(new Set(pages.map(({ label }) => label)).size).toBe(pages.length);
      expect(new Set(pages.map(({ about }) => about)).size).toBe(pages.length);
    }
  });

  it.each([
    ['/intelligence', 'Dashboard'],
    ['/intelligence/anomalies/threat-lists', 'Anomalies'],
    ['/intelligence/anomalies/other-tools', 'Anomalies'],
    ['/intelligence/rollouts/7', 'Rollouts'],
  ])('%s belongs to %s', (path, label) => {
    expect(pageAt(path, SECTIONS[0]?.places[0]?.groups ?? [])?.label).toBe(label);
  });

  it('an entry of the log belongs to the search that finds it', () => {
    const audit = SECTIONS.flatMap(({ places }) => places).find(({ to }) => to === '/audit');
    const labelAt = (path: string) => pageAt(path, audit?.groups ?? [])?.label;
    expect(labelAt('/audit/01a22707-cdfd-75e0-9702-e666163b0c79')).toBe('Search');
    expect(labelAt('/audit')).toBe('Dashboard');
    expect(labelAt('/audit/exports')).toBe('Exports');
  });

  it.each([
    ['/audit/search', '/audit'],
    ['/intelligence/agents', '/intelligence'],
    ['/estate/resources', '/intelligence'],
  ])('at %s the pages of %s are listed', (path, room) => {
    expect(expanded(path, SECTIONS)?.to).toBe(room);
  });
});
