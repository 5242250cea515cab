import { Anchor, Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Facts } from '../../../display/Facts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { words } from '../../../display/wording';
import { checkQuery, type CheckChange } from './queries';
import { counted } from './standing';

/** The change that mends a failure: what it sets, what it may break, and what it needs. */
function ChangeFacts({ of: change }: { of: CheckChange }) {
  const effects = [
    `Sets ${change.about}`,
    `risk ${change.risk}`,
    change.reversible ? 'can be undone' : 'cannot be undone',
  ].join(', ');
  return (
    <>
      <Text size="sm">{effects}.</Text>
      {[change.loses, change.billed].filter(Boolean).map((note) => (
        <Text key={note} size="sm">
          {note}.
        </Text>
      ))}
      <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
        Needs {change.permissions.join(', ')}
      </Text>
    </>
  );
}

/** What a check demands, why, and how a failure is mended. */
export function CheckDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch } = useQuery(checkQuery(id));
  return (
    <Modal opened title={data?.title ?? 'Check'} onClose={onClose} size="lg">
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data && (
        <Stack gap="md">
          <Text size="sm">{data.why}</Text>
          <Facts
            of={[
              ['Severity', <Status key="severity" of={data.severity} />],
              ...(data.is_own
                ? [['Origin', 'Your folder of own checks'] as [string, ReactNode]]
                : []),
              ['Results', counted(data.results)],
              ['Resources', words(data.kind)],
              ['To mend a failure', data.remediation],
              ...data.changes.map((change): [string, ReactNode] => [
                'Reeve can do it',
                <ChangeFacts key={change.name} of={change} />,
              ]),
              [
                'Follows',
                data.sources.map((source) => (
                  <Anchor key={source} href={source} size="sm" display="block">
                    {source}
                  </Anchor>
                )),
              ],
              ['Identifier', data.id],
            ]}
          />
          {data.applies && (
            <div>
              <Text size="sm" fw={550}>
                Applies to resources for which this holds
              </Text>
              <Code block>{data.applies}</Code>
            </div>
          )}
          <div>
            <Text size="sm" fw={550}>
              Passes if this holds
            </Text>
            <Code block>{data.expression}</Code>
          </div>
        </Stack>
      )}
    </Modal>
  );
}
