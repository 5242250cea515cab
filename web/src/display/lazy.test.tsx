import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { show } from '../testing/page';
import { lazyComponent, lazyOpened, useOpenedAtOnce, type OpenedProps } from './lazy';

const { notify } = vi.hoisted(() => ({ notify: vi.fn() }));
vi.mock('./announce', () => ({ notify }));

afterEach(() => notify.mockClear());

function Form({ onClose }: { onClose: () => void }) {
  return (
    <button type="button" onClick={onClose}>
      Cancel
    </button>
  );
}

it('loads a dialog once, when it is first opened', async () => {
  const load = vi.fn(() => Promise.resolve({ Form }));
  const LateForm = lazyComponent(load, 'Form');
  function Page() {
    const [open, setOpen] = useState(false);
    return open ? (
      <LateForm onClose={() => setOpen(false)} />
    ) : (
      <button type="button" onClick={() => setOpen(true)}>
        Add
      </button>
    );
  }
  show(<Page />);
  expect(load).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Add' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
  await userEvent.click(screen.getByRole('button', { name: 'Add' }));
  await screen.findByRole('button', { name: 'Cancel' });
  expect(load).toHaveBeenCalledTimes(1);
});

it('closes a dialog that does not load, says so, and tries again', async () => {
  const load = vi
    .fn<() => Promise<{ Form: typeof Form }>>()
    .mockRejectedValueOnce(new Error('offline'))
    .mockResolvedValue({ Form });
  const LateForm = lazyComponent(load, 'Form');
  function Page() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Add
        </button>
        {open ? <LateForm onClose={() => setOpen(false)} /> : <p>closed</p>}
      </>
    );
  }
  show(<Page />);
  await userEvent.click(screen.getByRole('button', { name: 'Add' }));
  await screen.findByText('closed');
  expect(notify).toHaveBeenCalledWith(
    expect.objectContaining({ title: 'This part of the page could not be loaded' }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Add' }));
  await screen.findByRole('button', { name: 'Cancel' });
});

function Note({ target, text }: OpenedProps & { text: string }) {
  const { opened } = useOpenedAtOnce();
  return (
    <>
      {target}
      {opened && <p>{text}</p>}
    </>
  );
}

it('opens what a button opens as soon as it has loaded', async () => {
  const load = vi.fn(() => Promise.resolve({ Note }));
  const LateNote = lazyOpened(load, 'Note', 'dialog');
  show(<LateNote target={<button type="button">Help</button>} text="Examples" />);
  const button = screen.getByRole('button', { name: 'Help' });
  expect(button).toHaveAttribute('aria-haspopup', 'dialog');
  expect(load).not.toHaveBeenCalled();
  await userEvent.hover(button);
  expect(load).toHaveBeenCalledTimes(1);
  expect(screen.queryByText('Examples')).toBeNull();
  await userEvent.click(button);
  await screen.findByText('Examples');
  expect(load).toHaveBeenCalledTimes(1);
});
