import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Recommendation } from '../../api/bodies';
import { useMay } from '../../api/session';
import { count, money, percent, plural } from '../../display/amounts';
import { Facts } from '../../display/Facts';
import { Panel } from '../../display/Panel';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { sentence, words } from '../../display/wording';
import { signaturesFor } from './approval-matrix';
import { unknownSaving } from './savings-words';
import { guardrailsQuery } from './queries';

const CAUSES: Record<string, string> = {
  run: 'in a run',
  anomaly: 'for an anomaly',
  predictive_rule: 'by a predictive rule',
  person: 'for a person',
};

/** The figures that decide: savings and confidence. */
export function Figures({ of: one }: { of: Recommendation }) {
  const { explanation } = one;
  return (
    <Panel
      title={(one.savings.expected_monthly ?? 0) >= 0 ? 'Savings a month' : 'Added cost a month'}
    >
      <Savings of={one} />
      <Confidence of={one} />
      <Text size="xs" className="muted" mt={8}>
        From {count(explanation.data_points)} samples.{' '}
        {cases(explanation.similar_cases, explanation.success_rate)}
      </Text>
    </Panel>
  );
}

/** Impact and resource. */
export function About({ of: one }: { of: Recommendation }) {
  const may = useMay();
  const { resource, explanation } = one;
  const { data: guardrails } = useQuery(guardrailsQuery);
  return (
    <Stack gap="lg">
      <Panel title="Impact">
        <Facts
          of={[
            ['Cost', sentence(one.impact.cost)],
            ['Performance', sentence(one.impact.performance)],
            ['Security', sentence(one.impact.security)],
            ['Effort', words(one.effort)],
            ['Risk', <Status key="risk" of={explanation.risk_level} />],
            ['Approval', signaturesFor(one.impact_level, guardrails?.approval_matrix)],
          ]}
        />
      </Panel>
      <Panel title="Resource">
        <Facts
          of={[
            [
              'Name',
              may('estate.view') && resource.type !== 'account' ? (
                <Anchor
                  key="name"
                  size="sm"
                  renderRoot={(props) => (
                    <Link to="/estate/resources/$id" params={{ id: resource.id }} {...props} />
                  )}
                >
                  {resource.name}
                </Anchor>
              ) : (
                resource.name
              ),
            ],
            [
              'Identifier',
              <span key="id" className="hash">
                {resource.id}
              </span>,
            ],
            ['Kind', words(resource.type)],
            [
              'Size',
              resource.instance_type && (
                <Group key="size" gap={6} component="span">
                  {resource.instance_type}
                  {resource.target_type && (
                    <>
                      <IconArrowRight size={14} aria-label="to" />
                      <b>{resource.target_type}</b>
                    </>
                  )}
                </Group>
              ),
            ],
            ['Cloud', `${words(resource.provider)} · ${resource.account}`],
            ['Region', resource.region],
            ['Found', <When key="found" at={one.created_at} form="full" />],
            ['Valid until', <When key="until" at={one.expires_at} form="full" />],
            ['Rule', words(one.rule)],
            [
              'Found by',
              `${words(one.origin.agent_type)}, ${CAUSES[one.origin.cause] ?? words(one.origin.cause)}`,
            ],
            [
              'Acts',
              one.agent_id
                ? undefined
                : `No ${words(one.origin.agent_type).toLowerCase()} agent covers this resource. A person must apply the change`,
            ],
          ]}
        />
      </Panel>
    </Stack>
  );
}

/** Says how much is known before it says how confident it is: a range, and whether any outcome stands behind it. */
function Confidence({ of: one }: { of: Recommendation }) {
  const range = one.explanation.confidence_range;
  const known = one.explanation.similar_cases > 0;
  return (
    <>
      <Text size="sm" fw={500} mt="lg" className="numeral">
        How sure: {percent(one.confidence)}
      </Text>
      <Progress
        value={one.confidence}
        size={6}
        mt={6}
        color={known ? undefined : 'gray'}
        aria-label="Confidence"
      />
      {range && (
        <Text size="xs" className="muted numeral" mt={6}>
          {range.high - range.low > 30 ? 'Few cases: the' : 'The'} true value may be{' '}
          {Math.round(range.low)} to {Math.round(range.high)} %
        </Text>
      )}
    </>
  );
}

function Savings({ of: one }: { of: Recommendation }) {
  const { savings } = one;
  const now = savings.current_monthly_cost;
  const saved = savings.expected_monthly;
  if (saved == null) {
    return (
      <>
        <Text fz={22} fw={600} lh={1.2} className="numeral">
          {unknownSaving(one)}
        </Text>
        {now != null && (
          <Text size="sm" className="muted numeral" mt={8}>
            It costs {money(now)} a month now
          </Text>
        )}
        <Text size="xs" className="muted" mt={4}>
          {sentence(one.impact.cost)}
        </Text>
      </>
    );
  }
  return (
    <>
      <Text
        className="numeral"
        fz={32}
        fw={650}
        lh={1.1}
        c={saved >= 0 ? 'var(--good)' : 'var(--warn)'}
        style={{ letterSpacing: '-0.02em' }}
      >
        {money(Math.abs(saved))}
      </Text>
      {now != null && (
        <Group gap={8} mt={8} className="numeral">
          <Text size="sm" className="muted">
            now {money(now)}
          </Text>
          <IconArrowRight size={14} aria-hidden />
          <Text size="sm" fw={600}>
            after {money(Math.max(0, now - saved))}
          </Text>
        </Group>
      )}
      <Text size="xs" className="muted" mt={4}>
        {savings.basis === 'bill'
          ? `After discounts and commitments${savings.monthly == null ? '' : `; ${money(Math.abs(savings.monthly))} at list price`}.`
          : 'At list price: no bill of this resource is known.'}
      </Text>
    </>
  );
}

/** Changes of the same type and between the same sizes; the confidence may be calibrated on others of the type. */
function cases(similar: number, rate: number | null | undefined): string {
  if (similar === 0) return 'No change like this one, between the same sizes, has finished yet.';
  const succeeded = rate == null ? 0 : Math.round((rate / 100) * similar);
  if (rate == null) return `${plural(similar, 'similar case')}.`;
  return similar < 10
    ? `${count(succeeded)} of ${plural(similar, 'similar case')} succeeded.`
    : `${count(similar)} similar cases, ${percent(rate)} of them succeeded.`;
}
