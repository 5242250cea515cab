import { describe, expect, it } from 'vitest';
import type { components } from '../../api/schema';
import { latest, metricsOf, searchOfFinding } from './compliance';

type Run = components['schemas']['ReportRunBody'];

const run = (given: Partial<Run>) =>
  ({
    id: 'r',
    framework: 'soc2',
    state: 'succeeded',
    created_at: '2026-11-01T00:00:00.000Z',
    start_time: '2026-10-01T00:00:00.000Z',
    end_time: '2026-11-01T00:00:00.000Z',
    filters: { accounts: [], users: [], resources: [] },
    ...given,
  }) as Run;

const question = (name: string, query: string, found: number) => ({ name, query, found });

describe('the compliance metrics', () => {
  it('are those of the newest run that has succeeded', () => {
    const found = latest([
      run({ id: 'old', created_at: '2026-11-01T00:00:00.000Z' }),
      run({ id: 'new', created_at: '2026-11-03T00:00:00.000Z' }),
      run({ id: 'failed', state: 'failed', created_at: '2026-11-04T00:00:00.000Z' }),
      run({ id: 'other', framework: 'gdpr' }),
    ]);
    expect([...found].map(([framework, { id }]) => [framework, id])).toEqual([
      ['soc2', 'new'],
      ['gdpr', 'other'],
    ]);
  });

  it('count controls, and list each exception once, the most frequent first', () => {
    const controls = [
      {
        number: 'A',
        gaps: ['g'],
        evidence: [question('e', 'e', 5)],
        exceptions: [question('x', 'x', 2), question('y', 'y', 9)],
      },
      {
        number: 'B',
        gaps: [],
        evidence: [question('e', 'e', 0)],
        exceptions: [question('x again', 'x', 2)],
      },
      { number: 'C', gaps: ['g'], evidence: [], exceptions: [question('none', 'z', 0)] },
    ];
    const statuses = {
      evidence: 0,
      incomplete: 0,
      exceptions: 2,
      no_entries: 0,
      no_source: 0,
      outside_the_log: 1,
    };
    const metrics = metricsOf(
      run({ summary: { controls, statuses } as unknown as NonNullable<Run['summary']> }),
    );
    expect(metrics).toMatchObject({ controls: 3, statuses });
    expect(metrics?.exceptions.map(({ label, found }) => [label, found])).toEqual([
      ['A y', 9],
      ['A x', 2],
    ]);
    expect(metricsOf(run({}))).toBeUndefined();
  });

  it('lead to what the report read: its period without its end, its filters, reads of the log too', () => {
    expect(searchOfFinding('a OR b', run({}))).toEqual({
      query: '(a OR b) AND NOT status:pending',
      start: '2026-10-01T00:00:00.000Z',
      end: '2026-10-31T23:59:59.999Z',
      reads: 'yes',
    });
    const filters = {
      accounts: ['417382906514'],
      users: ['ann@acme.example', 'a "b"'],
      resources: ['i-*'],
    };
    expect(searchOfFinding('a OR b', run({ filters })).query).toBe(
      '(a OR b) AND (account:(417382906514) OR NOT account:*) AND user:(ann@acme.example OR "a \\"b\\"") AND (resource.id:(i-*) OR NOT account:*) AND NOT status:pending',
    );
    expect(
      searchOfFinding(
        'status:failed',
        run({ framework: null, filters: { accounts: ['1'], users: [], resources: [] } }),
      ).query,
    ).toBe('(status:failed) AND account:(1)');
  });
});
