import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { IconDownload, IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Entry } from '../../api/bodies';
import { client } from '../../api/client';
import { count } from '../../display/amounts';
import { Copyable } from '../../display/Copyable';
import { Facts } from '../../display/Facts';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { checkpointOf } from './checkpoint';
import { checkpointQuery } from './queries';

/** What proves the entry, and the file that lets anyone check it without this service. */
export function Integrity({ of: entry }: { of: Entry }) {
  const note = useQuery({ ...checkpointQuery, staleTime: 0 });
  const checkpoint = note.data === undefined ? undefined : checkpointOf(note.data);
  const download = useMutation({ mutationFn: () => saveProof(entry.event_id) });
  const { sequence, commitment, leaf_hash, previous_hash, hash } = entry.integrity;
  const covered = checkpoint !== undefined && checkpoint.size > sequence;
  return (
    <Panel title="Integrity" note={`Entry ${count(sequence)} of the log`}>
      <Stack gap="md">
        {covered && (
          <Alert color="green" variant="light" icon={<IconShieldCheck size={18} />}>
            The signed checkpoint over {count(checkpoint.size)} entries covers it.
          </Alert>
        )}
        <Facts
          of={[
            ['Sequence', count(sequence)],
            ['Commitment', <Copyable key="commitment" value={commitment} label="Commitment" />],
            ['Leaf hash', <Copyable key="leaf" value={leaf_hash} label="Leaf hash" />],
            ['Previous hash', <Copyable key="previous" value={previous_hash} label="Previous hash" />],
            ['Hash', <Copyable key="hash" value={hash} label="Hash" />],
            ['Log', checkpoint?.origin],
            ['Signed root', checkpoint && <Copyable key="root" value={checkpoint.root} label="Signed root" />],
          ]}
        />
        {note.error && <ProblemAlert error={note.error} />}
        <div>
          <Button leftSection={<IconDownload size={16} />} loading={download.isPending} onClick={() => download.mutate()}>Download proof</Button>
          <Text size="sm" className="muted" mt={8}>
            Check it offline, without this service: <Code>reeve-verify {proofName(entry.event_id)}</Code>
          </Text>
          <ProblemAlert error={download.error} />
        </div>
      </Stack>
    </Panel>
  );
}

function proofName(eventId: string): string {
  return `${eventId.replace(/[^\w.-]/g, '_')}.tlog-proof`;
}

async function saveProof(event_id: string) {
  const { data } = await client.GET('/api/v1/audit-logs/entry/proof', { params: { query: { event_id } }, parseAs: 'blob' });
  const address = URL.createObjectURL(data as Blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = proofName(event_id);
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
