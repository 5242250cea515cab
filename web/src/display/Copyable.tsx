import { ActionIcon, CopyButton, Group, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { Hint } from './Hint';

/** A hash, identifier or secret with a button that copies it. */
export function Copyable({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Text span className="hash" aria-label={label}>
        {value}
      </Text>
      <CopyButton value={value} timeout={1500}>
        {({ copied, copy }) => (
          <Hint label={copied ? 'Copied' : 'Copy'}>
            <ActionIcon
              size="xs"
              color={copied ? 'green' : 'gray'}
              onClick={copy}
              aria-label={`Copy ${label}`}
            >
              {copied ? <IconCheck size={13} /> : <IconCopy size={13} />}
            </ActionIcon>
          </Hint>
        )}
      </CopyButton>
    </Group>
  );
}
