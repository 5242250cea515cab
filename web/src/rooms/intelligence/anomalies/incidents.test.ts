import { expect, test } from 'vitest';
import type { Anomaly } from '../../../api/bodies';
import { byIncident } from './incidents';

const anomaly = (id: string, given: Partial<Anomaly> = {}) =>
  ({
    id,
    incident_id: id,
    title: `title of ${id}`,
    severity: 'medium',
    status: 'resolved',
    ...given,
  }) as Anomaly;

test('the anomalies of one incident are one row with its title and severity', () => {
  const incident = {
    id: 'spray',
    title: 'title of key, and 1 related anomaly',
    severity: 'high',
    status: 'open',
    entries: 33,
    resources: 1,
    started_at: '2026-05-10T10:00:00Z',
    last_at: '2026-05-10T10:05:00Z',
    members: [
      { id: 'spray', title: 'title of spray' },
      { id: 'key', title: 'title of key' },
    ],
    members_total: 2,
  } as NonNullable<Anomaly['incident']>;
  const rows = byIncident([
    anomaly('cpu'),
    anomaly('spray', { incident, incident_id: 'spray' }),
    anomaly('key', { incident, incident_id: 'spray', severity: 'high', status: 'open' }),
  ]);
  expect(rows.map(({ id, title, severity }) => [id, title, severity])).toEqual([
    ['cpu', 'title of cpu', 'medium'],
    ['key', 'title of key, and 1 related anomaly', 'high'],
  ]);
  expect(rows.map(({ members }) => members.length)).toEqual([0, 2]);
});
