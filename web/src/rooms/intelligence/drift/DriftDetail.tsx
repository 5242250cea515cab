import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { announce } from '../../../display/announce';
import { Awaited } from '../../../display/Awaited';
import { EntryLink } from '../../../display/EntryLink';
import { Facts } from '../../../display/Facts';
import { lazyComponent } from '../../../display/lazy';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { Trail } from '../../../display/Trail';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { Difference } from '../../audit/Difference';
import { useChange } from '../queries';
import { COLOURS, FORMS, RESOLUTIONS, STATES, STEPS } from './forms';
import { driftQuery, reopenDrift, type DriftDetail as Detail } from './queries';

const route = getRouteApi('/app/intelligence/drift/$id');
const AcceptDialog = lazyComponent(() => import('./AcceptDialog'), 'AcceptDialog');
const PinOneDialog = lazyComponent(() => import('./PinOneDialog'), 'PinOneDialog');
const TRAIL = (
  <Trail
    of={[
      ['Intelligence Automation', '/intelligence'],
      ['Drift', '/intelligence/drift'],
    ]}
  />
);

/** A drift: what differs, who changed it, which checks fail now, and the answers to it. */
export function DriftDetail() {
  const { id } = route.useParams();
  const { data: one, error, refetch } = useQuery(driftQuery(id));
  const may = useMay();
  if (!one)
    return <Awaited title="Drift" above={TRAIL} error={error} onRetry={() => void refetch()} />;

  const name = one.resource_name || one.resource_id;
  return (
    <Page
      title={name}
      browserTitle={[name, 'Drift']}
      above={TRAIL}
      description={`${FORMS[one.form]} since ${one.baseline_name} was pinned.`}
      actions={one.state !== 'resolved' && <Answers of={one} />}
    >
      <Stack gap="lg">
        {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
        <Panel title="Drift">
          <Facts
            of={[
              ['State', <Status key="state" of={COLOURS[one.state]} label={STATES[one.state]} />],
              ['Resource', <Resource key="resource" of={one} linked={may('estate.view')} />],
              ['Place', [words(one.kind), one.account, one.region].filter(Boolean).join(' · ')],
              [
                one.pinned_hash ? 'Pinned' : 'Baseline pinned',
                <When key="pinned" at={one.pinned_at} form="full" />,
              ],
              ['Last agreed', one.agreed_at && <When at={one.agreed_at} form="full" />],
              ['Differs since', <When key="changed" at={one.changed_at} form="full" />],
              ['Accepted', one.state === 'accepted' && one.acceptance && <Accepted of={one} />],
              [
                'Resolved',
                one.resolved_at && (
                  <>
                    <When at={one.resolved_at} form="full" />:{' '}
                    {RESOLUTIONS[one.resolution ?? ''] ?? one.resolution}
                  </>
                ),
              ],
            ]}
          />
        </Panel>
        <Cause of={one} />
        <What of={one} />
        {one.failing_checks.length > 0 && <FailingChecks of={one} />}
        <History of={one} />
      </Stack>
    </Page>
  );
}

function Resource({ of: one, linked }: { of: Detail; linked: boolean }) {
  return linked && one.form !== 'gone' ? (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link to="/estate/resources/$id" params={{ id: one.resource_id }} {...props} />
      )}
    >
      {one.resource_id}
    </Anchor>
  ) : (
    one.resource_id
  );
}

function Accepted({ of: { acceptance } }: { of: Detail }) {
  return (
    acceptance && (
      <>
        Until <When at={acceptance.ends_at} form="full" /> by {acceptance.by}: {acceptance.reason}
      </>
    )
  );
}

