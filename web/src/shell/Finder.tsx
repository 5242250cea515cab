import { ActionIcon, Button, Kbd, Menu, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconBook2, IconCommand, IconHelp, IconKeyboard } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { DOCUMENTATION, helpFor } from './help';
import { useGoTo } from './useGoTo';

const CommandPalette = lazy(() => import('./CommandPalette').then((module) => ({ default: module.CommandPalette })));
const Shortcuts = lazy(() => import('./Shortcuts').then((module) => ({ default: module.Shortcuts })));

/** The command palette, the keyboard shortcuts and the documentation, by button and by key. */
export function Finder({ path, permissions }: { path: string; permissions: string[] }) {
  const [palette, setPalette] = useState<boolean>();
  const [shortcuts, setShortcuts] = useState(false);
  useHotkeys([['mod+K', () => setPalette(true)]], []);
  useHotkeys([['shift+?', () => setShortcuts(true)], ['?', () => setShortcuts(true)]]);
  useGoTo();
  const page = helpFor(path);
  return (
    <>
      <Button variant="default" visibleFrom="sm" c="var(--muted)" fw={400} leftSection={<IconCommand size={16} />} rightSection={<Kbd size="xs" aria-hidden>Ctrl K</Kbd>} onClick={() => setPalette(true)}>Command palette</Button>
      <ActionIcon size="lg" hiddenFrom="sm" onClick={() => setPalette(true)} aria-label="Command palette"><IconCommand size={18} stroke={1.6} /></ActionIcon>
      <Menu position="bottom-end" withinPortal width={280}>
        <Menu.Target><ActionIcon size="lg" aria-label="Help"><IconHelp size={18} stroke={1.6} /></ActionIcon></Menu.Target>
        <Menu.Dropdown>
          {page && <Menu.Item component="a" href={page.href} target="_blank" leftSection={<IconHelp size={16} />}>About this page: {page.title}</Menu.Item>}
          <Menu.Item component="a" href={DOCUMENTATION} target="_blank" leftSection={<IconBook2 size={16} />}>Documentation</Menu.Item>
          <Menu.Item leftSection={<IconKeyboard size={16} />} rightSection={<Text size="xs"><Kbd size="xs">?</Kbd></Text>} onClick={() => setShortcuts(true)}>Keyboard shortcuts</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {palette !== undefined && <CommandPalette permissions={permissions} opened={palette} onClose={() => setPalette(false)} />}
        {shortcuts && <Shortcuts onClose={() => setShortcuts(false)} />}
      </Suspense>
    </>
  );
}
