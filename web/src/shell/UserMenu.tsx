import { Avatar, Group, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconLogout, IconUserCircle } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Me } from '../api/bodies';
import { useSignOut } from '../api/session';
import { words } from '../display/wording';

export function UserMenu({ me }: { me: Me }) {
  const signOut = useSignOut();
  const navigate = useNavigate();
  const leave = () => signOut.mutate(undefined, { onSettled: () => void navigate({ to: '/sign-in' }) });
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <UnstyledButton p={4}>
          <Group gap={8} wrap="nowrap">
            <Avatar name={me.name} color="petrol" size={30} radius="xl" aria-hidden />
            <Text size="sm" fw={500} visibleFrom="sm" aria-hidden>{me.name}</Text>
            <span className="visually-hidden">Account of {me.name}</span>
            <IconChevronDown size={14} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">{me.name}</Text>
          <Text size="xs">{me.email}</Text>
          <Text size="xs" mt={4}>{me.roles.map(words).join(', ')}</Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<IconUserCircle size={16} />} renderRoot={(props) => <Link to="/account" {...props} />}>Account</Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={leave}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
