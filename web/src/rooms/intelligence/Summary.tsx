import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Recommendation } from '../../api/bodies';
import { useMay } from '../../api/session';
import { money, plural } from '../../display/amounts';
import { Facts } from '../../display/Facts';
import { Panel } from '../../display/Panel';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { sentence, words } from '../../display/wording';
import { confidenceInWords } from './confidence';
import { signaturesFor } from './approval-matrix';
import { unknownSaving } from './savings-words';
import { guardrailsQuery } from './queries';

const CAUSES: Record<string, string> = {
  run: 'in a run',
  anomaly: 'for an anomaly',
  predictive_rule: 'by a predictive rule',
  person: 'for a person',
};

/** The figures that decide: savings and confidence, each in a block of its own, so that a range is not taken for one of the other. */
export function Figures({ of: one }: { of: Recommendation }) {
  return (
    <Stack gap="lg">
      <Panel
        title={(one.savings.expected_monthly ?? 0) >= 0 ? 'Savings a month' : 'Added cost a month'}
      >
        <Savings of={one} />
      </Panel>
      <Panel title="Confidence">
        <Confidence of={one} />
      </Panel>
    </Stack>
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
            [
              'Database',
              one.kind === 'database_tuning' && may('estate.view') ? (
                <Anchor
                  key="database"
                  size="sm"
                  renderRoot={(props) => (
                    <Link to="/estate/databases/$id" params={{ id: resource.id }} {...props} />
                  )}
                >
                  Load, queries and advice
                </Anchor>
              ) : undefined,
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

function Confidence({ of: { confidence, explanation } }: { of: Recommendation }) {
  const known = explanation.similar_cases > 0;
  const { headline, range, cases } = confidenceInWords({
    confidence,
    range: explanation.confidence_range,
    similar: explanation.similar_cases,
    successRate: explanation.success_rate,
  });
  return (
    <>
      <Text fw={600} className="numeral">
        {headline}
      </Text>
      <Progress
        value={confidence}
        size={6}
        my={8}
        color={known ? undefined : 'gray'}
        aria-label="Confidence"
      />
      {range && (
        <Text size="sm" className="numeral">
          {range}
        </Text>
      )}
      <Text size="xs" className="muted numeral" mt={6}>
        {cases} Judged from {plural(explanation.data_points, 'sample')}.
      </Text>
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
          : 'At list price, without discounts and commitments.'}
      </Text>
    </>
  );
}
