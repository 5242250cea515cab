import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SearchFilters } from '../../addresses';
import type { Entry } from '../../api/bodies';
import { body, client } from '../../api/client';
import { useMay } from '../../api/session';
import { count, plural } from '../../display/amounts';
import { Copyable } from '../../display/Copyable';
import { Facts } from '../../display/Facts';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { When } from '../../display/When';
import { checkpointOf } from './checkpoint';
import { checkpointAt, entriesQuery } from './queries';
import { StateDigest } from './StateDigest';

const ENDED = 'event_type:audit.verify AND operation:end_verification AND submitted_by.type:reeve';
const POLL_MS = 1000;

/** The integrity of the log: its newest signed checkpoint and the last verification, with a button that verifies now. */
export function IntegrityPanel({
  period,
  logSize,
  onVerified,
}: {
  period: SearchFilters;
  logSize: number | undefined;
  onVerified: () => void;
}) {
  const may = useMay();
  const note = useQuery(checkpointAt(logSize));
  const checkpoint = note.data === undefined ? undefined : checkpointOf(note.data);
  const verifications = useQuery(entriesQuery({ ...period, start: undefined, query: ENDED }, 1));
  const verify = useMutation({ mutationFn: verified, onSettled: onVerified });
  const last = verifications.data?.items[0];
  const total = verifications.data?.total ?? 0;
  return (
    <Panel
      title="Integrity of the log"
      note="Every entry is hashed, linked and signed"
      actions={
        may('audit.verify') && (
          <Button
            size="xs"
            variant="default"
            loading={verify.isPending}
            onClick={() => verify.mutate()}
          >
            Verify now
          </Button>
        )
      }
    >
      <Stack gap="md">
        <Verification
          of={verify.data ?? (last && resultOf(last))}
          at={verify.data ? undefined : last?.timestamp}
        />
        <StateDigest period={period} />
        <ProblemAlert error={verify.error ?? note.error ?? verifications.error} />
        <Facts
          of={[
            ['Signed entries', checkpoint && count(checkpoint.size)],
            ['Log', checkpoint?.origin],
            [
              'Signed root',
              checkpoint && <Copyable key="root" value={checkpoint.root} label="Signed root" />,
            ],
            [
              'Verifications',
              <Anchor
                key="all"
                size="sm"
                renderRoot={(props) => (
                  <Link
                    to="/audit/search"
                    search={{
                      ...(period.end ? { end: period.end } : {}),
                      ...(period.reads ? { reads: period.reads } : {}),
                      query: ENDED,
                    }}
                    {...props}
                  />
                )}
              >
                {plural(total, 'verification', 'verifications')}
              </Anchor>,
            ],
          ]}
        />
      </Stack>
    </Panel>
  );
}

interface Outcome {
  checked: number;
  findings: number;
  error?: string | undefined;
}

function Verification({ of: outcome, at }: { of: Outcome | undefined; at: string | undefined }) {
  if (!outcome)
    return (
      <Text size="sm" className="muted">
        Not verified yet. <code>reeve-verify</code> can also verify it offline.
      </Text>
    );
  const when = at ? (
    <>
      {' '}
      <When at={at} form="ago" inherit />
    </>
  ) : (
    ' just now'
  );
  if (outcome.error)
    return (
      <Alert color="yellow" variant="light" role="status" icon={<IconAlertTriangle size={18} />}>
        The verification{when} could not finish: {outcome.error}
      </Alert>
    );
  if (outcome.findings > 0)
    return (
      <Alert color="red" variant="light" role="status" icon={<IconAlertTriangle size={18} />}>
        The verification{when} found {plural(outcome.findings, 'fault', 'faults')} in{' '}
        {count(outcome.checked)} entries.
      </Alert>
    );
  return (
    <Alert color="green" variant="light" role="status" icon={<IconShieldCheck size={18} />}>
      <Group gap={4}>
        <span>
          Verified{when}: {count(outcome.checked)} entries, no faults.
        </span>
      </Group>
    </Alert>
  );
}

/** The outcome as the entry of a verification tells it. */
function resultOf({ metadata }: Entry): Outcome {
  const result = (metadata as { result?: Record<string, unknown> } | undefined)?.result ?? {};
  const number = (name: string) => (typeof result[name] === 'number' ? result[name] : 0);
  return {
    checked: number('checked'),
    findings: number('findings'),
    error: typeof result['error'] === 'string' ? result['error'] : undefined,
  };
}

/** Verifies the whole log and waits for the end. */
async function verified(): Promise<Outcome> {
  let job = await body(client.POST('/api/v1/audit-logs/verify'));
  while (job.status === 'running') {
    await new Promise((done) => window.setTimeout(done, POLL_MS));
    job = await body(
      client.GET('/api/v1/audit-logs/verify/{id}', { params: { path: { id: job.id } } }),
    );
  }
  return {
    checked: job.result?.checked ?? 0,
    findings: job.result?.findings_total ?? 0,
    error: job.status === 'failed' ? (job.error ?? 'unknown cause') : undefined,
  };
}
