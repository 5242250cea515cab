import { Kbd, Menu, Text, useMantineColorScheme } from '@mantine/core';
import {
  IconBook2,
  IconCheck,
  IconHelp,
  IconKeyboard,
  IconLogout,
  IconUserCircle,
} from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { cloneElement } from 'react';
import type { Me } from '../api/bodies';
import { useSignOut } from '../api/session';
import { useOpenedAtOnce, type OpenedProps } from '../display/lazy';
import { words } from '../display/wording';
import { DOCUMENTATION, helpFor } from './help';
import { SCHEMES } from './schemes';

type Content =
  | { kind: 'help'; path: string; onShortcuts: () => void }
  | { kind: 'scheme' }
  | { kind: 'account'; me: Me };

interface MenuProps extends OpenedProps {
  width?: number;
  content: Content;
}

/** A menu of the page's head. */
export function OpenMenu({ target, width, content }: MenuProps) {
  const { opened, setOpened, button } = useOpenedAtOnce();
  return (
    <Menu position="bottom-end" withinPortal width={width} opened={opened} onChange={setOpened}>
      <Menu.Target>{cloneElement(target, { ref: button })}</Menu.Target>
      <Menu.Dropdown>
        {content.kind === 'help' && <HelpItems {...content} />}
        {content.kind === 'scheme' && <SchemeItems />}
        {content.kind === 'account' && <AccountItems {...content} />}
      </Menu.Dropdown>
    </Menu>
  );
}

function HelpItems({ path, onShortcuts }: { path: string; onShortcuts: () => void }) {
  const page = helpFor(path);
  return (
    <>
      {page && (
        <Menu.Item
          component="a"
          href={page.href}
          target="_blank"
          leftSection={<IconHelp size={16} />}
        >
          About this page: {page.title}
        </Menu.Item>
      )}
      <Menu.Item
        component="a"
        href={DOCUMENTATION}
        target="_blank"
        leftSection={<IconBook2 size={16} />}
      >
        Documentation
      </Menu.Item>
      <Menu.Item
        leftSection={<IconKeyboard size={16} />}
        rightSection={
          <Text size="xs">
            <Kbd size="xs">?</Kbd>
          </Text>
        }
        onClick={onShortcuts}
      >
        Keyboard shortcuts
      </Menu.Item>
    </>
  );
}

function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return SCHEMES.map(({ value, label, icon: Icon }) => (
    <Menu.Item
      key={value}
      leftSection={<Icon size={16} />}
      rightSection={value === colorScheme ? <IconCheck size={14} /> : null}
      onClick={() => setColorScheme(value)}
    >
      {label}
    </Menu.Item>
  ));
}

function AccountItems({ me }: { me: Me }) {
  const signOut = useSignOut();
  const navigate = useNavigate();
  const leave = () =>
    signOut.mutate(undefined, { onSettled: () => void navigate({ to: '/sign-in' }) });
  return (
    <>
      <Menu.Label>
        <Text size="sm" fw={600} c="var(--mantine-color-text)">
          {me.name}
        </Text>
        <Text size="xs">{me.email}</Text>
        <Text size="xs" mt={4}>
          {me.roles.map(words).join(', ')}
        </Text>
      </Menu.Label>
      <Menu.Divider />
      <Menu.Item
        leftSection={<IconUserCircle size={16} />}
        renderRoot={(props) => <Link to="/account" {...props} />}
      >
        Account
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} />} onClick={leave}>
        Sign out
      </Menu.Item>
    </>
  );
}
