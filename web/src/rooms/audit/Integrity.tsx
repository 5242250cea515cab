import { Alert, Button, Code, Group, Loader, Stack, Text, ThemeIcon } from '@mantine/core';
import {
  IconCheck,
  IconDownload,
  IconMinus,
  IconShieldCheck,
  IconShieldX,
  IconX,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Entry } from '../../api/bodies';
import { count } from '../../display/amounts';
import { Copyable } from '../../display/Copyable';
import { Facts } from '../../display/Facts';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import type { Step } from './proof/verify';
import { proofName, proofQuery } from './proof/queries';

/** Verifies in the browser that the log holds the entry, step by step, and offers the file that proves it without this service. */
export function Integrity({ of: entry }: { of: Entry }) {
  const { data, error, refetch } = useQuery(proofQuery(entry));
  const { sequence, commitment, leaf_hash, previous_hash, hash } = entry.integrity;
  return (
    <Panel title="Integrity" note={`Entry ${count(sequence)} of the log`}>
      <Stack gap="md">
        <ProblemAlert error={data ? undefined : error} onRetry={() => void refetch()} />
        {!data && !error && (
          <Group gap="sm">
            <Loader size={16} />
            <Text size="sm">Verifying in this browser …</Text>
          </Group>
        )}
        {data && (
          <Alert
            role="status"
            variant="light"
            color={data.ok ? 'green' : 'red'}
            icon={data.ok ? <IconShieldCheck size={18} /> : <IconShieldX size={18} />}
            title={data.ok ? 'Verified in this browser' : 'Verification failed'}
          >
            {data.ok
              ? 'The entry is in the signed log, unchanged.'
              : 'Do not rely on this entry. Check it with the command below and contact an administrator.'}
          </Alert>
        )}
        {data && <Steps of={data.steps} />}
        {data && (
          <Offline file={data.file} name={proofName(entry.event_id)} publicKey={data.publicKey} />
        )}
        <details>
          <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
            Hashes
          </Text>
          <Facts
            of={[
              ['Sequence', count(sequence)],
              ['Commitment', <Copyable key="commitment" value={commitment} label="Commitment" />],
              ['Leaf hash', <Copyable key="leaf" value={leaf_hash} label="Leaf hash" />],
              [
                'Previous hash',
                <Copyable key="previous" value={previous_hash} label="Previous hash" />,
              ],
              ['Hash', <Copyable key="hash" value={hash} label="Hash" />],
              [
                'Log key',
                data?.publicKey && <Copyable key="key" value={data.publicKey} label="Log key" />,
              ],
            ]}
          />
        </details>
      </Stack>
    </Panel>
  );
}

const MARKS = {
  true: { icon: IconCheck, colour: 'green', label: 'Holds' },
  false: { icon: IconX, colour: 'red', label: 'Failed' },
  undefined: { icon: IconMinus, colour: 'gray', label: 'Not possible' },
};

function Steps({ of: steps }: { of: Step[] }) {
  return (
    <Stack
      component="ol"
      gap={10}
      m={0}
      p={0}
      aria-label="Steps of the verification"
      style={{ listStyle: 'none' }}
    >
      {steps.map(({ name, ok, detail }) => {
        const { icon: Icon, colour, label } = MARKS[`${ok}`];
        return (
          <Group component="li" key={name} gap="sm" wrap="nowrap" align="flex-start">
            <ThemeIcon
              size={18}
              radius="xl"
              mt={2}
              color={colour}
              variant="light"
              role="img"
              aria-label={label}
            >
              <Icon size={12} />
            </ThemeIcon>
            <div style={{ minWidth: 0 }}>
              <Text size="sm" fw={550}>
                {name}
              </Text>
              <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
                {detail}
              </Text>
            </div>
          </Group>
        );
      })}
    </Stack>
  );
}

/** The proof as a file, and the command that checks it. The key goes with the command: a file cannot vouch for itself. */
function Offline({ file, name, publicKey }: { file: string; name: string; publicKey: string }) {
  const command = `reeve-verify '${name}' --public-key '${publicKey}'`;
  return (
    <div>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} />}
        onClick={() => save(file, name)}
      >
        Download proof
      </Button>
      <Text size="sm" mt="sm" mb={4}>
        To check it without this service, run this in the folder of the file:
      </Text>
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        <Copyable value={command} label="Command" />
      </Code>
      <Text size="xs" className="muted" mt={6}>
        The key comes from this service. Compare it once with the one that its operator gives you.
      </Text>
    </div>
  );
}

function save(file: string, name: string) {
  const address = URL.createObjectURL(new Blob([file], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
