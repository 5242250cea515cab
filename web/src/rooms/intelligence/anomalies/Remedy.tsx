import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Anomaly } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { Panel } from '../../../display/Panel';
import { sentence } from '../../../display/wording';

/** The recommended remedy: the change with its plan, the rollback, or the reason why no change fits. */
export function Remedy({ of: { recommended_action, remediation } }: { of: Anomaly }) {
  const may = useMay();
  if (!remediation) return null;
  const {
    recommendation_id: recommendation,
    action_id: action,
    description,
    has_plan,
    reason,
  } = remediation;
  return (
    <Panel
      title="Recommended remedy"
      note={
        has_plan
          ? 'A change that Reeve can carry out'
          : 'Advice: no change that Reeve can carry out'
      }
    >
      <Stack gap="sm">
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {sentence(description)}
        </Text>
        {reason && !description.includes(reason) && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Needs a person: {reason}.
          </Text>
        )}
        {!recommendation && !action && (
          <Text size="sm" className="muted">
            {recommended_action}
          </Text>
        )}
        <Group gap="xs">
          {recommendation && (
            <Button
              size="xs"
              variant="light"
              renderRoot={(props) => (
                <Link
                  to="/intelligence/recommendations/$id"
                  params={{ id: recommendation }}
                  {...props}
                />
              )}
            >
              Open recommendation
            </Button>
          )}
          {action && may('audit.search') && (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link
                  to="/audit/search"
                  search={{ query: `metadata.action_id:"${action}"` }}
                  {...props}
                />
              )}
            >
              Entries of the action
            </Anchor>
          )}
        </Group>
      </Stack>
    </Panel>
  );
}
