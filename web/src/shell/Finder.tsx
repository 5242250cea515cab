import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconCommand, IconHelp } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useRef, useState } from 'react';
import { LateMenu } from './LateMenu';
import { useEarlyKeys } from './useEarlyKeys';
import { useGoTo } from './useGoTo';

const CommandPalette = lazy(() =>
  import('./CommandPalette').then((module) => ({ default: module.CommandPalette })),
);
const Shortcuts = lazy(() =>
  import('./Shortcuts').then((module) => ({ default: module.Shortcuts })),
);

/** The command palette, the keyboard shortcuts and the documentation, by button and by key. */
export function Finder({ path, permissions }: { path: string; permissions: string[] }) {
  const [palette, setPalette] = useState<boolean>();
  const [typed, setTyped] = useState('');
  const [ready, setReady] = useState(false);
  // The palette loads with its first use, and opens with a transition: what is typed meanwhile is kept for its field.
  const enteredRef = useRef(false);
  const onEnter = useCallback(() => {
    enteredRef.current = true;
  }, []);
  useEarlyKeys(palette === true && !ready, setTyped, onEnter);
  const [shortcuts, setShortcuts] = useState(false);
  useHotkeys([['mod+K', () => setPalette(true)]], []);
  useHotkeys([
    ['shift+?', () => setShortcuts(true)],
    ['?', () => setShortcuts(true)],
  ]);
  useGoTo();
  return (
    <>
      <Button
        variant="default"
        visibleFrom="sm"
        c="var(--muted)"
        fw={400}
        leftSection={<IconCommand size={16} />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            Ctrl K
          </Kbd>
        }
        onClick={() => setPalette(true)}
      >
        Command palette
      </Button>
      <ActionIcon
        size="lg"
        hiddenFrom="sm"
        onClick={() => setPalette(true)}
        aria-label="Command palette"
      >
        <IconCommand size={18} stroke={1.6} />
      </ActionIcon>
      <LateMenu
        target={
          <ActionIcon size="lg" aria-label="Help">
            <IconHelp size={18} stroke={1.6} />
          </ActionIcon>
        }
        width={280}
        content={{ kind: 'help', path, onShortcuts: () => setShortcuts(true) }}
      />
      <Suspense>
        {palette !== undefined && (
          <CommandPalette
            permissions={permissions}
            opened={palette}
            typed={typed}
            enteredRef={enteredRef}
            onTyped={setTyped}
            onReady={() => setReady(true)}
            onClose={() => {
              setPalette(false);
              setReady(false);
              setTyped('');
              enteredRef.current = false;
            }}
          />
        )}
        {shortcuts && <Shortcuts onClose={() => setShortcuts(false)} />}
      </Suspense>
    </>
  );
}
