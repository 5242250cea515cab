import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { CodeBlock } from '../../../display/CodeBlock';
import { saveFile } from '../../../display/csv';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { keyQuery } from './queries';

/** The command that checks a manifest and the files beside it, and the log's key as a file. */
export function VerifyCommand({ file }: { file: string }) {
  const { data: key, error } = useQuery(keyQuery);
  return (
    <div>
      <ProblemAlert error={error} />
      <CodeBlock label="Command" text={`reeve-verify ${file} --public-key log.vkey`} />
      {key && (
        <Group gap="xs" mt={6}>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => saveFile('log.vkey', `${key}\n`, 'text/plain')}
          >
            log.vkey
          </Button>
          <Text size="xs" className="muted">
            The log&apos;s public key. A verifier should have received it before, from whoever runs
            the service.
          </Text>
        </Group>
      )}
    </div>
  );
}
