import { Code, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Recommendation } from '../../../api/bodies';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { words } from '../../../display/wording';
import { Causes } from './Causes';
import { blockOf } from './policy';
import { diagnosisQuery, patchQuery } from './queries';

/** Nobody has asked for it yet. */
const ASIDE = ['open', 'snoozed'];
const ENDED = ['succeeded', 'dismissed', 'superseded', 'expired'];

/** Why a recommendation is not executed: each cause by name, with its evidence and the way out. */
export function WhyNot({ of: one }: { of: Recommendation }) {
  const asked = one.plan != null && !ENDED.includes(one.status);
  const { data, error } = useQuery({ ...diagnosisQuery(one.id, `${one.status} ${one.blocked ?? ''}`), enabled: asked });
  if (!asked) return null;
  const owned = data?.causes.some(({ applies, evidence }) => applies && blockOf(evidence).guardrail === 'infrastructure_as_code');
  return (
    <>
      <Panel title={data?.present === false ? 'Nothing is in its way' : ASIDE.includes(one.status) ? 'What would hold it back' : 'Why it is not executed'} note="Looked at now, against the guardrails, the policies and its past">
        {error && <ProblemAlert error={error} />}
        {!data && !error && <Skeleton h={90} />}
        {data && <Causes of={data.causes} />}
      </Panel>
      {owned && <InCode id={one.id} />}
    </>
  );
}

function InCode({ id }: { id: string }) {
  const { data, error } = useQuery(patchQuery(id));
  return (
    <Panel title="Change it in code" note={data ? `${words(data.tool)} owns the resource: ${data.tag}` : undefined}>
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={80} />}
      {data && <Code block tabIndex={0} aria-label="What to change in code" style={{ maxHeight: 320 }}>{data.patch}</Code>}
      {data && <Text size="xs" className="muted" mt={8}>Once the code is applied, the next sync sees the change and the recommendation ends by itself.</Text>}
    </Panel>
  );
}
