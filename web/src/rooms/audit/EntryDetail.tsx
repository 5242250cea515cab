import { Anchor, Code, Grid, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Entry } from '../../api/bodies';
import { useMay } from '../../api/session';
import { Awaited } from '../../display/Awaited';
import { Copyable } from '../../display/Copyable';
import { Facts, type Fact } from '../../display/Facts';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { Status } from '../../display/Status';
import { Trail } from '../../display/Trail';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { ActorName } from './Names';
import { Difference } from './Difference';
import { Integrity } from './Integrity';
import { flat, shown } from './flatten';
import { submitterOf } from './naming';
import { entryQuery } from './queries';

const route = getRouteApi('/app/audit/$eventId');

export function EntryDetail() {
  const { eventId } = route.useParams();
  const { data, error, refetch } = useQuery(entryQuery(eventId));
  const trail = (
    <Trail
      of={[
        ['Audit Logging', '/audit'],
        ['Search', '/audit/search'],
      ]}
    />
  );
  if (!data) return <Awaited title="Entry" above={trail} error={error} onRetry={refetch} />;
  return <Shown of={data} trail={trail} />;
}

function Shown({ of: entry, trail }: { of: Entry; trail: React.ReactNode }) {
  const { actor, resource, action, changes, submitted_by: submitter } = entry;
  return (
    <Page
      title={entry.event_type}
      above={trail}
      description={
        <Group component="span" display="inline-flex" gap={8}>
          <When at={entry.timestamp} form="full" />
          <Status of={entry.severity} />
          {action?.status && <Status of={action.status} />}
          <Subjects of={entry.metadata} />
        </Group>
      }
    >
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="lg">
            {changes && (changes.before || changes.after) && (
              <Difference before={changes.before} after={changes.after} />
            )}
            <Panel title="Event">
              <Facts
                of={[
                  ['Event id', <Copyable key="id" value={entry.event_id} label="Event id" />],
                  ['Time', <When key="time" at={entry.timestamp} form="full" />],
                  ['Recorded', <When key="recorded" at={entry.recorded_at} form="full" />],
                  ['Category', words(entry.category)],
                  ['Severity', words(entry.severity)],
                  ['Operation', action?.operation],
                  ['Status', action?.status && words(action.status)],
                  ['Method', action?.method && words(action.method)],
                ]}
              />
            </Panel>
            {actor && (
              <Panel title="Actor">
                <Facts
                  of={[
                    ['Type', actor.type && words(actor.type)],
                    [
                      'Name',
                      actor.type === 'agent' ? <ActorName key="name" of={entry} /> : undefined,
                    ],
                    ['E-mail address', actor.email],
                    ['Id', actor.id],
                    ['IP address', actor.ip_address],
                    ['User agent', actor.user_agent],
                    ['Session', actor.session_id],
                  ]}
                />
              </Panel>
            )}
            <Panel title="Submitter" note={submitterOf(entry)}>
              <Text size="sm" className="muted" mb={8}>
                {entry.submitted_by?.type === 'reeve'
                  ? 'Reeve wrote this entry about itself.'
                  : 'Reeve verified the submitter. All other fields are as the submitter sent them.'}
              </Text>
              <Facts
                of={[
                  ['Way', submitter?.type && words(submitter.type)],
                  ['User', submitter?.email],
                  ['Id', submitter?.id],
                  ['IP address', submitter?.ip_address],
                  ['Token', submitter?.token_name],
                  ['Token id', submitter?.token_id],
                  ['Session', submitter?.session_id],
                ]}
              />
            </Panel>
            {resource && (
              <Panel title="Resource">
                <Facts
                  of={[
                    ['Type', resource.type && words(resource.type)],
                    ['Id', resource.id],
                    ['Cloud', resource.cloud_provider && words(resource.cloud_provider)],
                    ['Account', resource.account_id],
                    ['Region', resource.region],
                    ...Object.entries(resource.tags ?? {}).map(([name, value]): Fact => [
                      `Tag ${name}`,
                      value,
                    ]),
                  ]}
                />
              </Panel>
            )}
            {entry.metadata && (
              <Panel title="Metadata">
                <Facts
                  of={[...flat(entry.metadata)].map(([path, value]): Fact => [path, shown(value)])}
                />
              </Panel>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg">
            <Integrity of={entry} />
            <Panel title="Raw JSON">
              <Code
                block
                tabIndex={0}
                role="region"
                aria-label="Raw JSON"
                mah={420}
                style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
              >
                {JSON.stringify(entry, null, 2)}
              </Code>
              <Text size="xs" className="muted" mt={8}>
                As returned by the API. The hash covers the canonical bytes in the proof file.
              </Text>
            </Panel>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** The ways to what an entry tells about, where its metadata names it. */
function Subjects({ of: metadata }: { of: Entry['metadata'] }) {
  const may = useMay();
  if (!may('intelligence.view')) return null;
  const named = (member: string) =>
    typeof metadata?.[member] === 'string' ? metadata[member] : undefined;
  const [recommendation, anomaly, rollout] = [
    named('recommendation_id'),
    named('anomaly_id'),
    named('rollout_id'),
  ];
  return (
    <>
      {recommendation && (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link
              to="/intelligence/recommendations/$id"
              params={{ id: recommendation }}
              {...props}
            />
          )}
        >
          Open recommendation
        </Anchor>
      )}
      {anomaly && (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/intelligence/anomalies/$id" params={{ id: anomaly }} {...props} />
          )}
        >
          Open anomaly
        </Anchor>
      )}
      {rollout && (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/intelligence/rollouts/$id" params={{ id: rollout }} {...props} />
          )}
        >
          Open rollout
        </Anchor>
      )}
    </>
  );
}
