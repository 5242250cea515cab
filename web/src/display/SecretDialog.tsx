import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Copyable } from './Copyable';
import { Modal } from './Modal';
import { useReturnFocus } from './useReturnFocus';

interface Props {
  title: string;
  secret: string;
  /** Purpose of the secret, or the end of the previous one. */
  children?: ReactNode;
  onClose: () => void;
}

/** A secret, shown this once: only a button closes it, no key and no stray click. */
export function SecretDialog({ title, secret, children, onClose }: Props) {
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false} closeOnEscape={false}>
      <Stack>
        <Alert color="yellow" variant="light" title="Copy it now">
          Shown only once. If you lose it, create a new one.
        </Alert>
        <div className="panel" style={{ padding: '12px 14px' }}>
          <Copyable value={secret} label="Secret" />
        </div>
        {children && (
          <Text size="sm" className="muted">
            {children}
          </Text>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
