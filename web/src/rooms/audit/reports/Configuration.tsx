import { Anchor, List, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { count, plural } from '../../../display/amounts';
import { EntryLink } from '../../../display/EntryLink';
import { Table } from '../../../display/Table';
import { When } from '../../../display/When';
import type { Summary } from './queries';

type Section = NonNullable<Summary['configuration']>;
type Checked = Section['controls'][number];

/** Results of checks as of the end of the period: what was checked, not that a control is met. */
export function Configuration({ of: section }: { of: Section }) {
  const checked = section.controls.filter(({ checks }) => checks > 0);
  const byHand = section.controls.filter(({ by_hand }) => by_hand);
  return (
    <div>
      <Text size="sm" fw={550} mb={6}>
        Configuration
      </Text>
      {section.is_checked ? (
        <>
          <Text size="sm">
            {count(section.results.pass)} passed, {count(section.results.fail)} failed
            {section.results.excepted > 0 && ` (${count(section.results.excepted)} accepted)`},{' '}
            {count(section.results.unknown)} unknown, as of{' '}
            <When at={section.as_of} form="minute" inherit />.{' '}
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link
                  to="/intelligence/compliance/$framework"
                  params={{ framework: section.framework }}
                  {...props}
                />
              )}
            >
              Results now
            </Anchor>
          </Text>
          <Results of={checked} />
        </>
      ) : (
        <Text size="sm">
          No configuration was checked against {section.title} in time. Connect the cloud accounts
          and create an agent of the type Compliance intelligence: results count from its first run
          on.
        </Text>
      )}
      {byHand.length > 0 && (
        <details>
          <Text component="summary" size="sm" mt={6}>
            {plural(byHand.length, 'control', 'controls')} that people show by hand
          </Text>
          <List size="xs" className="muted">
            {byHand.map(({ number, title, by_hand }) => (
              <List.Item key={number}>
                {number} {title}: {by_hand}
              </List.Item>
            ))}
          </List>
        </details>
      )}
    </div>
  );
}

function Results({ of: controls }: { of: Checked[] }) {
  return (
    <Table.ScrollContainer label="Results of checks" minWidth={520}>
      <Table aria-label="Results of checks" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Control</Table.Th>
            <Table.Th ta="right">Passed</Table.Th>
            <Table.Th ta="right">Failed</Table.Th>
            <Table.Th ta="right">Unknown</Table.Th>
            <Table.Th ta="right">Began to fail</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {controls.map((control) => (
            <Table.Tr key={control.number} style={{ verticalAlign: 'top' }}>
              <Table.Td data-lead>
                {control.number} {control.title}
                <Failing of={control} />
              </Table.Td>
              <Table.Td ta="right" data-label="Passed">
                {count(control.results.pass)}
              </Table.Td>
              <Table.Td ta="right" data-label="Failed">
                {count(control.results.fail)}
              </Table.Td>
              <Table.Td ta="right" data-label="Unknown">
                {count(control.results.unknown)}
              </Table.Td>
              <Table.Td ta="right" data-label="Began to fail">
                {count(control.began_failing)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Failing({ of: { failing, results } }: { of: Checked }) {
  if (failing.length === 0) return null;
  return (
    <details>
      <Text component="summary" size="xs" className="muted">
        {failing.length < results.fail
          ? `${failing.length} of ${count(results.fail)} failed results`
          : plural(failing.length, 'failed result', 'failed results')}
      </Text>
      <List size="xs">
        {failing.map((one) => (
          <List.Item key={`${one.check} ${one.account} ${one.resource_id}`}>
            {one.resource_name || one.resource_id}: {one.why}{' '}
            {one.exception && `Accepted by ${one.exception.by}: ${one.exception.reason}. `}
            <Text span size="xs" className="muted">
              Since <When at={one.since} form="minute" inherit />.{' '}
              <EntryLink id={one.event_id} size="xs" />
            </Text>
          </List.Item>
        ))}
      </List>
    </details>
  );
}
