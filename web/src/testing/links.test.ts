// Notifications lead to pages of the dashboard: each of their paths is a route, and the route reads the identifier in it.
import { QueryClient } from '@tanstack/react-query';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newRouter } from '../routes';
import { SECTIONS } from '../shell/navigation';

const source = readFileSync(
  join(import.meta.dirname, '../../../crates/notify/src/sources/pages.rs'),
  'utf8',
);
const paths = [...source.matchAll(/=> format!\("([^"]+)"\)/g)].map(([, path = '']) => path);
const ways = [...source.matchAll(/=> "([^"]+ > [^"]+)"/g)].map(([, way = '']) => way);
const ID = '01a20a08-2e9c-76c7-8863-5c216f792af1';

describe('ways in words', () => {
  it('exist for every page', () => expect(ways.length).toBe(paths.length));

  it.each(ways)('%s are labels of the navigation', (way) => {
    const labels = SECTIONS.flatMap((section) =>
      section.places.flatMap((place) => [
        `${section.label} > ${place.label}`,
        ...(place.groups ?? []).flatMap(({ pages }) =>
          pages.map((page) => `${place.label} > ${page.label}`),
        ),
      ]),
    );
    expect(labels).toContain(way);
  });
});

describe('links of notifications', () => {
  it('are found in the source', () => expect(paths.length).toBeGreaterThanOrEqual(7));

  it.each(paths)('%s opens the object that it names', (path) => {
    const [pathname = '', query = ''] = path.replace('{id}', ID).split('?');
    const search = Object.fromEntries(new URLSearchParams(query));
    const router = newRouter(new QueryClient());
    const matches = router.matchRoutes(pathname, search);
    const last = matches.at(-1);
    expect(last?.fullPath.replace(/\/$/, '').split('/').length).toBe(pathname.split('/').length);
    expect(
      Object.values({ ...last?.params, ...(last?.search as Record<string, string>) }),
    ).toContain(ID);
  });
});
