import { Anchor, Box, Button, Grid, Group, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Anomaly } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { announce } from '../../../display/announce';
import { Awaited } from '../../../display/Awaited';
import { Facts } from '../../../display/Facts';
import { took } from '../../../display/instants';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { Trail } from '../../../display/Trail';
import { When } from '../../../display/When';
import { sentence, words } from '../../../display/wording';
import { useChange } from '../queries';
import { EntryHistory } from '../EntryHistory';
import { Course } from './Course';
import { Investigation } from './Investigation';
import { ProbableCause } from './ProbableCause';
import { Observed } from './Observed';
import { Remedy } from './Remedy';
import { Thresholds } from './Thresholds';
import { AnomalyVerdict } from './AnomalyVerdict';
import { deviation } from './course';
import { before, entriesQuery } from './entries';
import { furtherMembers } from './incidents';
import { acknowledge, anomalyQuery, reopen } from './queries';

const route = getRouteApi('/app/intelligence/anomalies/$id');
const TRAIL = (
  <Trail
    of={[
      ['Intelligence Automation', '/intelligence'],
      ['Anomalies', '/intelligence/anomalies'],
    ]}
  />
);

export function AnomalyDetail() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(anomalyQuery(id));
  if (!data) return <Awaited title="Anomaly" above={TRAIL} error={error} onRetry={refetch} />;
  return <Shown of={data} />;
}

