import { Code, Popover, Text } from '@mantine/core';
import { cloneElement } from 'react';
import { useOpenedAtOnce, type OpenedProps } from '../../display/lazy';
import { Table } from '../../display/Table';

const SYNTAX: [string, string][] = [
  ['status:failed', 'A field has a value'],
  ['event_type:authentication.*', 'Begins with'],
  ['a AND b, a OR b, NOT a', 'All, any, none; parentheses group; side by side means AND'],
  ['timestamp:>now-24h', 'Later than; also >=, <, <= and times'],
  ['resource.tags.env:prod', 'A tag; dots reach into changes and metadata too'],
  ['actor.ip_address:10.0.0.0/8', 'An address range; also 10.0.*'],
  ['severity:(high OR critical)', 'One of several'],
  ['changes.after:*', 'The field exists'],
  ['"access denied" backup', 'Words and phrases over all fields'],
];

/** The note with examples of queries. */
export function QueryHelp({ target }: OpenedProps) {
  const { opened, setOpened, button } = useOpenedAtOnce();
  return (
    <Popover
      width={460}
      position="bottom-end"
      withArrow
      shadow="md"
      opened={opened}
      onChange={setOpened}
    >
      <Popover.Target>
        {cloneElement(target, { ref: button, onClick: () => setOpened(!opened) })}
      </Popover.Target>
      <Popover.Dropdown maw="94vw">
        <Text fw={600} size="sm" mb={6}>
          Query language
        </Text>
        <Table verticalSpacing={5} horizontalSpacing={6} withRowBorders={false}>
          <Table.Tbody>
            {SYNTAX.map(([example, meaning]) => (
              <Table.Tr key={example}>
                <Table.Td>
                  <Code>{example}</Code>
                </Table.Td>
                <Table.Td>
                  <Text size="xs">{meaning}</Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text size="xs" className="muted" mt={6}>
          Short forms: status, category, tags, user. Letter case does not matter.
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}
