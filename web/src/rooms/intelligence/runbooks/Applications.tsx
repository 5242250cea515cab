import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Facts } from '../../../display/Facts';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { COLOURS, OUTCOMES } from './labels';
import { closeBreakers, type Runbook } from './queries';

/** Outcomes that are listed. */
const LISTED = 5;

/** What a runbook looks for and does, its open breakers, and its last outcomes. */
export function Applications({ of, may }: { of: Runbook; may: boolean }) {
  const close = useChange(closeBreakers);
  const { breaker } = of;
  return (
    <Stack gap="sm">
      <Facts
        of={[
          ['Condition', of.conditions.join('; ')],
          ['Change', of.remedy],
          [
            'Verified',
            of.change ? `${of.verify_after} after the change, by the condition` : 'Advice only',
          ],
          [
            'Breaker',
            `Opens after ${breaker.failures} failures on one resource or ${breaker.of_all} on all within ${breaker.window}, for ${breaker.open_for}`,
          ],
          ['For people', of.advice],
        ]}
      />
      {of.open_breakers.map((open) => (
        <Alert
          key={open.resource_id ?? ''}
          color="red"
          variant="light"
          icon={<IconAlertTriangle size={18} />}
          title={
            open.resource_name
              ? `Breaker open on ${open.resource_name}`
              : 'Breaker open on all resources'
          }
        >
          <Stack gap={6} align="flex-start">
            <Text size="sm">
              {`${open.failures} changes failed or did not help. The last: ${open.reason}. It closes `}
              <When at={open.closes_at} />.
            </Text>
            {may && (
              <Button
                size="xs"
                variant="default"
                loading={close.isPending}
                onClick={() => close.mutate({ name: of.name, resource: open.resource_id })}
              >
                Close the breaker
              </Button>
            )}
          </Stack>
        </Alert>
      ))}
      <ProblemAlert error={close.error} />
      {of.applications.slice(0, LISTED).map((one) => (
        <Group key={one.action_id} gap="xs" wrap="nowrap" align="flex-start">
          <Status
            of={COLOURS[one.outcome]}
            label={OUTCOMES[one.outcome]}
            style={{ flexShrink: 0 }}
          />
          <div style={{ minWidth: 0 }}>
            <Anchor
              size="sm"
              style={{ overflowWrap: 'anywhere' }}
              renderRoot={(props) => (
                <Link
                  to="/intelligence/recommendations/$id"
                  params={{ id: one.recommendation_id }}
                  {...props}
                />
              )}
            >
              {one.name}
            </Anchor>
            <Text size="xs" className="muted">
              <When at={one.started_at} /> {one.detail}
            </Text>
          </div>
        </Group>
      ))}
    </Stack>
  );
}
