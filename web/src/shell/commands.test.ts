import { describe, expect, it } from 'vitest';
import { GO_TO, matching, pagesOf } from './commands';

const labels = (permissions: string[], query: string) =>
  matching(pagesOf(permissions), query).map(({ label }) => label);

describe('pages by name', () => {
  it('finds by name, room and description, names that begin so first', () => {
    expect(labels(['intelligence.view', 'audit.view.all', 'audit.search'], 're')[0]).toBe(
      'Recommendations',
    );
    expect(labels(['intelligence.view'], 'kill switch')).toEqual(['Guardrails']);
    expect(labels(['audit.view.own'], 'audit search')).toEqual(['Search']);
  });

  it('offers only pages that are open to the reader', () => {
    expect(labels([], '')).toEqual(['API tokens', 'Account']);
    expect(labels(['estate.view'], 'users')).toEqual([]);
  });

  it('has a page behind each key', () => {
    const pages = new Set(
      pagesOf(['intelligence.view', 'audit.view.all', 'estate.view']).map(({ to }) => to),
    );
    for (const { to } of Object.values(GO_TO)) expect(pages).toContain(to);
  });
});
