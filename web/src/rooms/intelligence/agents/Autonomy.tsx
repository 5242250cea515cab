import { Alert, List, Text } from '@mantine/core';
import { IconHandStop, IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Agent } from '../../../api/bodies';
import { guardrailsQuery } from '../queries';
import { autonomyOf } from './autonomy';

/** Actions that an agent may take automatically, and its limits. */
export function Autonomy({ agent }: { agent: Agent }) {
  const { data } = useQuery(guardrailsQuery);
  if (!data) return null;
  const { summary, limits, acts } = autonomyOf(agent, data);
  return (
    <Alert
      color={acts ? 'petrol' : 'gray'}
      variant="light"
      icon={acts ? <IconRobot size={18} /> : <IconHandStop size={18} />}
      title={acts ? 'Acts automatically' : 'Does not act automatically'}
    >
      <Text size="sm">{summary}</Text>
      {limits.length > 0 && (
        <details style={{ marginTop: 6 }}>
          <summary className="fold">Limits</summary>
          <List size="sm" spacing={2} mt={6}>
            {limits.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </details>
      )}
    </Alert>
  );
}