/** Who changed the resource, as far as the log says. */
function Cause({ of: one }: { of: Detail }) {
  return (
    <Panel title="Changed by">
      {one.missing_source && (
        <Text size="sm" mb={one.causes.length > 0 ? 'md' : 0}>
          No log entry that you may see names who changed it. Import {one.missing_source} into the
          log to see it here.
        </Text>
      )}
      <Stack gap="md">
        {one.causes.map((cause) => (
          <div key={cause.event_id}>
            <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
              {cause.actor_email ?? cause.actor_id ?? 'Unknown'}
              {cause.action_id && ' (an action of Reeve)'}
            </Text>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {cause.operation ?? cause.event_type}
              {!cause.is_change && ' (no change of the resource by its name)'},{' '}
              <When at={cause.at} form="full" /> <EntryLink id={cause.event_id} />
            </Text>
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

/** Values as pinned and as they are now. */
function What({ of: one }: { of: Detail }) {
  if (one.form !== 'changed')
    return (
      <Panel title="What differs">
        <Text size="sm">
          {one.form === 'gone'
            ? 'The resource was pinned and is gone: its type was read completely, and it was not there.'
            : 'The resource was not there when the baseline was pinned.'}
        </Text>
      </Panel>
    );

  const side = (of: 'pinned' | 'now') =>
    Object.fromEntries(
      one.differences
        .filter((difference) => difference[of] !== undefined)
        .map((difference) => [difference.path, difference[of]]),
    );
  return (
    <>
      <Difference
        title="What differs"
        sides={['Pinned', 'Now']}
        before={side('pinned')}
        after={side('now')}
      />
      {one.is_cut && (
        <Text size="sm" className="muted">
          Long values are cut, or there are more differences than are shown. The configurations
          themselves are on the page of the resource.
        </Text>
      )}
    </>
  );
}

function FailingChecks({ of: one }: { of: Detail }) {
  return (
    <Panel title="Fails now" note="Passed when the configuration was pinned">
      <Stack gap="md">
        {one.failing_checks.map((check) => (
          <div key={check.check}>
            <Group gap="xs">
              <Text size="sm" fw={550}>
                {check.title || check.check}
              </Text>
              <Status of={check.severity} />
            </Group>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {check.why}
            </Text>
            <Text size="xs" className="muted">
              <Code>{check.check}</Code> since <When at={check.since} />{' '}
              <EntryLink id={check.event_id} />
            </Text>
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

function History({ of: one }: { of: Detail }) {
  return (
    <Panel title="History">
      {one.history.length === 0 && (
        <Text size="sm" className="muted">
          You may not see the entries of the log about it.
        </Text>
      )}
      <Stack gap={6}>
        {one.history.map((step) => (
          <Text key={step.event_id} size="sm" style={{ overflowWrap: 'anywhere' }}>
            <When at={step.at} form="full" />: {STEPS[step.operation] ?? words(step.operation)} by{' '}
            {step.by}
            {step.reason && `: ${RESOLUTIONS[step.reason] ?? step.reason}`}{' '}
            <EntryLink id={step.event_id} />
          </Text>
        ))}
      </Stack>
    </Panel>
  );
}

function Answers({ of: one }: { of: Detail }) {
  const [dialog, setDialog] = useState<'accept' | 'pin'>();
  const reopen = useChange(reopenDrift);
  const may = useMay();
  const close = () => setDialog(undefined);
  return (
    <Group gap="xs">
      {may('intelligence.configure') && (
        <Button variant="default" onClick={() => setDialog('pin')}>
          Pin as it is now
        </Button>
      )}
      {may('intelligence.operate') && one.state === 'accepted' && (
        <Button
          variant="default"
          loading={reopen.isPending}
          onClick={() =>
            reopen.mutate({ id: one.id }, { onSuccess: () => announce('Drift opened again.') })
          }
        >
          Withdraw acceptance
        </Button>
      )}
      {may('intelligence.operate') && one.state === 'open' && (
        <Button onClick={() => setDialog('accept')}>Accept</Button>
      )}
      {dialog === 'accept' && <AcceptDialog of={one} onClose={close} />}
      {dialog === 'pin' && <PinOneDialog of={one} onClose={close} />}
    </Group>
  );
}
