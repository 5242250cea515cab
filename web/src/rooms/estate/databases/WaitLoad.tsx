import { Group, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { chartColors } from '../../../charts/chart-colors';
import { LoadBars, loadColors } from '../../../charts/LoadBars';
import { plural } from '../../../display/amounts';
import { Hint } from '../../../display/Hint';
import { Panel } from '../../../display/Panel';
import { EmptyState } from '../../../display/EmptyState';
import type { DatabaseLoad } from './queries';

const sessions = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });

/** What the beginnings of names mean. */
const CLASSES: Record<string, string> = {
  CPU: 'Working, or waiting for a processor',
  IO: 'Waiting for the disk',
  Lock: 'Waiting for a lock on a table or row that another session holds',
  LWLock: "Waiting for a structure in the server's memory",
  BufferPin: 'Waiting for a page that another session uses',
  Client: 'Waiting for the application',
  IPC: 'Waiting for another process of the server',
  Timeout: 'Waiting for a time to pass',
  Activity: 'Idle process of the server',
  Extension: 'Waiting in an extension',
  Other: 'All other waits',
};

/** Active sessions over time by what they wait for. */
export function WaitLoad({ of: load, name }: { of: DatabaseLoad; name: string }) {
  const ink = chartColors(useComputedColorScheme('light'));
  const colors = loadColors(ink);
  const names = load.waits.map((wait) => wait.name);
  const whole = load.waits.reduce((sum, wait) => sum + wait.sessions, 0);
  return (
    <Panel
      title="Load by wait"
      note={
        load.looks > 0
          ? `${sessions.format(whole)} active sessions on average, from ${plural(load.looks, 'look')} at the server`
          : undefined
      }
    >
      {load.points.length === 0 && (
        <EmptyState title="No reading in this period">
          Reeve looks at the sessions once a minute. Choose a longer period, or come back in a
          minute.
        </EmptyState>
      )}
      {load.points.length > 0 && names.length === 0 && (
        <EmptyState title="No active session">
          The server was read {plural(load.looks, 'time')} in this period, and no session was
          working.
        </EmptyState>
      )}
      {names.length > 0 && (
        <Stack gap="sm">
          <LoadBars
            label={`Active sessions of ${name} by wait`}
            waits={names}
            points={load.points}
            step={load.step_s}
          />
          <Group component="ul" gap="xs" m={0} p={0} aria-label="Waits, the largest first">
            {load.waits.map((wait, place) => (
              <Group
                component="li"
                key={wait.name}
                gap={6}
                style={{ listStyle: 'none' }}
                wrap="nowrap"
              >
                <span
                  aria-hidden
                  style={{
                    width: 10,
                    height: 10,
                    borderRadius: 2,
                    flex: 'none',
                    background: colors[place % colors.length],
                  }}
                />
                <Hint label={CLASSES[wait.name.split(':')[0] ?? ''] ?? 'State of the session'}>
                  <Text size="xs" span>
                    {wait.name.replace(':', ': ')}{' '}
                    <span className="muted numeral">{sessions.format(wait.sessions)}</span>
                  </Text>
                </Hint>
              </Group>
            ))}
          </Group>
        </Stack>
      )}
    </Panel>
  );
}
