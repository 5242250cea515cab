import { Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../../display/Panel';
import { Table } from '../../display/Table';
import { lines, shown, type Line } from './flatten';

interface Props {
  before: unknown;
  after: unknown;
  title?: string;
  /** Names of the two states. */
  sides?: [before: string, after: string];
}

/** The state before and after, side by side, by field. */
export function Difference({
  before,
  after,
  title = 'Changes',
  sides = ['Before', 'After'],
}: Props) {
  const [whole, setWhole] = useState(false);
  const all = lines(before, after);
  const same = all.filter(({ kind }) => kind === 'same').length;
  const listed = whole ? all : all.filter(({ kind }) => kind !== 'same');
  return (
    <Panel
      title={title}
      flush
      actions={
        same > 0 ? (
          <Switch
            size="xs"
            label={`Show ${same} unchanged`}
            checked={whole}
            onChange={(event) => setWhole(event.currentTarget.checked)}
          />
        ) : undefined
      }
    >
      <div
        className="table-box as-cards"
        style={{ border: 0, borderRadius: 0 }}
        tabIndex={0}
        role="region"
        aria-label={`${title}, scrollable`}
      >
        <Table aria-label={`${sides[0]} and ${sides[1].toLowerCase()}`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>{sides[0]}</Table.Th>
              <Table.Th>{sides[1]}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {listed.map((line) => (
              <Table.Tr key={line.path}>
                <Table.Td data-lead>
                  <Text size="sm" fw={500}>
                    {line.path}
                  </Text>
                </Table.Td>
                <Table.Td data-label={sides[0]}>
                  {line.kind !== 'added' && (
                    <Value line={line} of={line.before} colour="var(--bad)" />
                  )}
                </Table.Td>
                <Table.Td data-label={sides[1]}>
                  {line.kind !== 'removed' && (
                    <Value line={line} of={line.after} colour="var(--good)" />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {listed.length === 0 && (
          <Text size="sm" className="muted" p="md">
            Nothing differs.
          </Text>
        )}
      </div>
    </Panel>
  );
}

function Value({ line, of: value, colour }: { line: Line; of: unknown; colour: string }) {
  const plain = line.kind === 'same';
  return (
    <span
      className="hash"
      style={
        plain
          ? undefined
          : {
              color: colour,
              background: `color-mix(in srgb, ${colour} 11%, transparent)`,
              padding: '2px 6px',
              borderRadius: 4,
            }
      }
    >
      {shown(value)}
    </span>
  );
}
