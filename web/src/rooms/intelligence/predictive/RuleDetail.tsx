import { Alert, Anchor, Button, Grid, Group, Stack, Text } from '@mantine/core';
import { IconEdit, IconPlayerPlay, IconPower } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Rule } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { announce } from '../../../display/announce';
import { percent, plural } from '../../../display/amounts';
import { Awaited } from '../../../display/Awaited';
import { Facts } from '../../../display/Facts';
import { lazyComponent } from '../../../display/lazy';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { Status } from '../../../display/Status';
import { Trail } from '../../../display/Trail';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { scopeInWords } from '../change/calendar';
import { useChange } from '../queries';
import { FiredRules } from './FiredRules';
import { Forecasts } from './Forecasts';
import { calendarsQuery, changeRule, evaluateRule, removeRule, ruleQuery } from './queries';
import { spanInWords } from '../../../display/durations';
import { actionInWords, approvalInWords, carriedOut, ruleInWords } from './labels';

const RuleForm = lazyComponent(() => import('./RuleForm'), 'RuleForm');

const route = getRouteApi('/app/intelligence/predictions/rules/$id');
const TRAIL = (
  <Trail
    of={[
      ['Intelligence Automation', '/intelligence'],
      ['Predictions', '/intelligence/predictions'],
    ]}
  />
);

export function RuleDetail() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(ruleQuery(id));
  if (!data)
    return <Awaited title="Predictive rule" above={TRAIL} error={error} onRetry={refetch} />;
  return <Shown of={data} />;
}

function Shown({ of: rule }: { of: Rule }) {
  const may = useMay();
  const [changing, setChanging] = useState(false);
  const evaluate = useChange(evaluateRule);
  const toggle = useChange(changeRule);
  const configure = may('intelligence.configure');
  return (
    <Page
      title={rule.name}
      above={TRAIL}
      description={
        <Stack gap={6}>
          <Text inherit>{ruleInWords(rule)}.</Text>
          <Group gap={8}>
            <Status of={rule.enabled ? 'active' : 'disabled'} label={rule.enabled ? 'On' : 'Off'} />
          </Group>
        </Stack>
      }
      actions={
        <>
          {configure && <RemoveRule of={rule} />}
          {configure && (
            <Button
              variant="default"
              leftSection={<IconPower size={16} />}
              loading={toggle.isPending}
              onClick={() =>
                toggle.mutate(
                  { id: rule.id, version: rule.version, enabled: !rule.enabled },
                  {
                    onSuccess: ({ enabled }) =>
                      announce(
                        enabled
                          ? 'Rule enabled.'
                          : 'Rule disabled. Its open recommendations were closed.',
                      ),
                  },
                )
              }
            >
              {rule.enabled ? 'Switch off' : 'Switch on'}
            </Button>
          )}
          {configure && (
            <Button
              variant="default"
              leftSection={<IconEdit size={16} />}
              onClick={() => setChanging(true)}
            >
              Change
            </Button>
          )}
          {may('intelligence.operate') && (
            <Button
              leftSection={<IconPlayerPlay size={16} />}
              loading={evaluate.isPending}
              onClick={() =>
                evaluate.mutate(rule.id, {
                  onSuccess: ({ items }) =>
                    announce(
                      `${plural(items.length, 'resource')} looked at, ${items.filter(({ outcome }) => outcome === 'foreseen').length} foreseen.`,
                    ),
                })
              }
            >
              Evaluate now
            </Button>
          )}
        </>
      }
    >
      <ProblemAlert error={toggle.error ?? evaluate.error} />
      {!rule.enabled && (
        <Alert color="gray" variant="light" title="Disabled">
          Not evaluated automatically. “Evaluate now” shows a forecast without recommending
          anything.
        </Alert>
      )}
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="lg">
            <Forecasts of={rule} />
            <FiredRules of={rule} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Says of={rule} />
        </Grid.Col>
      </Grid>
      {changing && <RuleForm key={rule.version} rule={rule} onClose={() => setChanging(false)} />}
    </Page>
  );
}

function RemoveRule({ of: rule }: { of: Rule }) {
  const navigate = useNavigate();
  return (
    <Remove
      what="rule"
      room="intelligence"
      remove={() => removeRule(rule.id)}
      onRemoved={() => void navigate({ to: '/intelligence/predictions' })}
      explain={`Deletes its forecasts and closes its open recommendations. The audit log keeps a record.${rule.created_by === 'system' ? ' This built-in rule is not restored automatically.' : ''}`}
    />
  );
}

/** The rule in words, field by field. */
function Says({ of: rule }: { of: Rule }) {
  const may = useMay();
  const { data: calendars } = useQuery({
    ...calendarsQuery,
    enabled: rule.condition.calendars.length > 0,
  });
  const named = rule.condition.calendars.map(
    (id) => calendars?.items.find((one) => one.id === id)?.name ?? id,
  );
  return (
    <Panel
      title="Rule"
      actions={
        may('audit.search') ? (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/audit/search" search={{ resource_id: rule.id }} {...props} />
            )}
          >
            In the log
          </Anchor>
        ) : undefined
      }
    >
      <Facts
        of={[
          [
            'Minimum probability',
            `${percent(rule.condition.probability)} within ${spanInWords(rule.condition.horizon)}`,
          ],
          ['Then', actionInWords(rule)],
          ['Approval', approvalInWords(rule)],
          ['Applied by', carriedOut(rule)],
          [
            'On behalf of',
            `the first ${words(rule.agent_type).toLowerCase()} agent that covers the resource, else the first of any type`,
          ],
          ['Covers', scopeInWords(rule.scope)],
          ['Resources', rule.resources.length > 0 ? rule.resources.join(', ') : undefined],
          ['Calendars', named.join(', ')],
          ['Evaluated', `every ${spanInWords(rule.every).replace(/^1 /, '')}`],
          ['Last evaluated', <When key="last" at={rule.evaluated_at} form="full" />],
          ['Created by', rule.created_by === 'system' ? 'built in' : rule.created_by],
          ['Last changed', <When key="changed" at={rule.updated_at} form="full" />],
        ]}
      />
    </Panel>
  );
}
