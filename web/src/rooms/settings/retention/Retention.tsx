import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPencil, IconPlayerPlay, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bytes, plural } from '../../../display/amounts';
import { announce } from '../../../display/announce';
import { Facts } from '../../../display/Facts';
import { lazyComponent } from '../../../display/lazy';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { total } from './Effect';
import { Erasures } from './Erasures';
import { Holds } from './Holds';
import { PeriodBar } from './PeriodBar';
import { kept } from './periods';
import { Restores } from './Restores';
import { Tiers } from './Tiers';
import { retentionQuery, runRetention, type Policy, type Retention as Body } from './queries';

const PolicyForm = lazyComponent(() => import('./PolicyForm'), 'PolicyForm');

/** How long entries of the log stay, and what keeps them longer. */
export function Retention() {
  const { data, error, refetch } = useQuery(retentionQuery);
  // Position of the policy in the form; `null` saves the policies as they are.
  const [edited, setEdited] = useState<{ at: number | null } | null>(null);
  return (
    <Page
      title="Retention"
      description="How long entries stay in the audit log. What expires is deleted with a signed proof; its hashes stay, so that the rest of the log still verifies."
      actions={
        data && (
          <Button
            leftSection={<IconPlus size={16} />}
            onClick={() => setEdited({ at: data.policies.length })}
          >
            Add a policy
          </Button>
        )
      }
    >
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data && (
        <Stack gap="lg">
          {data.version === 0 && (
            <Alert title="Nothing is deleted yet" variant="light" color="yellow">
              <Text size="sm" mb="sm">
                These policies are a proposal. Entries are deleted by them only after you have saved
                them once, with your changes or without.
              </Text>
              <Button size="xs" onClick={() => setEdited({ at: null })}>
                Review and save
              </Button>
            </Alert>
          )}
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            {data.policies.map((policy, at) => (
              <PolicyPanel
                key={policy.name}
                policy={policy}
                retention={data}
                onEdit={() => setEdited({ at })}
              />
            ))}
          </SimpleGrid>
          <Tiers tiers={data.tiers} />
          <Restores />
          <Holds />
          <Erasures />
          <Runs retention={data} />
        </Stack>
      )}
      {edited && data && (
        <PolicyForm retention={data} at={edited.at} onClose={() => setEdited(null)} />
      )}
    </Page>
  );
}

function PolicyPanel({
  policy,
  retention,
  onEdit,
}: {
  policy: Policy;
  retention: Body;
  onEdit: () => void;
}) {
  const course = retention.course.find((one) => one.policy === policy.name);
  return (
    <Panel
      title={policy.name}
      note={policy.event_types.join(', ')}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPencil size={14} />}
          aria-label={`Change ${policy.name}`}
          onClick={onEdit}
        >
          Change
        </Button>
      }
    >
      <Stack gap="sm">
        <PeriodBar policy={policy} />
        <Facts
          of={[
            ['Kept for', kept(policy)],
            ['In the log', course ? total(course) : 'nothing yet'],
            [
              'Next deletion',
              course?.next_expiry && (
                <>
                  <When at={course.next_expiry} />,{' '}
                  {plural(course.next.entries, 'entry', 'entries')}
                </>
              ),
            ],
          ]}
        />
      </Stack>
    </Panel>
  );
}

function Runs({ retention }: { retention: Body }) {
  const run = useChange(runRetention);
  const last = retention.last_run;
  const permanent = retention.course.find((course) => course.policy === 'permanent');
  return (
    <Panel
      title="Moves and deletion"
      note="Runs every ten minutes. Each move and each deletion is an entry of the log."
      actions={
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} />}
          loading={run.isPending}
          onClick={() =>
            run.mutate(undefined, {
              onSuccess: ({ entries, moved_entries }) =>
                announce(
                  `${plural(entries, 'entry', 'entries')} deleted, ${plural(moved_entries, 'entry', 'entries')} moved`,
                ),
            })
          }
        >
          Run now
        </Button>
      }
    >
      <ProblemAlert error={run.error} />
      <Facts
        of={[
          ['Last run', last ? <When key="run" at={last.finished_at} /> : 'none since the start'],
          [
            'Deleted',
            last && `${plural(last.entries, 'entry', 'entries')}, ${bytes(last.freed_bytes)} freed`,
          ],
          [
            'Moved',
            last && `${plural(last.moved_entries, 'entry', 'entries')}, ${bytes(last.moved_bytes)}`,
          ],
          ['Kept by legal holds', last && plural(last.held, 'segment')],
          [
            'Never deleted',
            permanent && `${total(permanent)}: the proofs of deletions, and types without a policy`,
          ],
          ['Saved by', retention.changed_by],
        ]}
      />
      {last && last.failures.length > 0 && (
        <Alert color="red" variant="light" title="Not deleted or moved" mt="sm">
          <Group gap={4}>
            {last.failures.map((failure) => (
              <Text key={failure} size="sm" style={{ overflowWrap: 'anywhere' }}>
                {failure}
              </Text>
            ))}
          </Group>
        </Alert>
      )}
    </Panel>
  );
}
