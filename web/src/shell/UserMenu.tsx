import { Avatar, Group, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { Me } from '../api/bodies';
import { LateMenu } from './LateMenu';

export function UserMenu({ me }: { me: Me }) {
  const button = (
    <UnstyledButton p={4}>
      <Group gap={8} wrap="nowrap">
        <Avatar name={me.name} color="petrol" size={30} radius="xl" aria-hidden />
        <Text size="sm" fw={500} visibleFrom="sm" aria-hidden>
          {me.name}
        </Text>
        <span className="visually-hidden">Account of {me.name}</span>
        <IconChevronDown size={14} aria-hidden />
      </Group>
    </UnstyledButton>
  );
  return <LateMenu target={button} width={260} content={{ kind: 'account', me }} />;
}
