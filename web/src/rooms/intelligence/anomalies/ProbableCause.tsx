import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { components } from '../../../api/schema';
import { useMay } from '../../../api/session';
import { count, plural } from '../../../display/amounts';
import { Panel } from '../../../display/Panel';
import { When } from '../../../display/When';
import { sentence, words } from '../../../display/wording';

type Schemas = components['schemas'];
type Cause = Schemas['ProbableCauseBody'];
type Candidate = Schemas['CauseCandidateBody'];

const GRADES: Record<Schemas['CauseGrade'], { color: string; label: string }> = {
  confirmed: { color: 'petrol', label: 'Confirmed' },
  likely: { color: 'petrol', label: 'Likely' },
  inconclusive: { color: 'gray', label: 'Inconclusive' },
};

/** The resource that probably caused an anomaly, and what was ruled out. */
export function ProbableCause({ of: cause, place }: { of: Cause; place: string }) {
  return (
    <Panel
      title="Probable cause"
      note={
        <>
          Judged <When at={cause.at} /> over {plural(cause.resources, 'resource')} and{' '}
          {plural(cause.dependencies, 'dependency', 'dependencies')}, {count(cause.measured)}{' '}
          measured
        </>
      }
      actions={
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/intelligence/dependencies" search={{ resource: place }} {...props} />
          )}
        >
          Dependency map
        </Anchor>
      }
    >
      <Stack gap="md">
        <Group gap={8} wrap="wrap">
          <Grade of={cause.grade} />
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {sentence(cause.statement)}
          </Text>
        </Group>
        {cause.candidates.length > 0 && (
          <Stack component="ol" gap="sm" m={0} pl={20} aria-label="Candidates, the best first">
            {cause.candidates.map((one) => (
              <Possible key={one.resource_id} of={one} />
            ))}
          </Stack>
        )}
        <Named label={`Ruled out (${count(cause.ruled_out_total)})`}>
          {cause.ruled_out.map(({ resource_id, resource_name, reason }) => (
            <Text component="li" size="sm" key={resource_id} style={{ overflowWrap: 'anywhere' }}>
              <strong>{resource_name}</strong>: {reason}
            </Text>
          ))}
        </Named>
        <Named label="Not measured">
          {cause.unmeasured.map((name) => (
            <Text component="li" size="sm" key={name} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
          ))}
        </Named>
        <Named label="Limits">
          {cause.limits.map((limit) => (
            <Text component="li" size="sm" key={limit}>
              {sentence(limit)}
            </Text>
          ))}
        </Named>
      </Stack>
    </Panel>
  );
}

function Grade({ of: grade }: { of: Schemas['CauseGrade'] }) {
  const { color, label } = GRADES[grade];
  return (
    <Badge size="sm" variant="light" color={color} tt="none">
      {label}
    </Badge>
  );
}

function Named({ label, children }: { label: string; children: React.ReactElement[] }) {
  if (children.length === 0) return null;
  return (
    <details>
      <summary>
        <Text span size="sm" fw={550}>
          {label}
        </Text>
      </summary>
      <Stack component="ul" gap={4} mt={6} mb={0} pl={20} aria-label={label}>
        {children}
      </Stack>
    </details>
  );
}

function Possible({ of: one }: { of: Candidate }) {
  const may = useMay();
  const name = (
    <Text span size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
      {one.resource_name}
    </Text>
  );
  return (
    <li>
      <Group gap={8} wrap="wrap">
        {may('estate.view') ? (
          <Anchor
            renderRoot={(props) => (
              <Link to="/estate/resources/$id" params={{ id: one.resource_id }} {...props} />
            )}
          >
            {name}
          </Anchor>
        ) : (
          name
        )}
        <Text span size="xs" className="muted">
          {words(one.kind)}
        </Text>
        <Grade of={one.grade} />
      </Group>
      <Stack component="ul" gap={3} mt={4} mb={0} pl={18} aria-label={`About ${one.resource_name}`}>
        {one.changes.map(({ at, text, event_id }) => (
          <Text component="li" size="sm" key={`${at} ${text}`} style={{ overflowWrap: 'anywhere' }}>
            {sentence(text)}{' '}
            {event_id && may('audit.search') && (
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link
                    to="/audit/search"
                    search={{ query: `event_id:"${event_id}"` }}
                    {...props}
                  />
                )}
              >
                Open entry
              </Anchor>
            )}
          </Text>
        ))}
        {one.reasons.map((reason) => (
          <Text component="li" size="sm" key={reason} style={{ overflowWrap: 'anywhere' }}>
            {sentence(reason)}
          </Text>
        ))}
      </Stack>
    </li>
  );
}
