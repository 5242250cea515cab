import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Copyable } from '../../display/Copyable';
import { fullTime } from '../../display/instants';

interface Props {
  secret: string;
  /** Until when the secret before it signs too. */
  previousUntil?: string | null;
  onClose: () => void;
}

/** A signing secret, shown this once. */
export function SecretDialog({ secret, previousUntil, onClose }: Props) {
  return (
    <Modal opened onClose={onClose} title={<Text fw={600}>The signing secret</Text>} closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" variant="light" title="Copy it now">It is shown this once. Nobody can read it again, not even an administrator; a lost one is replaced.</Alert>
        <div className="panel" style={{ padding: '12px 14px' }}><Copyable value={secret} label="Secret" /></div>
        <Text size="sm" className="muted">
          {previousUntil ? `The one before signs too until ${fullTime(previousUntil)}, so that the receiver can change over.` : 'The receiver checks each message with it, as Standard Webhooks says.'}
        </Text>
        <Group justify="flex-end"><Button onClick={onClose}>Done</Button></Group>
      </Stack>
    </Modal>
  );
}
