import { Stack, Text, ThemeIcon } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  children?: ReactNode;
  icon?: ReactNode;
  action?: ReactNode;
}

/** Nothing here, why, and what to do about it. */
export function EmptyState({ title, children, icon, action }: Props) {
  return (
    <Stack align="center" gap={6} py={44} px="md" ta="center">
      <ThemeIcon variant="light" size={44} radius="xl" aria-hidden>
        {icon ?? <IconInbox size={22} />}
      </ThemeIcon>
      <Text fw={600} mt={6}>
        {title}
      </Text>
      {children && (
        <Text size="sm" className="muted" maw={460}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
