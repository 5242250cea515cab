import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Anomaly } from '../../../api/bodies';
import type { components } from '../../../api/schema';
import { useMay } from '../../../api/session';
import { Panel } from '../../../display/Panel';
import { Table } from '../../../display/Table';
import { When } from '../../../display/When';
import { sentence, words } from '../../../display/wording';

type Schemas = components['schemas'];
type Hypothesis = Schemas['HypothesisBody'];
type Lookup = Schemas['LookupBody'];

const SUPPORT: Record<Schemas['HypothesisSupport'], { color: string; label: string }> = {
  strong: { color: 'petrol', label: 'Strong support' },
  moderate: { color: 'gray', label: 'Moderate support' },
  weak: { color: 'gray', label: 'Weak support' },
};

/** Possible causes in order, each with its evidence, and the sources that were read. */
export function Investigation({ of: one }: { of: Anomaly }) {
  const investigation = one.investigation;
  if (!investigation) return null;
  const { at, hypotheses, looked_at } = investigation;
  return (
    <Panel
      title="Investigation"
      note={
        <>
          Done <When at={at} />, recorded in the log
        </>
      }
    >
      <Stack gap="lg">
        {hypotheses.length === 0 ? (
          <Text size="sm">No cause was found in the {looked_at.length} sources below.</Text>
        ) : (
          <Stack
            component="ol"
            gap="md"
            m={0}
            p={0}
            style={{ listStyle: 'none' }}
            aria-label="Possible causes, best supported first"
          >
            {hypotheses.map((hypothesis, index) => (
              <Possible
                key={`${hypothesis.kind} ${hypothesis.statement}`}
                of={hypothesis}
                place={index + 1}
                resource={one.resource.id}
              />
            ))}
          </Stack>
        )}
        <div>
          <Text size="xs" fw={600} className="muted" mb={4}>
            Sources that were read
          </Text>
          <Sources of={looked_at} />
        </div>
      </Stack>
    </Panel>
  );
}

function Possible({
  of: hypothesis,
  place,
  resource,
}: {
  of: Hypothesis;
  place: number;
  resource: string;
}) {
  const support = SUPPORT[hypothesis.support];
  return (
    <li>
      <Group gap={8} align="baseline" wrap="wrap">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {place}. {sentence(hypothesis.statement)}
        </Text>
        <Badge size="sm" variant="light" color={support?.color ?? 'gray'} tt="none">
          {support?.label ?? words(hypothesis.support)}
        </Badge>
      </Group>
      {hypothesis.evidence.length > 0 && (
        <Stack component="ul" gap={4} mt={4} mb={0} pl={18} aria-label="Evidence">
          {hypothesis.evidence
            .filter(
              ({ text }, at) =>
                hypothesis.evidence.findIndex((other) => other.text === text) === at,
            )
            .map(({ text, link }) => (
              <Text component="li" size="sm" key={text} style={{ overflowWrap: 'anywhere' }}>
                {sentence(text)}
                {link && (
                  <>
                    {' '}
                    <Record of={link} resource={resource} />
                  </>
                )}
              </Text>
            ))}
        </Stack>
      )}
    </li>
  );
}

/** The record that evidence refers to, where a page shows it. */
function Record({
  of: { kind, id },
  resource,
}: {
  of: Schemas['EvidenceLinkBody'];
  resource: string;
}) {
  const may = useMay();
  if (kind === 'anomaly')
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => <Link to="/intelligence/anomalies/$id" params={{ id }} {...props} />}
      >
        Open anomaly
      </Anchor>
    );
  if (kind === 'entry' && may('audit.search'))
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/audit/search" search={{ query: `event_id:"${id}"` }} {...props} />
        )}
      >
        Open entry
      </Anchor>
    );
  if (kind === 'action' && may('audit.search'))
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/audit/search" search={{ query: `metadata.action_id:"${id}"` }} {...props} />
        )}
      >
        Entries of the action
      </Anchor>
    );
  const shown =
    kind === 'metric'
      ? resource
      : kind === 'resource'
        ? (id.split(/[/:]/).at(-1) ?? id)
        : undefined;
  if (shown && may('estate.view'))
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/estate/resources/$id" params={{ id: shown }} {...props} />
        )}
      >
        Open resource
      </Anchor>
    );
  return null;
}

function Sources({ of: lookups }: { of: Lookup[] }) {
  return (
    <div className="table-box as-cards" tabIndex={0} role="region" aria-label="Sources, scrollable">
      <Table aria-label="Sources that were read">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Source</Table.Th>
            <Table.Th>Period</Table.Th>
            <Table.Th ta="right">Found</Table.Th>
            <Table.Th>Result</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lookups.map((lookup) => (
            <Table.Tr key={`${lookup.source} ${lookup.subject}`}>
              <Table.Td data-label="Source" data-lead>
                <Text size="sm" fw={550}>
                  {words(lookup.source)}
                </Text>
                <Text size="xs" className="muted" maw={220} truncate title={lookup.subject}>
                  {lookup.source === 'metrics' ? words(lookup.subject) : lookup.subject}
                </Text>
              </Table.Td>
              <Table.Td data-label="Period">
                <Text size="sm">
                  <When at={lookup.from} /> to <When at={lookup.to} />
                </Text>
              </Table.Td>
              <Table.Td data-label="Found" ta="right" className="numeral">
                {lookup.found ?? 'not readable'}
              </Table.Td>
              <Table.Td data-label="Result">
                <Text size="sm">{sentence(lookup.result)}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
