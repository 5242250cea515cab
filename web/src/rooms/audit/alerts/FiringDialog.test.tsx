import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { show } from '../../../testing/page';
import { FiringDialog } from './FiringDialog';
import type { Firing } from './queries';

const { search } = vi.hoisted(() => ({ search: vi.fn() }));
vi.mock('../queries', () => ({
  entriesQuery: (asked: { query: string }) => ({
    queryKey: ['entries', asked.query],
    queryFn: (): unknown => search(asked.query),
  }),
}));
vi.mock('../../../api/session', () => ({
  useMay: () => () => true,
  useMe: () => ({ email: 'sam@example.com' }),
}));
vi.mock('../../../display/EntryLink', () => ({
  EntryLink: ({ id }: { id: string }) => <a href={`/audit/${id}`}>{id}</a>,
}));

/** The dialog loads when it is opened. */
const SLOW = { timeout: 10_000 };

const firing = {
  id: 'f1',
  rule_name: 'Failed sign-ins of a user',
  status: 'open',
  severity: 'high',
  group: { user: 'amira' },
  count: 3,
  first_at: '2026-05-03T10:00:00Z',
  last_at: '2026-05-03T10:01:00Z',
  entries: [
    { event_id: 'e1', timestamp: '2026-05-03T10:00:00Z' },
    { event_id: 'e2', timestamp: '2026-05-03T10:01:00Z' },
  ],
  version: 1,
} as unknown as Firing;

beforeEach(() => {
  search.mockResolvedValue({
    items: [
      {
        event_id: 'e1',
        event_type: 'authentication.login',
        actor: { type: 'user', id: 'amira', email: 'amira@example.com', ip_address: '203.0.113.9' },
        action: { operation: 'ConsoleLogin', status: 'failed' },
      },
    ],
    total: 1,
  });
});

it('shows user, address and outcome of the entries that it may read', async () => {
  show(<FiringDialog firing={firing} may onClose={() => undefined} />);
  const list = await screen.findByRole('list', { name: 'Entries that caused it' }, SLOW);
  await within(list).findByText(/amira@example\.com · from 203\.0\.113\.9/, undefined, SLOW);
  expect(within(list).getByText('Failed')).toBeInTheDocument();
  expect(within(list).getAllByRole('listitem')).toHaveLength(2);
  expect(search).toHaveBeenCalledWith('event_id:("e1" OR "e2")');
  expect(screen.getByText('1 more')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Assign to me' })).toBeInTheDocument();
});

it('names who handles alerts to those who do not', async () => {
  show(<FiringDialog firing={firing} may={false} onClose={() => undefined} />);
  await screen.findByText(/Audit administrators .+ resolve alerts/, undefined, SLOW);
  expect(screen.queryByRole('button', { name: 'Resolve' })).toBeNull();
});
