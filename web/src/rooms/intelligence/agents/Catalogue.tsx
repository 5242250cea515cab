import { Badge, Button, Group, List, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { AgentType } from '../../../api/bodies';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { words } from '../../../display/wording';
import { agentTypesQuery } from '../queries';
import { BADGES, FINDINGS, linesOf, valueInWords, type TypeLine } from './type-words';

/** All agent types: what each can do and how it is set up, before one is configured. */
export function Catalogue({ onCreate }: { onCreate?: (type: string) => void }) {
  const { data, error, refetch } = useQuery(agentTypesQuery);
  return (
    <Panel
      title="Agent types"
      note="What each type of agent can do. Create as many agents of a type as you need, each with its own scope and settings"
    >
      <ProblemAlert error={data ? undefined : error} onRetry={() => void refetch()} />
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="md">
        {data?.items.map((type) => (
          <Type key={type.name} of={type} onCreate={onCreate} />
        ))}
      </SimpleGrid>
    </Panel>
  );
}

function Type({ of: type, onCreate }: { of: AgentType; onCreate?: (type: string) => void }) {
  const parts: [string, TypeLine[]][] = [
    ['Capabilities', linesOf(type.capabilities)],
    ['Actions', linesOf(type.actions)],
    ['Fixed settings', linesOf(type.settings)],
  ];
  const name = words(type.name);
  return (
    <section className="panel" style={{ padding: 16 }} aria-label={name}>
      <Stack gap={8} h="100%">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Text fw={600}>{name}</Text>
          <Badge color={type.findings === 'runs' ? 'green' : 'gray'} tt="none">
            {BADGES[type.findings ?? ''] ?? 'Not in this release'}
          </Badge>
        </Group>
        <Text size="sm">{type.description}</Text>
        {type.findings && (
          <Text size="xs" className="muted">
            {FINDINGS[type.findings]}
          </Text>
        )}
        <details>
          <summary className="fold">Capabilities, actions and settings</summary>
          <Stack gap="xs" mt={8}>
            {parts
              .filter(([, lines]) => lines.length > 0)
              .map(([title, lines]) => (
                <Lines key={title} title={title} of={lines} />
              ))}
            {type.configurable.length > 0 && (
              <div>
                <Text size="sm" fw={550}>
                  Settings of each agent
                </Text>
                <List size="sm" spacing={2}>
                  {type.configurable.map(({ path, description, default: usual }) => (
                    <List.Item key={path}>
                      {description}:{' '}
                      <b>
                        {typeof usual === 'boolean'
                          ? usual
                            ? 'on'
                            : 'off'
                          : valueInWords(usual) || 'none'}
                      </b>
                    </List.Item>
                  ))}
                </List>
              </div>
            )}
          </Stack>
        </details>
        {onCreate && type.available && (
          <Button
            size="xs"
            variant="light"
            mt="auto"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<IconPlus size={14} />}
            onClick={() => onCreate(type.name)}
            aria-label={`Create a ${name} agent`}
          >
            Create
          </Button>
        )}
      </Stack>
    </section>
  );
}

function Lines({ title, of: lines }: { title: string; of: TypeLine[] }) {
  return (
    <div>
      <Text size="sm" fw={550}>
        {title}
      </Text>
      <List size="sm" spacing={2}>
        {lines.map(({ name, value }) => (
          <List.Item key={name}>
            {name}
            {value && `: ${value}`}
          </List.Item>
        ))}
      </List>
    </div>
  );
}
