import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { routesOf } from '../../tools/budget/first-load';

const routes = routesOf(readFileSync(join(import.meta.dirname, '../routes.tsx'), 'utf8'));

it('the measured pages are those of the router, with the pages around them', () => {
  expect(routes).toContainEqual({
    address: '/estate/connections',
    files: ['rooms/estate/Connections'],
  });
  expect(routes).toContainEqual({
    address: '/intelligence',
    files: ['rooms/intelligence/Room', 'rooms/intelligence/DashboardPage'],
  });
  expect(routes).toContainEqual({
    address: '/intelligence/anomalies/threat-lists',
    files: [
      'rooms/intelligence/Room',
      'rooms/intelligence/anomalies/AnomaliesRoom',
      'rooms/intelligence/threats/ThreatLists',
    ],
  });
  expect(new Set(routes.map(({ address }) => address)).size).toBe(routes.length);
});
