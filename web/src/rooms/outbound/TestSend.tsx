import { Alert, Button, Code, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { ProblemAlert } from '../../display/ProblemAlert';
import { answered } from './Deliveries';
import { sendTest, useChange, type Target } from './queries';

/** Sends a test once. Result is shown by `TestOutcome`, where there is room for it. */
export function useTest(target: Target) {
  const test = useChange(sendTest);
  return {
    button: (
      <Button
        variant="default"
        leftSection={<IconSend size={16} />}
        loading={test.isPending}
        onClick={() => test.mutate(target)}
      >
        Send a test
      </Button>
    ),
    outcome: <TestOutcome of={test} />,
  };
}

function TestOutcome({
  of: test,
}: {
  of: ReturnType<typeof useChange<Target, Awaited<ReturnType<typeof sendTest>>>>;
}) {
  const attempt = test.data?.attempts.at(-1);
  return (
    <>
      <ProblemAlert error={test.error} />
      {attempt && (
        <Alert
          color={attempt.ok ? 'green' : 'red'}
          variant="light"
          role="status"
          title={attempt.ok ? 'The test arrived' : 'The test did not arrive'}
        >
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            It {attempt.status == null && attempt.error ? 'failed' : answered(attempt)} after{' '}
            {attempt.duration_ms} ms.{attempt.error && ` ${attempt.error}`}
          </Text>
          {attempt.answer && (
            <Code block mt={6} tabIndex={0} aria-label="Answer">
              {attempt.answer}
            </Code>
          )}
        </Alert>
      )}
    </>
  );
}
