import { Alert, List, Text } from '@mantine/core';
import { IconHandStop, IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Agent } from '../../../api/bodies';
import { guardrailsQuery } from '../queries';
import { autonomyOf } from './autonomy';

/** Actions that an agent may take automatically, and its limits; `folded` behind whether it acts. */
export function Autonomy({ agent, folded }: { agent: Agent; folded?: boolean }) {
  const { data } = useQuery(guardrailsQuery);
  if (!data) return null;
  const { summary, limits, acts } = autonomyOf(agent, data);
  const title = acts ? 'Acts automatically' : 'Does not act automatically';
  const rest = (
    <>
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
    </>
  );
  if (folded)
    return (
      <details>
        <summary className="fold">{title}</summary>
        {rest}
      </details>
    );
  return (
    <Alert
      color={acts ? 'petrol' : 'gray'}
      variant="light"
      icon={acts ? <IconRobot size={18} /> : <IconHandStop size={18} />}
      title={title}
    >
      {rest}
    </Alert>
  );
}
