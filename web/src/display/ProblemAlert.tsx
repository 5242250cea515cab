import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { asProblem, formField } from '../api/problem';

interface Props {
  error: unknown;
  onRetry?: () => void;
  /** Fields that a form marks itself; their messages are not repeated here. */
  marked?: string[];
}

/** A problem in the service's own words: what, why, which fields, what to do. What is not permitted or does not exist is not tried again. */
export function ProblemAlert({ error, onRetry, marked = [] }: Props) {
  if (!error) return null;
  const problem = asProblem(error);
  const fields = problem.errors.filter(({ field }) => !marked.includes(formField(field)));
  const explain = problem.errors.length > 0 ? 'Correct the marked fields.' : problem.detail;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={problem.title}
      role="alert"
    >
      <Stack gap={6} align="flex-start">
        {fields.length === 0 && explain && <Text size="sm">{explain}</Text>}
        {fields.length > 0 && (
          <List size="sm" spacing={2}>
            {fields.map(({ field, message }) => (
              <List.Item key={field + message}>
                <b>{field}</b>: {message}
              </List.Item>
            ))}
          </List>
        )}
        {problem.hint && <Text size="sm">{problem.hint}</Text>}
        {problem.retryAfterSeconds && (
          <Text size="sm">Try again in {problem.retryAfterSeconds} seconds.</Text>
        )}
        {onRetry && problem.status !== 403 && problem.status !== 404 && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
