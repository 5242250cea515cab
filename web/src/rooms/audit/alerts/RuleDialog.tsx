import { Alert, Anchor, Button, Group, List, Menu, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { announce } from '../../../display/announce';
import { Facts } from '../../../display/Facts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import {
  diagnosisQuery,
  isSilenced,
  removeRule,
  rulesQuery,
  silenceRule,
  switchRule,
  testRule,
  useChange,
  type AlertRule,
} from './queries';
import { AttackLinks, Degraded, thresholdInWords } from './ruleFacts';
import { useReturnFocus } from '../../../display/useReturnFocus';

interface Props {
  id: string;
  may: boolean;
  onChange: (rule: AlertRule) => void;
  onClose: () => void;
}

/** A rule, why it does not fire, and what can be done with it. */
export function RuleDialog({ id, may, onChange, onClose }: Props) {
  useReturnFocus();
  const rule = useQuery(rulesQuery).data?.items.find((one) => one.id === id);
  const toggle = useChange(switchRule);
  const test = useChange(testRule);
  const silence = useChange(silenceRule);
  const remove = useChange(removeRule);
  if (!rule) return null;
  const on = rule.state === 'enabled';
  const silenced = isSilenced(rule);
  return (
    <Modal opened onClose={onClose} size="lg" title={rule.name}>
      <Stack gap="md">
        {rule.description && <Text size="sm">{rule.description}</Text>}
        <Facts
          of={[
            [
              'Status',
              <Group key="state" gap={6}>
                <Status of={on ? 'active' : rule.state} />
                {rule.degraded && <Degraded />}
              </Group>,
            ],
            ['Severity', <Status key="severity" of={rule.severity} />],
            ['Condition', rule.condition],
            ['Threshold', thresholdInWords(rule)],
            ['Grouped by', [rule.group_by].flat().join(', ') || 'Nothing'],
            [
              'Channels',
              rule.notification.channels?.join(', ') ||
                (rule.notification.recipients?.length ? 'Every e-mail channel' : 'None'),
            ],
            ...(rule.notification.recipients?.length
              ? [['Recipients', rule.notification.recipients.join(', ')] as [string, string]]
              : []),
            ...(rule.attack?.length
              ? [
                  ['MITRE ATT&CK', <AttackLinks key="attack" ids={rule.attack} />] as [
                    string,
                    ReactNode,
                  ],
                ]
              : []),
            ...(rule.runbook
              ? [
                  [
                    'Runbook',
                    <Anchor
                      key="runbook"
                      size="sm"
                      href={rule.runbook}
                      target="_blank"
                      rel="noreferrer"
                    >
                      {rule.runbook}
                    </Anchor>,
                  ] as [string, ReactNode],
                ]
              : []),
            ...(silenced && rule.silenced_until
              ? [
                  [
                    'Silenced until',
                    <When key="silenced" at={rule.silenced_until} form="full" />,
                  ] as [string, ReactNode],
                ]
              : []),
          ]}
        />
        <Diagnosis id={id} />
        {test.data && (
          <Alert
            color={test.data.ok ? 'green' : 'red'}
            title={test.data.ok ? 'The test arrived' : 'The test did not arrive'}
          >
            {test.data.targets.length === 0
              ? 'The rule names no channel.'
              : test.data.targets.map(({ name, delivered, error }) => (
                  <Text size="sm" key={name}>
                    {name}: {delivered ? 'delivered' : error}
                  </Text>
                ))}
          </Alert>
        )}
        <ProblemAlert error={toggle.error ?? test.error ?? silence.error ?? remove.error} />
        {may && (
          <Group justify="flex-end">
            <Button
              variant="subtle"
              color="red"
              mr="auto"
              loading={remove.isPending}
              onClick={() =>
                remove.mutate(id, {
                  onSuccess: () => {
                    announce('Rule removed');
                    onClose();
                  },
                })
              }
            >
              Remove
            </Button>
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate(id)}>
              Send a test
            </Button>
            {silenced ? (
              <Button
                variant="default"
                loading={silence.isPending}
                onClick={() =>
                  silence.mutate(
                    { id },
                    { onSuccess: () => announce('Notifications are on again') },
                  )
                }
              >
                End silence
              </Button>
            ) : (
              <Silence
                pending={silence.isPending}
                onChoose={(until, said) =>
                  silence.mutate(
                    { id, until },
                    { onSuccess: () => announce(`Silenced for ${said}`) },
                  )
                }
              />
            )}
            <Button
              variant="default"
              loading={toggle.isPending}
              onClick={() => toggle.mutate({ id, on: !on })}
            >
              {on ? 'Disable' : 'Enable'}
            </Button>
            <Button onClick={() => onChange(rule)}>Change</Button>
          </Group>
        )}
      </Stack>
    </Modal>
  );
}

const SILENCES: [string, string][] = [
  ['now+1h', '1 hour'],
  ['now+8h', '8 hours'],
  ['now+24h', '1 day'],
  ['now+168h', '1 week'],
];

/** How long the rule fires without notifying anybody. */
function Silence({
  pending,
  onChoose,
}: {
  pending: boolean;
  onChoose: (until: string, said: string) => void;
}) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" loading={pending}>
          Silence
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Fire without notifying for</Menu.Label>
        {SILENCES.map(([until, said]) => (
          <Menu.Item key={until} onClick={() => onChoose(until, said)}>
            {said}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Diagnosis({ id }: { id: string }) {
  const { data, error } = useQuery(diagnosisQuery(id));
  if (error) return <ProblemAlert error={error} />;
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        Diagnosis
      </Text>
      <List size="sm" spacing={6} aria-label="Diagnosis">
        {data?.checks.map(({ check, ok, detail }) => (
          <List.Item
            key={check}
            icon={
              <ThemeIcon
                size={18}
                radius="xl"
                variant="light"
                color={ok ? 'green' : 'red'}
                aria-label={ok ? 'Passed' : 'Failed'}
              >
                {ok ? <IconCheck size={12} /> : <IconX size={12} />}
              </ThemeIcon>
            }
          >
            {detail}
          </List.Item>
        ))}
      </List>
    </div>
  );
}