function Shown({ of: one }: { of: Anomaly }) {
  const may = useMay();
  const looking = useChange(acknowledge);
  const back = useChange(reopen);
  const undo =
    one.status === 'open'
      ? one.feedback.some((said) => !said.withdrawn_at) && 'Undo verdict'
      : one.status === 'resolved'
        ? 'Reopen'
        : 'Unassigned';
  const moves = `${one.status} ${one.responses.length} ${one.feedback.length}`;
  return (
    <Page
      title={one.title}
      above={TRAIL}
      description={
        <Group component="span" gap={8} display="inline-flex">
          <Status of={one.status} />
          <Status of={one.severity} label={`${words(one.severity)} severity`} />
          <Text span size="sm">
            {words(one.type)}
          </Text>
        </Group>
      }
      actions={
        may('intelligence.triage') ? (
          <Group gap="xs">
            {undo && (
              <Button
                variant="default"
                leftSection={<IconArrowBackUp size={16} />}
                loading={back.isPending}
                onClick={() =>
                  back.mutate(one.id, { onSuccess: () => announce('Verdict removed.') })
                }
              >
                {undo}
              </Button>
            )}
            {one.status === 'open' && (
              <Button
                variant="light"
                leftSection={<IconEye size={16} />}
                loading={looking.isPending}
                onClick={() =>
                  looking.mutate(one.id, { onSuccess: () => announce('Assigned to you.') })
                }
              >
                Assign to me
              </Button>
            )}
          </Group>
        ) : undefined
      }
    >
      <ProblemAlert error={looking.error ?? back.error} />
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="lg">
            <Cause of={one} />
            <Box hiddenFrom="lg">
              <AnomalyVerdict of={one} />
            </Box>
            <Remedy of={one} />
            <Observed of={one} />
            {one.investigation?.probable_cause && (
              <ProbableCause of={one.investigation.probable_cause} place={one.resource.id} />
            )}
            <Investigation of={one} />
            <Course of={one} />
            {may('audit.search') && <EntryHistory member="anomaly_id" id={one.id} moves={moves} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="lg">
            <Box visibleFrom="lg">
              <AnomalyVerdict of={one} />
            </Box>
            <About of={one} />
            <Incident of={one} />
            <Related of={one} />
            <Thresholds of={one} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function Cause({ of: one }: { of: Anomaly }) {
  return (
    <Panel title="Likely cause">
      <Stack gap="sm">
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {sentence(one.likely_cause)}
        </Text>
        {one.facts.length > 0 && (
          <Stack component="ul" gap={6} m={0} pl={18} aria-label="Evidence">
            {[...new Set(one.facts)].map((text) => (
              <Text component="li" size="sm" key={text} style={{ overflowWrap: 'anywhere' }}>
                {sentence(text)}
              </Text>
            ))}
          </Stack>
        )}
        {!one.remediation && (
          <div>
            <Text size="xs" fw={600} className="muted">
              What to do
            </Text>
            <Text size="sm">{one.recommended_action}</Text>
          </div>
        )}
      </Stack>
    </Panel>
  );
}

/** The incident that an anomaly is a part of, with its one set of numbers. */
function Incident({ of: one }: { of: Anomaly }) {
  const { incident } = one;
  if (!incident || incident.members.length < 2) return null;
  const further = furtherMembers(incident);
  return (
    <Panel title="Incident" note="The security anomalies of one attack">
      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {incident.title}
      </Text>
      <Facts
        of={[
          ['Severity', <Status key="severity" of={incident.severity} />],
          ['Status', <Status key="status" of={incident.status} />],
          ['Entries', count(incident.entries)],
          ['Resources', count(incident.resources)],
          ['Began', <When key="began" at={incident.started_at} form="full" />],
          ['Last signal', <When key="last" at={incident.last_at} form="full" />],
        ]}
      />
      <Stack
        component="ul"
        gap={8}
        m={0}
        mt="sm"
        p={0}
        style={{ listStyle: 'none' }}
        aria-label="Anomalies of the incident"
      >
        {incident.members.map(({ id, title, severity }) => (
          <li key={id}>
            {id === one.id ? (
              <Text size="sm">{title} (this one)</Text>
            ) : (
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link to="/intelligence/anomalies/$id" params={{ id }} {...props} />
                )}
              >
                {title}
              </Anchor>
            )}
            <Text size="xs" className="muted">
              {words(severity)} severity
            </Text>
          </li>
        ))}
        {further && (
          <Text component="li" size="sm" className="muted">
            {further}
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

/** Security anomalies that may belong to the incident, and are no part of it so far. */
function Related({ of: { related: all, incident } }: { of: Anomaly }) {
  const members = new Set(incident?.members.map(({ id }) => id));
  const related = all?.filter(({ id }) => !members.has(id));
  if (!related?.length) return null;
  return (
    <Panel title="May belong together" note="Security anomalies with something in common">
      <Stack
        component="ul"
        gap={8}
        m={0}
        p={0}
        style={{ listStyle: 'none' }}
        aria-label="Related anomalies"
      >
        {related.map(({ id, title, common }) => (
          <li key={id}>
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link to="/intelligence/anomalies/$id" params={{ id }} {...props} />
              )}
            >
              {title}
            </Anchor>
            <Text size="xs" className="muted">
              {sentence(common)}
            </Text>
          </li>
        ))}
      </Stack>
    </Panel>
  );
}

function About({ of: one }: { of: Anomaly }) {
  const may = useMay();
  const { resource } = one;
  const known = one.type !== 'security' && may('estate.view');
  const address = resource.kind === 'address';
  return (
    <Panel
      title="About"
      actions={
        may('audit.search') ? (
          <Anchor
            size="sm"
            renderRoot={(props) =>
              one.activity && one.activity.entry_ids.length > 0 ? (
                <Link
                  to="/audit/search"
                  search={{ query: entriesQuery(one.activity.entry_ids) }}
                  {...props}
                />
              ) : address ? (
                <Link
                  to="/audit/search"
                  search={{
                    query: `actor.ip_address:${resource.id}`,
                    start: before(one.started_at),
                  }}
                  {...props}
                />
              ) : one.type === 'security' ? (
                <Link
                  to="/audit/search"
                  search={{ user: resource.id, start: before(one.started_at) }}
                  {...props}
                />
              ) : (
                <Link to="/audit/search" search={{ resource_id: resource.id }} {...props} />
              )
            }
          >
            In the log
          </Anchor>
        ) : undefined
      }
    >
      <Facts
        of={[
          [
            address ? 'From' : one.type === 'security' ? 'Who' : 'Resource',
            known ? (
              <Anchor
                key="to"
                size="sm"
                renderRoot={(props) => (
                  <Link to="/estate/resources/$id" params={{ id: resource.id }} {...props} />
                )}
              >
                {resource.name || resource.id}
              </Anchor>
            ) : (
              resource.name || resource.id
            ),
          ],
          [
            'Identifier',
            resource.name && resource.name !== resource.id ? (
              <span key="id" className="hash">
                {resource.id}
              </span>
            ) : undefined,
          ],
          ['Kind', words(resource.kind)],
          [
            'Where',
            [resource.provider && words(resource.provider), resource.account, resource.region]
              .filter(Boolean)
              .join(' · '),
          ],
          ['Deviation', deviation(one.deviation_percent)],
          ['Began', <When key="began" at={one.started_at} form="full" />],
          ['Last signal', <When key="last" at={one.last_at} form="full" />],
          [
            'Detected',
            <span key="noticed">
              <When at={one.detected_at} form="full" />{' '}
              <Text span size="xs" className="muted">
                ({took(one.started_at, one.detected_at)} after it began)
              </Text>
            </span>,
          ],
          [
            'Resolved',
            one.resolved_at ? (
              <When key="over" at={one.resolved_at} form="full" />
            ) : (
              'Closes after 6 hours without new signals'
            ),
          ],
        ]}
      />
    </Panel>
  );
}
