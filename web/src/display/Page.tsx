import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useWorkspace } from '../api/workspace';

interface Props {
  title: string;
  /** Parts of the browser's title where they differ from the heading. */
  browserTitle?: string[];
  above?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The head and body that every page has. */
export function Page({
  title,
  browserTitle = [title],
  above,
  description,
  actions,
  children,
}: Props) {
  const workspace = useWorkspace();
  useDocumentTitle([...browserTitle, workspace?.name ?? 'Reeve'].join(' · '));
  return (
    <Stack gap="lg" maw={1440} mx="auto" w="100%">
      <Group justify="space-between" align="flex-end" gap="md">
        <Box style={{ minWidth: 0, flex: '1 1 460px' }}>
          {above}
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {description && (
            <Text component="div" className="muted" mt={4} maw={760}>
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
