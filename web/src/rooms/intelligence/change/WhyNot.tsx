import { Button, Code, CopyButton, Skeleton, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Recommendation } from '../../../api/bodies';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { words } from '../../../display/wording';
import { Causes } from './Causes';
import { diagnosisQuery, patchQuery } from './queries';

/** It runs, or it is over: nothing is in its way, and its own change would be named as what cools down. */
const PAST_ASKING = [
  'executing',
  'verifying',
  'testing',
  'succeeded',
  'dismissed',
  'superseded',
  'expired',
];

/** Why a recommendation is not executed: each cause by name, with its evidence and the way out. */
export function WhyNot({ of: one }: { of: Recommendation }) {
  const asked = one.plan != null && !PAST_ASKING.includes(one.status);
  const { data, error } = useQuery({
    ...diagnosisQuery(one.id, `${one.status} ${one.blocked ?? ''}`),
    enabled: asked,
  });
  if (!asked) return null;
  const owned = data?.causes.some(
    ({ applies, block }) => applies && block?.guardrail === 'infrastructure_as_code',
  );
  return (
    <>
      <Panel
        title={titleOf(data && data.present !== false)}
        note="Checked now against guardrails, policies and past executions"
      >
        {error && <ProblemAlert error={error} />}
        {!data && !error && <Skeleton h={90} />}
        {data && <Causes of={data.causes} />}
      </Panel>
      {owned && <InCode id={one.id} />}
    </>
  );
}

/** No claim before the answer is known. */
export function titleOf(present: boolean | undefined): string {
  if (present === undefined) return 'Can it be applied?';
  return present ? "Why it can't be applied" : 'Ready to apply: no guardrail or policy blocks it';
}

function InCode({ id }: { id: string }) {
  const { data, error } = useQuery(patchQuery(id));
  return (
    <Panel
      title="Change it in code"
      note={data ? `${words(data.tool)} manages this resource: ${data.tag}` : undefined}
      actions={data && <CopyPatch of={data.patch} />}
    >
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={80} />}
      {data && <Patch of={data.patch} />}
      {data && (
        <Text size="xs" className="muted" mt={8}>
          After you apply the code, the next sync detects the change and closes the recommendation.
        </Text>
      )}
    </Panel>
  );
}

/** A patch with its lines in colour; long ones scroll inside. */
function Patch({ of: text }: { of: string }) {
  const colour = (line: string) =>
    line.startsWith('+')
      ? 'var(--good)'
      : line.startsWith('-')
        ? 'var(--bad)'
        : line.startsWith('#')
          ? 'var(--muted)'
          : undefined;
  return (
    <Code
      block
      tabIndex={0}
      role="region"
      aria-label="What to change in code"
      style={{ maxHeight: 320 }}
    >
      {text.split('\n').map((line, index) => (
        <span key={`${index} ${line}`} style={{ color: colour(line) }}>
          {line}
          {'\n'}
        </span>
      ))}
    </Code>
  );
}

function CopyPatch({ of: text }: { of: string }) {
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Button
          size="xs"
          variant="default"
          leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          onClick={copy}
        >
          {copied ? 'Copied' : 'Copy the patch'}
        </Button>
      )}
    </CopyButton>
  );
}
