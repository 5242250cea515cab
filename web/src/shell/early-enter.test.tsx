// A file of its own: the palette must not have been loaded by another test.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { show } from '../testing/page';
import { Finder } from './Finder';

const { navigate } = vi.hoisted(() => ({ navigate: vi.fn() }));
vi.mock('@tanstack/react-router', async (original) => ({
  ...(await original<typeof import('@tanstack/react-router')>()),
  useNavigate: () => navigate,
}));

it('keeps an Enter that is pressed before the palette is there', async () => {
  show(<Finder path="/" permissions={['intelligence.view']} />);
  // The first of its two buttons: one is for phones.
  for (const button of screen.getAllByRole('button', { name: /Command palette/ }).slice(0, 1))
    await userEvent.click(button);
  for (const key of [...'guardr', 'Enter']) fireEvent.keyDown(document.body, { key });
  await waitFor(() =>
    expect(navigate).toHaveBeenLastCalledWith({ to: '/intelligence/guardrails' }),
  );
  expect(navigate).toHaveBeenCalledTimes(1);
});
