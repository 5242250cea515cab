import { Anchor, Button, Grid, Group, Stack, Text } from '@mantine/core';
import { IconFileTypePdf, IconUserCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay, useMe } from '../../../api/session';
import { count } from '../../../display/amounts';
import { announce } from '../../../display/announce';
import { Awaited } from '../../../display/Awaited';
import { Facts } from '../../../display/Facts';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { Trail } from '../../../display/Trail';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { useChange } from '../queries';
import { Attack } from './Attack';
import { IncidentGraph } from './IncidentGraph';
import { MOVES, STATUSES, STATUS_COLOURS } from './labels';
import { editIncident, incidentQuery, type Incident } from './queries';
import { Runs } from './Runs';
import { Timeline } from './Timeline';
import { Notes, Tasks } from './Work';

const route = getRouteApi('/app/intelligence/incidents/$id');
const TRAIL = (
  <Trail
    of={[
      ['Intelligence Automation', '/intelligence'],
      ['Incidents', '/intelligence/incidents'],
    ]}
  />
);

/** One attack: its findings, timeline and graph, and what people and playbooks do about it. */
export function IncidentDetail() {
  const { id } = route.useParams();
  const { data: one, error, refetch } = useQuery(incidentQuery(id));
  const may = useMay();
  if (!one)
    return <Awaited title="Incident" above={TRAIL} error={error} onRetry={() => void refetch()} />;

  const triages = may('intelligence.triage') && !one.merged_into;
  const acts = may('intelligence.operate') && !one.merged_into;
  return (
    <Page
      title={one.title}
      browserTitle={[one.title, 'Incident']}
      above={TRAIL}
      description={
        <Group component="span" gap={8} display="inline-flex">
          <Status of={STATUS_COLOURS[one.status]} label={STATUSES[one.status]} />
          <Status of={one.severity} label={`${words(one.severity)} severity`} />
        </Group>
      }
      actions={<Moves of={one} acts={triages} />}
    >
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="lg">
            {one.description && (
              <Panel title="Description">
                <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                  {one.description}
                </Text>
              </Panel>
            )}
            <Attack of={one} acts={acts} />
            <Findings of={one} />
            <IncidentGraph id={one.id} />
            <Runs of={one} may={acts} />
            <Timeline id={one.id} linked={may('audit.search')} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="lg">
            <About of={one} />
            <Tasks of={one} may={triages} />
            <Notes of={one} may={triages} />
            <Assets of={one} linked={may('estate.view')} />
            <People of={one} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function Moves({ of: one, acts }: { of: Incident; acts: boolean }) {
  const edit = useChange(editIncident);
  const me = useMe();
  return (
    <Group gap="xs">
      <Button
        component="a"
        href={`/api/v1/intelligence/incidents/${encodeURIComponent(one.id)}/report`}
        download
        variant="default"
        leftSection={<IconFileTypePdf size={16} />}
      >
        Report
      </Button>
      {acts && me && one.owner !== me.email && (
        <Button
          variant="default"
          leftSection={<IconUserCheck size={16} />}
          loading={edit.isPending}
          onClick={() =>
            edit.mutate(
              { id: one.id, owner: me.email },
              { onSuccess: () => announce('You are the owner.') },
            )
          }
        >
          Take it over
        </Button>
      )}
      {acts &&
        one.next_statuses.map((status) => (
          <Button
            key={status}
            variant={status === one.next_statuses[0] ? 'light' : 'default'}
            loading={edit.isPending}
            onClick={() =>
              edit.mutate(
                { id: one.id, status },
                { onSuccess: () => announce(`The incident is ${STATUSES[status].toLowerCase()}.`) },
              )
            }
          >
            {MOVES[status]}
          </Button>
        ))}
      <ProblemAlert error={edit.error} />
    </Group>
  );
}

function About({ of: one }: { of: Incident }) {
  return (
    <Panel title="About">
      <Facts
        of={[
          ['Owner', one.owner ?? 'No one'],
          ['Began', <When key="began" at={one.started_at} form="full" />],
          ['Last sign', <When key="last" at={one.last_at} form="full" />],
          ['Opened', <When key="opened" at={one.opened_at} form="full" />],
          ['Opened by', one.opened_by === 'system' ? 'Reeve' : one.opened_by],
          ['Techniques', one.techniques.join(', ')],
          ['Merged into', one.merged_into],
        ]}
      />
    </Panel>
  );
}

function Findings({ of: one }: { of: Incident }) {
  if (one.members.length === 0) return null;
  return (
    <Panel
      title="Findings"
      note="Signs of the attack, and open recommendations about the same resources."
    >
      <Stack
        component="ul"
        gap="sm"
        m={0}
        p={0}
        style={{ listStyle: 'none' }}
        aria-label="Findings of the incident"
      >
        {one.members.map((member) => (
          <li key={`${member.kind} ${member.id}`}>
            <Group gap="xs">
              <Status of={member.severity} />
              <FindingLink of={member} />
            </Group>
            <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
              {[
                sourceInWords(member),
                ...member.techniques,
                member.because && `part of it because of ${member.because}`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </li>
        ))}
      </Stack>
      {one.members_left_out > 0 && (
        <Text size="xs" className="muted" mt="sm">
          {count(one.members_left_out)} more are counted and not kept.
        </Text>
      )}
    </Panel>
  );
}

/** The kind of a finding; its source only where that says more. */
function sourceInWords({ kind, source }: Incident['members'][number]): string {
  const own = source === 'alerts' || source === 'anomalies';
  return own ? words(kind) : `${words(kind)} of ${source}`;
}

function FindingLink({ of: member }: { of: Incident['members'][number] }) {
  const may = useMay();
  const { id } = member;
  const style = { overflowWrap: 'anywhere' } as const;
  if (member.kind === 'anomaly')
    return (
      <Anchor
        size="sm"
        style={style}
        renderRoot={(props) => <Link to="/intelligence/anomalies/$id" params={{ id }} {...props} />}
      >
        {member.title}
      </Anchor>
    );
  if (member.kind === 'recommendation')
    return (
      <Anchor
        size="sm"
        style={style}
        renderRoot={(props) => (
          <Link to="/intelligence/recommendations/$id" params={{ id }} {...props} />
        )}
      >
        {member.title}
      </Anchor>
    );
  if (member.kind === 'alert' && may('audit.view.all'))
    return (
      <Anchor
        size="sm"
        style={style}
        renderRoot={(props) => <Link to="/audit/alerts" search={{ firing: id }} {...props} />}
      >
        {member.title}
      </Anchor>
    );
  return (
    <Text size="sm" style={style}>
      {member.title}
    </Text>
  );
}

function Assets({ of: one, linked }: { of: Incident; linked: boolean }) {
  if (one.assets.length === 0) return null;
  return (
    <Panel title="Assets">
      <Stack gap={8}>
        {one.assets.map((asset) => (
          <div key={asset.id}>
            {asset.name && linked ? (
              <Anchor
                size="sm"
                style={{ overflowWrap: 'anywhere' }}
                renderRoot={(props) => (
                  <Link to="/estate/resources/$id" params={{ id: asset.id }} {...props} />
                )}
              >
                {asset.name}
              </Anchor>
            ) : (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {asset.name ?? asset.id}
              </Text>
            )}
            <Text size="xs" className="muted">
              {[
                asset.is_used ? 'Used by the attacker' : 'Reached or tried',
                asset.kind ? words(asset.kind) : 'Not in the inventory',
                asset.account,
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

function People({ of: one }: { of: Incident }) {
  if (one.people.length === 0 && one.people_hidden === 0) return null;
  const shown = one.people.slice(0, 10);
  const more = one.people.length - shown.length;
  return (
    <Panel title="Accounts">
      <Stack gap={8}>
        {shown.map((person) => (
          <div key={person.name}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {person.name}
            </Text>
            <Text size="xs" className="muted">
              {person.is_suspect ? 'Used by the attacker' : 'Tried'}
            </Text>
          </div>
        ))}
        {(more > 0 || one.people_hidden > 0) && (
          <Text size="xs" className="muted">
            {[
              more > 0 && `${count(more)} more`,
              one.people_hidden > 0 && `${count(one.people_hidden)} that you may not see`,
            ]
              .filter(Boolean)
              .join(', ')}
          </Text>
        )}
      </Stack>
    </Panel>
  );
}
