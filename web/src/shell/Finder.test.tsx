import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { show } from '../testing/page';
import { Finder } from './Finder';
import { typedWith } from './useEarlyKeys';

const { navigate, resources } = vi.hoisted(() => ({
  navigate: vi.fn(),
  resources: vi.fn(() => Promise.resolve({ items: [] as object[], total: 0 })),
}));
vi.mock('@tanstack/react-router', async (original) => ({
  ...(await original<typeof import('@tanstack/react-router')>()),
  useNavigate: () => navigate,
}));
vi.mock('../rooms/estate/queries', () => ({
  resourcesQuery: (asked: object) => ({ queryKey: ['resources', asked], queryFn: resources }),
}));

const PERMISSIONS = ['intelligence.view', 'audit.view.all', 'estate.view'];
const field = () => screen.findByRole('textbox', { name: 'Page, resource or recommendation' });

/** By the first of its two buttons: one is for phones. */
async function openPalette() {
  for (const button of screen.getAllByRole('button', { name: /Command palette/ }).slice(0, 1))
    await userEvent.click(button);
}

beforeEach(() => {
  navigate.mockClear();
});

it('keeps what is typed before the palette is there, and opens the first hit with Enter', async () => {
  show(<Finder path="/" permissions={PERMISSIONS} />);
  await openPalette();
  for (const key of 'guardx') fireEvent.keyDown(document.body, { key });
  fireEvent.keyDown(document.body, { key: 'Backspace' });
  const input = await field();
  await waitFor(() => expect(input).toHaveValue('guard'));
  await userEvent.type(input, 'r');
  await userEvent.keyboard('{Enter}');
  expect(navigate).toHaveBeenLastCalledWith({ to: '/intelligence/guardrails' });
});

it('waits with Enter until the first hit is found', async () => {
  resources.mockResolvedValue({
    items: [{ id: 'i-1', connection_id: 'c', name: 'zq-machine', type: 'vm', provider: 'aws' }],
    total: 1,
  });
  show(<Finder path="/" permissions={['estate.view']} />);
  await openPalette();
  await userEvent.type(await field(), 'zq-mach{Enter}');
  await waitFor(() =>
    expect(navigate).toHaveBeenLastCalledWith({
      to: '/estate/resources/$id',
      params: { id: 'i-1' },
    }),
  );
  expect(navigate).toHaveBeenCalledTimes(1);
});

it('takes letters and Backspace, and no other keys', () => {
  expect(typedWith('gu', 'a')).toBe('gua');
  expect(typedWith('gu', 'Backspace')).toBe('g');
  expect(typedWith('gu', 'Shift')).toBeUndefined();
  expect(typedWith('gu', 'Escape')).toBeUndefined();
});
